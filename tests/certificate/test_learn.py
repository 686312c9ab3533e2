"""A value function learned from trials comes close to the exact one."""

import numpy as np
import pytest

from popout.certificate.bound import GREEDY
from popout.certificate.learn import Effort, learn, rollouts
from popout.certificate.search_paths import SearchProblem
from popout.certificate.value import fit_mesh, table_value
from popout.exact import solve
from popout.policies.stopping import SPRT
from popout.task import Costs, InputError, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)
PROBLEM = SearchProblem(TASK, COSTS)
QUICK = Effort(first_blocks=20, later_blocks=6, passes=1, log2_points=6, shape=(16, 8))
HASTY = SPRT.for_task(TASK, -1.0, 1.0)


@pytest.fixture(scope="module")
def solution():
    return solve(TASK, COSTS, 1e-3)


def test_effort_grows_with_what_a_step_tells():
    points = [Effort().points(information) for information in (0.01, 0.3, 0.6, 100.0)]
    assert points == [7, 7, 8, 10]
    assert Effort(log2_points=5).points(100.0) == 5
    assert QUICK.blocks(PROBLEM) == 26
    assert Effort(first_blocks=20, later_blocks=6).blocks(PROBLEM) == 32  # the problem's own passes


def test_observed_costs_of_waiting_scatter_around_the_exact_ones(solution):
    exact = table_value(solution.strategy, PROBLEM.prices, PROBLEM.sd)
    blocks = [PROBLEM.block(1, n, exact.statistics, 7) for n in range(6)]
    S, q = (
        np.concatenate(part, axis=-1)
        for part in zip(*(rollouts(b, exact, GREEDY, 1) for b in blocks), strict=True)
    )
    waiting = PROBLEM.prices.stop(S[0]) - exact.advantage(S)
    near = np.abs(S[0]) < 3
    assert near.sum() > 1000
    assert abs(np.mean(q[near] - waiting[near])) < 2e-3
    # Without the martingale the same costs scatter as trials do.
    plain = [rollouts(PROBLEM.block(1, n, exact.statistics, 7), None, GREEDY, 1) for n in range(2)]
    without = np.concatenate([q for _, q in plain])
    assert np.std(q[near] - waiting[near]) < 0.2 * np.std(without)


def test_what_is_learned_from_a_poor_strategy_is_nearly_optimal(solution):
    value = learn(PROBLEM, HASTY, effort=QUICK, seed=2)
    exact = table_value(solution.strategy, PROBLEM.prices, PROBLEM.sd)
    Z = np.random.default_rng(4).normal(0.0, 1.5, (2, 3000))
    advantages = []
    for each in (value, exact):
        S = each.statistics.of(each.statistics.exponentials(Z), Z)
        advantages.append(np.maximum(each.advantage(S), 0.0))
    learned, true = advantages
    assert np.mean(np.abs(learned - true)) < 0.15 * true.mean()


def test_later_passes_learn_from_half_of_those_before(monkeypatch):
    blocks = []

    def fit(mesh, statistics, prices, data, stiffness):
        blocks.append(len(data))
        return fit_mesh(mesh, statistics, prices, data, stiffness)

    monkeypatch.setattr("popout.certificate.learn.fit_mesh", fit)
    tiny = Effort(first_blocks=6, later_blocks=2, passes=5, log2_points=5, shape=(10, 6))
    learn(PROBLEM, HASTY, effort=tiny, seed=3, threads=1)
    assert blocks == [6, 2, 2, 4, 4, 6]


def test_threads_leave_no_trace():
    tiny = Effort(first_blocks=6, later_blocks=2, passes=1, log2_points=5, shape=(10, 6))
    one, two = (learn(PROBLEM, HASTY, effort=tiny, seed=3, threads=n) for n in (1, 2))
    assert (one.coefficients == two.coefficients).all()


def test_too_few_points_or_blocks_are_refused():
    """Eight points gave bounds that were no number, without a word."""
    with pytest.raises(InputError, match=r"log2_points: expected an integer of at least 5, got 3"):
        Effort(log2_points=3)
    with pytest.raises(InputError, match="first_blocks"):
        Effort(first_blocks=0)
