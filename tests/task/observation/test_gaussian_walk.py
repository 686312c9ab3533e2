"""Gaussian walks: rows, bounds, and the separation of two orientations."""

import math

import numpy as np
import pytest

from popout.task import GaussianWalk, InputError


def test_rows_are_orientations():
    walk = GaussianWalk([-1, 0, 1])
    assert walk.is_scalar
    assert walk.rows == ((-1.0,), (0.0,), (1.0,))
    vector = GaussianWalk(np.eye(2))
    assert (vector.n_orientations, vector.n_channels, vector.is_scalar) == (2, 2, False)


@pytest.mark.parametrize(
    "drift", [[], 3.0, [1, math.nan], [[1, 2], [3]], [[1, math.inf], [3, 4]], [1, -1e300]]
)
def test_faulty_drifts_are_refused(drift):
    with pytest.raises(InputError):
        GaussianWalk(drift)


def test_separation_is_the_distance_of_the_drifts():
    walk = GaussianWalk([[1.0, -2.0], [4.0, 2.0]])
    assert walk.separation(0, 1) == walk.separation(1, 0) == 5.0


def test_increments_have_the_mean_and_the_variance_of_the_law():
    noise = np.random.default_rng(1).normal(size=(20_000, 1, 2, 2))
    orientation = np.tile([0, 1], (20_000, 1))
    walk = GaussianWalk([[3.0, 0.0], [-3.0, 1.0]])
    dx = walk.increments(noise, orientation, 0.25)[:, 0]
    se = 0.5 / np.sqrt(20_000)
    np.testing.assert_allclose(dx.mean(axis=0), [[0.75, 0.0], [-0.75, 0.25]], atol=4.5 * se)
    np.testing.assert_allclose(dx.var(axis=0), 0.25, rtol=0.05)
    with pytest.raises(AssertionError):  # the control: a law with other drifts
        np.testing.assert_allclose(dx.mean(axis=0), [[0.75, 0.0], [-0.7, 0.25]], atol=4.5 * se)
