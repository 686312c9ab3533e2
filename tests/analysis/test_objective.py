"""Two estimates of one risk, on common trials."""

import math

import numpy as np
import pytest
from lopsided import COSTS, TASK

from popout.analysis.objective import N_BATCHES, RegretObjective, SimulatedRisk
from popout.analysis.regret import regret
from popout.exact import evaluate, solve
from popout.policies.stopping import SPRT
from popout.task import Costs, MixtureSearchTask

STRATEGY = SPRT.for_task(TASK, -2.0, 2.0)


@pytest.mark.parametrize("kind", ["simulated", "regret"])
def test_batches_and_score_are_the_exact_risk(kind):
    exact = evaluate(TASK, STRATEGY, COSTS).risk
    objective = {
        "simulated": lambda: SimulatedRisk(TASK, COSTS, 40_000),
        "regret": lambda: RegretObjective(solve(TASK, COSTS), 4000),
    }[kind]()
    batches = objective.batches(STRATEGY, seed=1)
    assert batches.shape == (N_BATCHES,)
    error = batches.std(ddof=1) / math.sqrt(N_BATCHES)
    assert abs(batches.mean() - exact) < 4 * error
    score = objective.score(STRATEGY, seed=2)
    assert abs(score.value - exact) < 4 * score.se


def test_the_error_of_a_score_is_that_of_optimum_and_regret():
    solution = solve(TASK, COSTS, rtol=1e-2)
    lost = regret(solution, STRATEGY, n_trials=500, seed=2)
    score = RegretObjective(solution, 500).score(STRATEGY, seed=2)
    assert score.se == math.hypot(lost.se, solution.risk_error)


def test_thresholds_out_of_reach_lose():
    """A trial without an end costs more than any answer at once, whatever time costs."""
    unknown = MixtureSearchTask.tied(2, [0, 20], [0, 20], {0: -4, 20: 4}, dt=0.05)
    far, near = (SPRT.for_task(unknown, -b, b) for b in (9.0, 0.3))
    for time in (0.5, 1e-3):
        objective = SimulatedRisk(unknown, Costs(time=time), 200)
        assert objective.batches(far, seed=1).mean() > 0.5  # of a guess
        assert objective.batches(near, seed=1).mean() < 0.5


def test_trials_that_end_alike_lose_alike():
    """The losses of a second candidate are those that it has without a first one."""
    other = SPRT.for_task(TASK, -2.0, 2.3)
    second, alone = (SimulatedRisk(TASK, COSTS, 4000) for _ in range(2))
    first = second.batches(STRATEGY, seed=1)
    np.testing.assert_array_equal(second.batches(other, seed=1), alone.batches(other, seed=1))
    assert (second.batches(other, seed=1) != first).any()
