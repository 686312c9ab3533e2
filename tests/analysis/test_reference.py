"""Scores against the exact optimum and against another strategy on common trials."""

import math

import pytest

from popout.analysis.reference import OptimalReference, SimulatedReference
from popout.analysis.regret import regret
from popout.analysis.score import Estimate, paired_difference
from popout.exact import solve
from popout.simulation import simulate
from popout.strategies import SPRT, Hardmax
from popout.task import Costs, MixtureSearchTask, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=4.0), Costs(time=0.5)
FAR, NEAR = SPRT.for_task(TASK, -1.0, 1.0), SPRT.for_task(TASK, -3.3, 3.3)


@pytest.fixture(scope="module")
def solution():
    return solve(TASK, COSTS)


def test_over_the_optimum_the_excess_is_the_regret(solution):
    reference = OptimalReference(solution, n_trials=1000, seed=5)
    trials = simulate(TASK, NEAR, 500, seed=1)
    scored = reference.score(trials, COSTS)
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
    scored = reference.score(many, COSTS)
    summary = many.summary(COSTS)
    assert scored.excess == Estimate(summary.risk - solution.risk, summary.risk_se)
    near = reference.score(simulate(TASK, NEAR, 500, seed=1), COSTS)
    assert near.excess.value == reference.excess(NEAR).value


def test_over_a_strategy_the_difference_is_paired():
    base, other = (simulate(TASK, strategy, 5000, seed=2) for strategy in (NEAR, FAR))
    reference = SimulatedReference(base)
    scored = reference.score(other, COSTS)
    assert scored.excess == paired_difference(other, base, COSTS)
    assert scored.risk.value == other.summary(COSTS).risk
    assert reference.score(base, COSTS).excess == Estimate(0.0, 0.0)
    assert scored.reference == "SPRT"


def test_with_unknown_distractors_errors_count_as_they_fall():
    tied = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    base, other = (simulate(tied, SPRT.for_task(tied, -b, b), 500, seed=2) for b in (2.0, 1.0))
    scored = SimulatedReference(base).score(other, COSTS)
    assert scored.excess == paired_difference(other, base, COSTS, by_probability=False)


def test_trials_of_another_seed_are_refused():
    base = simulate(TASK, NEAR, 100, seed=2)
    with pytest.raises(ValueError, match="one seed"):
        SimulatedReference(base).score(simulate(TASK, Hardmax.for_task(TASK, -3, 3), 100, 3), COSTS)
