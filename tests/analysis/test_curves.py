"""Boundaries on a common axis of differences."""

import numpy as np
import pytest

from popout.analysis.curves import differences, exact_curves, strategy_curves
from popout.exact import solve
from popout.task import Costs, SearchTask


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
