"""JSON that any reader accepts, and tables."""

import io
import json
import re
import sys
import time

import numpy as np
import pytest

from popout.cli.output import plain, write_json, write_table
from popout.cli.progress import _left, progress


def test_json_has_no_nan_and_no_numpy(capsys):
    write_json({"a": np.float32(0.5), "b": [np.nan, np.inf], "c": np.arange(2), "d": np.True_})
    text = capsys.readouterr().out

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    found = json.loads(text, parse_constant=refuse)
    assert found == {"a": 0.5, "b": [None, None], "c": [0, 1], "d": True}


def test_unknown_objects_are_refused():
    with pytest.raises(TypeError, match="cannot write set as JSON"):
        plain({"a": {1, 2}})


def test_table_shows_four_digits(capsys):
    write_table("Risk", ("strategy", "risk"), [("a-sprt", 0.123456), ("none", None)], note="[s.e.]")
    text = capsys.readouterr().out
    assert "0.1235" in text
    assert "0.12346" not in text
    assert "[s.e.]" in text


ROWS = [("a-SPRT", 2, 0.2, 0.0440123, 0.000277), ("Hardmax", 8, 0.5, 0.1234567, 0.000123)]
HEADINGS = ("strategy", "locations", "cost of time", "risk", "standard error")
NUMBERS = ("2", "8", "0.2", "0.5", "0.04401", "0.1235", "0.000277", "0.000123")


@pytest.mark.parametrize("width", [24, 30, 40, 50, 60, 80, 120])
def test_a_table_fits_the_terminal_and_cuts_no_number(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    write_table(
        "Strategies on common trials", HEADINGS, ROWS, note="A note that says a lot.", keys=1
    )
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(number in words for number in NUMBERS)


def test_columns_that_say_what_a_row_is_are_repeated(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "42")
    write_table("Strategies", HEADINGS, ROWS, keys=2)
    words = capsys.readouterr().out.split()
    assert words.count("a-SPRT") == words.count("locations") == 2
    assert words.count("risk") == 1


def test_numbers_wider_than_the_terminal_run_on(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    write_table("T", ("x", "y"), [("a" * 15, "1" * 30)])
    assert "1" * 30 in capsys.readouterr().out


@pytest.mark.parametrize(
    ("setting", "value", "bold"),
    [("TERM", "xterm", True), ("TERM", "dumb", False), ("NO_COLOR", "1", False)],
)
def test_bold_only_on_a_terminal_that_wants_it(monkeypatch, setting, value, bold):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(setting, value)
    monkeypatch.setattr("sys.stdout", Terminal())
    write_table("Title", ("x",), [("1",)])
    assert ("\x1b[" in sys.stdout.getvalue()) is bold
    monkeypatch.setattr("sys.stdout", io.StringIO())
    write_table("Title", ("x",), [("1",)])
    assert "\x1b[" not in sys.stdout.getvalue()


def test_short_work_is_silent_without_a_terminal(capfd):
    with progress("solving", total=2) as update:
        update(1, detail="residual 1e-3")
        update(2)
    assert capfd.readouterr() == ("", "")


def test_long_work_writes_plain_lines_without_a_terminal(monkeypatch):
    monkeypatch.setattr("popout.cli.progress.INTERVAL", 0.02)
    monkeypatch.setattr("sys.stderr", io.StringIO())

    def wait_for(pattern):
        end = time.monotonic() + 20
        while not re.search(pattern, sys.stderr.getvalue(), re.MULTILINE):
            assert time.monotonic() < end, sys.stderr.getvalue()
            time.sleep(0.01)

    with progress("solving", total=8) as update:
        wait_for(r"^solving: \d+ s so far$")  # not a word from the work: a line all the same
        update(2, detail="point 2")
        wait_for(r"^solving: 25 %, \d+ s so far(, about \d+ s left)?, point 2$")
    written = sys.stderr.getvalue()
    time.sleep(0.1)
    assert sys.stderr.getvalue() == written  # the work is over


def test_time_left_follows_the_pace_so_far():
    assert _left(2, 8, 10.0) == "about 30 s left"
    assert _left(2, 8, 0.5) == ""  # too early to say
    assert _left(8, 8, 10.0) == ""
    assert _left(None, None, 10.0) == ""


def test_progress_goes_to_stderr_of_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress("solving", total=2) as update:
        update(2, detail="residual 1e-3")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "solving" in captured.err
    assert "residual 1e-3" in captured.err
