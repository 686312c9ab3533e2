"""Losses along trials: compiled, and one look at a time, from the same risks."""

import numpy as np
import pytest
from slow_regret import advantage_of, losses_by_looks

from popout.analysis.losses import PIECE, losses_by_table
from popout.evidence import Condition
from popout.exact import solve
from popout.policies.stopping import SPRT, Action, Hardmax, Strategy
from popout.simulation.simulator import trials_of
from popout.simulation.tally import Columns
from popout.task import Costs, SearchTask

COSTS, N, SEED = Costs(time=0.4, miss=2.0), PIECE + 300, 5
TASKS = {
    "one location": SearchTask(n_locations=1, drift=5.0, dt=0.004),
    "two": SearchTask(n_locations=2, drift=5.0, dt=0.004),
    "unequal": SearchTask(drift=(8.0, 3.0, 5.0), dt=0.004, location_prior=(0.5, 0.0, 0.5)),
}


class Clock(Strategy):
    """Answers by the sign of the evidence at one location after a few looks; never compiled."""

    def decide(self, Z, t):
        answer = np.where(Z[..., 0] > 0, Action.PRESENT, Action.ABSENT)
        return np.where(t > 0.05, answer, Action.WAIT)


def trials_with(task, strategy, n_steps):
    trials = Columns.empty(N)
    trials_of(task, strategy, SEED, Condition.PRIOR, n_steps, 2)(0, trials)
    return trials


@pytest.fixture(scope="module", params=TASKS)
def solution(request):
    return solve(TASKS[request.param], COSTS, rtol=1e-3)


MADE = {
    "SPRT": lambda task: SPRT.for_task(task, -3.0, 4.0),
    "at once": lambda task: Hardmax.for_task(task, 3.0, 4.0),
    "own": lambda task: Clock(),
}


@pytest.mark.parametrize("n_steps", [7, 400])
@pytest.mark.parametrize("name", MADE)
def test_both_ways_agree(name, n_steps, solution):
    task = solution.task
    trials = trials_with(task, MADE[name](task), n_steps)
    spline = solution.value_grid.risk_spline
    found = losses_by_table(spline, task, SEED, trials, 2)
    expected = losses_by_looks(advantage_of(solution), task, SEED, trials)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-13)
    assert found.per_trial.sum() == pytest.approx(found.by_action.sum())
    assert found.per_trial.max() > 0  # none of them is the best
    # Negative control: with the noise of another seed other states are met.
    if name != "at once":
        other = losses_by_table(spline, task, SEED + 1, trials, 2)
        assert not np.allclose(other.per_trial, expected.per_trial)


def test_threads_change_no_bit():
    solution = solve(TASKS["two"], COSTS, rtol=1e-3)
    trials = trials_with(solution.task, MADE["SPRT"](solution.task), 400)
    spline = solution.value_grid.risk_spline
    one, three = (
        losses_by_table(spline, solution.task, SEED, trials, threads) for threads in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)
