"""``popout compare``: a thin layer over the library."""

import json

from click.testing import CliRunner

import popout as po
from popout.analysis.compare import compare
from popout.cli.compare import command
from popout.policies.stopping import RECIPES

PROBLEM = ("--drift", "4", "--locations", "2", "--time-cost", "0.5")
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")


def test_compare_gives_the_rows_of_the_library():
    arguments = ["--drift", "4", "--locations", "1,4", "--time-cost", "0.5,1", *QUICK, "--json"]
    arguments += ["--strategies", "a-sprt,hardmax"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)
    assert len(rows) == 2 * 2 * 2
    keys = {"strategy", "locations", "time_cost", "risk", "risk_se", "excess", "excess_se"}
    assert all(keys <= set(row) for row in rows)
    expected = compare(
        [po.SearchTask(n_locations=m, drift=4.0) for m in (1, 4)],
        [po.Costs(time=c) for c in (0.5, 1.0)],
        [RECIPES[name] for name in ("a-sprt", "hardmax")],
        n_trials=2000,
        tune_trials=2000,
        seed=3,
    )
    assert [row["risk"] for row in rows] == expected.risk.tolist()
    with_one = [row for row in rows if row["locations"] == 1]
    assert all(0 <= row["excess"] < 1e-6 for row in with_one)  # one location: one strategy


def test_compare_prints_a_table():
    arguments = [*PROBLEM, "--strategies", "sprt,hardmax", *QUICK]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0
    assert "Hardmax" in result.stdout
    assert "excess" in result.stdout
    assert "RT (ms), absent" in " ".join(result.stdout.split())


def test_slopes_are_printed_and_in_the_json():
    several = [
        "--drift",
        "4",
        "--locations",
        "1,2",
        "--time-cost",
        "absent=0.5:present=1",
        "--strategies",
        "sprt",
    ]
    several += QUICK
    text, found = (CliRunner().invoke(command, several + more) for more in ([], ["--json"]))
    assert "absent (ms/item)" in text.stdout
    rows = json.loads(found.stdout)
    assert rows[0]["time_cost"] == {"absent": 0.5, "present": 1.0}
    assert rows[0]["rt_slope"]["absent"] == rows[1]["rt_slope"]["absent"] > 0
    assert all(row["risk_trials"] == row["excess_trials"] <= row["trials"] for row in rows)


def test_the_optimum_is_a_rival():
    result = CliRunner().invoke(command, [*PROBLEM, "--strategies", "optimal,sprt", *QUICK])
    assert result.exit_code == 0, result.stderr
    assert "reference" in result.stdout
    assert "exact" in result.stdout


def test_compare_names_every_unknown_strategy():
    result = CliRunner().invoke(command, [*PROBLEM, "--strategies", "luck,sprt,hope"])
    assert result.exit_code == 2
    assert "got 'luck'" in result.stderr
    assert "got 'hope'" in result.stderr
