"""What tuning returns, in words and as plain values."""

import json
import math
from dataclasses import replace

from popout.analysis.tuned import Method, Tuned, tuned_value
from popout.policies.stopping import SPRTOpt
from popout.task import SearchTask

TASK = SearchTask(n_locations=2, drift=4.0)
TUNED = Tuned(
    recipe=SPRTOpt,
    strategy=SPRTOpt.for_task(TASK, -3.0, 3.0, lower=-2.5, upper=2.0),
    parameters={"lower": -2.5, "upper": 2.0},
    parameters_se={"lower": 0.02, "upper": math.inf},
    risk=0.05,
    risk_se=0.0001,
    risk_in_sample=0.0499,
    method=Method.MONTE_CARLO,
    evaluations=30,
    converged=True,
)


def test_parameters_have_the_names_of_the_strategy():
    assert TUNED.numbers == {"tau_minus": -2.5, "tau_plus": 2.0}
    assert TUNED.errors == {"tau_minus": 0.02, "tau_plus": math.inf}
    assert TUNED.strategy.tau_minus == -2.5


def test_the_card_says_what_is_known_and_what_is_not():
    text = str(TUNED)
    assert "risk 0.05000 +- 0.00010" in text
    assert "-2.500 +- 0.020" in text
    assert "2.0000 (not determined by these trials)" in text
    assert "30 evaluations, converged" in text
    assert "NOT converged" in str(replace(TUNED, converged=False))


def test_undecided_trials_are_told():
    assert "undecided" not in str(TUNED)
    late = replace(TUNED, undecided=7)
    assert "7 trials undecided; the risk is a lower bound" in str(late)
    assert late.as_dict()["undecided"] == 7


def test_everything_but_the_recipe_is_plain():
    found = json.loads(json.dumps(TUNED.as_dict(), allow_nan=False))
    assert found["strategy"] == "SPRT-opt"
    assert found["method"] == "monte carlo"
    assert found["parameters_se"] == {"lower": 0.02, "upper": None}
    assert "recipe" not in found


def test_a_known_error_shows_its_digits():
    assert tuned_value(1.2345, 0.01) == "1.234 +- 0.010"
