"""``popout simulate``: a thin layer over the library."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import popout as po
from popout.analysis.making import strategy_names
from popout.cli.simulate import command

PROBLEM = ("--drift", "4", "--locations", "2", "--dt", "0.05", "--time-cost", "1")
SMALL = ("--drift", "8", "--dt", "0.1", "--time-cost", "2")  # tunes ten parameters in seconds
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")
TASK = po.SearchTask(n_locations=2, drift=4.0, dt=0.05)
COSTS = po.Costs(time=1.0)


@pytest.mark.parametrize("name", strategy_names())
def test_every_strategy_is_shown_in_text_and_json(name):
    arguments = ["--strategy", name, *SMALL, "--trials", "1e3", "--tune-trials", "1e3"]
    text, found = (CliRunner().invoke(command, arguments + more) for more in ([], ["--json"]))
    assert text.exit_code == found.exit_code == 0, repr(text.exception or found.exception)
    assert "risk" in text.stdout
    assert "1000 trials" in text.stdout
    result = json.loads(found.stdout)
    numbers, errors = result["parameters"], result["parameters_se"]
    assert result["trials"] == 1000
    for key, se in errors.items():
        assert key in numbers
        pairs = zip(np.atleast_1d(numbers[key]), np.atleast_1d(se), strict=False)
        assert all(e is None or e > 1e-6 * abs(v) for v, e in pairs), (key, se)
    if name == "time-varying-sprt":
        assert len(numbers["knots"]) == len(numbers["lower"]) == len(numbers["upper"]) == 5
        assert "time (s)" in text.stdout


@pytest.mark.parametrize("name", ["optimal", "a-sprt", "sprt-opt", "sprt", "hardmax"])
def test_json_is_what_the_library_finds(name):
    arguments = ["--strategy", name, *PROBLEM, *QUICK, "--json"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    trials = po.simulate(TASK, name, 2000, 3, costs=COSTS, tune_trials=2000)
    expected = trials.summary(COSTS)
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


@pytest.mark.parametrize(
    ("name", "problem", "words"),
    [
        ("sprt", ("--drift", "4", "--locations", "2", "--dt", "10"), "One look of 10 s costs 20"),
        ("sprt", ("--drift", "12", "--locations", "2"), "The step of 10 ms is"),
        ("hardmax", ("--drift", "4", "--locations", "64"), "It answers before it looks"),
    ],
)
def test_what_looks_wrong_is_said_in_text_and_json(name, problem, words):
    arguments = ["--strategy", name, *problem, "--time-cost", "2", "--trials", "200"]
    text, found = (CliRunner().invoke(command, arguments + more) for more in ([], ["--json"]))
    (note,) = json.loads(found.stdout)["notes"]
    assert words in note
    assert note in text.stdout
