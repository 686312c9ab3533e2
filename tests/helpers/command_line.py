"""The command line as the tests call it: in this process, or as a program of its own."""

import json
import signal
import sys
import traceback
from contextlib import contextmanager

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
SECONDS = 20  # for a bad input; a busy machine included


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


class TookTooLongError(BaseException):
    """Not an Exception, so that no command catches it."""


@contextmanager
def time_limit(seconds):
    def stop(signum, frame):
        raise TookTooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def complaint(args):
    """Run a bad input; return what is wrong with the answer, or nothing."""
    try:
        with time_limit(SECONDS):
            result = run(*args)
    except TookTooLongError:
        return f"no answer within {SECONDS} s"
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception)[-3:])
    if result.exit_code != 2:
        return f"exit code {result.exit_code}: {(result.stdout + result.stderr)[:300]}"
    if result.stdout:
        return f"wrote to stdout: {result.stdout[:300]!r}"
    if result.stderr.count("Error: ") != 1 or "Traceback" in result.stderr:
        return f"not one message: {result.stderr[:600]!r}"
    return "" if len(result.stderr) <= 10_000 else f"{len(result.stderr)} characters"
