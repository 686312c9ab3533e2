r"""How the value after one step follows from the shares: free, given, or all to one location.

Each class below turns V at the nodes, and where it has boundaries between them, into the expected
value one step of evidence later, :math:`E_0^{\alpha(Z)}[V(Z')]`:

- `FreeShares` takes the best share at every node (`share_lattice`);
- `GivenShares` those of a policy, from the polynomial through the lattice;
- `OneLocation` serves policies that give everything to one location. There the value has a kink or
  a jump where the policy turns from location i to j, at :math:`y_i = y_j`, and which surface that
  is the policy itself says. The value of looking at every location is kept, so that the surface can
  be corrected for between the nodes: in a cell whose ends look at i and at j the difference is
  :math:`E_i[V] - E_j[V]`, continued smoothly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import Cells, find_cells
from popout.exact.share_lattice import best_share

Array = NDArray[np.float64]
Sides = NDArray[np.bool_]


class Looking(ABC):
    """One step of evidence, and the shares it is taken with.

    Its state is whatever has to be known about the value after a step: an array whose last axis
    runs over the domain.
    """

    def __init__(self, grid: ShareGrid) -> None:
        self.grid = grid

    @abstractmethod
    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the state, given V at the domain's nodes and its boundaries."""

    @abstractmethod
    def start(self, V: Array) -> Array:
        """Return a state that stands for the value V."""

    def value(self, state: Array) -> Array:
        """Return the expected value after the step, shape (size,)."""
        return state

    def pieces(self, state: Array) -> list[tuple[Array, Sides | None]]:
        """Return smooth functions on the full grid, and where each of them is the value.

        None stands for everywhere.
        """
        return [(self.grid.dense(self.value(state)), None)]

    def turns(self, state: Array, waits: Sides) -> list[Cells]:
        """Return where the value is not smooth although the observer waits on both sides."""
        return []

    def resample(self, state: Array, target: Looking) -> Array:
        """Interpolate a state to another grid."""
        return self.grid.resample(state, target.grid)

    @abstractmethod
    def shares(self) -> Array:
        """Return the shares that the last step was taken with, shape (size, M)."""


class FreeShares(Looking):
    """The best share at every node."""

    def __init__(self, grid: ShareGrid) -> None:
        super().__init__(grid)
        size = grid.size
        self._best = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Minimise over the shares."""
        f = self.grid.expect(V, cells)
        out = np.empty(self.grid.size)
        best_share(f, self.grid.lattice.neighbours, out, *self._best)
        return out

    def start(self, V: Array) -> Array:
        """Return V itself."""
        return V

    def shares(self) -> Array:
        """Return the best shares."""
        return self.grid.lattice.shares_between(*self._best)


class GivenShares(Looking):
    """The shares of a policy.

    Parameters
    ----------
    grid : ShareGrid
    shares : ndarray of shape (size, M)
        At the domain's nodes.
    """

    def __init__(self, grid: ShareGrid, shares: Array) -> None:
        super().__init__(grid)
        self._shares = shares
        self._weights = grid.lattice.weights(shares)
        self._used = np.flatnonzero((self._weights != 0.0).any(axis=1))

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Interpolate between the values of the lattice."""
        f = self.grid.expect(V, cells, self._used)
        return np.asarray(np.einsum("as,as->s", self._weights[self._used], f))

    def start(self, V: Array) -> Array:
        """Return V itself."""
        return V

    def shares(self) -> Array:
        """Return the policy's shares."""
        return self._shares


class OneLocation(Looking):
    """All to one location, by a policy that turns where two functions of the state cross.

    Parameters
    ----------
    grid : ShareGrid
        With a lattice of q = 1.
    liking : ndarray of shape (M, size)
        The location with the largest is looked at, the first among equals.
    """

    def __init__(self, grid: ShareGrid, liking: Array) -> None:
        super().__init__(grid)
        self._where = liking.argmax(axis=0)
        self._nodes = np.arange(grid.size)
        M = grid.n_locations
        self._liking = [grid.dense_of(liking, place) for place in range(M)]
        self._seen = np.argmax(self._liking, axis=0)

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the value of looking at each location, shape (M, size)."""
        return self.grid.expect(V, cells)

    def start(self, V: Array) -> Array:
        """Return V for every location."""
        return np.repeat(V[None, :], self.grid.n_locations, axis=0)

    def value(self, state: Array) -> Array:
        """Return the value of looking where the policy looks."""
        return np.asarray(state[self._where, self._nodes])

    def pieces(self, state: Array) -> list[tuple[Array, Sides | None]]:
        """Return the value of looking at each location, and where it is looked at."""
        places = range(self.grid.n_locations)
        return [(self.grid.dense_of(state, place), self._seen == place) for place in places]

    def turns(self, state: Array, waits: Sides) -> list[Cells]:
        """Return the cells in which the policy turns from one location to another."""
        M = self.grid.n_locations
        full = [piece for piece, _ in self.pieces(state)]
        turns = []
        for i in range(M):
            for j in range(i + 1, M):
                looks_at_i = self._seen == i
                keep = waits & (looks_at_i | (self._seen == j))
                level = self._liking[j] - self._liking[i]
                turns.append(find_cells(level, full[i] - full[j], inside=looks_at_i, keep=keep))
        return turns

    def resample(self, state: Array, target: Looking) -> Array:
        """Interpolate the value of looking at each location."""
        return np.stack([self.grid.resample(row, target.grid) for row in state])

    def shares(self) -> Array:
        """Return one for the location that is looked at."""
        return np.asarray(np.arange(self.grid.n_locations) == self._where[:, None], dtype=float)
