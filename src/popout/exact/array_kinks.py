"""The corrections of `kinks` on the arrays of any back end: all crossed cells at once.

A graphics processor takes each of these operations for all cells together; on NumPy arrays
`kinks.CrossedCells` is faster (`boundary_on` chooses). The formulas of a cell are the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from popout.exact.backend import Array
from popout.exact.grid import POSITIONS, Grid
from popout.exact.kinks import DOWN, LAGRANGE, NEWTON, SLACK, UP, CrossedCells, cubic, moments


def boundary_on(grid: Grid, inside: Array, keep: Array | None = None) -> ArrayCells | CrossedCells:
    """Return the cells that a boundary crosses, in the form that is fastest for the grid.

    Parameters are those of `CrossedCells`.
    """
    kind = CrossedCells if grid.backend.name == "numpy" else ArrayCells
    return kind(grid, inside, keep)


class ArrayCells:
    """The cells of a grid that a boundary crosses; see `kinks.CrossedCells`."""

    def __init__(self, grid: Grid, inside: Array, keep: Array | None = None) -> None:
        self.grid = grid
        cells = [_Cells(grid, number, inside, keep) for number in range(len(grid.groups))]
        self._cells = [each for each in cells if each.count]

    def kinks(self, level: Array, aligned: bool = False) -> ArrayKinks:
        """Find the boundary within its cells; see `kinks.CrossedCells.kinks`."""
        grid = self.grid
        steepness: list[Array] = []
        if self._cells and grid.n_locations > 1 and not aligned:
            steepness = [_steepness(grid, number, level) for number in range(len(grid.groups))]
        newton = 0 if aligned else NEWTON
        return ArrayKinks(
            grid, level, [each.kinks(level, steepness, newton) for each in self._cells]
        )


class ArrayKinks:
    """What a boundary adds to V; see `kinks.Kinks`."""

    def __init__(self, grid: Grid, level: Array, parts: list[_CellKinks]) -> None:
        self._grid, self._level, self._parts = grid, level, parts

    def correction(self, D: Array) -> Array | None:
        """Return what to add to V at the nodes near the boundary; None if it crosses no cell."""
        total: Array | None = None
        for each in self._parts:
            part = each.correction(None if D is self._level else D)
            total = part if total is None else total + part
        return None if total is None else self._grid.backend.xp.reshape(total, self._grid.shape)


def add_corrections(V: Array, *corrections: Array | None) -> Array:
    """Add to V what `Kinks.correction` returned for each boundary."""
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

    def _places(self, where: Array) -> Array:
        """Return the places, in an array of one row per node, of the stencil of each cell."""
        xp, rest = self.grid.backend.xp, self.rest
        places = xp.take(where, self.cells // rest, axis=1) * rest + (self.cells % rest)[None, :]
        return xp.reshape(places, (-1,))

    @cached_property
    def places(self) -> Array:
        """Where the four nodes of each cell's stencil are, shape (4 * count,)."""
        return self._places(self.stencil.nodes)

    def around(self, x: Array, places: Array | None = None) -> Array:
        """Return the values at the stencil of each crossed cell, shape (4, count)."""
        xp = self.grid.backend.xp
        values = xp.take(xp.reshape(x, (-1,)), self.places if places is None else places)
        return xp.reshape(values, (len(POSITIONS), self.count))

    @cached_property
    def sign(self) -> Array:
        """Minus one for each cell whose lower end waits, else one."""
        xp = self.grid.backend.xp
        lower_end = (self.cells // self.rest % self.S) * self.rest + self.cells % self.rest
        waits = xp.take(xp.reshape(self.inside, (-1,)), lower_end)
        return 1.0 - 2.0 * xp.astype(waits, xp.float64)

    def kinks(self, level: Array, steepness: list[Array], newton: int) -> _CellKinks:
        """Find the boundary in these cells."""
        grid, number = self.grid, self.number
        levels = self.around(_front(grid, number, level))
        own = everything = None
        if steepness:
            total = self.around(_front(grid, number, _over_slots(grid, steepness)))
            everything = grid.backend.xp.where(total == 0, 1.0, total)
            own = self.around(steepness[number], self._places(self.stencil.slots))
        root = _root(grid.backend.xp, levels, newton)
        return _CellKinks(self, levels, root, own, everything)

    @cached_property
    def _gather(self) -> list[Array]:
        """From which cell each node takes its part, for each position: the last is none."""
        rest, xp, device = self.rest, self.grid.backend.xp, self.grid.backend.device
        nowhere = xp.asarray(self.count, device=device)
        number = xp.cumulative_sum(xp.astype(self.crossed, xp.int64)) - 1
        place = xp.where(self.crossed, number, nowhere)
        outside = xp.full((rest,), self.count, dtype=xp.int64, device=device)
        place = xp.reshape(xp.concat([place, outside]), (self.m * self.S + 1, rest))
        rows = range(len(POSITIONS))
        return [
            xp.reshape(xp.take(place, self.stencil.cells[row, :], axis=0), (-1,)) for row in rows
        ]

    def collect(self, parts: Array) -> Array:
        """Let each node gather from the cells around it; `parts` has shape (4, count)."""
        xp, device = self.grid.backend.xp, self.grid.backend.device
        zero = xp.zeros((len(POSITIONS), 1), dtype=parts.dtype, device=device)
        parts = xp.concat([parts, zero], axis=1)
        total: Array = None
        for row, cells in enumerate(self._gather):
            by_slot = xp.reshape(xp.take(parts[row, :], cells), (self.m, self.S, self.rest))
            part = by_slot[0, ...] if self.m == 1 else xp.sum(by_slot, axis=0)
            total = part if total is None else total + part
        return _back(self.grid, self.number, total)


class _CellKinks(NamedTuple):
    """Where a boundary lies in the cells of one group, and which share of D is theirs.

    Parameters
    ----------
    cells : _Cells
    levels : array of shape (4, count)
        The level function at the stencils.
    root : array of shape (count,)
        Theta.
    own, everything : array of shape (4, count), optional
        Squared differences along this axis and along all; together chi.
    """

    cells: _Cells
    levels: Array
    root: Array
    own: Array | None
    everything: Array | None

    def correction(self, D: Array | None) -> Array:
        """Return what these cells add to V, of the grid's shape; without D it is the level."""
        cells, backend = self.cells, self.cells.grid.backend
        values = self.levels
        if D is not None:
            values = cells.around(_front(cells.grid, cells.number, D))
        if self.own is not None:
            values = values * self.own / self.everything
        # C_a at the nodes -1, 0, 1, 2 of each crossed cell.
        g = cells.sign * backend.xp.stack(moments(self.root, *cubic(*_rows(values), self.root)))
        lagrange = backend.xp.asarray(LAGRANGE, dtype=g.dtype, device=cells.sign.device)
        return cells.collect(backend.matmul(lagrange, g))


def _over_slots(grid: Grid, steepness: list[Array]) -> Array:
    """Return the squared gradient of the level, of the grid's shape."""
    xp = grid.backend.xp
    total: Array = None
    for number, squares in enumerate(steepness):
        S, m = grid.shape[number], grid.groups[number].m
        part = _back(grid, number, xp.sum(xp.reshape(squares, (m, S, grid.size // S)), axis=0))
        total = part if total is None else total + part
    return total


def _rows(f: Array) -> tuple[Array, Array, Array, Array]:
    return f[0, :], f[1, :], f[2, :], f[3, :]


def _root(xp: Any, f: Array, newton: int) -> Array:
    """Return where the cubic through the nodes -1, 0, 1, 2 vanishes in, or close to, [0, 1]."""
    first, rise = f[1, :], f[2, :] - f[1, :]
    t = _close_to_cell(xp, -first / xp.where(rise == 0, 1.0, rise))
    for _ in range(newton):  # from the secant
        value, slope, _, _ = cubic(*_rows(f), t)
        t = _close_to_cell(xp, t - value / xp.where(slope == 0, 1.0, slope))
    return t


def _close_to_cell(xp: Any, t: Array) -> Array:
    """Return t clipped, in less time than the clip of array-api-compat takes on a small grid."""
    return xp.where(t < -SLACK, -SLACK, xp.where(t > 1.0 + SLACK, 1.0 + SLACK, t))
