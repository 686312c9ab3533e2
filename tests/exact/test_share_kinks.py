"""Sub-grid boundaries for steps of unequal widths."""

import numpy as np
import pytest

from popout.exact.axis import Axis
from popout.exact.grid import Group
from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import find_cells

SD, SPACING = 0.9, 0.4
SLOPES = (0.8, 0.5, 1.1)


def errors_of_a_step(parts, reach, times):
    """Step the kinked function min(0, level), with cells and without; compare with a finer grid."""
    M = len(parts)

    def stepped(h, corrected):
        axis = Axis.covering(-reach, reach, spacing=h, sd=SD)
        grid = ShareGrid([Group(axis, (place,), 0.5) for place in range(M)], 4)
        Z = grid.states()
        level = Z @ SLOPES[:M] + 0.05 * Z[:, 0] * Z[:, 1] - 0.3137
        cells = [find_cells(grid.dense(level), grid.dense(level))] if corrected else []
        share = grid.lattice.points.tolist().index(parts)
        values = grid.dense(grid.expect(np.minimum(level, 0.0), cells)[share])
        keep = slice(round(4.0 / h), round((2 * reach - 4.0) / h) + 1)
        return values[(keep,) * M]

    fine = stepped(SPACING / times, True)[(slice(None, None, times),) * M]
    return [np.abs(stepped(SPACING, corrected) - fine).max() for corrected in (True, False)]


@pytest.mark.parametrize("parts", [[0, 4], [1, 3], [2, 2], [4, 0]])
def test_a_boundary_between_nodes_costs_little_whatever_the_shares(parts):
    with_cells, without = errors_of_a_step(parts, reach=6.0, times=8)
    assert with_cells < 2e-4
    assert without > 5 * with_cells


@pytest.mark.parametrize("parts", [[1, 3, 0], [0, 2, 2]])
def test_an_axis_without_a_step_takes_no_part(parts):
    with_cells, without = errors_of_a_step(parts, reach=4.8, times=3)
    assert with_cells < 4e-5
    assert without > 20 * with_cells


def test_no_boundary_no_cells():
    ones = np.ones((5, 5))
    assert len(find_cells(ones, ones).flat) == 0


def test_only_kept_cells_count():
    level = np.linspace(-1.0, 1.0, 8) + 0.01
    assert len(find_cells(level, level).flat) == 1
    assert len(find_cells(level, level, keep=np.zeros(8, dtype=bool)).flat) == 0
