"""``popout analyse``: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from popout.cli import group

TASK = 'kind = "search"\nn_locations = 1\ndrift = 4.0\n'


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr("popout.reports.part.picture", lambda figure, kind: kind.encode())
    monkeypatch.chdir(tmp_path)
    Path("costs.toml").write_text(f"{TASK}[costs]\ntime = 0.5\n")
    Path("bare.toml").write_text(TASK)
    return lambda *args: CliRunner().invoke(group.main, ["analyse", *map(str, args)])


def test_json_names_the_report_and_the_main_numbers(run):
    result = run("costs.toml", "--out", "here", "--trials", "1000", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["report"] == str(Path("here") / "report.html")
    assert Path(found["report"]).exists()
    assert found["solved"] is True
    assert {row["strategy"] for row in found["strategies"]} == {"optimal", "sprt", "fixed-time"}
    assert found["name"] == "costs"


def test_table_shows_strategies_and_where_the_report_is(run):
    result = run("bare.toml", "--out", "here", "--trials", "1000", "--time-cost", "0.5")
    assert result.exit_code == 0, result.stderr
    assert "fixed time" in result.stdout
    assert "report.html" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bare.toml",), "costs.time: expected a cost of time in the file's [costs]"),
        (("none.toml",), "none.toml"),
        (("costs.toml", "--time-cost", "-1"), "expected a positive number"),
        (("costs.toml", "--miss", "0"), "expected a positive number"),
        (("costs.toml", "--time-cost", "1,2,3"), "expected one number, or one for each class"),
        (("costs.toml", "--preset", "slow"), "'slow'"),
        (("costs.toml", "--trials", "5"), "trials: expected an integer of at least 1000"),
        (("costs.toml", "--seed", "-1"), "expected an integer from 0"),
    ],
)
def test_bad_input_exits_with_2_and_writes_nothing(run, arguments, message):
    result = run(*arguments, "--out", "new")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not Path("new").exists()


def test_a_folder_that_cannot_be_made_exits_with_2(run):
    result = run("costs.toml", "--out", "bare.toml/results")
    assert result.exit_code == 2
    assert "out: expected a folder that takes files" in result.stderr
