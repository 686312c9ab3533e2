"""Curves of strategies: on the surface of the conjecture, and corners of Hardmax."""

import math

import numpy as np
import pytest

from popout.analysis.curves import differences, exact_curves, strategy_curves
from popout.exact import solve
from popout.policies.stopping import ASPRT, Hardmax
from popout.task import Costs, SearchTask


def test_curves_lie_on_the_surface_of_the_conjecture():
    task = SearchTask(n_locations=2, drift=4.0)
    strategy = ASPRT.for_task(task, -3.0, 3.0, a_minus=2.0, a_plus=0.7)
    d = differences(10.0, 21)
    curves = strategy_curves(strategy, d)
    for Z, tau, a in zip(curves, (-3.0, 3.0), (2.0, 0.7), strict=True):
        np.testing.assert_allclose(Z[:, 0] - Z[:, 1], d, atol=1e-9)
        S = np.log(np.exp(a * (Z - math.log(2))).sum(axis=1)) / a
        np.testing.assert_allclose(S, tau, atol=1e-9)


def test_curves_of_hardmax_are_corners():
    task = SearchTask(n_locations=2, drift=4.0)
    curves = strategy_curves(Hardmax.for_task(task, -3.0, 3.0), differences(4.0, 9))
    np.testing.assert_allclose(curves[0].max(axis=1), -3.0 + math.log(2))
    np.testing.assert_allclose(curves[1].max(axis=1), 3.0 + math.log(2))


def test_the_table_of_the_optimum_has_the_boundary_of_the_solution():
    solution = solve(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), 1e-4)
    d = differences(6.0, 25)
    exact, table = exact_curves(solution, d), strategy_curves(solution.strategy, d)
    np.testing.assert_allclose(table, exact, atol=0.02)
    np.testing.assert_allclose(exact[..., 0] - exact[..., 1], [d, d], atol=1e-12)
    assert (exact[1].sum(axis=-1) > exact[0].sum(axis=-1)).all()


def test_beyond_the_grid_the_other_location_stays_where_it_is():
    solution = solve(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), 1e-3)
    near, far = exact_curves(solution, np.array([40.0, 60.0]))[1]
    assert near[0] == pytest.approx(far[0])
