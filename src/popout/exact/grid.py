r"""The grid: groups of exchangeable locations, each with one axis.

A state is a node of every group's symmetric tensor (`multisets`), so an array on the grid has one
dimension per group. Locations that share drift and prior form one group; with unequal drifts every
location is a group of its own and the grid is an ordinary product of axes.

:math:`E_0[V(Z')]`, the expectation over one step of evidence when no target is there, factorises
over locations: one matrix product per location (`axis.step_matrix`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.exact.axis import Axis, interpolation_matrix, step_matrix
from popout.exact.backend import Array, Backend
from popout.exact.multisets import Multisets, contract
from popout.task import InputError

POSITIONS = (-1, 0, 1, 2)  # nodes around the cell from node 0 to node 1
BLOCK_BYTES = 1 << 28  # temporaries of a matrix product are made in blocks of about 256 MiB
DENSE_LIMIT = 1 << 28  # entries; beyond this a full product of axes is refused


@dataclass(frozen=True)
class Group:
    """Exchangeable locations that share an axis.

    Attributes
    ----------
    axis : Axis
    locations : tuple of int
        Which locations of the task, 0-based.
    weight : float
        Odds that the target is at one of them, before any evidence: P(l_T = l) / P(C = 0).
    """

    axis: Axis
    locations: tuple[int, ...]
    weight: float

    @property
    def m(self) -> int:
        """Number of locations."""
        return len(self.locations)


@dataclass(frozen=True)
class Stencil:
    """Where the four nodes around a cell are stored; a cell is named by its lower end.

    A *slot node* is one stored node seen along the axis of one of its m slots, numbered
    ``slot * S + node``. All arrays have shape (4, m * S), one row for each of `POSITIONS`.

    Attributes
    ----------
    nodes : array
        Stored node at that position from the slot node; positions past an end stop there.
    slots : array
        The same as a slot node of the moved element; the slot node itself past an end.
    cells : array
        The slot node that sees this one at that position, i.e. the cell to collect from;
        ``m * S`` where there is none.
    """

    nodes: Array
    slots: Array
    cells: Array


class Tables(NamedTuple):
    """The stencils of all groups of a grid, side by side.

    Parameters
    ----------
    size, stride, slots_of, first : ndarray of int64, shape (n_groups,)
        Stored nodes of each group, how far apart two of them are in a flat array, its number of
        locations, and the column of the tables at which it begins.
    nodes, slots, cells : ndarray of int64, shape (4, n_columns)
        See `Stencil`.
    """

    size: Any
    stride: Any
    slots_of: Any
    first: Any
    nodes: Any
    slots: Any
    cells: Any


def _stencil(sets: Multisets) -> Stencil:
    xp, count = sets.backend.xp, sets.m * sets.size()
    itself = sets.backend.asarray(np.arange(count))
    moved = {by: sets.shift(by) for by in (-2, -1, 1, 2)}
    moved[0] = (itself % sets.size(), itself)
    slots = xp.stack([moved[by][1] for by in POSITIONS])
    return Stencil(
        xp.stack([moved[by][0] for by in POSITIONS]),
        xp.where(slots < count, slots, itself),
        xp.stack([moved[-by][1] for by in POSITIONS]),
    )


class Nodes:
    """What every grid has: groups of locations with their axes, and the product of these.

    Parameters
    ----------
    groups : sequence of Group
    backend : Backend
    """

    def __init__(self, groups: Sequence[Group], backend: Backend) -> None:
        self.groups = tuple(groups)
        self.backend = backend

    @property
    def n_locations(self) -> int:
        """Number of locations on the grid."""
        return sum(g.m for g in self.groups)

    @cached_property
    def axes(self) -> dict[int, Axis]:
        """The axis of every location, in their order."""
        axes = {place: g.axis for g in self.groups for place in g.locations}
        return {place: axes[place] for place in sorted(axes)}

    @property
    def lowest(self) -> tuple[float, ...]:
        """The first node of every axis."""
        return tuple(float(axis.nodes[0]) for axis in self.axes.values())

    def dense_size(self) -> int:
        """Return the number of nodes of the full product of axes."""
        return math.prod(axis.n for axis in self.axes.values())

    def check_dense(self) -> None:
        """Refuse to unfold what would not fit in memory."""
        if self.dense_size() > DENSE_LIMIT:
            raise InputError(
                f"Solution: expected a full table of at most {DENSE_LIMIT} entries, got "
                f"{self.dense_size()}; solve fewer locations or a larger rtol, or use the fitted "
                "conjecture"
            )


class Grid(Nodes):
    """Arrays on the nodes of several groups, each set of exchangeable ones stored once.

    Parameters
    ----------
    groups : sequence of Group
    backend : Backend

    Attributes
    ----------
    shape : tuple of int
        Number of stored nodes of each group.
    size : int
        Number of stored nodes altogether.
    """

    def __init__(self, groups: Sequence[Group], backend: Backend) -> None:
        super().__init__(groups, backend)
        self.sets = tuple(Multisets(g.axis.n, g.m, backend) for g in self.groups)
        self.shape = tuple(s.size() for s in self.sets)
        self.size = math.prod(self.shape)  # beyond 64 bits for many locations: refused later

    @property
    def nodes_per_axis(self) -> tuple[int, ...]:
        """Number of nodes on the axis of each group."""
        return tuple(s.n for s in self.sets)

    def finer(self, times: int) -> Grid:
        """Return a grid with every cell divided into `times` cells."""
        groups = [replace(g, axis=g.axis.finer(times)) for g in self.groups]
        return Grid(groups, self.backend)

    @cached_property
    def _steps(self) -> list[Array]:
        return [self.backend.asarray(step_matrix(g.axis)) for g in self.groups]

    @cached_property
    def stencils(self) -> list[Stencil]:
        """For each group, where the neighbours along its axes are stored."""
        return [_stencil(s) for s in self.sets]

    @cached_property
    def tables(self) -> Tables:
        """The same in one piece, for compiled functions."""
        size = np.array(self.shape, dtype=np.int64)
        slots_of = np.array([group.m for group in self.groups], dtype=np.int64)
        after = [math.prod(self.shape[k + 1 :]) for k in range(len(size))]
        stencils = [(each.nodes, each.slots, each.cells) for each in self.stencils]
        return Tables(
            size,
            np.array(after, dtype=np.int64),
            slots_of,
            np.cumsum(size * slots_of) - size * slots_of,
            *(np.concatenate(each, axis=1) for each in zip(*stencils, strict=True)),
        )

    def expect(self, V: Array) -> Array:
        """Return E_0[V(Z')] one step after each node; `V` has the grid's shape, or is a stack."""
        return self.apply(V, self._steps, self.sets)

    def resample(self, V: Array, target: Grid) -> Array:
        """Interpolate `V` to the nodes of another grid of the same groups (cubic in each axis)."""
        matrices = self._interpolation([g.axis.nodes for g in target.groups], points=4)
        return self.apply(V, matrices, target.sets)

    def at_origin(self, V: Array) -> float:
        """Return the value at Z = 0 of a smooth function on the grid."""
        origin = [Multisets(1, g.m, self.backend) for g in self.groups]
        return float(self.backend.xp.sum(self.apply(V, self._to_origin, origin)))

    @cached_property
    def _to_origin(self) -> list[Array]:
        return self._interpolation([np.zeros(1)] * len(self.groups), points=8)

    def _interpolation(self, z: Sequence[NDArray[np.float64]], points: int) -> list[Array]:
        """Return the matrices that interpolate each group to other nodes."""
        return [
            self.backend.asarray(interpolation_matrix(g.axis, at, points))
            for g, at in zip(self.groups, z, strict=True)
        ]

    def apply(self, V: Array, matrices: Sequence[Array], target: Sequence[Multisets]) -> Array:
        """Apply one matrix for each group to all its axes; `target` are the nodes it leads to.

        `V` has the grid's shape, or is a stack of such arrays.
        """
        xp = self.backend.xp
        shape = tuple(s.size() for s in target)
        if V.ndim > len(self.shape):
            shape = (V.shape[0], *shape)
            V = xp.permute_dims(V, (*range(1, V.ndim), 0))
        for source, matrix, into in zip(self.sets, matrices, target, strict=True):
            flat = xp.reshape(V, (source.size(), -1))
            V = contract(matrix, flat, source, into, BLOCK_BYTES)
            V = xp.permute_dims(V, (1, 0))  # the next group comes to the front; at last the stack
        return xp.reshape(V, shape)

    @cached_property
    def odds(self) -> Array:
        """Posterior odds of presence w - 1 = odds * sum_l pi_l exp(Z_l) at each node."""
        xp = self.backend.xp
        total = xp.zeros(self.shape, dtype=xp.float64, device=self.backend.device)
        for k, (group, sets) in enumerate(zip(self.groups, self.sets, strict=True)):
            likelihoods = self.backend.asarray(np.exp(group.axis.nodes))
            slots = (xp.take(likelihoods, sets.column(slot)) for slot in range(sets.m))
            total = total + xp.reshape(group.weight * sum(slots), self._spread(k))
        return total

    @cached_property
    def diagonal(self) -> NDArray[np.int64]:
        """Where the nodes are stored at which all locations agree, in an array that is flat."""
        steps = np.arange(self.nodes_per_axis[0])
        flat = np.zeros(len(steps), dtype=np.int64)
        for sets, size in zip(self.sets, self.shape, strict=True):
            flat = flat * size + sets.rank(np.repeat(steps[:, None], sets.m, axis=1))
        return flat

    def states(self) -> NDArray[np.float64]:
        """Return Z of every stored node, shape (*shape, M), in the order of `locations`."""
        Z = np.empty((*self.shape, self.n_locations))
        for k, (group, sets) in enumerate(zip(self.groups, self.sets, strict=True)):
            members = group.axis.nodes[sets.members(sets.m)]
            for slot in range(group.m):
                Z[..., self.column(k, slot)] = members[:, slot].reshape(self._spread(k))
        return Z

    def _spread(self, group: int) -> tuple[int, ...]:
        return tuple(-1 if k == group else 1 for k in range(len(self.groups)))

    def column(self, group: int, slot: int) -> int:
        """Return the place of a group's slot in the order of `states`."""
        return list(self.axes).index(self.groups[group].locations[slot])

    def dense(self, V: Array) -> NDArray[np.float64]:
        """Return `V` on the full product of axes, one dimension per location, in their order."""
        self.check_dense()
        values = self.backend.to_numpy(V)
        index: list[NDArray[np.int64]] = []
        total = self.n_locations
        at = 0
        columns: list[int] = []
        for k, s in enumerate(self.sets):
            shape = [1] * total
            shape[at : at + s.m] = [s.n] * s.m
            index.append(s.dense_index().reshape(shape))
            columns += [self.column(k, slot) for slot in range(s.m)]
            at += s.m
        full = values[tuple(index)]
        return np.ascontiguousarray(np.transpose(full, np.argsort(columns)))

    def cut(self, V: Array, plane: tuple[int, int], at: dict[int, int]) -> NDArray[np.float64]:
        """Return V on the plane of two locations, all others at the nodes of these numbers."""
        first, second = (self.axes[place].n for place in plane)
        along = dict(zip(plane, np.indices((first, second)), strict=True))
        index = []
        for group, sets in zip(self.groups, self.sets, strict=True):
            columns = [along.get(k, np.full((first, second), at[k])) for k in group.locations]
            index.append(sets.rank(np.sort(np.stack(columns, axis=-1), axis=-1)))
        return np.asarray(self.backend.to_numpy(V)[tuple(index)])

    def bytes_needed(self, vectors: int) -> int:
        """Estimate the memory of a solution that keeps `vectors` arrays on this grid.

        Counts the arrays, the index tables and the largest temporary of a step. It is computed
        from the numbers of nodes alone; nothing is allocated.
        """
        total = 8 * self.size * vectors
        for s, size in zip(self.sets, self.shape, strict=True):
            rest = self.size // size
            total += 4 * 8 * s.n * s.n  # the step matrix and what it is made of
            total += sum(8 * s.n * s.size(k - 1) for k in range(2, s.m + 1))
            total += 8 * 3 * len(POSITIONS) * s.m * size  # the tables of `stencils`
            total += 8 * 12 * s.m * size * rest  # the kink correction works on all slots at once
            widest = max(s.size(s.m - k - 1) * s.size(k) for k in range(s.m))
            stored = max(s.size(s.m - k) * s.size(k) for k in range(s.m + 1))
            total += 8 * rest * 3 * stored
            total += min(8 * 2 * s.n * widest * rest, 2 * BLOCK_BYTES)
        return total
