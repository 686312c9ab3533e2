import math
import subprocess
import sys

import numpy as np
import pytest

import popout
from popout.policies.stopping import (
    ASPRT,
    RECIPES,
    SPRT,
    Hardmax,
    HardmaxOpt,
    HardmaxPerLocation,
    Parameter,
    Recipe,
    SPRTOpt,
    TimeVaryingSPRT,
)
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

ALL = tuple(RECIPES.values())
TWO, COSTS = SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)
TIED = MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0}, prior=0.2)


@pytest.mark.parametrize("recipe", ALL)
def test_with_one_location_every_recipe_is_the_same_test(recipe):
    task = SearchTask(n_locations=1, drift=3.0)
    strategy = recipe.for_task(task, -2.0, 1.5)
    Z = np.linspace(-4, 4, 41)[:, None]
    expected = np.select([Z[:, 0] >= 1.5, Z[:, 0] <= -2.0], [2, 1], 0)
    np.testing.assert_array_equal(strategy.decide(Z, 0.2), expected)


@pytest.mark.parametrize("recipe", ALL)
def test_parameters_are_keywords_of_for_task_and_start_inside_their_range(recipe):
    parameters = recipe.tunable(TWO, -2.4, 2.4).parameters
    assert all(p.lower < p.start < p.upper and p.scale > 0 for p in parameters)
    made = recipe.for_task(TWO, -2.4, 2.4, **{p.name: p.start for p in parameters})
    assert made == recipe.for_task(TWO, -2.4, 2.4)
    for p in parameters:
        moved = recipe.for_task(TWO, -2.4, 2.4, **{p.name: p.start + 0.1 * p.scale})
        assert moved != made


CLIFFS = [
    Parameter("lower", -2.0, lower=-25.0, upper=0.5, scale=0.5, cliff=0.5),
    Parameter("upper", 0.7, lower=0.5, upper=25.0, scale=0.5, cliff=0.5),
    Parameter("a_minus", 1.2, 0.1, 1.3, scale=0.35, logarithmic=True, cliff=1.3),
    Parameter("a_plus", 0.9, 0.8, 50.0, scale=0.35, logarithmic=True, cliff=0.8),
]


@pytest.mark.parametrize("p", CLIFFS, ids=lambda p: p.name)
def test_steps_get_shorter_towards_a_cliff_and_never_pass_it(p):
    other = p.lower if p.cliff == p.upper else p.upper
    uphill = math.copysign(1.0, p.cliff - other)
    values = np.array([p.at(uphill * steps) for steps in np.arange(0.0, 10.0)])
    left = np.abs([p.axis(p.cliff) - p.axis(v) for v in values])
    assert (np.diff(left) < 0).all()
    assert (left > 0).all()
    assert left[-1] / left[-2] == pytest.approx(math.exp(-1), rel=0.05)
    # Far away a step is a step.
    far = [p.axis(p.at(-uphill * steps)) for steps in (8.0, 9.0)]
    assert abs(far[1] - far[0]) == pytest.approx(p.scale, rel=0.01)
    for value in (*values[:6], p.at(-uphill * 4.0)):
        assert p.at(p.steps_to(value)) == pytest.approx(value, rel=1e-9)
        either = [p.at(p.steps_to(value) + step) for step in (1e-4, -1e-4)]
        assert p.spread(value, 2e-4) == pytest.approx(either[0] - either[1], rel=1e-3)
    assert math.isfinite(p.steps_to(p.cliff))


@pytest.mark.parametrize("recipe", ALL)
def test_thresholds_in_the_wrong_order_or_number(recipe):
    with pytest.raises(InputError, match="not above tau_plus"):
        recipe.for_task(TWO, 2.0, -2.0)
    with pytest.raises(InputError, match=r"one per location \(2\)"):
        recipe.for_task(TWO, (-2.0, -2.0, -2.0), 2.0)


@pytest.mark.parametrize("recipe", [SPRT, SPRTOpt, TimeVaryingSPRT])
def test_with_unknown_distractors_the_state_is_the_log_likelihood_ratio(recipe):
    strategy = recipe.for_task(TIED, -2.0, 1.5)
    assert strategy.n_locations == 1
    assert not recipe.is_local
    S = np.linspace(-6, 6, 49)[:, None]
    odds = S[:, 0] + math.log(0.2 / 0.8)
    expected = np.select([odds >= 1.5, odds <= -2.0], [2, 1], 0)
    np.testing.assert_array_equal(strategy.decide(S, 0.2), expected)


@pytest.mark.parametrize("recipe", [ASPRT, Hardmax, HardmaxPerLocation, HardmaxOpt])
def test_local_tests_need_local_evidence(recipe):
    assert recipe.is_local
    with pytest.raises(InputError, match="a SearchTask"):
        recipe.for_task(TIED, -2.0, 1.5)


def test_recipes_enter_themselves_by_name():
    hardmax = ["hardmax", "hardmax-per-location", "hardmax-opt"]
    assert list(RECIPES) == ["a-sprt", "sprt-opt", "sprt", *hardmax, "time-varying-sprt"]
    try:

        class Hasty(SPRT):
            name = "hasty"

        class Unnamed(Recipe):
            """A step between, without a name of its own."""

        assert RECIPES["hasty"] is Hasty
        assert Unnamed not in RECIPES.values()
    finally:
        RECIPES.pop("hasty", None)


@pytest.mark.parametrize("recipe", ALL)
def test_costs_alone_find_the_thresholds(recipe):
    pair = popout.thresholds(4.0, COSTS)
    found = recipe.for_task(TWO, COSTS)
    assert found == recipe.for_task(TWO, (pair.lower,) * 2, (pair.upper,) * 2)
    assert recipe.for_task(TWO, Costs(time=1.0)) != found


def test_public_recipes_are_those_of_the_package_and_solve():
    assert popout.SPRT is SPRT
    code = "import popout as po; task = po.SearchTask(n_locations=2, drift=4.0); "
    code += "print(po.SPRT.for_task(task, po.Costs(time=0.2)).tau_plus > 4)"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout == "True\n"


@pytest.mark.parametrize("recipe", [ASPRT, SPRTOpt, SPRT, Hardmax])
def test_a_recipe_is_no_strategy(recipe):
    name = recipe.__name__
    message = rf"{name}: expected a task to make the strategy for, got {name}\(a=3\); "
    with pytest.raises(InputError, match=message + rf"write {name}.for_task\(task, costs\)"):
        recipe(a=3)


BAD = {
    "probabilities": (
        (0.05, 0.9),
        "tau_minus, tau_plus: expected log odds, as a rule one below and one above 0, got (0.05, "
        "0.9); these look like probabilities, whose log odds are -2.94, 2.2",
    ),
    "a cost for costs": (
        (0.2,),
        "tau_plus: expected costs alone, or two thresholds, got 0.2; give Costs, e.g. "
        "Costs(time=0.2), or tau_minus and tau_plus",
    ),
    "words": (
        ("low", "high"),
        "tau_minus: expected one number or one per location (2), got 'low'; give the 1-D threshold "
        "of every location\nSPRT.tau_plus: expected one number or one per location (2), got "
        "'high'; give the 1-D threshold of every location",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_threshold_is_refused(case):
    given, message = BAD[case]
    with pytest.raises(InputError) as caught:
        SPRT.for_task(TWO, *given)
    assert str(caught.value) == f"SPRT.{message}"


@pytest.mark.parametrize("recipe", ALL)
def test_what_is_no_task_is_refused(recipe):
    with pytest.raises(InputError, match=r"task: expected a task such as SearchTask, got 4.0"):
        recipe.for_task(4.0, COSTS)


def test_log_odds_between_nought_and_one_are_taken_where_they_were_computed():
    """Where a false alarm costs more than a miss and time is costly, both thresholds are there."""
    costs = Costs(time=15.0, false_alarm=1.7)
    pair = popout.thresholds(4.0, costs)
    assert 0 < pair.lower < 0.5 < pair.upper < 1
    assert SPRT.for_task(TWO, pair.lower, pair.upper).tau_plus == pair.upper
    assert SPRT.for_task(TWO, -0.05, 0.95).tau_minus == -0.05
