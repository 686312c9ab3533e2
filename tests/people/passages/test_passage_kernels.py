import math

import numpy as np
import pytest

from popout.people.passages.first_passages import LEVELS, answer_probability, make_passages


@pytest.mark.parametrize("g", [0.0, 2.0])
def test_every_path_answers_once_for_every_pair_as_wald_says(g):
    n = 10_000
    counts = make_passages(3, g, n_paths=n, seed=2).counts.sum(axis=(0, -1))
    np.testing.assert_array_equal(counts.sum(axis=0), n)
    answers = answer_probability(LEVELS[:, None], LEVELS[None, :])
    share = 0.5 * answers.sum(axis=0)[1]
    z = (counts[1] / n - share) / np.sqrt(share * (1.0 - share) / n)
    assert np.abs(z[8:, 8:]).max() < 4.5
    wrong = 0.5 * answer_probability(LEVELS[:, None] + 0.3, LEVELS[None, :]).sum(axis=0)[1]
    assert np.abs((counts[1] / n - wrong) / np.sqrt(wrong * (1.0 - wrong) / n))[8:, 8:].max() > 4.5


def plain_walk(M, g, lower, upper, n, du, random):
    """Guided attention in short steps, target absent; plain and slow."""
    Z, u = np.zeros((n, M)), np.zeros(n)
    answer, here = np.zeros(n, int), np.arange(n)
    while len(here):
        share = np.exp(g * Z[here])
        part = du * share / share.sum(axis=1, keepdims=True)
        Z[here] += -2.0 * part + 2.0 * np.sqrt(part) * random.standard_normal(part.shape)
        u[here] += du
        S = np.log(np.exp(Z[here]).mean(axis=1))
        answer[here] = np.where(upper <= S, 2, np.where(-lower >= S, 1, 0))
        here = here[answer[here] == 0]
    return answer, u


@pytest.mark.parametrize("g", [0.5, 4.0])
def test_guided_times_agree_with_short_plain_steps(g):
    M, k, j, n = 2, 11, 11, 1500
    answer, u = plain_walk(M, g, LEVELS[k], LEVELS[j], n, 1.2e-3, np.random.default_rng(7))
    table = make_passages(M, g, n_paths=40_000, seed=8)
    times = u[answer == 1] / M
    se = times.std() / math.sqrt(len(times))
    assert abs(times.mean() - table.mean_time[0, k, j]) < 3.5 * se
    other = make_passages(M, 0.0, n_paths=10_000, seed=8)  # parallel attention is slower
    assert abs(times.mean() - other.mean_time[0, k, j]) > 3.5 * se
