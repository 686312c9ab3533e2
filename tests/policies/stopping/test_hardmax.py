import math

import numpy as np
import pytest

import popout as po
from popout.policies.stopping import Action, Hardmax, HardmaxOpt, HardmaxPerLocation
from popout.task import SearchTask


@pytest.mark.parametrize(
    ("recipe", "lower", "upper"),
    [(Hardmax, [-4.0, -4.0], [5.0, 5.0]), (HardmaxPerLocation, [-4.0, -2.0], [5.0, 1.5])],
)
def test_one_pair_is_that_of_the_easiest_location_or_each_location_has_its_own(
    recipe, lower, upper
):
    task = SearchTask(drift=(8.0, 3.0), location_prior=(0.25, 0.75))
    strategy = recipe.for_task(task, (-4.0, -2.0), (5.0, 1.5))
    rng = np.random.default_rng(1)
    Z = rng.uniform(-8, 8, size=(2000, 2))
    local = Z + np.log([0.25, 0.75])
    present = (local >= upper).any(axis=1)
    absent = (local <= lower).all(axis=1)
    np.testing.assert_array_equal(
        strategy.decide(Z, 0.0), np.select([present, absent], [Action.PRESENT, Action.ABSENT], 0)
    )


def test_before_looking_hardmax_says_absent_when_the_threshold_is_high():
    task = SearchTask(n_locations=32, drift=12.0)
    inside, outside = -math.log(32) + 0.01, -math.log(32) - 0.01
    zero = np.zeros(32)
    assert Hardmax.for_task(task, inside, 2.0).decide(zero, 0.0) == Action.ABSENT
    assert Hardmax.for_task(task, outside, 2.0).decide(zero, 0.0) == Action.WAIT


def test_one_pair_needs_no_ratio_of_thresholds_and_the_order_of_locations_plays_no_part():
    task, swapped = SearchTask(drift=(8.0, 0.5)), SearchTask(drift=(0.5, 8.0))
    first = Hardmax.for_task(task, (-4.0, 0.2), (5.0, 0.3))
    second = Hardmax.for_task(swapped, (0.2, -4.0), (0.3, 5.0))
    assert first == second
    with pytest.raises(po.InputError, match="same sign"):
        HardmaxPerLocation.for_task(task, (-4.0, 0.2), (5.0, 0.3))


def test_a_tuned_pair_is_no_worse_than_either_reading():
    task, costs = SearchTask(drift=(10.0, 1.0)), po.Costs(time=0.2)
    tuned = po.tune(HardmaxOpt, task, costs, n_trials=2000, seed=1).strategy
    risks = [
        po.evaluate(task, rule, costs, 1e-3).risk
        for rule in (tuned, Hardmax.for_task(task, costs), Hardmax.for_task(task, -2.0, 2.0))
    ]
    assert risks[0] < min(risks[1:])


def test_with_the_easy_pair_the_hard_location_costs_most_of_the_risk():
    """As in Figure 6 of the paper; with a pair for each location next to nothing is lost."""
    costs = po.Costs(time=0.2)
    excess = []
    for drifts in ((5.0, 1.0), (10.0, 1.0), (20.0, 1.0)):
        task = SearchTask(drift=drifts)
        best = po.solve(task, costs, rtol=1e-3).risk
        one, own = (
            po.evaluate(task, recipe.for_task(task, costs), costs, 1e-3).risk / best - 1
            for recipe in (po.Hardmax, po.HardmaxPerLocation)
        )
        excess.append(one)
        assert own < 0.01
    np.testing.assert_allclose(excess, (0.89, 1.26, 1.43), atol=0.01)
