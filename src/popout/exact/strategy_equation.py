r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.

With an attention policy the step is that of `shares`. The likelihood ratio :math:`e^{Z_l}` of
"target at l" against "absent" is a martingale whatever the shares, as long as they depend on the
past alone, so the same p and G serve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.array_kinks import ArrayKinks, add_corrections, boundary_on
from popout.exact.backend import Array
from popout.exact.discretisation import Discretisation, ShareDiscretisation
from popout.exact.fixed_point import fixed_point
from popout.exact.grid import Grid
from popout.exact.kinks import Kinks
from popout.exact.refinement import NotConvergedError
from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import find_cells
from popout.policies.stopping import Action, BoundaryStrategy

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
PATIENCE = 200
STACKED = 1 << 18  # nodes of equations that are solved together: more would not be any faster


class Terms(NamedTuple):
    """The right-hand side of an equation: p, and G of either answer."""

    price_per_look: ArrayLike
    if_absent: ArrayLike
    if_present: ArrayLike


class _Equation:
    """What the equations have in common, whatever a look can be."""

    def __init__(self, grid: Any, strategy: BoundaryStrategy, problem: Discretisation) -> None:
        self.grid = grid
        self.strategy = strategy
        self.dt = problem.task.dt
        self.Z = problem.states(grid.states())
        self.looks = math.ceil(strategy.settles / self.dt - 1e-9)

    def margins(self, look: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where the strategy stops at a look (at 0 or above), and prefers "present"."""
        absent, present = self.strategy.margins(self.Z, look * self.dt)
        # Present wins where both tests hold; where neither does, the nearer one counts.
        return np.maximum(absent, present), present - np.minimum(absent, 0.0)

    def solved(
        self,
        settled: Callable[[Array], Array],
        start: Array,
        at: Callable[[int], Callable[[Array], Array]],
        memory: int = 8,
    ) -> Array:
        """Return the fixed point, followed backwards to the second look."""
        point = fixed_point(
            self.grid.backend, settled, start, tolerance=TOLERANCE, memory=memory, patience=PATIENCE
        )
        if not point.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {point.residual:.2g}; "
                "does it wait endlessly somewhere?"
            )
        F = point.value
        for look in range(self.looks - 1, 0, -1):
            F = at(look)(F)
        return F

    @property
    def first(self) -> Action:
        """What the strategy does at once."""
        return Action(int(self.strategy.decide(np.zeros(self.Z.shape[-1]), 0.0)))


class StrategyEquation(_Equation):
    """The linear equation of one strategy on one grid.

    Parameters
    ----------
    grid : Grid
    strategy : BoundaryStrategy
    problem : Discretisation
    """

    def __init__(self, grid: Grid, strategy: BoundaryStrategy, problem: Discretisation) -> None:
        super().__init__(grid, strategy, problem)
        self.last = self.sides(self.looks)

    def sides(self, look: int) -> _Sides:
        """Return the strategy's regions at one look."""
        level, prefers = map(self.grid.backend.asarray, self.margins(look))
        return _Sides(self.grid, level, prefers, self.strategy.is_axis_aligned)

    def values(self, terms: Sequence[Terms]) -> list[float]:
        """Return F(0) for prices per look and rewards of the two answers.

        Parameters
        ----------
        terms : sequence of Terms
            Each p and G, numbers or arrays that spread over the grid.
        """
        together = max(1, STACKED // self.grid.size)
        parts = [terms[k : k + together] for k in range(0, len(terms), together)]
        return [value for part in parts for value in self._values(part)]

    def _values(self, terms: Sequence[Terms]) -> list[float]:
        """Solve several equations at once: they differ in nothing but their right-hand sides."""
        backend, shape = self.grid.backend, self.grid.shape
        price, absent, present = (
            backend.asarray(np.array([np.broadcast_to(each, shape) for each in kind], dtype=float))
            for kind in zip(*terms, strict=True)
        )
        start = backend.xp.where(self.last.prefers >= 0, present, absent)
        F = self.solved(
            self.last.equation(price, absent, present),
            start,
            lambda look: self.sides(look).equation(price, absent, present),
            memory=10,
        )
        # Read the first look off smooth functions: near a boundary F holds corrections.
        at_first = {
            Action.WAIT: price + self.grid.expect(F),
            Action.ABSENT: absent,
            Action.PRESENT: present,
        }
        chosen = at_first[self.first]
        return [self.grid.at_origin(chosen[k, ...]) for k in range(len(terms))]

    def likelihood(self, group: int) -> NDArray[np.float64]:
        """Return the mean of exp(Z_l) over the locations of a group, as one of `Terms`."""
        likelihood = self.grid.per_location(np.exp)[group].mean(axis=1)
        return np.asarray(self.grid.along(group, likelihood))


@dataclass(frozen=True)
class _Sides:
    """Where a strategy stops (`level` >= 0) and what it then prefers (`prefers` >= 0: present)."""

    grid: Grid
    level: Array
    prefers: Array
    aligned: bool

    @cached_property
    def _kinks(self) -> Kinks | ArrayKinks:
        """The boundary of waiting: it does not move."""
        return boundary_on(self.grid, self.level < 0).kinks(self.level, self.aligned)

    def equation(self, price: Array, absent: Array, present: Array) -> Callable[[Array], Array]:
        """Return what makes values of the values one look later, with sub-grid boundaries.

        All are stacks of arrays on the grid.
        """
        grid, xp = self.grid, self.grid.backend.xp
        stops = self.level >= 0
        G = xp.where(self.prefers >= 0, present, absent)
        between = boundary_on(grid, self.prefers < 0, keep=stops).kinks(self.prefers)
        each = range(G.shape[0])
        answers = [between.correction(absent[k, ...] - present[k, ...]) for k in each]

        def step(F: Array) -> Array:
            D = price + grid.expect(F) - G
            out = G + xp.where(stops, xp.zeros_like(D), D)
            mended = [
                add_corrections(out[k, ...], self._kinks.correction(D[k, ...]), answers[k])
                for k in each
            ]
            return xp.stack(mended)

        return step


class ShareEquation(_Equation):
    """The linear equation of an attention policy and a strategy on one grid.

    Parameters
    ----------
    grid : ShareGrid
    strategy : BoundaryStrategy
    problem : ShareDiscretisation
    """

    def __init__(
        self, grid: ShareGrid, strategy: BoundaryStrategy, problem: ShareDiscretisation
    ) -> None:
        super().__init__(grid, strategy, problem)
        self.looking = problem.looking(grid)

    def values(self, terms: Sequence[Terms]) -> list[float]:
        """Return F(0) for prices per look and rewards of the two answers."""
        size = (self.grid.size,)
        return [
            self._value(*(np.broadcast_to(np.asarray(part, dtype=float), size) for part in each))
            for each in terms
        ]

    def _value(self, price: Array, absent: Array, present: Array) -> float:
        last = _Answers(self, self.looks, price, absent, present)
        state = self.solved(
            last,
            self.looking.start(last.G),
            lambda look: _Answers(self, look, price, absent, present),
        )
        rewards = {Action.ABSENT: absent, Action.PRESENT: present}
        waiting = price + self.looking.value(state)
        return float(self.grid.at_origin(rewards.get(self.first, waiting)))

    def likelihood(self, group: int) -> NDArray[np.float64]:
        """Return the mean of exp(Z_l) over the locations of a group, as one of `Terms`."""
        columns = list(self.grid.classes[group])
        return np.asarray(np.exp(self.grid.states()[:, columns]).mean(axis=1))


class _Answers:
    """What a strategy answers at one look, and what that is worth."""

    def __init__(
        self, equation: ShareEquation, look: int, price: Array, absent: Array, present: Array
    ) -> None:
        grid, self.looking = equation.grid, equation.looking
        level, prefers = equation.margins(look)
        self.level = grid.dense(level)
        self.waits = self.level < 0
        self.aligned = equation.strategy.is_axis_aligned
        self.price = price
        self.inside = level < 0
        self.G: Array = np.where(prefers >= 0, present, absent)
        self.rest = grid.dense(price - self.G)
        difference = grid.dense(absent - present)
        self.between = find_cells(grid.dense(prefers), difference, keep=~self.waits)

    def __call__(self, state: Array) -> Array:
        """Return the state one look earlier."""
        cells = [self.between]
        for value, looked_at in self.looking.pieces(state):
            D = self.rest + value
            within = self.waits if looked_at is None else self.waits & looked_at
            keep = within | ~self.waits
            cells.append(find_cells(self.level, D, inside=within, keep=keep, aligned=self.aligned))
        cells += self.looking.turns(state, self.waits)
        F = np.where(self.inside, self.price + self.looking.value(state), self.G)
        return self.looking.step(F, cells)
