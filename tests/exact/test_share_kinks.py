"""Sub-grid boundaries for steps of unequal widths."""

import numpy as np
import pytest

from popout.exact.axis import Axis
from popout.exact.grid import Group
from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import find_cells

SD = 0.9


def error_of_a_step(spacing, parts, corrected=True):
    """Step the kinked function min(0, level) and compare with a much finer grid."""

    def stepped(h):
        axis = Axis.covering(-6.0, 6.0, spacing=h, sd=SD)
        grid = ShareGrid([Group(axis, (place,), 0.5) for place in range(2)], 4)
        x, y = grid.states().T
        level = 0.8 * x + 0.5 * y + 0.05 * x * y - 0.3137
        cells = [find_cells(grid.dense(level), grid.dense(level))] if corrected else []
        share = next(k for k, p in enumerate(grid.lattice.points.tolist()) if p[0] == parts)
        found = grid.dense(grid.expect(np.minimum(level, 0.0), cells)[share])
        keep = slice(round(4.0 / h), round(8.0 / h) + 1)
        return found[keep, keep]

    times = 8
    fine = stepped(spacing / times)[::times, ::times]
    return np.abs(stepped(spacing) - fine).max()


@pytest.mark.parametrize("parts", [0, 1, 2, 4])
def test_a_boundary_between_nodes_costs_little_whatever_the_shares(parts):
    with_cells, without = (error_of_a_step(0.4, parts, corrected=c) for c in (True, False))
    assert with_cells < 2e-4
    assert without > 5 * with_cells


def test_no_boundary_no_cells():
    ones = np.ones((5, 5))
    assert len(find_cells(ones, ones).flat) == 0


def test_only_kept_cells_count():
    level = np.linspace(-1.0, 1.0, 8) + 0.01
    assert len(find_cells(level, level).flat) == 1
    assert len(find_cells(level, level, keep=np.zeros(8, dtype=bool)).flat) == 0


def error_with_three(parts, spacing=0.4, times=3):
    """The same with three axes, some of which may have no step."""

    def stepped(h, corrected):
        axis = Axis.covering(-4.8, 4.8, spacing=h, sd=SD)
        grid = ShareGrid([Group(axis, (place,), 0.3) for place in range(3)], 4)
        x, y, z = grid.states().T
        level = 0.8 * x + 0.5 * y + 1.1 * z + 0.05 * x * y - 0.3137
        cells = [find_cells(grid.dense(level), grid.dense(level))] if corrected else []
        share = grid.lattice.points.tolist().index(parts)
        found = grid.dense(grid.expect(np.minimum(level, 0.0), cells)[share])
        keep = slice(round(4.0 / h), round(5.6 / h) + 1)
        return found[keep, keep, keep]

    fine = stepped(spacing / times, True)[::times, ::times, ::times]
    return [np.abs(stepped(spacing, corrected) - fine).max() for corrected in (True, False)]


@pytest.mark.parametrize("parts", [[1, 3, 0], [0, 2, 2]])
def test_an_axis_without_a_step_takes_no_part(parts):
    with_cells, without = error_with_three(parts)
    assert with_cells < 4e-5
    assert without > 20 * with_cells
