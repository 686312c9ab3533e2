"""One cell: roots of cubics, and what a jump within the cell takes from a sum over nodes."""

import numpy as np
import pytest

from popout.exact.cell_kinks import LAGRANGE, NEWTON, SLACK, corrections, cubic, root

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
