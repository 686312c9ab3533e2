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
- `OneLook` serves observers who have but a few looks: all to one location, or one of several gazes.
  There the value has a kink or a jump where the observer turns from look i to j, at
  :math:`\lambda_i = \lambda_j`, and which surface that is the policy itself says; for the best
  look it is :math:`E_i[V] = E_j[V]`. The value of every look is kept, so that the surface can be
  corrected for between the nodes: in a cell whose ends take i and j the difference is
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
from popout.exact.share_kinks import Cells, find_cells, find_turns
from popout.exact.shares import ShareLattice, best_share

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
    places : ndarray of shape (1 + M, size), optional
        What each answer costs where "present" has to name the place; the least is taken.
    """

    G: Array
    waits: Array | None = None
    level: Array | None = None
    aligned: bool = False
    answers: tuple[Array, Array] | None = None
    places: Array | None = None


class Looking(ABC):
    """One step of evidence on a grid.

    Its *state* is whatever has to be known about the value a step later; what `after` makes of it
    is the expected value of each look that is kept apart, and `chosen` takes the one that is taken.
    """

    moves_singly: ClassVar[bool] = True
    """Whether a step may move some locations and leave others where they are: it then stays on
    lines along which nobody waits, and the answers meet in a kink there."""

    def __init__(self, grid: Any) -> None:
        self.grid = grid

    @property
    def iteration(self) -> dict[str, Any]:
        """How a fixed point is looked for, where not as `fixed_point.stationary` does by itself."""
        return {}

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

    def held(self, D: Array) -> Looking:
        """Return a look that chooses as it does at the advantages D, whatever they become."""
        return self

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
        G, waits, level, aligned, answers, _ = stopping
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

    grid: ShareGrid

    @property
    def iteration(self) -> dict[str, Any]:
        """With patience: shares settle slowly."""
        return {"max_iterations": 18_000, "patience": (30, 90), "max_rounds": 8}

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
        (G, waits, level, aligned, answers, places), dense = stopping, self.grid.dense
        full_level = None if level is None else dense(level)
        meet = [] if answers is None else [find_cells(*map(dense, answers))]
        if places is not None:
            each = [dense(row) for row in places]
            best_of = np.argmin(each, axis=0)
            anywhere = np.ones(best_of.shape, np.bool_)
            meet = find_turns(best_of, [-row for row in each], each, anywhere)

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
            cells += [crossed.where(~sides) for crossed in meet]
            cells += self.turns(pieces, sides)
            return self.step(G + np.where(inside, best, 0.0), cells)

        return step


class FreeShares(_Shared):
    """The best share at every node."""

    def __init__(self, grid: ShareGrid) -> None:
        super().__init__(grid)
        assert isinstance(grid.lattice, ShareLattice)
        self._lattice, size = grid.lattice, grid.size
        self._best = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Minimise over the shares."""
        f = self.grid.expect(V, cells)
        out = np.empty(self.grid.size)
        best_share(f, self._lattice.neighbours, out, *self._best)
        return out

    def shares(self) -> NDArray[np.float64]:
        """Return the best shares."""
        return self._lattice.shares_between(*self._best)


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
        assert isinstance(grid.lattice, ShareLattice)
        self._weights = grid.lattice.weights(shares)
        self._used = np.flatnonzero((self._weights != 0.0).any(axis=1))

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Interpolate between the values of the lattice."""
        f = self.grid.expect(V, cells, self._used)
        return np.asarray(np.einsum("as,as->s", self._weights[self._used], f))

    def shares(self) -> NDArray[np.float64]:
        """Return the policy's shares."""
        return self._shares


class OneLook(_Shared):
    """One of several looks: a location that gets everything, or a gaze.

    The state holds the value of every look, shape (looks, size).

    Parameters
    ----------
    grid : ShareGrid
        With a lattice whose points are the looks: q = 1, or gazes.
    liking : ndarray of shape (looks, size), optional
        The look with the largest is taken, the first among equals. The one of least value when left
        out.
    """

    def __init__(self, grid: ShareGrid, liking: NDArray[np.float64] | None = None) -> None:
        super().__init__(grid)
        self._looks = range(grid.lattice.n_points)
        self._where = np.zeros(grid.size, np.int64) if liking is None else liking.argmax(axis=0)
        self._liking: list[Array] | None = None
        if liking is not None:
            self._liking = [grid.dense_of(liking, look) for look in self._looks]
            self._seen = np.argmax(self._liking, axis=0)

    @property
    def iteration(self) -> dict[str, Any]:
        """As for shares; large states remember few steps."""
        return {**super().iteration, "memory": self.grid.steps_remembered}

    def start(self, V: Array) -> Array:
        """Return V for every look."""
        return np.repeat(V[None, :], len(self._looks), axis=0)

    def chosen(self, values: Array) -> Array:
        """Return the value of the look that is taken."""
        if self._liking is None:
            self._where = values.argmin(axis=0)
        return np.asarray(values[self._where, np.arange(self.grid.size)])

    def held(self, D: Array) -> Looking:
        """Return a policy that takes the looks that are best at D."""
        return OneLook(self.grid, -D) if self._liking is None else self

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the value of every look."""
        return self.grid.expect(V, cells)

    def pieces(self, D: Array) -> list[tuple[Array, Sides | None]]:
        """Return the advantage of every look, and where it is taken."""
        values = [self.grid.dense_of(D, look) for look in self._looks]
        if self._liking is None:
            self._seen = np.argmin(values, axis=0)
        return [(values[look], self._seen == look) for look in self._looks]

    def turns(self, pieces: list[tuple[Array, Sides | None]], waits: Sides) -> list[Cells]:
        """Return the cells in which the observer turns from one look to another."""
        values = [piece for piece, _ in pieces]
        levels = [-piece for piece in values] if self._liking is None else self._liking
        return find_turns(self._seen, levels, values, waits)

    def resample(self, state: Array, target: Looking) -> Array:
        """Interpolate the value of every look."""
        return np.stack([self.grid.resample(row, target.grid) for row in state])

    def shares(self) -> NDArray[np.float64]:
        """Return what the look that is taken gives to each location."""
        return np.asarray(self.grid.lattice.points[self._where], dtype=np.float64)
