"""Solutions as pictures: lines lie where theory and the tables put them."""

import math

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po

COSTS = po.Costs(time=0.2)


@pytest.fixture(scope="module")
def solutions():
    tasks = {
        1: po.SearchTask(n_locations=1, drift=4.0, prior=0.3),
        2: po.SearchTask(drift=(8.0, 3.0)),
        3: po.SearchTask(n_locations=3, drift=4.0),
    }
    return {M: po.solve(task, COSTS, rtol=1e-3) for M, task in tasks.items()}


def curves(ax):
    """Return the vertices of the lines around the regions, that of "absent" first."""
    found = [c for c in ax.collections if not c.get_fill()]
    return [np.concatenate([path.vertices for path in c.get_paths()]) for c in found]


@pytest.mark.parametrize(("M", "plane"), [(2, None), (2, (1, 0)), (3, (0, 2))])
def test_far_out_the_boundary_is_that_of_one_location(solutions, M, plane):
    """Methods, "Translating optimal thresholds": tau + log M, with all others ruled out."""
    solution = solutions[M]
    ax = solution.plot(Figure().subplots(), plane=plane)
    first, second = plane or (0, 1)
    assert ax.get_xlabel() == f"$Z_{{{first + 1}}}$ (nats)"
    assert ("ruled out" in ax.get_title()) == (M > 2)
    for side, points in enumerate(curves(ax)):
        at_edge = points[points[:, 1].argmin()]
        assert at_edge[0] == pytest.approx(solution.thresholds[first][side] + math.log(M), abs=0.03)
        at_edge = points[points[:, 0].argmin()]
        expected = solution.thresholds[second][side] + math.log(M)
        assert at_edge[1] == pytest.approx(expected, abs=0.03)


def test_one_location_shows_value_and_thresholds(solutions):
    ax = solutions[1].plot(Figure().subplots())
    absent, present, best, low, high, start = ax.lines
    lowest = np.minimum(absent.get_ydata(), present.get_ydata())
    assert (best.get_ydata() <= lowest + 1e-12).all()
    shift = math.log(0.3 / 0.7)  # thresholds are on the posterior odds, the axis is Z
    drawn = [line.get_xdata()[0] for line in (low, high)]
    assert drawn == pytest.approx([tau - shift for tau in solutions[1].thresholds[0]])
    Z = best.get_xdata()
    waits = best.get_ydata() < lowest - 1e-6
    step = Z[1] - Z[0]
    assert Z[waits][[0, -1]] == pytest.approx(drawn, abs=1.01 * step)
    assert start.get_ydata()[0] == solutions[1].risk


def test_without_waiting_there_is_one_line():
    task, costs = po.SearchTask(n_locations=2, drift=0.5), po.Costs(time=50.0)
    ax = po.solve(task, costs, rtol=1e-3).plot(Figure().subplots())
    for points in curves(ax):  # both answers end where they cost the same
        odds = np.exp(points).sum(axis=1) / 2
        assert np.abs(np.log(odds)).max() < 0.05


def test_deadlines_close():
    alone = po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0), COSTS, 0.2, rtol=1e-3)
    upper, lower, _ = alone.plot(Figure().subplots()).lines
    gap = upper.get_ydata() - lower.get_ydata()
    assert gap[-1] < gap[0]
    two = po.solve_deadline(po.SearchTask(n_locations=2, drift=4.0), COSTS, 0.2, rtol=1e-3)
    ax = two.plot(Figure().subplots())
    reach = [points[:, 0].max() for points in curves(ax)]
    assert reach[1] > reach[-1]  # "present" at the first look, and at the last


def test_boundary_curves_are_drawn_as_they_are(solutions):
    boundary = solutions[2].boundary()
    ax = boundary.plot(Figure().subplots())
    for line, side in zip(ax.lines, (boundary.absent, boundary.present), strict=True):
        assert np.array_equal(np.column_stack(line.get_data()), side.to_numpy())
    assert len(repr(boundary)) < 80
    assert f"{len(boundary.present)}" in str(boundary)
