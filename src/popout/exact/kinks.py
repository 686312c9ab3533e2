r"""Sub-grid accuracy where the value function has a kink or a jump.

Across a decision boundary the value function changes from one smooth function to another: V = G
where the observer stops, V = G + D where it waits. The trapezoid rule that carries a step of
evidence (`axis`) is spectrally accurate for smooth V but sees the boundary only to within a cell,
which leaves an error of order :math:`h^2` (a kink) or h (a jump).

**Euler and Maclaurin.** Let f = V k be the integrand along one axis, the boundary at distance
:math:`\theta h` above node 0, :math:`0 \le \theta < 1`, and :math:`[f^{(p)}]` the jump of its p-th
derivative (above minus below, in units of h). Then

.. math:: h \sum_i f_i - \int f
          = -h \sum_{p \ge 0} [f^{(p)}] \frac{B_{p+1}(1 - \theta)}{(p+1)!},

with the Bernoulli polynomials B. With waiting below the boundary
:math:`[f^{(p)}] = -\sum_q \binom{p}{q} D^{(q)} k^{(p-q)}`; above, the sign is the opposite. The
smooth kernel k enters by its value and derivatives at the boundary, which are linear in its values
at the four nearest nodes (cubic Lagrange). So the whole error up to p = 3 is removed by adding

.. math:: C_a = -s \sum_{p=0}^{3} \frac{B_{p+1}(1-\theta)}{(p+1)!}
                \sum_{q=0}^{p} \binom{p}{q} D^{(q)}(\theta)\, \ell_a^{(p-q)}(\theta),
          \qquad a = -1, 0, 1, 2,

to V at these four nodes (s = 1 if node 0 waits, -1 if not), for every cell of every axis that the
boundary crosses. What is left is of order :math:`h^5`. The optimum has D = 0 on its boundary, a
strategy of the user's need not.

**Several axes.** Where the boundary is the graph of one coordinate over the others, correcting
along that axis alone is complete: the integral over it is then smooth in the others. So D is
divided among the axes, :math:`D = \sum_a \chi_a D`, with the squared direction cosines of the
boundary's normal, :math:`\chi_a = (\partial_a \psi)^2 / \lVert \nabla \psi \rVert^2`, from the
level function :math:`\psi` (in units of the spacings), and each axis corrects its
share :math:`\chi_a D`.

The formulas of a cell come first: `cubic` and `moments` take arrays as well as numbers, `root` and
`corrections` are compiled, for one cell at a time. Then the corrections on NumPy arrays, cell by
cell: a grid of some thousand nodes has some hundred cells that a boundary crosses, and fifty calls
of NumPy would spend most of their time on being called. What a node collects comes along each of
its slots, from the cells that see it at one of the four positions (`grid.Stencil`).

Two more files do the same otherwise: `array_kinks` on whichever device holds the arrays, all cells
at once, and `share_kinks` for steps that are wide along some axes and narrow along others.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.grid import POSITIONS, Grid
from popout.noise.elementary import compiled, copy_to

DOWN, UP = POSITIONS.index(-1), POSITIONS.index(1)
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.int64]
LAGRANGE = [  # coefficients of 1, t, t^2, t^3 of the Lagrange polynomials of -1, 0, 1, 2
    [0.0, -1.0 / 3.0, 1.0 / 2.0, -1.0 / 6.0],
    [1.0, -1.0 / 2.0, -1.0, 1.0 / 2.0],
    [0.0, 1.0, 1.0 / 2.0, -1.0 / 2.0],
    [0.0, -1.0 / 6.0, 0.0, 1.0 / 6.0],
]
SLACK = 0.25  # how far outside its cell, in nodes, a boundary with fixed sides may be looked for
NEWTON = 3  # steps from the secant to the root


def moments(t: Any, d: Any, d1: Any, d2: Any, d3: Any) -> tuple[Any, Any, Any, Any]:
    """Return what the Lagrange coefficients of the nodes are multiplied with, for jumps at t.

    The Lagrange polynomials of the nodes and their derivatives are polynomials in t. Collecting
    powers, C_a = sum_j (coefficients of row a)_j * g_j, with g_j made of the jumps d of V and its
    derivatives times the Bernoulli polynomials of 1 - t. On arrays, or compiled, on numbers.
    """
    u = 1.0 - t
    v = u * (u - 1.0)
    b0 = u - 0.5
    b1 = (v + 1.0 / 6.0) / 2.0
    b2 = v * b0 / 6.0
    b3 = (v * v - 1.0 / 30.0) / 24.0
    e0 = b0 * d + b1 * d1 + b2 * d2 + b3 * d3
    e1 = b1 * d + 2.0 * b2 * d1 + 3.0 * b3 * d2
    e2 = b2 * d + 3.0 * b3 * d1
    e3 = b3 * d
    t2 = t * t
    return (
        e0,
        e0 * t + e1,
        e0 * t2 + 2.0 * e1 * t + 2.0 * e2,
        e0 * t2 * t + 3.0 * e1 * t2 + 6.0 * e2 * t + 6.0 * e3,
    )


def cubic(before: Any, here: Any, after: Any, beyond: Any, t: Any) -> tuple[Any, Any, Any, Any]:
    """Return value and derivatives at t of the cubic through the nodes -1, 0, 1, 2."""
    c1 = after - here
    c2 = (c1 - here + before) / 2.0
    c3 = (beyond - before - 3.0 * c1) / 6.0
    value = here + t * (c1 + (t - 1.0) * (c2 + (t + 1.0) * c3))
    slope = c1 + (2.0 * t - 1.0) * c2 + (3.0 * t * t - 1.0) * c3
    return value, slope, 2.0 * c2 + 6.0 * t * c3, 6.0 * c3


compiled_cubic, _moments = compiled(cubic), compiled(moments)


@compiled
def root(f: Any, newton: int) -> float:
    """Return where the cubic through the nodes -1, 0, 1, 2 vanishes in, or close to, [0, 1]."""
    rise = f[2] - f[1]
    t = 0.0 if rise == 0.0 else -f[1] / rise
    t = min(max(t, -SLACK), 1.0 + SLACK)
    for _ in range(newton):
        value, slope, _, _ = compiled_cubic(f[0], f[1], f[2], f[3], t)
        if slope != 0.0:
            t = min(max(t - value / slope, -SLACK), 1.0 + SLACK)
    return t


@compiled
def corrections(f: Any, t: float) -> Any:
    """Return what a jump of f, given at the nodes -1, 0, 1, 2, adds to V there if it lies at t."""
    d, d1, d2, d3 = compiled_cubic(f[0], f[1], f[2], f[3], t)
    g0, g1, g2, g3 = _moments(t, d, d1, d2, d3)
    return (
        -g1 / 3.0 + g2 / 2.0 - g3 / 6.0,
        g0 - g1 / 2.0 - g2 + g3 / 2.0,
        g1 + g2 / 2.0 - g3 / 2.0,
        -g1 / 6.0 + g3 / 6.0,
    )


class CrossedCells:
    """The cells of a grid that a boundary crosses.

    Which cells they are, where in them the boundary lies (`kinks`) and what it adds to V
    (`Kinks.correction`) are found one after the other, because they seldom all change from one step
    of an iteration to the next.

    Parameters
    ----------
    grid : Grid
    inside : bool array of the grid's shape
        On which side of the boundary each node is counted: true where the observer waits.
    keep : bool array of the grid's shape, optional
        Only cells with both ends kept are corrected.
    """

    def __init__(self, grid: Grid, inside: Flags, keep: Flags | None = None) -> None:
        self.grid = grid
        self.inside = np.ascontiguousarray(inside).reshape(-1)
        self._keep = self.inside[:0] if keep is None else np.ascontiguousarray(keep).reshape(-1)

    @cached_property
    def cells(self) -> Index:
        """Group, column of its tables and lower end of each cell, shape (N, 3)."""
        cells: Index = _crossed(self.inside, self._keep, self.grid.tables)
        return cells

    def kinks(self, level: Array, aligned: bool = False) -> Kinks:
        """Find the boundary within its cells.

        Parameters
        ----------
        level : array of the grid's shape
            Negative where the observer waits; the boundary is its zero. Where its sign is not that
            of the side a node is counted on, the boundary may lie slightly outside the cell.
        aligned : bool
            The boundary consists of faces across the axes, as Hardmax's does: every face belongs to
            one axis, D is not divided, and the level is linear within a cell.
        """
        return Kinks(self, level, aligned)


class Kinks:
    """What a boundary that has been found adds to V: a linear function of D."""

    def __init__(self, boundary: CrossedCells, level: Array, aligned: bool) -> None:
        self._boundary, self._aligned = boundary, aligned
        self._level = np.ascontiguousarray(level).reshape(-1)

    def correction(self, D: Array) -> Array | None:
        """Return what to add to V at the nodes near the boundary; None if it crosses no cell.

        Parameters
        ----------
        D : array of the grid's shape
            Value of waiting minus value of stopping, smooth across the boundary.
        """
        boundary, grid = self._boundary, self._boundary.grid
        if not len(boundary.cells):
            return None
        out = np.zeros(grid.shape)
        _correct(
            boundary.cells,
            boundary.inside,
            self._level,
            np.ascontiguousarray(D).reshape(-1),
            grid.tables,
            0 if self._aligned else NEWTON,
            grid.n_locations > 1 and not self._aligned,
            out.reshape(-1),
        )
        return out


@compiled
def _crossed(inside: Any, keep: Any, tables: Any) -> Any:
    """Return the cells whose ends lie on different sides, and are kept."""
    found, count = np.empty((64, 3), np.int64), 0
    for g in range(len(tables.size)):
        S, stride, first = tables.size[g], tables.stride[g], tables.first[g]
        for column in range(tables.slots_of[g] * S):
            s = column % S
            up = (tables.nodes[UP, first + column] - s) * stride
            for b in range(len(inside) // (S * stride)):
                for here in range((b * S + s) * stride, (b * S + s + 1) * stride):
                    if inside[here] == inside[here + up]:
                        continue
                    if len(keep) and not (keep[here] and keep[here + up]):
                        continue
                    if count == len(found):
                        longer = np.empty((2 * count, 3), np.int64)
                        for k in range(count):
                            copy_to(longer[k], found[k])
                        found = longer
                    found[count, 0], found[count, 1], found[count, 2] = g, column, here
                    count += 1
    return found[:count].copy()


@compiled
def _correct(
    cells: Any, inside: Any, level: Any, D: Any, tables: Any, newton: int, divided: bool, out: Any
) -> None:
    """Add to `out` what the boundary within each cell gives."""
    L, f = np.empty(4), np.empty(4)
    for c in range(len(cells)):
        g, column, here = cells[c]
        S, stride, first = tables.size[g], tables.stride[g], tables.first[g]
        s = column % S
        for p in range(4):
            node = here + (tables.nodes[p, first + column] - s) * stride
            L[p], f[p] = level[node], D[node]
            if divided:
                slot = tables.slots[p, first + column]
                moved = here + (slot % S - s) * stride
                own = _steepness(level, moved, slot, g, tables)
                total = _squared_gradient(level, node, tables)
                f[p] *= own / total if total != 0.0 else 0.0
        sign = -1.0 if inside[here] else 1.0
        found = corrections(f, root(L, newton))
        for p in range(4):
            # A node collects along each of its slots; past an end there is none that does.
            node = tables.nodes[p, first + column]
            for slot in range(tables.slots_of[g]):
                if tables.cells[p, first + slot * S + node] == column:
                    out[here + (node - s) * stride] += sign * found[p]


@compiled
def _steepness(level: Any, node: int, slot: int, group: int, tables: Any) -> float:
    """Return the squared difference of the level along the axis of one slot of a node."""
    stride, first = tables.stride[group], tables.first[group]
    s = slot % tables.size[group]
    up = node + (tables.nodes[UP, first + slot] - s) * stride
    down = node + (tables.nodes[DOWN, first + slot] - s) * stride
    difference: float = level[up] - level[down]
    return difference * difference


@compiled
def _squared_gradient(level: Any, node: int, tables: Any) -> float:
    """Return the sum of `_steepness` over all slots of a node."""
    total = 0.0
    for group in range(len(tables.size)):
        S = tables.size[group]
        s = node // tables.stride[group] % S
        for m in range(tables.slots_of[group]):
            total += _steepness(level, node, m * S + s, group, tables)
    return total
