"""Risk and boundary against the time that is left, and on the paper's grid."""

import numpy as np
import pytest

import popout as po
from popout.paper.recursion import PaperGrid, settle


def test_more_time_never_costs(computed):
    data, _ = computed("horizon")
    risk = data["risk"].isel(case=0).to_numpy()
    assert (np.diff(risk) <= 1e-12).all()
    assert risk[0] > 1.5 * risk[-1]
    # A coarse grid: the limit is that of the stationary problem within a percent.
    np.testing.assert_allclose(risk[-1], data["stationary_risk"].isel(case=0), rtol=1e-2)


def test_smaller_bins_come_nearer(computed):
    data, _ = computed("paper-grid")
    case = data.isel(case=0)
    away = np.abs(case["risk"] / case["risk_exact"] - 1).to_numpy()
    assert away[-1] < away[0]
    assert away[-1] < 0.1


def test_unequal_drifts_have_a_step_of_their_own_on_each_axis():
    task, costs = po.SearchTask(drift=(15.0, 3.0)), po.Costs(time=0.5)
    grid = PaperGrid(task, costs, -10.0, 10.0, 500)
    V, waiting = settle(grid, change=1e-7)
    assert grid.risk(V) == pytest.approx(po.solve(task, costs, rtol=1e-4).risk, rel=1e-3)
    swapped = PaperGrid(po.SearchTask(drift=(3.0, 15.0)), costs, -10.0, 10.0, 500)
    np.testing.assert_allclose(settle(swapped, change=1e-7)[1], waiting.T, atol=1e-6)
