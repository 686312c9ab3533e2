"""Bad input of every kind: exit code 2, one message, no traceback, no hang, no file, no output.

Most run in this process, where the libraries are loaded; a few as programs of their own.
"""

import itertools
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from popout.cli import group

from .bad_inputs import GOOD, OPTIONS, bad_inputs, prepare

SECONDS = 20  # for one input; a busy machine included
SHARES = {
    "thresholds": 60,
    "solve": 80,
    "simulate": 80,
    "compare": 60,
    "certify": 40,
    "evidence": 110,
    "analyse": 100,
    "describe": 60,
    "fit": 60,
    "recover": 40,
    "reproduce": 50,
    "sweep": 90,
    "experiment": 20,
    "serve": 20,
    "schema": 15,
    "completion": 15,
}
"""How many bad inputs each command gets."""


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


def files(folder):
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def complaint(args):
    """Run one bad input; return what is wrong with the answer, or nothing."""
    try:
        with time_limit(SECONDS):
            result = CliRunner().invoke(group.main, args)
    except TookTooLongError:
        return f"no answer within {SECONDS} s"
    if isinstance(result.exception, TookTooLongError):
        return f"no answer within {SECONDS} s"
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception)[-3:])
    if result.exit_code != 2:
        return f"exit code {result.exit_code}: {(result.stdout + result.stderr)[:300]}"
    if result.stdout:
        return f"wrote to stdout: {result.stdout[:300]!r}"
    if result.stderr.count("Error: ") != 1 or "Traceback" in result.stderr:
        return f"not one message: {result.stderr[:600]!r}"
    if len(result.stderr) > 10_000:
        return f"a message of {len(result.stderr)} characters"
    return ""


def test_every_command_has_its_share():
    assert set(SHARES) == set(group.COMMANDS) == set(OPTIONS) == set(GOOD)
    assert sum(SHARES.values()) >= 500


def test_every_option_with_a_value_is_tried():
    for command in group.COMMANDS:
        made = group.main.get_command(None, command)
        takes = {
            option.opts[0]
            for option in made.params
            if option.param_type_name == "option" and not option.is_flag
        }
        assert takes - set(OPTIONS[command]) <= {"--out"}, command


@pytest.mark.parametrize("command", SHARES)
def test_bad_input_ends_with_one_message(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    wrong = []
    tried = 0
    for args in itertools.islice(bad_inputs(command, tmp_path, 1), SHARES[command]):
        before = files(tmp_path)
        said = complaint(args)
        left = set(files(tmp_path).items()) ^ set(before.items())
        if left:
            said += f"\nfiles: {sorted(str(path) for path, _ in left)}"
        if said:
            wrong.append(f"{args!r}: {said}")
        tried += 1
    assert tried == SHARES[command]
    assert not wrong, f"{len(wrong)} of {tried}\n" + "\n\n".join(wrong)[:20_000]


def test_good_input_would_be_noticed(tmp_path, monkeypatch):
    """The negative control: what the bad inputs were made from is accepted."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    for command in ("thresholds", "simulate", "evidence", "schema", "completion"):
        assert "exit code 0" in complaint([command, *GOOD[command]])


UNKNOWN = [
    "",
    "slove",
    "help",
    "-x",
    "--colour",
    "solve thresholds",
    "Solve",
    "🎯",
    "x" * 2000,
]


@pytest.mark.parametrize("name", UNKNOWN, ids=range(len(UNKNOWN)))
def test_unknown_commands(name):
    assert complaint([name]) == ""


PROGRAMS = [
    ["solve", "--drift", "4", "--locations", "1000000000", "--time-cost", "0.2"],
    ["simulate", "--strategy", b"\xff\xfe", "--drift", "4", "--time-cost", "0.2"],
    ["evidence", b"\xff.toml"],
    ["reproduce", "search-designs", "--out", "/proc/none"],
    [b"\xff"],
]


@pytest.mark.parametrize("args", PROGRAMS, ids=lambda args: str(args[0]))
def test_bad_input_of_a_program(args, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "popout", *args],
        capture_output=True,
        cwd=tmp_path,
        timeout=3 * SECONDS,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == b""
    assert done.stderr.count(b"Error: ") == 1
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
