"""Arrays on exchangeable and separate locations: unfolding, resampling, odds and states."""

import math

import numpy as np
import pytest

from popout.exact.axis import Axis, step_matrix
from popout.exact.backend import get_backend
from popout.exact.grid import Grid, Group

AXES = [
    Axis.covering(-4.0, 3.0, spacing=0.5, sd=0.6),
    Axis.covering(-3.0, 2.0, spacing=0.4, sd=0.5),
]


@pytest.fixture
def mixed():
    """Locations 0 and 2 are exchangeable, location 1 is not."""
    groups = [Group(AXES[0], (0, 2), 0.3), Group(AXES[1], (1,), 0.2)]
    return Grid(groups, get_backend())


def symmetric(grid):
    Z = grid.states()
    return np.cos(0.5 * (Z[..., 0] + Z[..., 2])) * np.exp(0.3 * Z[..., 1])


def full(grid):
    z0, z1 = (axis.nodes for axis in AXES)
    return np.cos(0.5 * (z0[:, None, None] + z0)) * np.exp(0.3 * z1)[None, :, None]


def test_dense_unfolds_in_the_order_of_locations(mixed):
    assert mixed.n_locations == 3
    assert [mixed.axes[place] for place in range(3)] == [AXES[0], AXES[1], AXES[0]]
    np.testing.assert_allclose(mixed.dense(symmetric(mixed)), full(mixed))
    assert mixed.dense_size() == full(mixed).size


def test_expectation_is_a_matrix_product_for_each_location(mixed):
    K0, K1 = (step_matrix(axis) for axis in AXES)
    expected = np.einsum("ai,bj,ck,ijk->abc", K0, K1, K0, full(mixed))
    np.testing.assert_allclose(mixed.dense(mixed.expect(symmetric(mixed))), expected, atol=1e-12)


def test_odds_weigh_every_location(mixed):
    Z = mixed.states()
    expected = 0.3 * (np.exp(Z[..., 0]) + np.exp(Z[..., 2])) + 0.2 * np.exp(Z[..., 1])
    np.testing.assert_allclose(mixed.odds, expected)


def test_finer_grids_share_the_nodes(mixed):
    finer = mixed.finer(3)
    assert finer.nodes_per_axis == tuple(3 * (n - 1) + 1 for n in mixed.nodes_per_axis)
    found = finer.dense(mixed.resample(symmetric(mixed), finer))
    np.testing.assert_allclose(found[::3, ::3, ::3], full(mixed), atol=1e-12)
    np.testing.assert_allclose(found, finer.dense(symmetric(finer)), atol=2e-3)


def test_the_origin_is_read_off_between_the_nodes():
    axis = Axis(-3.13, 0.25, 30, 0.5)
    grid = Grid([Group(axis, (0, 1), 0.5)], get_backend())
    Z = grid.states()
    assert grid.at_origin(np.cos(Z.sum(axis=-1) + 0.3)) == pytest.approx(math.cos(0.3), abs=1e-6)
