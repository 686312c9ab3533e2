"""``popout simulate`` and ``popout compare``: thin layers over the library."""

import json

import pytest
from click.testing import CliRunner
from popout.analysis.named import STRATEGY_NAMES, named

import popout as po
from popout.analysis.compare import compare
from popout.cli.compare import command as compare_command
from popout.cli.simulate import command as simulate_command
from popout.strategies import RECIPES

PROBLEM = ("--drift", "4", "--locations", "2", "--time-cost", "0.5")
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")
TASK = po.SearchTask(n_locations=2, drift=4.0)
COSTS = po.Costs(time=0.5)


@pytest.mark.parametrize("name", ["optimal", "a-sprt", "sprt-opt", "sprt", "hardmax"])
def test_json_is_what_the_library_finds(name):
    assert name in STRATEGY_NAMES
    arguments = ["--strategy", name, *PROBLEM, *QUICK, "--json"]
    result = CliRunner().invoke(simulate_command, arguments)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    strategy = named(name, TASK, COSTS, n_trials=2000, seed=3).strategy
    expected = po.simulate(TASK, strategy, 2000, 3).summary(COSTS)
    assert found["risk"] == expected.risk
    assert found["risk_se"] == expected.risk_se
    assert found["error_rate"] == {
        "present": expected.present.error_rate,
        "absent": expected.absent.error_rate,
    }
    assert found["mean_rt"]["absent"] == expected.absent.mean_rt
    assert found["undecided"] == 0


def test_table_shows_the_risk_and_undecided_trials():
    arguments = ["--strategy", "sprt", *PROBLEM, *QUICK, "--time-limit", "0.05"]
    result = CliRunner().invoke(simulate_command, arguments)
    assert result.exit_code == 0
    assert "risk" in result.stdout
    assert "lower bound" in " ".join(result.stdout.split())


def test_an_unknown_strategy_is_bad_input():
    result = CliRunner().invoke(simulate_command, ["--strategy", "luck", *PROBLEM])
    assert result.exit_code == 2
    assert "'--strategy': expected one of optimal, a-sprt, sprt-opt" in result.stderr


def test_compare_gives_the_rows_of_the_library():
    arguments = ["--drift", "4", "--locations", "1,4", "--time-cost", "0.5,1", *QUICK, "--json"]
    arguments += ["--strategies", "a-sprt,hardmax"]
    result = CliRunner().invoke(compare_command, arguments)
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
    result = CliRunner().invoke(compare_command, arguments)
    assert result.exit_code == 0
    assert "Hardmax" in result.stdout
    assert "excess" in result.stdout


def test_compare_names_every_unknown_strategy():
    result = CliRunner().invoke(compare_command, [*PROBLEM, "--strategies", "luck,sprt,hope"])
    assert result.exit_code == 2
    assert "got 'luck'" in result.stderr
    assert "got 'hope'" in result.stderr
