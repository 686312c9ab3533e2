r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from popout.exact.anderson import fixed_point
from popout.exact.backend import Array
from popout.exact.grid import Grid
from popout.exact.kinks import kink_correction
from popout.exact.levels import NotConvergedError
from popout.strategies import Action, BoundaryStrategy
from popout.task import SearchTask

__all__ = ["RULED_OUT", "Follow", "Rates"]

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
RULED_OUT = 80.0  # a log likelihood ratio of minus this rules a location out


class Follow:
    """The linear equation of one strategy on one grid."""

    def __init__(self, grid: Grid, strategy: BoundaryStrategy, task: SearchTask) -> None:
        self.grid = grid
        self.strategy = strategy
        self.dt = task.dt
        self.Z = np.full((*grid.shape, task.n_locations), -RULED_OUT)
        places = sorted(place for group in grid.groups for place in group.locations)
        self.Z[..., places] = grid.states()
        settles = float(getattr(strategy, "settles", 0.0))
        self.looks = math.ceil(settles / self.dt - 1e-9)
        self.last = self.sides(self.looks)

    def sides(self, look: int) -> _Sides:
        """Return the strategy's regions at one look."""
        absent, present = self.strategy.margins(self.Z, look * self.dt)
        move = self.grid.backend.asarray
        # Present wins where both tests hold; where neither does, the nearer one counts.
        prefers = present - np.minimum(absent, 0.0)
        level = np.maximum(absent, present)
        return _Sides(move(level), move(prefers), self.strategy.is_axis_aligned)

    def value(self, price: Array, absent: Array, present: Array) -> float:
        """Return F(0) for a price per look and the rewards of the two answers."""
        backend = self.grid.backend

        def settled(F: Array) -> Array:
            return self.last.step(self.grid, F, price, absent, present)

        xp = backend.xp
        start = xp.where(self.last.prefers >= 0, present, absent)
        found = fixed_point(backend, settled, start, tolerance=TOLERANCE, memory=10, patience=200)
        if not found.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {found.residual:.2g}; "
                "does it wait for ever somewhere?"
            )
        F = found.value
        for look in range(self.looks - 1, 0, -1):
            F = self.sides(look).step(self.grid, F, price, absent, present)
        # Read the first look off smooth functions: near a boundary F holds corrections.
        first = int(self.strategy.decide(np.zeros(self.Z.shape[-1]), 0.0))
        at_first = {
            Action.WAIT: price + self.grid.expect(F),
            Action.ABSENT: absent,
            Action.PRESENT: present,
        }
        return self.grid.at_origin(at_first[Action(first)])


@dataclass(frozen=True)
class _Sides:
    """Where a strategy stops (`level` >= 0) and what it then prefers (`prefers` >= 0: present)."""

    level: Array
    prefers: Array
    aligned: bool

    def step(self, grid: Grid, F: Array, price: Array, absent: Array, present: Array) -> Array:
        """Return the value one look earlier, with sub-grid boundaries."""
        xp = grid.backend.xp
        stops = self.level >= 0
        G = xp.where(self.prefers >= 0, present, absent)
        D = price + grid.expect(F) - G
        out = G + xp.where(stops, xp.zeros_like(D), D)
        parts = (
            kink_correction(grid, self.level, D, aligned=self.aligned),
            kink_correction(grid, self.prefers, absent - present, keep=stops),
        )
        for part in parts:
            if part is not None:
                out = out + part
        return out


class Rates:
    """Error rates and mean response times, from one linear equation each."""

    def __init__(self, follow: Follow) -> None:
        self.follow = follow
        grid = follow.grid
        xp = grid.backend.xp
        self.one = xp.ones(grid.shape, dtype=xp.float64, device=grid.backend.device)
        self.none = xp.zeros_like(self.one)
        self.likelihood = []
        for number, values in enumerate(grid.per_location(np.exp)):
            shape = [1] * len(grid.shape)
            shape[number] = -1
            mean = np.broadcast_to(values.mean(axis=1).reshape(shape), grid.shape)
            self.likelihood.append(grid.backend.asarray(np.array(mean)))

    def false_alarm(self) -> float:
        """See the table above."""
        return self.follow.value(self.none, self.none, self.one)

    def rt_absent(self) -> float:
        """See the table above."""
        return self.follow.value(self.follow.dt * self.one, self.none, self.none)

    def miss(self, group: int) -> float:
        """See the table above."""
        return self.follow.value(self.none, self.likelihood[group], self.none)

    def rt(self, group: int) -> float:
        """See the table above."""
        return self.follow.value(self.follow.dt * self.likelihood[group], self.none, self.none)
