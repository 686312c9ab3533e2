import math

import numpy as np
import pytest

from popout.people.passages.first_passages import (
    EDGES,
    LEVELS,
    answer_probability,
    level_position,
    make_passages,
)


def test_levels_are_where_their_positions_say():
    np.testing.assert_allclose(level_position(LEVELS), np.arange(len(LEVELS)), atol=1e-9)


def test_answers_average_to_the_prior():
    answers = answer_probability(1.7, 3.1)
    np.testing.assert_allclose(answers.sum(axis=1), 1.0)
    posterior = np.array([1 / (1 + math.exp(1.7)), 1 / (1 + math.exp(-3.1))])
    assert (0.5 * answers.sum(axis=0) * posterior).sum() == pytest.approx(0.5)


def test_threads_leave_no_trace_and_seeds_do():
    one, two, other = (
        make_passages(4, 1.0, n_paths=12_000, seed=seed, threads=threads)
        for seed, threads in ((5, 1), (5, 3), (6, 1))
    )
    np.testing.assert_array_equal(one.counts, two.counts)
    assert (one.counts != other.counts).any()
    assert (one.counts[0] != one.counts[1]).any()
    assert one.n_parts == 4


def test_one_item_has_the_times_of_the_wiener_process(wiener):
    n, k, j = 20_000, 14, 18
    law = make_passages(1, 0.0, n_paths=n, seed=4).counts.sum(axis=0)[:, k, j]
    times = np.exp(EDGES[1:])
    inside = (times > 0.02) & (times < 40.0)
    expected = wiener(times[inside], LEVELS[k], LEVELS[j])
    for answer in (0, 1):
        rising = np.cumsum(law[answer]) / law[answer].sum()
        exact = expected[answer] / expected[answer, -1]
        limit = 1.63 / math.sqrt(law[answer].sum())  # Kolmogorov and Smirnov, 1 %
        assert np.abs(rising[inside] - exact).max() < limit
        late = np.interp(1.1 * times[inside], times[inside], exact)
        assert np.abs(rising[inside] - late).max() > limit


def test_the_mean_time_is_that_of_wald():
    """Evidence drifts by 2 in a unit of time; a bin is more than its beginning."""
    k, j = 14, 18
    table = make_passages(1, 0.0, n_paths=40_000, seed=4)
    answers = answer_probability(LEVELS[k], LEVELS[j])
    mean = (answers * table.mean_time[:, k, j]).sum(axis=1)
    ends = answers @ np.array([-LEVELS[k], LEVELS[j]])
    np.testing.assert_allclose(mean, np.abs(ends) / 2, rtol=0.015)
