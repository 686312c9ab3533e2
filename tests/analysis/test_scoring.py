"""Scores against the exact optimum and against another strategy on common trials."""

import math
from dataclasses import replace

import pytest

from popout.analysis.regret import regret
from popout.analysis.score import Estimate, paired_difference
from popout.analysis.scoring import OptimalReference, SimulatedReference
from popout.exact import solve
from popout.policies.stopping import ASPRT, SPRT
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=4.0), Costs(time=0.5)
FAR, NEAR = SPRT.for_task(TASK, -1.0, 1.0), SPRT.for_task(TASK, -3.3, 3.3)


@pytest.fixture(scope="module")
def solution():
    return solve(TASK, COSTS)


def test_over_the_optimum_the_excess_is_the_regret(solution):
    reference = OptimalReference(solution, n_trials=1000, seed=5)
    trials = simulate(TASK, NEAR, 500, seed=1)
    scored = reference.score(NEAR, trials, COSTS)
    lost = regret(solution, NEAR, n_trials=1000, seed=5)
    assert (scored.excess.value, scored.excess.se) == (lost.value, lost.se)
    assert scored.risk.value == solution.risk + lost.value
    assert scored.risk.se == math.hypot(lost.se, solution.risk_error)
    row = scored.row()
    assert row["risk"] == scored.risk.value
    assert row["reference"] == "optimal"
    assert row["error_rate_present"] == trials.summary(COSTS).present.error_rate
    assert row["tau_plus"] == 3.3


def test_far_from_the_optimum_simulation_may_be_sharper(solution):
    reference = OptimalReference(solution, n_trials=500, seed=5, whichever_is_sharper=True)
    many = simulate(TASK, FAR, 200_000, seed=1)
    scored = reference.score(FAR, many, COSTS)
    summary = many.summary(COSTS)
    assert scored.excess == Estimate(summary.risk - solution.risk, summary.risk_se)
    near = reference.score(NEAR, simulate(TASK, NEAR, 500, seed=1), COSTS)
    assert near.excess.value == reference.excess(NEAR).value


def test_over_a_strategy_the_difference_is_paired():
    base, other = (simulate(TASK, strategy, 5000, seed=2) for strategy in (NEAR, FAR))
    reference = SimulatedReference(NEAR, base)
    scored = reference.score(FAR, other, COSTS)
    assert scored.excess == paired_difference(other, base, COSTS)
    assert scored.risk.value == other.summary(COSTS).risk
    own = reference.score(NEAR, base, COSTS)
    assert (own.excess, own.is_reference) == (Estimate(0.0, 0.0), True)
    assert not scored.is_reference
    assert (scored.risk_trials, scored.excess_trials) == (5000, 5000)
    assert scored.reference == "SPRT"


def test_with_unknown_distractors_errors_count_as_they_fall():
    tied = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    base, other = (simulate(tied, SPRT.for_task(tied, -b, b), 500, seed=2) for b in (2.0, 1.0))
    scored = SimulatedReference(base.strategy, base).score(other.strategy, other, COSTS)
    assert scored.excess == paired_difference(other, base, COSTS, by_probability=False)


EASY, COSTLY = SearchTask(n_locations=2, drift=12.0), Costs(time=0.5)


@pytest.fixture(scope="module")
def easy():
    return solve(EASY, COSTLY)


def test_a_regret_that_few_trials_suffer_is_summed_over_more(easy):
    """About 5.5e-9 at drift 12, where 13 of 30 samples of 20000 trials saw none of it."""
    scales = {"a_minus": easy.scales.a_minus, "a_plus": easy.scales.a_plus}
    strategy = ASPRT.for_task(EASY, COSTLY, **scales)
    trials = simulate(EASY, strategy, 100, seed=1)
    few = OptimalReference(easy, n_trials=2000, seed=4, most_trials=2000)
    seen = few.score(strategy, trials, COSTLY)
    assert seen.excess == Estimate(0.0, 1 / 2000)  # nothing: below 3 in 2000 errors, not 0 +- 0
    many = replace(few, most_trials=200_000).score(strategy, trials, COSTLY)
    assert many.excess_trials == many.risk_trials == 200_000
    assert 0.0 < many.excess.se < many.excess.value < 1e-8
    assert many.row()["excess_trials"] == 200_000


def test_a_clear_regret_needs_no_more_trials(easy):
    hasty = SPRT.for_task(EASY, -1.0, 1.0)
    reference = OptimalReference(easy, n_trials=2000, seed=4, most_trials=200_000)
    scored = reference.score(hasty, simulate(EASY, hasty, 100, seed=1), COSTLY)
    assert scored.excess_trials == 2000


def test_the_optimum_is_exact_and_its_own_reference(easy):
    reference = OptimalReference(easy, n_trials=2000, most_trials=200_000)
    again = solve(EASY, COSTLY).strategy
    scored = reference.score(again, simulate(EASY, again, 100, seed=1), COSTLY)
    assert scored.is_reference
    assert scored.risk == Estimate(easy.risk, easy.risk_error)
    assert scored.risk_trials == scored.excess_trials == 0
    coarse = solve(EASY, COSTLY, 1e-2).strategy
    assert not reference.score(coarse, simulate(EASY, coarse, 100, seed=1), COSTLY).is_reference


def test_strategies_that_never_differ_are_equal_up_to_the_trials():
    twin = SPRT.for_task(TASK, -3.3, 3.3)
    trials = simulate(TASK, NEAR, 200, seed=1)
    scored = SimulatedReference(NEAR, trials).score(twin, trials, Costs(time=0.5, miss=2.0))
    assert scored.excess == Estimate(0.0, 2.0 / 200)
    assert not scored.is_reference
