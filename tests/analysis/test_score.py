import math

import numpy as np
import pytest
from honest import assert_honest
from lopsided import COSTS as UNEQUAL
from lopsided import TASK as LOPSIDED

from popout.analysis.score import (
    Estimate,
    batch_means,
    expected_losses,
    paired_difference,
    stratified,
)
from popout.policies.stopping import SPRT, Hardmax
from popout.simulation import simulate
from popout.task import Costs, SearchTask

COSTS = Costs(time=0.5)
FOUR = SearchTask(n_locations=4, drift=4.0, prior=0.4)


def test_batches_average_to_the_risk():
    trials = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 4000, seed=1)
    batches = batch_means(trials.losses(COSTS), trials.present, FOUR.prior, 40)
    summary = trials.summary(COSTS)
    assert batches.mean() == pytest.approx(summary.risk, rel=1e-12)
    assert batches.std(ddof=1) / math.sqrt(40) == pytest.approx(summary.risk_se, rel=0.35)


def test_paired_differences_need_the_same_trials():
    a = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 1000, seed=1)
    b = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 1000, seed=2)
    with pytest.raises(ValueError, match="one seed"):
        paired_difference(a, b, COSTS)
    assert paired_difference(a, a, COSTS) == Estimate(0.0, 0.0)


def test_probabilities_of_errors_tell_the_same_with_less_noise():
    """Against the errors themselves on ten times the trials; one class alone is refused."""
    strategies = (SPRT.for_task(FOUR, -3.5, 3.5), Hardmax.for_task(FOUR, -3.5, 3.5))
    costs = Costs(time=(0.3, 0.6), miss=2.0)
    few = paired_difference(*(simulate(FOUR, s, 20_000, seed=5) for s in strategies), costs)
    many = paired_difference(
        *(simulate(FOUR, s, 200_000, seed=6) for s in strategies), costs, by_probability=False
    )
    assert abs(few.value - many.value) < 4 * math.hypot(few.se, many.se)
    assert few.se < many.se
    wrong = paired_difference(
        *(simulate(FOUR, s, 20_000, seed=5) for s in strategies), Costs(time=(0.3, 0.6), miss=1.0)
    )
    assert abs(wrong.value - many.value) > 4 * math.hypot(wrong.se, many.se)
    absent = simulate(FOUR, strategies[0], 100, seed=5, condition="absent")
    with pytest.raises(ValueError, match="priors"):
        paired_difference(absent, absent, costs)


@pytest.mark.parametrize(
    ("task", "costs", "tau"), [(FOUR, COSTS, 2.0), (LOPSIDED, UNEQUAL, 1.0)], ids=["even", "uneven"]
)
def test_expected_losses_average_to_the_losses(task, costs, tau):
    trials = simulate(task, SPRT.for_task(task, -tau, tau), 20_000, seed=3)
    expected, fallen = expected_losses(trials, costs), trials.losses(costs)
    away = stratified(expected - fallen, trials.present, task.prior)
    assert abs(away.value) < 4 * away.se
    some = np.array([3, 500])
    np.testing.assert_array_equal(expected_losses(trials, costs, some), expected[some])


def test_standard_errors_are_the_spread_over_seeds():
    """Of one mean with known weights of the classes, and of a difference on the same trials."""
    rng = np.random.default_rng(1)
    means, differences = [], []
    strategies = [SPRT.for_task(LOPSIDED, -b, b) for b in (1.5, 2.5)]
    for seed in range(200):
        present = rng.random(150) < 0.3
        means.append(stratified(rng.normal(2.0 * present, 1.0 + 2.0 * present), present, 0.3))
        trials = [simulate(LOPSIDED, strategy, 400, seed=seed) for strategy in strategies]
        differences.append(paired_difference(*trials, UNEQUAL))
    for found in (means, differences):
        assert_honest([each.value for each in found], [each.se for each in found])
