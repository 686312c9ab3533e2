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

from popout.exact.backend import Array
from popout.exact.grid import Grid

__all__ = ["kink_correction"]

STENCIL = (-1, 0, 1, 2)
SLACK = 0.25  # how far outside its cell, in nodes, a boundary with fixed sides may be looked for


def kink_correction(
    grid: Grid,
    level: Array,
    D: Array,
    *,
    waits: Array | None = None,
    keep: Array | None = None,
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
    if grid.n_locations > 1:
        steepness = [_steepness(grid, number, level) for number in range(len(grid.groups))]
    total: Array | None = None
    for c in cells:
        if c.count:
            part = c.correction(level, D, steepness)
            total = part if total is None else total + part
    return xp.reshape(total, grid.shape)


def _order(grid: Grid, number: int) -> tuple[int, ...]:
    """Return the permutation of dimensions that brings one group to the front."""
    return (number, *(k for k in range(len(grid.shape)) if k != number))


def _front(grid: Grid, number: int, x: Array) -> Array:
    """Return an array with one group in front and all others flattened, shape (S, rest)."""
    xp = grid.backend.xp
    S = grid.shape[number]
    return xp.reshape(xp.permute_dims(x, _order(grid, number)), (S, grid.size // S))


def _back(grid: Grid, number: int, x: Array) -> Array:
    """Undo `_front`."""
    xp = grid.backend.xp
    order = _order(grid, number)
    x = xp.reshape(x, tuple(grid.shape[k] for k in order))
    return xp.permute_dims(x, tuple(order.index(k) for k in range(len(order))))


def _steepness(grid: Grid, number: int, level: Array) -> Array:
    """Return the squared difference of the level along each slot's axis, shape (m * S, rest)."""
    xp = grid.backend.xp
    f = _front(grid, number, level)
    up, down = (xp.take(f, grid.shifts[number][by][0], axis=0) for by in (1, -1))
    return (up - down) ** 2


class _Cells:
    """The cells of one group's axes that a boundary crosses."""

    def __init__(self, grid: Grid, number: int, inside: Array, keep: Array | None) -> None:
        xp = grid.backend.xp
        self.grid, self.number = grid, number
        self.m, self.S = grid.groups[number].m, grid.shape[number]
        self.rest = grid.size // self.S
        self.shifts = grid.shifts[number]
        crossed = self._differ(_front(grid, number, inside))
        if keep is not None:
            kept = _front(grid, number, keep)
            both = xp.take(kept, self.shifts[1][0], axis=0)
            crossed = crossed & (self._repeat(kept) & both)
        self.inside = inside
        self.crossed = xp.reshape(crossed, (-1,))
        self.cells = xp.nonzero(self.crossed)[0]
        self.count = int(self.cells.shape[0])

    def _repeat(self, x: Array) -> Array:
        """Repeat an array of shape (S, rest) for every slot, shape (m * S, rest)."""
        xp = self.grid.backend.xp
        return x if self.m == 1 else xp.concat([x] * self.m, axis=0)

    def _differ(self, inside: Array) -> Array:
        xp = self.grid.backend.xp
        return self._repeat(inside) != xp.take(inside, self.shifts[1][0], axis=0)

    def correction(self, level: Array, D: Array, steepness: list[Array]) -> Array:
        """Return what these cells add to V, of the grid's shape."""
        xp, rest = self.grid.backend.xp, self.rest
        slot_node, other = self.cells // rest, self.cells % rest
        stencil = [
            slot_node % self.S if by == 0 else xp.take(self.shifts[by][0], slot_node)
            for by in STENCIL
        ]
        flat = [node * rest + other for node in stencil]

        def around(x: Array) -> list[Array]:
            values = xp.reshape(_front(self.grid, self.number, x), (-1,))
            return [xp.take(values, index) for index in flat]

        levels = around(level)
        values = levels if D is level else around(D)
        if steepness:
            values = [v * s for v, s in zip(values, self._shares(around, steepness), strict=True)]
        waits_below = xp.take(
            xp.reshape(_front(self.grid, self.number, self.inside), (-1,)), flat[1]
        )
        sign = xp.where(waits_below, -1.0, 1.0)
        return self._collect(_cell_correction(xp, levels, values, sign), level.dtype)

    def _shares(self, around: Any, steepness: list[Array]) -> list[Array]:
        """Return the share of D that this axis corrects, at the nodes of each cell's stencil."""
        grid, xp, rest = self.grid, self.grid.backend.xp, self.rest
        total: Array | None = None
        for number, squares in enumerate(steepness):
            S, m = grid.shape[number], grid.groups[number].m
            over_slots = xp.sum(xp.reshape(squares, (m, S, grid.size // S)), axis=0)
            part = _back(grid, number, over_slots)
            total = part if total is None else total + part
        own = xp.reshape(steepness[self.number], (-1,))
        slot_node, other = self.cells // rest, self.cells % rest
        shares = []
        for by, everything in zip(STENCIL, around(total), strict=True):
            moved = slot_node if by == 0 else xp.take(self.shifts[by][1], slot_node)
            on_axis = moved < self.m * self.S
            index = xp.where(on_axis, moved, slot_node) * rest + other
            share = xp.take(own, index) / xp.where(everything == 0, 1.0, everything)
            shares.append(share)
        return shares

    def _collect(self, parts: list[Array], dtype: Any) -> Array:
        """Let each node gather from the cells around it: those whose lower end is a below it."""
        grid, xp, rest = self.grid, self.grid.backend.xp, self.rest
        device = grid.backend.device
        zero = xp.zeros((1,), dtype=dtype, device=device)
        nowhere = xp.asarray(self.count, device=device)
        number = xp.cumulative_sum(xp.astype(self.crossed, xp.int64)) - 1
        place = xp.where(self.crossed, number, nowhere)
        outside = xp.full((rest,), self.count, dtype=xp.int64, device=device)
        place = xp.reshape(xp.concat([place, outside]), (self.m * self.S + 1, rest))
        total = xp.zeros((self.S, rest), dtype=dtype, device=device)
        for a, part in zip(STENCIL, parts, strict=True):
            lower = place[:-1, :] if a == 0 else xp.take(place, self.shifts[-a][1], axis=0)
            found = xp.take(xp.concat([part, zero]), xp.reshape(lower, (-1,)))
            total = total + xp.sum(xp.reshape(found, (self.m, self.S, rest)), axis=0)
        return _back(grid, self.number, total)


def _cell_correction(xp: Any, levels: list[Array], values: list[Array], sign: Array) -> list[Array]:
    """Return C_a at the nodes -1, 0, 1, 2 of each crossed cell; `sign` is -s."""
    t = _root(xp, levels)
    d, d1, d2, d3 = _cubic(values, t)
    u = 1.0 - t
    b0 = u - 0.5
    b1 = (u * u - u + 1.0 / 6.0) / 2.0
    b2 = u * (u - 0.5) * (u - 1.0) / 6.0
    b3 = (u * u * (u - 1.0) * (u - 1.0) - 1.0 / 30.0) / 24.0
    e0 = sign * (b0 * d + b1 * d1 + b2 * d2 + b3 * d3)
    e1 = sign * (b1 * d + 2.0 * b2 * d1 + 3.0 * b3 * d2)
    e2 = sign * (b2 * d + 3.0 * b3 * d1)
    e3 = sign * (b3 * d)
    return [
        e0 * value + e1 * slope + e2 * curvature + e3 * third
        for value, slope, curvature, third in _lagrange(t)
    ]


def _cubic(f: list[Array], t: Array) -> tuple[Array, Array, Array, Array]:
    """Return value and derivatives at t of the cubic through the nodes -1, 0, 1, 2."""
    c1 = f[2] - f[1]
    c2 = (f[2] - 2.0 * f[1] + f[0]) / 2.0
    c3 = (f[3] - 3.0 * f[2] + 3.0 * f[1] - f[0]) / 6.0
    value = f[1] + t * (c1 + (t - 1.0) * (c2 + (t + 1.0) * c3))
    slope = c1 + (2.0 * t - 1.0) * c2 + (3.0 * t * t - 1.0) * c3
    return value, slope, 2.0 * c2 + 6.0 * t * c3, 6.0 * c3


def _root(xp: Any, f: list[Array]) -> Array:
    """Return where the cubic through the nodes -1, 0, 1, 2 vanishes in, or close to, [0, 1]."""
    rise = f[2] - f[1]
    t = xp.clip(-f[1] / xp.where(rise == 0, 1.0, rise), -SLACK, 1.0 + SLACK)
    for _ in range(3):  # Newton from the secant
        value, slope, _, _ = _cubic(f, t)
        t = xp.clip(t - value / xp.where(slope == 0, 1.0, slope), -SLACK, 1.0 + SLACK)
    return t


def _lagrange(t: Array) -> list[tuple[Array, Array, Array, float]]:
    """Return value and derivatives at t of the Lagrange polynomials of -1, 0, 1, 2."""
    t2 = t * t
    return [
        (-t * (t - 1) * (t - 2) / 6, -(3 * t2 - 6 * t + 2) / 6, 1.0 - t, -1.0),
        ((t2 - 1) * (t - 2) / 2, (3 * t2 - 4 * t - 1) / 2, 3.0 * t - 2.0, 3.0),
        (-t * (t + 1) * (t - 2) / 2, -(3 * t2 - 2 * t - 2) / 2, 1.0 - 3.0 * t, -3.0),
        (t * (t2 - 1) / 6, (3 * t2 - 1) / 6, t, 1.0),
    ]
