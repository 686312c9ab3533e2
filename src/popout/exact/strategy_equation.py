r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.anderson import fixed_point
from popout.exact.backend import Array
from popout.exact.compiled_kinks import CompiledKinks
from popout.exact.grid import Grid
from popout.exact.kinks import Kinks, add_corrections, boundary_on
from popout.exact.refinement import NotConvergedError
from popout.policies.stopping import Action, BoundaryStrategy
from popout.task import SearchTask

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
STACKED = 1 << 18  # nodes of equations that are solved together: more would not be any faster
RULED_OUT = 80.0  # a log likelihood ratio of minus this rules a location out


class Terms(NamedTuple):
    """The right-hand side of an equation: p, and G of either answer."""

    price_per_look: ArrayLike
    if_absent: ArrayLike
    if_present: ArrayLike


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
        chosen = at_first[Action(first)]
        return [self.grid.at_origin(chosen[k, ...]) for k in range(len(terms))]

    def likelihood(self, group: int) -> NDArray[np.float64]:
        """Return the mean of exp(Z_l) over the locations of a group, as one of `Terms`."""
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
