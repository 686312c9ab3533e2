"""The program among other programs: signals, pipes, full disks, terminals, closed streams."""

import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

POPOUT = [sys.executable, "-m", "popout"]
LONG = ["--drift", "4", "--locations", "5", "--time-cost", "0.2"]
THRESHOLDS = ["thresholds", "--drift", "4", "--time-cost", "0.2"]


def interrupt(args, seconds, **settings):
    """Start a program, send it SIGINT after some seconds, and return its end."""
    program = subprocess.Popen(
        [*POPOUT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            program.communicate(timeout=seconds)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    return program.returncode, out, err


@pytest.mark.parametrize(
    ("args", "seconds"),
    [
        (["solve", *LONG, "--rtol", "1e-5"], 1.5),  # while it loads
        (["solve", *LONG, "--rtol", "1e-5"], 4),
        (
            [
                "solve",
                *LONG[:2],
                *LONG[4:],
                "--locations",
                "3",
                "--rtol",
                "1e-7",
                "--deadline",
                "9",
            ],
            4,
        ),
        (["simulate", "--strategy", "sprt", *LONG, "--trials", "10000000000", "--json"], 4),
    ],
    ids=["loading", "solving", "deadline", "simulating"],
)
def test_an_interrupt_stops_at_once_and_cleanly(args, seconds, tmp_path):
    code, out, err = interrupt(args, seconds, cwd=tmp_path)
    assert code == 130
    assert out == ""
    assert err == "Interrupted.\n"
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_kernels_compile(tmp_path):
    """With an empty cache the simulator compiles for longer than this."""
    fresh = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    args = ["simulate", "--strategy", "sprt", *LONG, "--trials", "10000000000"]
    code, out, err = interrupt(args, 4, env=fresh)
    assert code == 130
    assert out == ""
    assert err == "Interrupted.\n"


@pytest.mark.parametrize("args", [["--help"], THRESHOLDS], ids=str)
def test_a_reader_that_goes_away_is_no_error(args):
    program = subprocess.Popen(
        [*POPOUT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    program.stdout.close()
    assert program.stderr.read() == ""
    program.stderr.close()
    program.wait(timeout=60)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("args", [["--help"], [*THRESHOLDS, "--json"]], ids=str)
def test_a_full_disk_is_one_message(args):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*POPOUT, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: output: expected room for the result")
    assert done.stderr.count("\n") == 1


def on_a_terminal(args, **settings):
    """Run a program with stdout and stderr on a terminal; return what the terminal shows."""
    master, slave = pty.openpty()
    program = subprocess.Popen(
        [*POPOUT, *args],
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"} | settings,
    )
    os.close(slave)
    shown = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    assert program.wait(timeout=10) == 0
    return shown.decode()


def test_colour_is_for_terminals_that_want_it():
    assert "\x1b[1m" in on_a_terminal(THRESHOLDS)
    plain = on_a_terminal(THRESHOLDS, NO_COLOR="1")
    colours = re.findall(r"\x1b\[[0-9;]*m", plain)
    assert set(colours) <= {"\x1b[0m", "\x1b[m"}
