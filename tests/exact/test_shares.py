"""The lattice of shares, and the best between its points."""

import numpy as np
import pytest

from popout.exact.shares import ShareLattice, best_share


def minimum(lattice, f):
    out, move = np.empty(f.shape[1]), np.empty(f.shape[1])
    best, pair = np.empty(f.shape[1], np.int64), np.empty(f.shape[1], np.int64)
    best_share(f, lattice.neighbours, out, best, pair, move)
    return out, lattice.shares_between(best, pair, move)


def test_points_are_all_ways_to_share():
    lattice = ShareLattice(4, 3, ((0, 1, 2),))
    assert len(lattice.points) == 15
    assert (lattice.points.sum(axis=1) == 4).all()
    assert set(lattice.patterns) == {(4, 0, 0), (3, 1, 0), (2, 2, 0), (2, 1, 1)}


def test_a_point_is_its_pattern_with_the_roles_exchanged():
    lattice = ShareLattice(4, 3, ((0, 2), (1,)))
    for point in lattice.points.tolist():
        number, plays = lattice.origin(tuple(point))
        assert [lattice.patterns[number][role] for role in plays] == point
        assert sorted(plays) == [0, 1, 2]


def test_polynomials_of_the_shares_are_read_off_exactly():
    lattice = ShareLattice(4, 3, ((0,), (1,), (2,)))

    def f(a):
        return 1.0 + a[..., 0] ** 2 * a[..., 1] - 3.0 * a[..., 2] ** 4 + a[..., 1] ** 3

    shares = np.random.default_rng(0).dirichlet((1.0, 1.0, 1.0), 30)
    found = f(lattice.points / 4) @ lattice.weights(shares)
    np.testing.assert_allclose(found, f(shares), rtol=1e-12)


def test_the_minimum_of_a_parabola_is_found_between_the_points():
    lattice = ShareLattice(4, 2, ((0, 1),))
    centres = np.array([0.31, 0.5, 0.77, -0.2])
    f = (lattice.points[:, :1] / 4 - centres) ** 2
    value, shares = minimum(lattice, f)
    np.testing.assert_allclose(shares[:3, 0], centres[:3])
    np.testing.assert_allclose(value, [0.0, 0.0, 0.0, 0.04], atol=1e-15)
    assert shares[3].tolist() == [0.0, 1.0]


def test_the_minimum_is_continuous_where_the_best_point_changes():
    lattice = ShareLattice(4, 2, ((0, 1),))
    alpha = lattice.points[:, :1] / 4
    centres = 0.375 + np.array([-1e-9, 1e-9])
    value, _ = minimum(lattice, (alpha - centres) ** 2 + 0.3 * (alpha - centres) ** 3)
    assert value[0] == pytest.approx(value[1], abs=1e-8)
