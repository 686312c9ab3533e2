r"""What a look is and who chooses it: one step of evidence, for every equation on a grid.

An observer who stops has G; one who waits has D more, the value of one more look less G. Both the
Bellman equation (`bellman`) and that of a given strategy (`strategy_equation`) go back by one step
in the same way,

.. math:: V = G + D \text{ where he waits}, \quad V = G \text{ elsewhere}, \qquad
          V \to E_0[V(Z')] ,

and differ in G and in where he waits. V is not smooth where he stops, nor where the answers meet:
what lies between the nodes is corrected for (`kinks`). Each class of `Looking` is one kind of look:

- `FixedRates`: every location has a rate of its own, and all steps are alike. The corrections go
  into V once and for all, and V is what is kept from one step to the next.
- The others share information out. Corrections depend on the share, so that not V is kept but
  :math:`E_0^{\alpha(Z)}[V(Z')]`: `FreeShares` takes the best share at every node; `GivenShares`
  those of a policy, from the polynomial through the lattice (`shares`).
- `OneLocation` serves policies that give everything to one location. There the value has a kink or
  a jump where the policy turns from location i to j, at :math:`y_i = y_j`, and which surface that
  is the policy itself says. The value of looking at every location is kept, so that the surface can
  be corrected for between the nodes: in a cell whose ends look at i and at j the difference is
  :math:`E_i[V] - E_j[V]`, continued smoothly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.exact.array_kinks import ArrayKinks, add_corrections, boundary_on
from popout.exact.backend import Array
from popout.exact.grid import Grid
from popout.exact.kinks import Kinks
from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import Cells, find_cells
from popout.exact.shares import best_share

Step = Callable[[Array], Array]
"""Makes the state of one step earlier of the advantage of waiting."""
Sides = NDArray[np.bool_]
STACKED = 1 << 18  # nodes of equations that are solved together: more would not be any faster


class Stopping(NamedTuple):
    """What an observer gets who stops, and where he does.

    Parameters
    ----------
    G : array of the grid's shape
        The value where he stops; or a stack of several, if they can be stepped so.
    waits : bool array of the grid's shape, optional
        Where he waits; where D is negative when left out.
    level : array of the grid's shape, optional
        Negative where he waits, with the boundary at its zero; D itself when left out.
    aligned : bool
        The boundary consists of faces across the axes.
    answers : pair of arrays, optional
        Negative where "absent" is the answer, and what that costs less what "present" does: there
        is a kink or a jump where the answers meet.
    """

    G: Array
    waits: Array | None = None
    level: Array | None = None
    aligned: bool = False
    answers: tuple[Array, Array] | None = None


class Looking(ABC):
    """One step of evidence on a grid.

    Its *state* is whatever has to be known about the value a step later; what `after` makes of it
    is the expected value of each look that is kept apart, and `chosen` takes the one that is taken.
    """

    iteration: ClassVar[dict[str, Any]] = {}
    """How a fixed point is looked for, where not as `fixed_point.stationary` does by itself."""
    moves_singly: ClassVar[bool] = True
    """Whether a step may move some locations and leave others where they are: it then stays on
    lines along which nobody waits, and the answers meet in a kink there."""

    def __init__(self, grid: Any) -> None:
        self.grid = grid

    @property
    def together(self) -> int:
        """How many equations can be stepped at once, as a stack."""
        return 1

    def start(self, V: Array) -> Array:
        """Return a state that stands for the value V."""
        return V

    def after(self, state: Array) -> Array:
        """Return the expected value after the step, of every look that is kept apart."""
        return state

    def chosen(self, values: Array) -> Array:
        """Return the values of the look that is taken, of the grid's shape."""
        return values

    @abstractmethod
    def earlier(self, stopping: Stopping) -> Step:
        """Return what makes the state of one step earlier of D, the advantage of each look."""

    def resample(self, state: Array, target: Looking) -> Array:
        """Interpolate a state to another grid."""
        resampled: Array = self.grid.resample(state, target.grid)
        return resampled

    def shares(self) -> NDArray[np.float64]:
        """Return the shares that the last step was taken with, shape (size, M)."""
        raise NotImplementedError


class FixedRates(Looking):
    """Every location has a rate of its own; the state is V, corrected near its boundaries."""

    moves_singly = False
    grid: Grid

    @property
    def together(self) -> int:
        """As many as make a grid of a good size."""
        return max(1, STACKED // self.grid.size)

    def after(self, state: Array) -> Array:
        """Return E_0[V(Z')]."""
        return self.grid.expect(state)

    def earlier(self, stopping: Stopping) -> Step:
        """Return what makes V of D; a boundary that does not move is looked for once."""
        G, waits, level, aligned, answers = stopping
        grid, xp = self.grid, self.grid.backend.xp
        cells = None if waits is None else boundary_on(grid, waits)
        kinks = None if cells is None or level is None else cells.kinks(level, aligned)
        meet: Array | None = None
        if answers is not None:
            keep = None if waits is None else ~waits
            prefers, difference = answers
            between = boundary_on(grid, prefers < 0, keep).kinks(prefers)
            meet = self._corrections(between, difference)

        def step(D: Array) -> Array:
            inside = D < 0 if waits is None else waits
            at = kinks or (cells or boundary_on(grid, inside)).kinks(D)
            V = G + xp.where(inside, D, xp.zeros_like(D))
            return add_corrections(V, self._corrections(at, D), meet)

        return step

    def _corrections(self, kinks: Kinks | ArrayKinks, D: Array) -> Array | None:
        """Return what to add to V, or to each of a stack."""
        if D.ndim == len(self.grid.shape):
            return kinks.correction(D)
        parts = [kinks.correction(D[k, ...]) for k in range(D.shape[0])]
        return None if parts[0] is None else self.grid.backend.xp.stack(parts)


class _Shared(Looking):
    """Steps under shares; the state is the expected value, on the stored nodes."""

    iteration: ClassVar[dict[str, Any]] = {
        "max_iterations": 18_000,
        "patience": (30, 90),
        "max_rounds": 8,
    }
    grid: ShareGrid

    @abstractmethod
    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the state, given V at the stored nodes and its boundaries."""

    def pieces(self, D: Array) -> list[tuple[Array, Sides | None]]:
        """Return smooth functions on the full grid, and where each of them is D; None: anywhere."""
        return [(self.grid.dense(D), None)]

    def turns(self, pieces: list[tuple[Array, Sides | None]], waits: Sides) -> list[Cells]:
        """Return where the value is not smooth although the observer waits on both sides."""
        return []

    def earlier(self, stopping: Stopping) -> Step:
        """Return what makes the expected value of D."""
        (G, waits, level, aligned, answers), dense = stopping, self.grid.dense
        full_level = None if level is None else dense(level)
        meet = None if answers is None else find_cells(*map(dense, answers))

        def step(D: Array) -> Array:
            best = self.chosen(D)
            inside = best < 0 if waits is None else waits
            sides, pieces = dense(inside), self.pieces(D)
            cells = []
            for piece, looked_at in pieces:
                within, keep = sides, None
                if looked_at is not None:
                    within = sides & looked_at
                    keep = within | ~sides
                at = piece if full_level is None else full_level
                cells.append(find_cells(at, piece, inside=within, keep=keep, aligned=aligned))
            if meet is not None:
                cells.append(meet.where(~sides))
            cells += self.turns(pieces, sides)
            return self.step(G + np.where(inside, best, 0.0), cells)

        return step


class FreeShares(_Shared):
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

    def shares(self) -> NDArray[np.float64]:
        """Return the best shares."""
        return self.grid.lattice.shares_between(*self._best)


class GivenShares(_Shared):
    """The shares of a policy.

    Parameters
    ----------
    grid : ShareGrid
    shares : ndarray of shape (size, M)
        At the stored nodes.
    """

    def __init__(self, grid: ShareGrid, shares: NDArray[np.float64]) -> None:
        super().__init__(grid)
        self._shares = shares
        self._weights = grid.lattice.weights(shares)
        self._used = np.flatnonzero((self._weights != 0.0).any(axis=1))

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Interpolate between the values of the lattice."""
        f = self.grid.expect(V, cells, self._used)
        return np.asarray(np.einsum("as,as->s", self._weights[self._used], f))

    def shares(self) -> NDArray[np.float64]:
        """Return the policy's shares."""
        return self._shares


class OneLocation(_Shared):
    """All to one location, by a policy that turns where two functions of the state cross.

    The state holds the value of looking at each location, shape (M, size).

    Parameters
    ----------
    grid : ShareGrid
        With a lattice of q = 1.
    liking : ndarray of shape (M, size)
        The location with the largest is looked at, the first among equals.
    """

    def __init__(self, grid: ShareGrid, liking: NDArray[np.float64]) -> None:
        super().__init__(grid)
        self._where = liking.argmax(axis=0)
        self._places = range(grid.n_locations)
        self._liking = [grid.dense_of(liking, place) for place in self._places]
        self._seen = np.argmax(self._liking, axis=0)

    def start(self, V: Array) -> Array:
        """Return V for every location."""
        return np.repeat(V[None, :], self.grid.n_locations, axis=0)

    def chosen(self, values: Array) -> Array:
        """Return the value of looking where the policy looks."""
        return np.asarray(values[self._where, np.arange(self.grid.size)])

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the value of looking at each location."""
        return self.grid.expect(V, cells)

    def pieces(self, D: Array) -> list[tuple[Array, Sides | None]]:
        """Return the advantage of looking at each location, and where it is looked at."""
        return [(self.grid.dense_of(D, place), self._seen == place) for place in self._places]

    def turns(self, pieces: list[tuple[Array, Sides | None]], waits: Sides) -> list[Cells]:
        """Return the cells in which the policy turns from one location to another."""
        turns = []
        for i in self._places:
            for j in self._places[i + 1 :]:
                looks_at_i = self._seen == i
                keep = waits & (looks_at_i | (self._seen == j))
                level = self._liking[j] - self._liking[i]
                jump = pieces[i][0] - pieces[j][0]
                turns.append(find_cells(level, jump, inside=looks_at_i, keep=keep))
        return turns

    def resample(self, state: Array, target: Looking) -> Array:
        """Interpolate the value of looking at each location."""
        return np.stack([self.grid.resample(row, target.grid) for row in state])

    def shares(self) -> NDArray[np.float64]:
        """Return one for the location that is looked at."""
        return np.asarray(np.arange(self.grid.n_locations) == self._where[:, None], dtype=float)
