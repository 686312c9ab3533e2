"""Unknown distractors: the posterior is the one of `Evidence`, expectations follow it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from popout.certificate.bound import GREEDY, follow, policy_of
from popout.certificate.learn import Effort, learn
from popout.certificate.problem import Prices
from popout.certificate.search_paths import SearchProblem
from popout.certificate.unknown_paths import MixtureProblem
from popout.evidence import Evidence
from popout.policies.stopping import SPRT
from popout.task import Costs, MixtureSearchTask, SceneSearchTask, SearchTask

DRIFTS = {0: 4.0, 30: 0.0, 60: -4.0}
TASKS = {
    "independent": MixtureSearchTask.independent(4, [0], [30, 60], DRIFTS, prior=0.3),
    "tied": MixtureSearchTask.tied(4, [0], [30, 60], DRIFTS, prior=0.3),
    "scene": SceneSearchTask.from_sets(4, [0], [30], [1, 3], {0: 4.0, 30: 0.0, "blank": -6.0}),
}


SEARCH = SearchTask(drift=(4.0, 3.0, 2.0), prior=0.4)


def walked(task, n_steps=8):
    problem = (MixtureProblem if task.search is None else SearchProblem)(task, Costs(time=1.0))
    block = problem.block(1, 0, problem.statistics(None), 6)
    for _ in range(n_steps):
        block.advance()
    return problem, block


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_log_odds_are_those_of_the_evidence(task):
    _, block = walked(task)
    evidence = Evidence(task)
    L = evidence.log_likelihood(block.x[:, 0].T, block.k * task.dt)
    expected = evidence.log_likelihood_ratio(L) + task.log_prior_odds
    assert np.allclose(block.S[0], expected, atol=1e-12)


@pytest.mark.parametrize("task", [*TASKS.values(), SEARCH], ids=[*TASKS, "search"])
def test_the_posterior_probability_is_a_martingale(task):
    """v = P(present) costs nothing to check: its expectation is itself."""
    problem, block = walked(task)
    high = Prices(1e3, 1e3, 0.0, 0.0)
    problem.prices = high

    class Presence:
        statistics = block.statistics

        def advantage(self, S):
            return high.stop(S[0]) - 1.0 / (1.0 + np.exp(-S[0]))

    draws = np.array([block.expected(Presence(), np.arange(64)) for _ in range(60)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(60) + 1e-12
    now = 1.0 / (1.0 + np.exp(-block.S[0]))
    assert (np.abs(draws.mean(axis=0) - now) / error < 4.5).all()


def test_known_distractors_give_the_bounds_of_a_search_task():
    """One distractor orientation: the same task in two forms, two codes, one risk."""
    costs = Costs(time=1.0)
    plain = SearchTask(n_locations=2, drift=4.0)
    mixed = MixtureSearchTask.independent(2, [0], [30], {0: 4.0, 30: -4.0})
    effort = Effort(first_blocks=16, later_blocks=6, passes=1, log2_points=6, shape=(16, 8))
    means = []
    for problem, M in ((SearchProblem(plain, costs), 2), (MixtureProblem(mixed, costs), 1)):
        tau = 2.5
        strategy = SPRT.for_task(plain if M == 2 else mixed, -tau, tau)
        value = learn(problem, strategy, effort=effort, seed=1)
        blocks = [problem.block(5, n, value.statistics, 6) for n in range(12)]
        found = [follow(b, value, [policy_of(strategy), GREEDY], 1e-3) for b in blocks]
        risk = np.array([f.controlled[0].mean() for f in found])
        lower = np.array([f.lower.mean() for f in found])
        assert (risk >= lower).all()
        means.append((risk.mean(), risk.std(ddof=1) / np.sqrt(12)))
    (a, a_se), (b, b_se) = means
    assert abs(a - b) < 4 * np.hypot(a_se, b_se)


def test_blocks_may_be_drawn_in_several_threads_whatever_numba_finds():
    # Numba's own pool of threads ends the process when two threads run parallel kernels at once.
    program = """
from concurrent.futures import ThreadPoolExecutor
import popout as po
from popout.certificate.unknown_paths import MixtureProblem
task = po.MixtureSearchTask.independent(3, [0], [30], {0: 4, 30: -4})
problem = MixtureProblem(task, po.Costs(time=0.5))
statistics = problem.statistics(None)
with ThreadPoolExecutor(4) as pool:
    blocks = list(pool.map(lambda n: problem.block(1, n, statistics, 3), range(400)))
print(len(blocks))
"""
    pool = {**os.environ, "NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", program], env=pool, capture_output=True, text=True)
    assert done.stdout.strip() == "400", done.stderr
