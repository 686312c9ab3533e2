r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.

With an attention policy the step is that of its shares (`looking`). The likelihood ratio
:math:`e^{Z_l}` of "target at l" against "absent" is a martingale whatever the shares, as long as
they depend on the past alone, so the same p and G serve.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.backend import Array
from popout.exact.discretisation import Discretisation
from popout.exact.fixed_point import fixed_point
from popout.exact.looking import Looking, Step, Stopping
from popout.exact.refinement import NotConvergedError
from popout.policies.stopping import Action, BoundaryStrategy

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
MEMORY, PATIENCE = 10, 200


class Terms(NamedTuple):
    """The right-hand side of an equation: p, and G of either answer."""

    price_per_look: ArrayLike
    if_absent: ArrayLike
    if_present: ArrayLike


class StrategyEquation:
    """The linear equation of one strategy on one grid, whatever a look can be.

    Parameters
    ----------
    looking : Looking
        Fixed rates, or the shares of a given policy; it holds the grid.
    strategy : BoundaryStrategy
    problem : Discretisation
    """

    def __init__(
        self, looking: Looking, strategy: BoundaryStrategy, problem: Discretisation
    ) -> None:
        self.looking, self.grid = looking, looking.grid
        self.strategy = strategy
        self.dt = problem.task.dt
        self._states = self.grid.states()
        self._Z = problem.states(self._states)
        self._looks = math.ceil(strategy.settles / self.dt - 1e-9)

    def likelihood(self, locations: Sequence[int]) -> NDArray[np.float64]:
        """Return the mean of exp(Z_l) over some locations, as one of `Terms`."""
        columns = [list(self.grid.axes).index(place) for place in locations]
        return np.asarray(np.exp(self._states[..., columns]).mean(axis=-1))

    def values(self, terms: Sequence[Terms]) -> list[float]:
        """Return F(0) for prices per look and rewards of the two answers.

        Parameters
        ----------
        terms : sequence of Terms
            Each p and G, numbers or arrays that spread over the grid.
        """
        together = self.looking.together
        parts = [terms[k : k + together] for k in range(0, len(terms), together)]
        return [value for part in parts for value in self._values(part)]

    def _values(self, terms: Sequence[Terms]) -> list[float]:
        """Solve several equations at once: they differ in nothing but their right-hand sides."""
        backend, shape = self.grid.backend, self.grid.shape
        stacks = (
            np.array([np.broadcast_to(each, shape) for each in kind], dtype=float)
            for kind in zip(*terms, strict=True)
        )
        price, absent, present = (
            backend.asarray(stack if len(terms) > 1 else stack[0]) for stack in stacks
        )
        state = self._solved(price, absent, present)
        # Read the first look off smooth functions: near a boundary F holds corrections.
        at_first = {
            Action.WAIT: lambda: price + self.looking.chosen(self.looking.after(state)),
            Action.ABSENT: lambda: absent,
            Action.PRESENT: lambda: present,
        }
        first = Action(int(self.strategy.decide(np.zeros(self._Z.shape[-1]), 0.0)))
        F = at_first[first]()
        each = [F[k, ...] for k in range(len(terms))] if len(terms) > 1 else [F]
        return [float(self.grid.at_origin(values)) for values in each]

    def _solved(self, price: Array, absent: Array, present: Array) -> Array:
        """Return the state at the second look: the fixed point, followed backwards."""
        backend, looking = self.grid.backend, self.looking

        def at(look: int) -> tuple[Array, Step]:
            """Return G at a look, and what makes a state of the one a look later."""
            to_absent, to_present = self.strategy.margins(self._Z, look * self.dt)
            # Present wins where both tests hold; where neither does, the nearer one counts.
            level = backend.asarray(np.maximum(to_absent, to_present))
            prefers = backend.asarray(to_present - np.minimum(to_absent, 0.0))
            G = backend.xp.where(prefers >= 0, present, absent)
            aligned, answers = self.strategy.is_axis_aligned, (prefers, absent - present)
            earlier = looking.earlier(Stopping(G, level < 0, level, aligned, answers))
            return G, lambda state: earlier(price + looking.after(state) - G)

        G, settled = at(self._looks)
        point = fixed_point(
            backend,
            settled,
            looking.start(G),
            tolerance=TOLERANCE,
            memory=MEMORY,
            patience=PATIENCE,
        )
        if not point.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {point.residual:.2g}; "
                "does it wait endlessly somewhere?"
            )
        state = point.value
        for look in range(self._looks - 1, 0, -1):
            state = at(look)[1](state)
        return state
