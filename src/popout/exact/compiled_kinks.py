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
from popout.noise.elementary import compiled

DOWN, HERE, UP = (POSITIONS.index(by) for by in (-1, 0, 1))
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class CompiledBoundary:
    """The cells of a grid that a boundary crosses; see `kinks.Boundary`."""

    def __init__(self, grid: Grid, inside: Flags, keep: Flags | None = None) -> None:
        self.grid, self.inside = grid, inside
        self.keep = np.empty(0, dtype=np.bool_) if keep is None else keep

    @cached_property
    def any(self) -> bool:
        """Whether there are nodes on both sides."""
        return bool(self.inside.any() and not self.inside.all())

    def kinks(self, level: Array, aligned: bool = False) -> CompiledKinks:
        """Find the boundary within its cells; see `kinks.Boundary.kinks`."""
        return CompiledKinks(self, level, aligned)


class CompiledKinks:
    """What a boundary adds to V; see `kinks.Kinks`."""

    def __init__(self, boundary: CompiledBoundary, level: Array, aligned: bool) -> None:
        self._boundary, self._level, self._aligned = boundary, level, aligned

    def correction(self, D: Array) -> Array | None:
        """Return what to add to V at the nodes near the boundary; None if it crosses no cell."""
        boundary, grid = self._boundary, self._boundary.grid
        if not boundary.any:
            return None
        out = np.zeros(grid.shape)
        divided = grid.n_locations > 1 and not self._aligned
        _correct(
            np.ascontiguousarray(self._level).reshape(-1),
            np.ascontiguousarray(D).reshape(-1),
            np.ascontiguousarray(boundary.inside).reshape(-1),
            np.ascontiguousarray(boundary.keep).reshape(-1),
            grid.tables,
            0 if self._aligned else NEWTON,
            divided,
            out.reshape(-1),
        )
        return out


@compiled
def _correct(
    level: Any, D: Any, inside: Any, keep: Any, tables: Any, newton: int, divided: bool, out: Any
) -> None:
    """Add to `out` what the cells along every group's axes give."""
    L, f = np.empty(4), np.empty(4)
    for g in range(len(tables.size)):
        S, stride, first = tables.size[g], tables.stride[g], tables.first[g]
        columns, rest = tables.slots_of[g] * S, len(out) // S
        # Of one location each cell has nodes of its own; of several a node collects from cells.
        alone = tables.slots_of[g] == 1
        number = np.full((0 if alone else columns, rest // stride, stride), -1, np.int32)
        parts = np.empty((max(16, 2 * columns), 4))
        count = 0
        for column in range(columns):
            s = column % S
            up = (tables.nodes[UP, first + column] - s) * stride
            for b in range(rest // stride):
                for a in range(stride):
                    here = (b * S + s) * stride + a
                    if inside[here] == inside[here + up]:
                        continue
                    if len(keep) and not (keep[here] and keep[here + up]):
                        continue
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
                    if alone:
                        for p in range(4):
                            to = tables.slots[p, first + column]
                            if to != s or p == HERE:  # not past an end
                                out[here + (to - s) * stride] += sign * found[p]
                        continue
                    if count == len(parts):
                        longer = np.empty((2 * count, 4))
                        longer[:count] = parts
                        parts = longer
                    for p in range(4):
                        parts[count, p] = sign * found[p]
                    number[column, b, a] = count
                    count += 1
        if count == 0:
            continue
        for column in range(columns):
            s = column % S
            for p in range(4):
                cell = tables.cells[p, first + column]
                if cell == columns:
                    continue
                for b in range(rest // stride):
                    for a in range(stride):
                        k = number[cell, b, a]
                        if k >= 0:
                            out[(b * S + s) * stride + a] += parts[k, p]


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
