"""JSON that any reader accepts, and tables."""

import json

import numpy as np
import pytest

from popout.cli.output import plain, write_json, write_table
from popout.cli.progress import progress


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


def test_progress_is_silent_without_a_terminal(capfd):
    with progress("solving", total=2) as update:
        update(1, detail="residual 1e-3")
        update(2)
    assert capfd.readouterr() == ("", "")


def test_progress_goes_to_stderr_of_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress("solving", total=2) as update:
        update(2, detail="residual 1e-3")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "solving" in captured.err
    assert "residual 1e-3" in captured.err
