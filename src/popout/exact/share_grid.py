r"""The grid where information is shared: a full product of axes, and a step under every share.

A share :math:`\alpha` moves :math:`Z_l` by a Gaussian of variance :math:`\alpha_l s_l^2`
(`popout.evidence.llr_step`), independently at each location when no target is there. So the
step factorises over the axes, with the matrices of `axis.step_matrix` at the widths
:math:`s_l \sqrt{k/q}`; a share of zero is the identity. These matrices are accurate for narrow
steps too: up to rounding where a step spans a cell, of order 12 in the spacing where it does not.

Where locations are exchangeable, only the nodes with :math:`Z` sorted within each class are kept
(the *domain*). A function on the domain is unfolded, stepped once for each pattern of shares
(`shares`), and folded back by permuting coordinates.

This is a grid beside that of `grid` because a share moves some axes and not others: the stages
that carry a step through multisets need one matrix for all axes of a group.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from popout.exact.axis import Axis, interpolation_matrix, step_matrix
from popout.exact.backend import get_backend
from popout.exact.grid import Group, Nodes
from popout.exact.share_kinks import Cells
from popout.exact.shares import Classes, GazeRows, ShareLattice

Array = NDArray[np.float64]
Index = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)
MANY_VALUES = 1 << 22  # values of all looks at all nodes, of which a few copies fit in the memory


class ShareGrid(Nodes):
    """Nodes of all locations, and the steps between them.

    Parameters
    ----------
    groups : sequence of Group
        Exchangeable locations; the `Axis.sd` of their axis is that of a full share.
    q : int
        Shares are multiples of 1/q.
    gazes : tuple of tuple of float, shape (G, M), optional
        What locations get under each of several gazes, in the place of shares.

    Attributes
    ----------
    nodes_per_axis : tuple of int
        Of each location.
    lattice : ShareLattice or GazeRows
        Its classes are the groups.
    """

    lattice: ShareLattice | GazeRows

    def __init__(
        self,
        groups: Sequence[Group],
        q: int = 1,
        gazes: tuple[tuple[float, ...], ...] | None = None,
    ) -> None:
        super().__init__(groups, get_backend())
        self.nodes_per_axis = tuple(axis.n for axis in self.axes.values())
        number = {place: k for k, place in enumerate(self.axes)}
        classes = tuple(tuple(number[place] for place in g.locations) for g in self.groups)
        self.lattice = ShareLattice(q, self.n_locations, classes)
        if gazes is not None:
            self.lattice = GazeRows(gazes, classes)

    @property
    def classes(self) -> Classes:
        """Which locations are exchangeable, numbered as on the grid."""
        return self.lattice.classes

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return tuple(self.axes.values())

    @property
    def _is_whole(self) -> bool:
        """Whether the domain is the full product, because no locations are exchangeable."""
        return all(len(members) == 1 for members in self.classes)

    # -- the domain -----------------------------------------------------------------------------

    @cached_property
    def _strides(self) -> Index:
        return np.cumprod((1, *self.nodes_per_axis[:0:-1]), dtype=np.int64)[::-1].copy()

    @cached_property
    def _folding(self) -> tuple[Index, Index]:
        """Flat nodes of the domain, and for every flat node its number in the domain."""
        if self._is_whole:
            everything = np.arange(self.dense_size())
            return everything, everything
        places = np.indices(self.nodes_per_axis, dtype=np.int32).reshape(self.n_locations, -1)
        for members in self.classes:
            for a, b in combinations(members, 2):  # a network that sorts, the largest first
                high = np.maximum(places[a], places[b])
                np.minimum(places[a], places[b], out=places[b])
                places[a] = high
        flat = self._strides @ places
        is_sorted = flat == np.arange(len(flat))
        return np.flatnonzero(is_sorted), (np.cumsum(is_sorted) - 1)[flat]

    @property
    def size(self) -> int:
        """Number of nodes of the domain."""
        return len(self._folding[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an array on the domain."""
        return (self.size,)

    @cached_property
    def places(self) -> Index:
        """Coordinates of the domain's nodes, counted in nodes, shape (M, size)."""
        return np.stack(np.unravel_index(self._folding[0], self.nodes_per_axis))

    def states(self) -> Array:
        """Return Z at the domain's nodes, shape (size, M)."""
        return np.stack(
            [axis.nodes[at] for axis, at in zip(self._axes, self.places, strict=True)], axis=-1
        )

    @cached_property
    def diagonal(self) -> Index:
        """Numbers of the nodes at which all locations agree, in the domain."""
        flat = np.arange(self.nodes_per_axis[0]) * int(self._strides.sum())
        return self._folding[1][flat]

    @cached_property
    def odds(self) -> Array:
        """Posterior odds of presence w - 1 at the domain's nodes."""
        weight = {place: group.weight for group in self.groups for place in group.locations}
        return np.asarray(np.exp(self.states()) @ np.array([weight[place] for place in self.axes]))

    @cached_property
    def odds_at(self) -> Array:
        """Posterior odds that the target is at each location, shape (M, size)."""
        weight = {place: group.weight for group in self.groups for place in group.locations}
        return np.asarray(np.exp(self.states().T) * [[weight[place]] for place in self.axes])

    @cached_property
    def _origin(self) -> int:
        """Number of the node Z = 0 in the domain."""
        flat = sum(
            round(-axis.lower / axis.spacing) * int(stride)
            for axis, stride in zip(self._axes, self._strides, strict=True)
        )
        return int(self._folding[1][flat])

    def at_origin(self, V: Array) -> float:
        """Return the value at Z = 0."""
        return float(V[self._origin])

    def dense(self, values: NDArray[T]) -> NDArray[T]:
        """Unfold an array on the domain to the full product of axes."""
        return values[self._folding[1]].reshape(self.nodes_per_axis)

    def cut(self, V: Array, plane: tuple[int, int], at: dict[int, int]) -> Array:
        """Return V on the plane of two locations, all others at the nodes of these numbers."""
        cut = self.dense(V)[tuple(slice(None) if k in plane else at[k] for k in self.axes)]
        return cut if plane[0] < plane[1] else cut.T

    @cached_property
    def _roles(self) -> Index:
        """Which location of its domain node each location plays at every node, shape (M, nodes)."""
        places = np.indices(self.nodes_per_axis, dtype=np.int32).reshape(self.n_locations, -1)
        roles = np.repeat(np.arange(self.n_locations)[:, None], places.shape[1], axis=1)
        for members in self.classes:
            rows = list(members)
            order = np.argsort(-places[rows], axis=0, kind="stable")
            np.put_along_axis(rank := np.empty_like(order), order, np.arange(len(rows))[:, None], 0)
            roles[rows] = np.asarray(rows)[rank]
        return roles

    @cached_property
    def _sources_of(self) -> Index:
        """Where each location's values are read from at every node, flat, shape (M, nodes)."""
        return self._roles * self.size + self._folding[1]

    def dense_of(self, values: Array, place: int) -> Array:
        """Unfold what belongs to one location (or gaze), from values of all on the domain.

        Parameters
        ----------
        values : ndarray of shape (M, size)
            That permute with the locations.
        place : int
        """
        if self._is_whole:
            return np.asarray(values[place].reshape(self.nodes_per_axis))
        read = np.take(values, self._sources_of[place])
        return np.asarray(read.reshape(self.nodes_per_axis))

    def finer(self, times: int) -> ShareGrid:
        """Return a grid with every cell divided into this many, for what needs no shares."""
        return ShareGrid([replace(g, axis=g.axis.finer(times)) for g in self.groups], q=1)

    def resample(self, V: Array, target: ShareGrid) -> Array:
        """Interpolate from this domain to that of another grid, cubic in each axis."""
        values = self.dense(V)
        for k, (mine, theirs) in enumerate(zip(self._axes, target._axes, strict=True)):
            values = _along(interpolation_matrix(mine, theirs.nodes), values, k)
        return np.asarray(values.reshape(-1)[target._folding[0]])

    # -- steps ------------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> dict[tuple[Axis, float], Array]:
        """The step of an axis with a part of its best rate."""
        rates = self.lattice.rates
        each = {(axis, rate) for k, axis in enumerate(self._axes) for rate in rates[:, k].tolist()}
        return {
            (axis, rate): step_matrix(replace(axis, sd=axis.sd * math.sqrt(rate)))
            for axis, rate in each
            if rate > 0.0
        }

    @cached_property
    def _widths(self) -> Array:
        """Width of every pattern's step in nodes, shape (patterns, M)."""
        full = np.array([axis.sd / axis.spacing for axis in self._axes])
        return np.asarray(full * np.sqrt(self.lattice.rates))

    @cached_property
    def _sources(self) -> list[tuple[int, Index]]:
        """For every share its pattern and the flat nodes of the pattern's result it reads."""
        sources = []
        for point in self.lattice.points.tolist():
            number, plays = self.lattice.origin(tuple(point))
            roles = [int(self._strides[role]) for role in plays]
            flat = sum(at * stride for at, stride in zip(self.places, roles, strict=True))
            sources.append((number, np.asarray(flat, dtype=np.int64)))
        return sources

    def expect(self, V: Array, cells: list[Cells], chosen: Index | None = None) -> Array:
        """Return E_0[V(Z')] under shares of the lattice, at the domain's nodes.

        Parameters
        ----------
        V : ndarray of shape (size,)
        cells : list of Cells
            Where V has boundaries between nodes.
        chosen : ndarray of int, shape (A',), optional
            Numbers of the shares that are wanted; all when left out.

        Returns
        -------
        ndarray of shape (A', size)
        """
        full = self.dense(V)
        wanted = range(len(self._sources)) if chosen is None else chosen.tolist()
        out = np.empty((len(wanted), self.size))
        rows: dict[int, list[int]] = {}  # pattern by pattern, so that one full array is alive
        for row, share in enumerate(wanted):
            rows.setdefault(self._sources[share][0], []).append(row)
        for pattern, members in rows.items():
            stepped = self._stepped(full, cells, pattern).reshape(-1)
            for row in members:
                np.take(stepped, self._sources[wanted[row]][1], out=out[row])
        return out

    def bytes_needed(self, vectors: int) -> int:
        """Estimate the memory of a solution that keeps `vectors` arrays on this grid.

        Counts these, the value of every share at the stored nodes, where it is read from, and some
        arrays on the full product; nothing is allocated.
        """
        full, M, points = self.dense_size(), self.n_locations, self.lattice.n_points
        stored = full / math.prod(math.factorial(len(members)) for members in self.classes)
        if isinstance(self.lattice, GazeRows):  # which keeps the value of every gaze
            vectors = points * (2 * self.steps_remembered + 6)
        return int(8 * (stored * (vectors + 2 * points) + full * (12 + 2 * M)))

    @property
    def steps_remembered(self) -> int:
        """Steps of the iteration that are kept: few where each is large."""
        return 8 if self.dense_size() * self.lattice.n_points <= MANY_VALUES else 2

    def _stepped(self, full: Array, cells: list[Cells], pattern: int) -> Array:
        values = full.copy()
        for crossed in cells:
            crossed.correct(values, self._widths[pattern])
        for k, rate in enumerate(self.lattice.rates[pattern].tolist()):
            if rate > 0.0:
                values = _along(self._steps[self._axes[k], rate], values, k)
        return values


def _along(matrix: Array, x: Array, axis: int) -> Array:
    """Apply a matrix along one axis."""
    before, n, after = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    if after == 1:
        out = x.reshape(before, n) @ matrix.T
    else:
        out = np.matmul(matrix, x.reshape(before, n, after))
    return np.asarray(out.reshape(*x.shape[:axis], matrix.shape[0], *x.shape[axis + 1 :]))
