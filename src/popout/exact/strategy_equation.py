r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.anderson import fixed_point
from popout.exact.backend import Array
from popout.exact.compiled_kinks import CompiledKinks
from popout.exact.grid import Grid
from popout.exact.kinks import Kinks, add_corrections, boundary_on
from popout.exact.refinement import NotConvergedError
from popout.strategies import Action, BoundaryStrategy
from popout.task import SearchTask

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
RULED_OUT = 80.0  # a log likelihood ratio of minus this rules a location out


class StrategyEquation:
    """The linear equation of one strategy on one grid.

    Parameters
    ----------
    grid : Grid
    strategy : BoundaryStrategy
    task : SearchTask
    """

    def __init__(self, grid: Grid, strategy: BoundaryStrategy, task: SearchTask) -> None:
        self.grid = grid
        self.strategy = strategy
        self.dt = task.dt
        self.Z = np.full((*grid.shape, task.n_locations), -RULED_OUT)
        self.Z[..., list(grid.axes)] = grid.states()
        self.looks = math.ceil(strategy.settles / self.dt - 1e-9)
        self.last = self.sides(self.looks)

    def sides(self, look: int) -> _Sides:
        """Return the strategy's regions at one look."""
        absent, present = self.strategy.margins(self.Z, look * self.dt)
        move = self.grid.backend.asarray
        # Present wins where both tests hold; where neither does, the nearer one counts.
        prefers = present - np.minimum(absent, 0.0)
        level = np.maximum(absent, present)
        return _Sides(self.grid, move(level), move(prefers), self.strategy.is_axis_aligned)

    def value(
        self, price_per_look: ArrayLike, if_absent: ArrayLike, if_present: ArrayLike
    ) -> float:
        """Return F(0) for a price per look and the rewards of the two answers.

        Parameters
        ----------
        price_per_look, if_absent, if_present : array_like
            p and G, numbers or arrays that spread over the grid.
        """
        backend = self.grid.backend
        price, absent, present = (
            backend.asarray(np.array(np.broadcast_to(term, self.grid.shape), dtype=np.float64))
            for term in (price_per_look, if_absent, if_present)
        )
        settled = self.last.equation(price, absent, present)
        xp = backend.xp
        start = xp.where(self.last.prefers >= 0, present, absent)
        point = fixed_point(backend, settled, start, tolerance=TOLERANCE, memory=10, patience=200)
        if not point.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {point.residual:.2g}; "
                "does it wait endlessly somewhere?"
            )
        F = point.value
        for look in range(self.looks - 1, 0, -1):
            F = self.sides(look).equation(price, absent, present)(F)
        # Read the first look off smooth functions: near a boundary F holds corrections.
        first = int(self.strategy.decide(np.zeros(self.Z.shape[-1]), 0.0))
        at_first = {
            Action.WAIT: price + self.grid.expect(F),
            Action.ABSENT: absent,
            Action.PRESENT: present,
        }
        return self.grid.at_origin(at_first[Action(first)])

    def likelihood(self, group: int) -> NDArray[np.float64]:
        """Return the mean of exp(Z_l) over the locations of a group, as a term of `value`."""
        return self.grid.along(group, self.grid.per_location(np.exp)[group].mean(axis=1))


@dataclass(frozen=True)
class _Sides:
    """Where a strategy stops (`level` >= 0) and what it then prefers (`prefers` >= 0: present)."""

    grid: Grid
    level: Array
    prefers: Array
    aligned: bool

    @cached_property
    def _kinks(self) -> Kinks | CompiledKinks:
        """The boundary of waiting: it does not move."""
        return boundary_on(self.grid, self.level < 0).kinks(self.level, self.aligned)

    def equation(self, price: Array, absent: Array, present: Array) -> Callable[[Array], Array]:
        """Return what makes a value of the value one look later, with sub-grid boundaries."""
        grid, xp = self.grid, self.grid.backend.xp
        stops = self.level >= 0
        G = xp.where(self.prefers >= 0, present, absent)
        between = boundary_on(grid, self.prefers < 0, keep=stops).kinks(self.prefers)
        answers = between.correction(absent - present)

        def step(F: Array) -> Array:
            D = price + grid.expect(F) - G
            out = G + xp.where(stops, xp.zeros_like(D), D)
            return add_corrections(out, self._kinks.correction(D), answers)

        return step
