"""The command line as the tests call it: in this process, or as a program of its own."""

import json
import sys

from click.testing import CliRunner

from popout.cli import group

PROGRAM = [sys.executable, "-m", "popout"]
# A background job ignores SIGINT, and so do its children unless they say otherwise.
HEARS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
INTERRUPTIBLE = [
    sys.executable,
    "-c",
    f"{HEARS_INTERRUPTS}import runpy; runpy.run_module('popout', run_name='__main__')",
]


def run(*args):
    """Return what a command wrote, and how it ended."""
    return CliRunner().invoke(group.main, [str(arg) for arg in args])


def run_json(*args):
    """Return the result of a command that must write one JSON document and nothing else."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # fails on anything before or after the document


def refusal(*args):
    """Return the message of a command that must refuse its input, and write nothing."""
    result = run(*args)
    assert result.exit_code == 2, (result.exit_code, repr(result.exception), result.stdout)
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.partition("Error: ")[2].split())
