r"""The value of waiting beyond the grid of a solution.

The grid of a solution ends a little above the highest threshold: past it one answers "present" at
once, :math:`V = c_{fa}`, and the solver needs no nodes there. A strategy that waits longer than the
optimum goes further, and what it loses by waiting must be known there too. One step of the Bellman
equation gives it, with V constant above the end of the axis:

.. math:: Q(Z, \text{wait}) = \delta t\,(C_0 + C_1 (w - 1)) + E_0[V(Z')].

A few standard deviations of a step beyond the end, no step leads back to where waiting pays, and
waiting costs the price of the time and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from popout.exact.axis import step_matrix
from popout.exact.bellman import Bellman
from popout.exact.grid import Grid
from popout.exact.solution import Solution, exact_table
from popout.strategies.exact_table import ExactTable

__all__ = ["wide_table"]

REACH = 3.0
"""Standard deviations of one step by which the table goes on."""


def wide_table(solution: Solution) -> ExactTable:
    """Return the table of a solution, continued above the end of every axis.

    Examples
    --------
    >>> import popout as po
    >>> solution = po.solve(po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2))
    >>> wide_table(solution).table.size > solution.strategy.table.size
    True
    """
    grid, V = solution._grid, solution._refined.V
    groups, matrices = [], []
    for group in grid.groups:
        more = math.ceil(REACH * group.axis.sd / group.axis.spacing)
        axis = replace(group.axis, n=group.axis.n + more)
        K = step_matrix(axis)
        # V is constant above the grid: all that leads there counts for its last node.
        K[:, group.axis.n - 1] = K[:, group.axis.n - 1 :].sum(axis=1)
        groups.append(replace(group, axis=axis))
        matrices.append(grid.backend.asarray(np.ascontiguousarray(K[:, : group.axis.n])))
    wider = Grid(groups, grid.backend)
    solution._check_dense(wider, "regret")
    price = Bellman(wider, solution.costs, solution.task.dt).price
    waiting = price + grid._apply(V, matrices, wider.sets)
    return exact_table(solution._problem, wider, waiting)
