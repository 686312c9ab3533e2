"""``popout analyse``: what it prints, and its exit codes."""

from pathlib import Path

import pytest
from command_line import refusal, run, run_json

TASK = 'kind = "search"\nn_locations = 1\ndrift = 4.0\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("popout.reports.part.picture", lambda figure, kind: kind.encode())
    monkeypatch.chdir(tmp_path)
    Path("costs.toml").write_text(f"{TASK}[costs]\ntime = 0.5\n", encoding="utf-8")
    Path("bare.toml").write_text(TASK, encoding="utf-8")


def test_json_names_the_report_and_the_main_numbers():
    result = run_json("analyse", "costs.toml", "--out", "here", "--trials", "1000")
    assert result["report"] == str(Path("here") / "report.html")
    assert Path(result["report"]).exists()
    assert result["solved"] is True
    assert {row["strategy"] for row in result["strategies"]} == {"optimal", "sprt", "fixed-time"}
    assert result["name"] == "costs"


def test_table_shows_strategies_and_where_the_report_is():
    quick = ("--trials", "1000", "--time-cost", "0.5")
    result = run("analyse", "bare.toml", "--out", "here", *quick)
    assert result.exit_code == 0, result.stderr
    assert "fixed time" in result.stdout
    assert "report.html" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bare.toml",), "costs.time: expected a cost of time in the file's [costs]"),
        (("none.toml",), "none.toml"),
        (("costs.toml", "--time-cost", "-1"), "expected a positive number"),
        (("costs.toml", "--trials", "5"), "trials: expected an integer of at least 1000"),
        (("costs.toml", "--out", "bare.toml/results"), "out: expected a folder that takes files"),
    ],
)
def test_bad_input_writes_nothing(arguments, message):
    assert message in refusal("analyse", "--out", "new", *arguments)
    assert not Path("new").exists()
