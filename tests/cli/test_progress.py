"""Progress on stderr: a bar for terminals, plain lines elsewhere."""

import io
import re
import sys
import time

from popout.cli.progress import _time_left, progress
from popout.progress import UNKNOWN


def test_short_work_is_silent_without_a_terminal(capfd):
    with progress("solving") as update:
        update(0.5, "residual 1e-3")
        update(1.0, "")
    assert capfd.readouterr() == ("", "")


def test_long_work_writes_plain_lines_without_a_terminal(monkeypatch):
    monkeypatch.setattr("popout.cli.progress.INTERVAL", 0.02)
    monkeypatch.setattr("sys.stderr", io.StringIO())

    def wait_for(pattern):
        end = time.monotonic() + 20
        while not re.search(pattern, sys.stderr.getvalue(), re.MULTILINE):
            assert time.monotonic() < end, sys.stderr.getvalue()
            time.sleep(0.01)

    with progress("solving") as update:
        wait_for(r"^solving: \d+ s so far$")  # not a word from the work: a line all the same
        update(0.25, "point 2")
        wait_for(r"^solving: 25 %, \d+ s so far(, about \d+ s left)?, point 2$")
    written = sys.stderr.getvalue()
    time.sleep(0.1)
    assert sys.stderr.getvalue() == written  # the work is over


def test_time_left_follows_the_pace_so_far():
    assert _time_left(0.25, 10.0) == "about 30 s left"
    assert _time_left(0.25, 0.5) == ""  # too early to say
    assert _time_left(1.0, 10.0) == ""
    assert _time_left(UNKNOWN, 10.0) == ""


def test_progress_goes_to_stderr_of_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress("solving") as update:
        update(UNKNOWN, "starting")  # the bar pulses
        update(1.0, "residual 1e-3")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "solving" in captured.err
    assert "residual 1e-3" in captured.err
