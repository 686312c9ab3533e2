"""Shifted Sobol points: unbiased, and better than independent ones."""

import numpy as np

from popout.certificate.draws import ShiftedSobol


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
