"""The grid of all locations, folded and unfolded."""

import numpy as np
import pytest

from popout.exact.axis import Axis
from popout.exact.grid import Group
from popout.exact.share_grid import ShareGrid

AXIS = Axis.covering(-4.0, 3.0, spacing=0.5, sd=0.8)


def make(classes, q=2):
    return ShareGrid([Group(AXIS, members, 0.2) for members in classes], q)


def symmetric(Z):
    return np.exp(-0.2 * ((Z - 0.3) ** 2).sum(axis=-1)) + 0.01 * Z.prod(axis=-1)


def test_folding_changes_nothing():
    folded, plain = make(((0, 1, 2),)), make(((0,), (1,), (2,)))
    assert folded.size == 15 * 16 * 17 // 6
    V = symmetric(folded.states())
    np.testing.assert_allclose(folded.dense(V).ravel(), symmetric(plain.states()))
    by_share = folded.expect(V, [])
    for share, values in enumerate(plain.expect(symmetric(plain.states()), [])):
        nodes = np.ravel_multi_index(folded.places, folded.nodes_per_axis)
        np.testing.assert_allclose(by_share[share], values[nodes], atol=1e-13)


def test_what_belongs_to_a_location_unfolds_with_it():
    grid = make(((0, 2), (1,)))
    for place in range(3):
        full = grid.dense_of(grid.states().T, place)
        expected = AXIS.nodes.reshape([-1 if k == place else 1 for k in range(3)])
        assert (full == expected).all()


def test_a_share_of_zero_leaves_an_axis_alone():
    grid = make(((0,), (1,), (2,)))
    V = symmetric(grid.states()).reshape(grid.nodes_per_axis)
    first = next(k for k, p in enumerate(grid.lattice.points.tolist()) if p == [2, 0, 0])
    found = grid.expect(V.ravel(), [])[first].reshape(grid.nodes_per_axis)
    from popout.exact.axis import step_matrix

    np.testing.assert_allclose(found, np.einsum("ij,jkl->ikl", step_matrix(AXIS), V), atol=1e-13)


def test_odds_and_exponentials_pass_through_a_step_unchanged():
    grid = make(((0, 1, 2),), q=4)
    inside = (grid.states() < 0.0).all(axis=1)
    for values in grid.expect(1.0 + grid.odds, []):
        np.testing.assert_allclose(values[inside], (1.0 + grid.odds)[inside], rtol=2e-3)


def test_resampling_is_cubic():
    grid = make(((0, 1, 2),))
    axis = Axis.covering(-3.0, 2.0, spacing=0.3, sd=0.8)
    finer = ShareGrid([Group(axis, (0, 1, 2), 0.2)], 2)
    cubic = (grid.states() ** 3).sum(axis=-1)
    assert grid.resample(cubic, finer) == pytest.approx((finer.states() ** 3).sum(axis=-1))
