"""The corrections of `kinks` on NumPy arrays, compiled: cell by cell, without arrays in between.

A grid of some thousand nodes has some hundred cells that a boundary crosses; what `kinks.Boundary`
does with them takes fifty calls of NumPy, most of whose time is spent on being called. The formulas
are the same (`cell_kinks`), and so is what a node collects: along each of its slots, from the cells
that see it at one of the four positions (`grid.Stencil`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.cell_kinks import NEWTON, corrections, root
from popout.exact.grid import POSITIONS, Grid
from popout.noise.elementary import compiled, copy_to

DOWN, UP = POSITIONS.index(-1), POSITIONS.index(1)
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.int64]


class CompiledBoundary:
    """The cells of a grid that a boundary crosses; see `kinks.Boundary`."""

    def __init__(self, grid: Grid, inside: Flags, keep: Flags | None = None) -> None:
        self.grid = grid
        self.inside = np.ascontiguousarray(inside).reshape(-1)
        self._keep = self.inside[:0] if keep is None else np.ascontiguousarray(keep).reshape(-1)

    @cached_property
    def cells(self) -> Index:
        """Group, column of its tables and lower end of each cell, shape (N, 3)."""
        found: Index = _crossed(self.inside, self._keep, self.grid.tables)
        return found

    def kinks(self, level: Array, aligned: bool = False) -> CompiledKinks:
        """Find the boundary within its cells; see `kinks.Boundary.kinks`."""
        return CompiledKinks(self, level, aligned)


class CompiledKinks:
    """What a boundary adds to V; see `kinks.Kinks`."""

    def __init__(self, boundary: CompiledBoundary, level: Array, aligned: bool) -> None:
        self._boundary, self._aligned = boundary, aligned
        self._level = np.ascontiguousarray(level).reshape(-1)

    def correction(self, D: Array) -> Array | None:
        """Return what to add to V at the nodes near the boundary; None if it crosses no cell."""
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
