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

For a boundary oblique to the axes the corrections of the axes add up: each removes the aliases
whose wave vector lies along its axis, and the others are small.
"""

from __future__ import annotations

from typing import Any

from popout.exact.backend import Array
from popout.exact.grid import Grid

__all__ = ["kink_correction"]

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
    total: Array | None = None
    for number in range(len(grid.groups)):
        part = _along_group(grid, number, level, D, level < 0 if waits is None else waits, keep)
        if part is not None:
            total = part if total is None else total + part
    return total if total is None else xp.reshape(total, grid.shape)


def _along_group(
    grid: Grid, number: int, level: Array, D: Array, waits: Array, keep: Array | None
) -> Array | None:
    """Return the correction along the axes of one group."""
    xp = grid.backend.xp
    S, m, dims = grid.shape[number], grid.groups[number].m, len(grid.shape)
    rest = grid.size // S
    order = (number, *(k for k in range(dims) if k != number))

    def front(x: Array) -> Array:
        return xp.reshape(xp.permute_dims(x, order), (S, rest))

    shifts = grid.shifts[number]
    f = front(level)
    inside = front(waits)
    ends = xp.reshape(xp.take(inside, shifts[1][0], axis=0), (m, S, rest))
    crossed = inside[None, ...] != ends
    if keep is not None:
        kept = front(keep)
        both = xp.reshape(xp.take(kept, shifts[1][0], axis=0), (m, S, rest))
        crossed = crossed & (kept[None, ...] & both)
    crossed = xp.reshape(crossed, (m * S * rest,))
    cells = xp.nonzero(crossed)[0]
    count = int(cells.shape[0])
    if count == 0:
        return None

    slot_node, other = cells // rest, cells % rest
    around = [
        xp.take(shifts[-1][0], slot_node),
        slot_node % S,
        xp.take(shifts[1][0], slot_node),
        xp.take(shifts[2][0], slot_node),
    ]
    flat = [node * rest + other for node in around]
    levels = [xp.take(xp.reshape(f, (-1,)), index) for index in flat]
    values = levels
    if D is not level:
        jumps = xp.reshape(front(D), (-1,))
        values = [xp.take(jumps, index) for index in flat]
    sign = xp.where(xp.take(xp.reshape(inside, (-1,)), flat[1]), -1.0, 1.0)
    parts = _cell_correction(xp, levels, values, sign)

    # Each node collects from the cells around it: the cell whose lower end is `a` nodes below.
    zero = xp.zeros((1,), dtype=f.dtype, device=grid.backend.device)
    place = xp.where(
        crossed,
        xp.cumulative_sum(xp.astype(crossed, xp.int64)) - 1,
        xp.asarray(count, device=grid.backend.device),
    )
    outside = xp.full((rest,), count, dtype=xp.int64, device=grid.backend.device)
    place = xp.reshape(xp.concat([place, outside]), (m * S + 1, rest))
    total = xp.zeros((S, rest), dtype=f.dtype, device=grid.backend.device)
    for a, part in zip((-1, 0, 1, 2), parts, strict=True):
        lower = place[:-1, :] if a == 0 else xp.take(place, shifts[-a][1], axis=0)
        found = xp.take(xp.concat([part, zero]), xp.reshape(lower, (-1,)))
        total = total + xp.sum(xp.reshape(found, (m, S, rest)), axis=0)
    shape = tuple(grid.shape[k] for k in order)
    back = tuple(order.index(k) for k in range(dims))
    return xp.permute_dims(xp.reshape(total, shape), back)


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
