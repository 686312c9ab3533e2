"""The program among other programs: signals, pipes, full disks, terminals, closed streams."""

import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command_line import INTERRUPTIBLE, PROGRAM

LONG = ["--drift", "4", "--locations", "5", "--time-cost", "0.2"]
THRESHOLDS = ["thresholds", "--drift", "4", "--time-cost", "0.2"]


def wait_for_library(program, name):
    """Wait until a program has loaded a library, by which one sees how far it is."""
    maps = Path(f"/proc/{program.pid}/maps")
    end = time.monotonic() + 60
    while maps.exists() and name not in maps.read_text(encoding="utf-8"):
        assert program.poll() is None, "it has ended"
        assert time.monotonic() < end, f"{name} was not loaded"
        time.sleep(0.02)


def interrupt(args, library, seconds, **settings):
    """Start a program, send it SIGINT some seconds after a library is there; return its end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    program = subprocess.Popen([*INTERRUPTIBLE, *args], **pipes, **settings)
    try:
        wait_for_library(program, library)
        with pytest.raises(subprocess.TimeoutExpired):
            program.communicate(timeout=seconds)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    return program.returncode, out, err


SOLVE = ["solve", *LONG, "--rtol", "1e-5"]
SIMULATE = ["simulate", "--strategy", "sprt", *LONG, "--trials", "10000000000"]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs to see what is loaded")
@pytest.mark.parametrize(
    ("args", "library", "seconds"),
    [
        (SOLVE, "_multiarray_umath", 0.05),
        (SOLVE, "llvmlite", 2),
        ([*SOLVE[:3], "--time-cost", "0.2", "--locations", "3", "--deadline", "9"], "llvmlite", 2),
        ([*SIMULATE, "--json"], "llvmlite", 2),
    ],
    ids=["loading", "solving", "deadline", "simulating"],
)
def test_an_interrupt_stops_cleanly(args, library, seconds, tmp_path):
    code, out, err = interrupt(args, library, seconds, cwd=tmp_path)
    assert code == 130
    assert out == ""
    assert err == "Interrupted.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs to see what is loaded")
def test_an_interrupt_while_kernels_compile(tmp_path):
    """With an empty cache the simulator compiles for longer than this."""
    fresh = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    code, out, err = interrupt(SIMULATE, "llvmlite", 2, env=fresh)
    assert code == 130
    assert out == ""
    assert err.splitlines()[-1] == "Interrupted."  # a busy machine has told of progress before
    assert "Traceback" not in err


@pytest.mark.parametrize("args", [["--help"], THRESHOLDS], ids=str)
def test_a_reader_that_goes_away_is_no_error(args):
    program = subprocess.Popen(
        [*PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    program.stdout.close()
    assert program.stderr.read() == ""
    program.stderr.close()
    program.wait(timeout=60)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("args", [["--help"], [*THRESHOLDS, "--json"]], ids=str)
def test_a_full_disk_is_one_message(args):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [*PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: output: expected room for the result")
    assert done.stderr.count("\n") == 1


def on_a_terminal(args, **settings):
    """Run a program with stdout and stderr on a terminal; return what the terminal shows."""
    master, slave = pty.openpty()
    env = os.environ | {"TERM": "xterm", "COLUMNS": "80"} | settings
    program = subprocess.Popen([*PROGRAM, *args], stdout=slave, stderr=slave, env=env)
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
