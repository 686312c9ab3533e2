"""Progress on stderr: a bar for terminals, plain lines elsewhere."""

import io
import re
import sys
import time

from popout.cli.progress import Pace, progress
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


def said(course, end):
    """Return (seconds, seconds left as said) along a course of work, second by second."""
    pace, seen = Pace(), []
    for second in range(1, end):
        pace.note(course(second), second)
        if words := pace.left(course(second), float(second)):
            parts = re.findall(r"(\d+) (min|s)", words)
            seen.append((second, sum(int(n) * {"min": 60, "s": 1}[unit] for n, unit in parts)))
    return seen


def test_time_left_follows_a_steady_pace():
    seen = said(lambda second: second / 143, 143)
    assert {second for second, _ in seen} >= set(range(8, 143))
    assert all(abs(second + left - 143) <= 1 for second, left in seen)


def test_time_left_is_not_said_where_the_work_stands_still():
    """A report said "50 min left" after a minute at 2 %, and took 2:23."""

    def course(second):
        return 0.02 if second < 70 else 0.02 + 0.98 * (second - 70) / 73

    seen = said(course, 143)
    assert all(left < 200 for _, left in seen)
    naive = [second / course(second) - second for second in range(1, 143)]
    assert max(naive) > 3000  # what was said before


def test_no_time_left_where_nothing_is_known():
    assert Pace().left(0.25, 0.5) == ""  # too early to say
    assert Pace().left(0.25, 10.0) == ""  # no pace yet
    assert Pace().left(1.0, 10.0) == ""
    assert Pace().left(UNKNOWN, 10.0) == ""


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
