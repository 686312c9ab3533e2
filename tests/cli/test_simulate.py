"""``popout simulate``: a thin layer over the library."""

import json

import pytest
from click.testing import CliRunner

import popout as po
from popout.analysis.making import Workshop, strategy_names
from popout.cli.simulate import command
from popout.noise.seeds import Purpose, fresh_seed

PROBLEM = ("--drift", "4", "--locations", "2", "--time-cost", "0.5")
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")
TASK = po.SearchTask(n_locations=2, drift=4.0)
COSTS = po.Costs(time=0.5)


@pytest.mark.parametrize("name", ["optimal", "a-sprt", "sprt-opt", "sprt", "hardmax"])
def test_json_is_what_the_library_finds(name):
    assert name in strategy_names()
    arguments = ["--strategy", name, *PROBLEM, *QUICK, "--json"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    tuning = fresh_seed(3, Purpose.TUNING)
    strategy = Workshop(TASK, COSTS, n_trials=2000, seed=tuning).make(name).strategy
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
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0
    assert "risk" in result.stdout
    assert "lower bound" in " ".join(result.stdout.split())


def test_an_unknown_strategy_is_bad_input():
    result = CliRunner().invoke(command, ["--strategy", "luck", *PROBLEM])
    assert result.exit_code == 2
    assert "'--strategy': expected one of optimal, a-sprt, sprt-opt" in result.stderr
