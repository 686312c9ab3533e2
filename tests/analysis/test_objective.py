"""Two estimates of one risk, on common trials."""

import math

import pytest

from popout.analysis.objective import N_BATCHES, RegretObjective, SimulatedRisk
from popout.exact import evaluate, solve
from popout.strategies import SPRT
from popout.task import Costs, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=4.0), Costs(time=0.5)
STRATEGY = SPRT.for_task(TASK, -2.0, 2.0)


@pytest.mark.parametrize("kind", ["simulated", "plain", "regret"])
def test_batches_and_score_are_the_exact_risk(kind):
    exact = evaluate(TASK, STRATEGY, COSTS).risk
    objective = {
        "simulated": lambda: SimulatedRisk(TASK, COSTS, 40_000),
        "plain": lambda: SimulatedRisk(TASK, COSTS, 40_000, plain=True),
        "regret": lambda: RegretObjective(solve(TASK, COSTS), 4000),
    }[kind]()
    batches = objective.batches(STRATEGY, seed=1)
    assert batches.shape == (N_BATCHES,)
    error = batches.std(ddof=1) / math.sqrt(N_BATCHES)
    assert abs(batches.mean() - exact) < 4 * error
    score = objective.score(STRATEGY, seed=2)
    assert abs(score.value - exact) < 4 * score.se


def test_one_error_is_a_grain_only_where_errors_count_as_they_fall():
    assert SimulatedRisk(TASK, COSTS, 1000).grain == 0.0
    assert SimulatedRisk(TASK, COSTS, 1000, plain=True).grain == 1e-3
