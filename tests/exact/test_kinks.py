r"""Sub-grid corrections at a boundary: what a sum over nodes is off by, and how it falls.

A function D is cut off where a level \psi becomes positive, and the cut function is integrated
against a Gaussian of unit width. For \psi linear in Z both integrals are known:

    E[min(X, 0)] = m Phi(-m/s) - s phi(m/s)   (a kink, D = \psi = X ~ N(m, s**2)),
    P(X < 0) = Phi(-m/s)                       (a jump, D = 1).

Boundaries are laid at many places between two nodes, and the largest error counts.
"""

import numpy as np
import pytest
from scipy.stats import norm

from popout.exact.array_kinks import boundary_on
from popout.exact.axis import Axis
from popout.exact.backend import get_backend
from popout.exact.grid import Grid, Group
from popout.exact.kinks import LAGRANGE, NEWTON, SLACK, corrections, cubic, root

PLACES = np.linspace(0.0, 1.0, 9)[:-1] + 0.031


def largest_error(h, direction, *, jump, corrected):
    direction = np.asarray(direction)
    axis = Axis.covering(-8.0, 8.0, spacing=h, sd=1.0)
    groups = [Group(axis, (place,), 1.0) for place in range(direction.size)]
    grid = Grid(groups, get_backend())
    nodes = grid.groups[0].axis.nodes
    density = norm.pdf(nodes) * h
    worst = 0.0
    for share in PLACES:
        m, s = -0.6 - share * h, float(np.linalg.norm(direction))
        level = grid.states() @ direction + m
        D = np.ones_like(level) if jump else level
        V = np.where(level < 0, D, 0.0)
        if corrected:
            V = V + boundary_on(grid, level < 0).kinks(level).correction(D)
        integral = grid.dense(V)
        for _ in range(direction.size):
            integral = density @ integral
        exact = norm.cdf(-m / s) if jump else m * norm.cdf(-m / s) - s * norm.pdf(m / s)
        worst = max(worst, abs(float(integral) - exact))
    return worst


@pytest.mark.parametrize(("jump", "plain_order"), [(False, 2), (True, 1)])
def test_order_along_one_axis(jump, plain_order):
    spacings = (0.8, 0.4, 0.2)
    plain = np.array([largest_error(h, [1.0], jump=jump, corrected=False) for h in spacings])
    mended = np.array([largest_error(h, [1.0], jump=jump, corrected=True) for h in spacings])
    np.testing.assert_allclose(np.log2(plain[:-1] / plain[1:]), plain_order, atol=0.3)
    order = np.log2(mended[:-1] / mended[1:])
    assert np.all(order > 4.5)


@pytest.mark.parametrize("direction", [[1.0, 1.0], [1.0, 0.6], [1.0, -0.3]])
@pytest.mark.parametrize("jump", [False, True])
def test_order_of_an_oblique_boundary(direction, jump):
    spacings = (0.8, 0.4, 0.2)
    mended = np.array([largest_error(h, direction, jump=jump, corrected=True) for h in spacings])
    assert np.all(np.log2(mended[:-1] / mended[1:]) > 4.5)
    assert mended[-1] < 1e-6


@pytest.mark.parametrize("jump", [False, True])
def test_a_boundary_almost_along_an_axis(jump):
    """Between neighbouring nodes of one axis it crosses hardly any cell of the other."""
    for h in (0.4, 0.2):
        plain, mended = (
            largest_error(h, [1.0, 0.05], jump=jump, corrected=corrected)
            for corrected in (False, True)
        )
        assert mended < 0.01 * plain


# One cell: roots of cubics, and what a jump within the cell takes from a sum over nodes.

NODES = np.array([-1.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize("place", [0.0, 0.013, 0.5, 0.97])
def test_the_root_of_a_cubic(place):
    f = (NODES - place) * (1.0 + 0.1 * NODES + 0.05 * NODES**2)
    assert root(f, NEWTON) == pytest.approx(place, abs=1e-9)


def test_a_root_far_away_is_looked_for_close_by():
    assert root(NODES + 40.0, NEWTON) == -SLACK
    assert root(np.ones(4), NEWTON) == 0.0


def test_a_cubic_is_met_with_its_derivatives():
    p = np.polynomial.Polynomial([0.3, -1.0, 0.5, 0.2])
    found = cubic(*p(NODES), 0.37)
    assert found == pytest.approx([p.deriv(k)(0.37) if k else p(0.37) for k in range(4)])


@pytest.mark.parametrize("t", [0.0, 0.2, 0.71])
def test_a_cubic_times_a_constant_is_integrated_exactly(t):
    """The sum of f over the nodes above t, against its integral from t on."""
    f = np.polynomial.Polynomial([0.4, 0.7, -0.2, 0.05])
    end = f(8.0) / 2 + f.deriv()(8.0) / 12 - f.deriv(3)(8.0) / 720  # Euler and Maclaurin
    found = f(np.arange(1, 9)).sum() - end + sum(corrections(f(NODES), t))
    assert found == pytest.approx(f.integ()(8.0) - f.integ()(t), abs=1e-12)


def test_the_nodes_of_a_cell_are_those_of_lagrange():
    powers = NODES[:, None] ** np.arange(4)
    np.testing.assert_allclose(np.array(LAGRANGE) @ powers.T, np.eye(4), atol=1e-15)
