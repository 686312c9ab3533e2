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
"""

from __future__ import annotations

from typing import Any

from popout.exact.backend import Array, Backend
from popout.exact.grid import POSITIONS, Grid

DOWN, UP = POSITIONS.index(-1), POSITIONS.index(1)
LAGRANGE = [  # coefficients of 1, t, t^2, t^3 of the Lagrange polynomials of -1, 0, 1, 2
    [0.0, -1.0 / 3.0, 1.0 / 2.0, -1.0 / 6.0],
    [1.0, -1.0 / 2.0, -1.0, 1.0 / 2.0],
    [0.0, 1.0, 1.0 / 2.0, -1.0 / 2.0],
    [0.0, -1.0 / 6.0, 0.0, 1.0 / 6.0],
]
SLACK = 0.25  # how far outside its cell, in nodes, a boundary with fixed sides may be looked for


def kink_correction(
    grid: Grid,
    level: Array,
    D: Array,
    *,
    waits: Array | None = None,
    keep: Array | None = None,
    aligned: bool = False,
) -> Array | None:
    """Return what to add to V at the nodes near a boundary.

    Parameters
    ----------
    grid : Grid
    level : array of the grid's shape
        Negative where the observer waits; the boundary is its zero.
    D : array of the grid's shape
        Value of waiting minus value of stopping, smooth across the boundary.
    waits : bool array of the grid's shape, optional
        On which side each node is counted, where that is not the sign of `level`. The boundary may
        then lie slightly outside the cell between two sides.
    keep : bool array of the grid's shape, optional
        Only cells with both ends kept are corrected.
    aligned : bool
        The boundary consists of faces across the axes, as Hardmax's does: every face belongs to one
        axis, D is not divided, and the level is linear within a cell.

    Returns
    -------
    array of the grid's shape, or None
        None if no cell is crossed.
    """
    xp = grid.backend.xp
    inside = level < 0 if waits is None else waits
    cells = [_Cells(grid, number, inside, keep) for number in range(len(grid.groups))]
    if all(c.count == 0 for c in cells):
        return None
    steepness: list[Array] = []
    if grid.n_locations > 1 and not aligned:
        steepness = [_steepness(grid, number, level) for number in range(len(grid.groups))]
    total: Array | None = None
    for c in cells:
        if c.count:
            part = c.correction(level, D, steepness, newton=0 if aligned else 3)
            total = part if total is None else total + part
    return xp.reshape(total, grid.shape)


def add_corrections(V: Array, *corrections: Array | None) -> Array:
    """Add to V what `kink_correction` returned for each boundary."""
    for correction in corrections:
        if correction is not None:
            V = V + correction
    return V


def _order(grid: Grid, number: int) -> tuple[int, ...]:
    """Return the permutation of dimensions that brings one group to the front."""
    return (number, *(k for k in range(len(grid.shape)) if k != number))


def _front(grid: Grid, number: int, x: Array) -> Array:
    """Return an array with one group in front and all others flattened, shape (S, rest)."""
    xp, S = grid.backend.xp, grid.shape[number]
    return xp.reshape(xp.permute_dims(x, _order(grid, number)), (S, grid.size // S))


def _back(grid: Grid, number: int, x: Array) -> Array:
    """Undo `_front`."""
    xp, order = grid.backend.xp, _order(grid, number)
    x = xp.reshape(x, tuple(grid.shape[k] for k in order))
    return xp.permute_dims(x, tuple(order.index(k) for k in range(len(order))))


def _steepness(grid: Grid, number: int, level: Array) -> Array:
    """Return the squared difference of the level along each slot's axis, shape (m * S, rest)."""
    xp = grid.backend.xp
    f = _front(grid, number, level)
    nodes = grid.stencils[number].nodes
    return (xp.take(f, nodes[UP, :], axis=0) - xp.take(f, nodes[DOWN, :], axis=0)) ** 2


class _Cells:
    """The cells of one group's axes that a boundary crosses."""

    def __init__(self, grid: Grid, number: int, inside: Array, keep: Array | None) -> None:
        xp = grid.backend.xp
        self.grid, self.number = grid, number
        self.m, self.S = grid.groups[number].m, grid.shape[number]
        self.rest = grid.size // self.S
        self.stencil = grid.stencils[number]
        self.inside = _front(grid, number, inside)
        crossed = self._repeat(self.inside) != self._above(self.inside)
        if keep is not None:
            kept = _front(grid, number, keep)
            crossed = crossed & self._repeat(kept) & self._above(kept)
        self.crossed = xp.reshape(crossed, (-1,))
        self.cells = xp.nonzero(self.crossed)[0]
        self.count = int(self.cells.shape[0])

    def _repeat(self, x: Array) -> Array:
        """Repeat an array of shape (S, rest) for every slot, shape (m * S, rest)."""
        return x if self.m == 1 else self.grid.backend.xp.concat([x] * self.m, axis=0)

    def _above(self, x: Array) -> Array:
        """Return the values one node up along each slot's axis, shape (m * S, rest)."""
        return self.grid.backend.xp.take(x, self.stencil.nodes[UP, :], axis=0)

    def _around(self, x: Array, where: Array) -> Array:
        """Return the values at the stencil of each crossed cell, shape (4, count)."""
        xp, rest = self.grid.backend.xp, self.rest
        places = xp.take(where, self.cells // rest, axis=1) * rest + (self.cells % rest)[None, :]
        found = xp.take(xp.reshape(x, (-1,)), xp.reshape(places, (-1,)))
        return xp.reshape(found, (len(POSITIONS), self.count))

    def correction(self, level: Array, D: Array, steepness: list[Array], newton: int) -> Array:
        """Return what these cells add to V, of the grid's shape."""
        grid, number, xp = self.grid, self.number, self.grid.backend.xp
        nodes = self.stencil.nodes
        levels = self._around(_front(grid, number, level), nodes)
        values = levels if D is level else self._around(_front(grid, number, D), nodes)
        if steepness:
            total = _front(grid, number, _over_slots(grid, steepness))
            everything = self._around(total, nodes)
            own = self._around(steepness[number], self.stencil.slots)
            values = values * own / xp.where(everything == 0, 1.0, everything)
        lower_end = (self.cells // self.rest % self.S) * self.rest + self.cells % self.rest
        waits = xp.take(xp.reshape(self.inside, (-1,)), lower_end)
        sign = 1.0 - 2.0 * xp.astype(waits, levels.dtype)
        return self._collect(_cell_correction(grid.backend, levels, values, sign, newton))

    def _collect(self, parts: Array) -> Array:
        """Let each node gather from the cells around it; `parts` has shape (4, count)."""
        grid, rest = self.grid, self.rest
        xp, device = grid.backend.xp, grid.backend.device
        nowhere = xp.asarray(self.count, device=device)
        number = xp.cumulative_sum(xp.astype(self.crossed, xp.int64)) - 1
        place = xp.where(self.crossed, number, nowhere)
        outside = xp.full((rest,), self.count, dtype=xp.int64, device=device)
        place = xp.reshape(xp.concat([place, outside]), (self.m * self.S + 1, rest))
        zero = xp.zeros((len(POSITIONS), 1), dtype=parts.dtype, device=device)
        parts = xp.concat([parts, zero], axis=1)
        total: Array = None
        for row in range(len(POSITIONS)):
            cells = xp.reshape(xp.take(place, self.stencil.cells[row, :], axis=0), (-1,))
            found = xp.reshape(xp.take(parts[row, :], cells), (self.m, self.S, rest))
            part = found[0, ...] if self.m == 1 else xp.sum(found, axis=0)
            total = part if total is None else total + part
        return _back(grid, self.number, total)


def _over_slots(grid: Grid, steepness: list[Array]) -> Array:
    """Return the squared gradient of the level, of the grid's shape."""
    xp = grid.backend.xp
    total: Array = None
    for number, squares in enumerate(steepness):
        S, m = grid.shape[number], grid.groups[number].m
        part = _back(grid, number, xp.sum(xp.reshape(squares, (m, S, grid.size // S)), axis=0))
        total = part if total is None else total + part
    return total


def _cell_correction(
    backend: Backend, levels: Array, values: Array, sign: Array, newton: int
) -> Array:
    """Return C_a at the nodes -1, 0, 1, 2 of each crossed cell, shape (4, count); `sign` is -s."""
    xp = backend.xp
    t = _root(xp, levels, newton)
    g = sign * xp.stack(moments(t, *cubic(*_rows(values), t)))
    return backend.matmul(xp.asarray(LAGRANGE, dtype=g.dtype, device=sign.device), g)


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


def _rows(f: Array) -> tuple[Array, Array, Array, Array]:
    return f[0, :], f[1, :], f[2, :], f[3, :]


def _root(xp: Any, f: Array, newton: int) -> Array:
    """Return where the cubic through the nodes -1, 0, 1, 2 vanishes in, or close to, [0, 1]."""
    here, rise = f[1, :], f[2, :] - f[1, :]
    t = _close_to_cell(xp, -here / xp.where(rise == 0, 1.0, rise))
    for _ in range(newton):  # from the secant
        value, slope, _, _ = cubic(*_rows(f), t)
        t = _close_to_cell(xp, t - value / xp.where(slope == 0, 1.0, slope))
    return t


def _close_to_cell(xp: Any, t: Array) -> Array:
    """Return t clipped, in less time than the clip of array-api-compat takes on a small grid."""
    return xp.where(t < -SLACK, -SLACK, xp.where(t > 1.0 + SLACK, 1.0 + SLACK, t))
