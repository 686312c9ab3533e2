"""``popout simulate``: a thin layer over the library."""

import numpy as np
import pytest
from command_line import refusal, run, run_json

import popout as po
from popout.policies.vocabulary import STRATEGIES

PROBLEM = ("--drift", "4", "--locations", "2", "--dt", "0.05", "--time-cost", "1")
SMALL = ("--drift", "8", "--dt", "0.1", "--time-cost", "2")  # tunes ten parameters in seconds
LIMITED = ("--information", "32", "--locations", "2", "--time-cost", "0.2")
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")
TASK = po.SearchTask(n_locations=2, drift=4.0, dt=0.05)
COSTS = po.Costs(time=1.0)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_is_shown_in_text_and_json(name):
    arguments = ("simulate", "--strategy", name, *SMALL, "--trials", "1e3", "--tune-trials", "1e3")
    text, result = run(*arguments), run_json(*arguments)
    assert text.exit_code == 0, repr(text.exception)
    assert "1000 trials" in text.stdout
    values, errors = result["parameters"], result["parameters_se"]
    assert result["trials"] == 1000
    for key, se in errors.items():
        assert key in values
        pairs = zip(np.atleast_1d(values[key]), np.atleast_1d(se), strict=False)
        assert all(e is None or e > 1e-6 * abs(v) for v, e in pairs), (key, se)
    if name == "time-varying-sprt":
        assert len(values["knots"]) == len(values["lower"]) == len(values["upper"]) == 5
        assert "time (s)" in text.stdout


@pytest.mark.parametrize("name", ["optimal", "a-sprt", "sprt-opt", "sprt", "hardmax"])
def test_json_is_what_the_library_finds(name):
    result = run_json("simulate", "--strategy", name, *PROBLEM, *QUICK)
    expected = po.simulate(TASK, name, 2000, 3, costs=COSTS, tune_trials=2000).summary(COSTS)
    assert (result["risk"], result["risk_se"]) == (expected.risk, expected.risk_se)
    assert result["error_rate"] == {
        "present": expected.present.error_rate,
        "absent": expected.absent.error_rate,
    }
    assert result["mean_rt"]["absent"] == expected.absent.mean_rt
    assert result["undecided"] == 0


def test_limited_information_has_the_same_keys_and_the_attention():
    few = ("--attention", "serial", "--trials", "1000", "--strategy", "sprt")
    result = run_json("simulate", *LIMITED, *few)
    assert {"strategy", "seed", "risk", "risk_se", "error_rate", "mean_rt"} <= set(result)
    assert result["attention"] == "serial"
    assert "serial attention" in run("simulate", *LIMITED, *few).stdout


@pytest.mark.parametrize("problem", [PROBLEM, LIMITED])
def test_an_unknown_strategy_and_continuous_time_are_bad_input(problem):
    said = refusal("simulate", "--strategy", "luck", *problem)
    assert "'--strategy': expected one of optimal, a-sprt, sprt-opt" in said
    assert "--dt: expected a positive number" in refusal("simulate", *problem, "--dt", "0")


@pytest.mark.parametrize(
    ("name", "problem", "words"),
    [
        ("sprt", ("--drift", "4", "--locations", "2", "--dt", "10"), "One look of 10 s costs 20"),
        ("sprt", ("--drift", "12", "--locations", "2"), "The step of 10 ms is"),
        ("hardmax", ("--drift", "4", "--locations", "64"), "It answers before it looks"),
    ],
)
def test_what_looks_wrong_is_said_in_text_and_json(name, problem, words):
    arguments = ("simulate", "--strategy", name, *problem, "--time-cost", "2", "--trials", "200")
    (note,) = run_json(*arguments)["notes"]
    assert words in note
    assert note in run(*arguments).stdout
