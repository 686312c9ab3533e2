"""The command as a whole: start-up, help, errors and exit codes."""

import json
import re
import resource
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from command_line import PROGRAM, refusal, run

import popout as po
from popout.cli import group
from popout.task import Fault, task_from_toml

# Libraries that no start of the command line may wait for.
HEAVY = ("numpy", "scipy", "numba", "pandas", "xarray", "matplotlib", "rich")


@pytest.fixture
def broken(monkeypatch):
    """Return a runner whose command ``broken`` raises the given error."""

    def run_broken(error):
        def raise_it():
            raise error

        command = click.Command("broken", callback=raise_it)
        monkeypatch.setattr(group.LazyGroup, "get_command", lambda self, ctx, name: command)
        return CliRunner().invoke(group.main, ["broken"])

    return run_broken


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_alone_it_says_what_to_do_first():
    result = run()
    assert result.exit_code == 0
    shown = re.findall(r"^    popout (\w+)", result.stdout, re.MULTILINE)
    assert {"reproduce", "solve", "compare", "analyse", "fit"} <= set(shown)
    assert set(shown) <= set(group.COMMANDS)
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_the_task_it_shows_first_is_a_task():
    lines = [line.strip() for line in group.START.splitlines()]
    text = "\n".join(line for line in lines if " = " in line or line.startswith("["))
    assert task_from_toml(text) == po.SearchTask(n_locations=8, drift=4.0)
    assert "time = 0.2" in text.partition("[costs]")[2]


def test_version():
    assert run("--version").stdout == f"popout, version {po.__version__}\n"


def test_help_lists_every_command():
    listed = run("--help").stdout
    assert all(f"\n  {name}" in listed for name in group.COMMANDS)
    assert "..." not in listed.partition("Commands:")[2]  # every line is whole


@pytest.mark.parametrize("name", group.COMMANDS)
def test_help_has_json_and_examples_and_fits_the_terminal(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(name, "--help").stdout
    assert "--json" in text
    assert len(re.findall(rf"^    popout {name}\b", text, re.MULTILINE)) >= 2
    assert max(len(line) for line in text.splitlines()) <= 84  # an example is not broken


def test_help_imports_nothing_heavy():
    code = (
        "import json, sys\n"
        "from popout.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = json.loads(python(code).splitlines()[-1])
    assert "click" in loaded
    assert not set(HEAVY) & set(loaded)


def test_help_starts_well_under_half_a_second():
    """By the seconds of the processor, which other work on the machine does not add to."""

    def seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = seconds()
    subprocess.run([*PROGRAM, "--help"], check=True, capture_output=True)
    assert seconds() - before < 0.4


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("slove", "mean solve?"), ("Simulate", "mean simulate?"), ("divine", "--help` explains them")],
)
def test_an_unknown_command_gets_a_suggestion(typed, meant):
    said = refusal(typed)
    assert "command: expected one of analyse, certify, " in said
    assert f"got '{typed}'" in said
    assert meant in said


def test_input_error_is_one_message_without_traceback(broken):
    result = broken(
        po.InputError(
            Fault(text=text) for text in ("dt: expected a positive number", "drift: expected some")
        )
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "Error: dt: expected a positive number\ndrift: expected some\n"


def test_interrupt_exits_with_130(broken):
    result = broken(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stdout == ""


def test_a_bug_keeps_its_traceback(broken):
    result = broken(ValueError("a bug"))
    assert isinstance(result.exception, ValueError)
    assert not isinstance(result.exception, po.InputError)
