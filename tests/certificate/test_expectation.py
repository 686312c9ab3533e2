"""Conditional expectations: unbiased against brute force; the same points would bias them."""

import numpy as np
import pytest

from popout.certificate.expectation import ROWS, ShiftedSobol, corrected_means
from popout.certificate.search_paths import SearchProblem
from popout.task import Costs, SearchTask


class Half:
    """Waiting costs 0.6 of answering, whatever the state."""

    def __init__(self, statistics, prices):
        self.statistics, self.prices = statistics, prices

    def advantage(self, S):
        return 0.4 * self.prices.stop(S[0]) * (S[2] > -1.0)


@pytest.fixture(scope="module")
def block():
    task = SearchTask(drift=(4.0, 3.0, 2.0), prior=0.4)
    problem = SearchProblem(task, Costs(time=0.5))
    block = problem.block(1, 0, problem.statistics(None), 6)
    for _ in range(6):
        block.advance()
    return block


def brute_force(block, value, trial, n):
    """Return the mean and its error, drawing the target's place and then a step."""
    problem, chance = block.problem, np.random.default_rng(2)
    Z = block.Z[:, trial]
    odds = np.exp(Z + problem.log_weight)
    p = np.concatenate([[1.0], odds]) / (1.0 + odds.sum())
    place = chance.choice(len(p), n, p=p) - 1
    mean = np.repeat(problem.mean_absent[:, None], n, axis=1)
    here = np.flatnonzero(place >= 0)
    mean[place[here], here] = problem.mean_present[place[here]]
    after = Z[:, None] + mean + problem.sd[:, None] * chance.standard_normal(mean.shape)
    S = block.statistics.of(block.statistics.exponentials(after), after)
    v = problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)
    return v.mean(), v.std() / np.sqrt(n)


def test_the_estimate_is_that_of_the_predictive_law(block):
    value = Half(block.statistics, block.problem.prices)
    trials = np.arange(0, 64, 16)
    draws = np.array([block.expected(value, trials) for _ in range(400)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    for n, trial in enumerate(trials):
        mean, se = brute_force(block, value, trial, 200_000)
        assert abs(draws[:, n].mean() - mean) < 4 * np.hypot(error[n], se)


@pytest.mark.parametrize("size", [0.0, 1e-200, 1.0])
def test_a_direction_may_be_of_any_length(size):
    """Where a step tells nothing every value is the same, and so is its mean."""
    rng = np.random.default_rng(3)
    normals = rng.standard_normal((3, 32))
    direction = size * rng.standard_normal((ROWS, 3, 2))
    known, out = np.full((2, 32), 2.0**-52), np.empty(2)
    corrected_means(np.full((2, 32), 0.1), normals, direction, known, out)
    assert out == pytest.approx(0.1, rel=1e-12)
    # A direction of no length is not normal: its polynomials would not have the mean zero.
    draws = []
    for _ in range(2_000):
        normals = rng.standard_normal((3, 32))
        V = np.repeat(normals[:1] ** 4, 2, axis=0)
        corrected_means(V, normals, direction, known, out)
        draws.append(out[0])
    assert abs(np.mean(draws) - 3.0) < 4 * np.std(draws) / np.sqrt(len(draws))


def means(n_sets):
    sets = ShiftedSobol(4, 5, np.random.default_rng(1))
    return np.array([np.cos(sets.normals()).sum(axis=0).mean() for _ in range(n_sets)])


def test_means_over_many_shifts_have_no_bias():
    found = means(2000)
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert abs(found.mean() - 4 * np.exp(-0.5)) < 4 * error


def test_the_error_is_smaller_than_that_of_independent_points():
    independent = np.sqrt(4 * ((1 + np.exp(-2)) / 2 - np.exp(-1)) / 32)
    assert means(500).std() < 0.5 * independent
