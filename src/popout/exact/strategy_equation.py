r"""The linear equation of a given strategy on one grid.

Outside the region of waiting F is the reward G of the answer, inside it is
:math:`p + E_0[F(Z')]` (`evaluation` says which p and G give which quantity). Where the strategy
changes with time, F is followed backwards from the look at which it settles.

With an attention policy the step is that of its shares (`looking`). The likelihood ratio
:math:`e^{Z_l}` of "target at l" against "absent" is a martingale whatever the shares, as long as
they depend on the past alone, so the same p and G serve. Where items are reshuffled the equation of
`ReshuffledEquation` takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.backend import Array
from popout.exact.discretisation import Discretisation
from popout.exact.fixed_point import fixed_point
from popout.exact.looking import Looking, Step, Stopping
from popout.exact.refinement import NotConvergedError
from popout.exact.reshuffled import Diagonal, has_settled
from popout.policies.stopping import Action, BoundaryStrategy

TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
MEMORY, PATIENCE = 10, 200


class Terms(NamedTuple):
    """The right-hand side of an equation: p, and G of either answer, times a likelihood ratio."""

    price_per_look: ArrayLike
    if_absent: ArrayLike
    if_present: ArrayLike
    likelihood: ArrayLike = 1.0

    def arrays(self, shape: tuple[int, ...], likelihood: ArrayLike) -> list[NDArray[np.float64]]:
        """Return the three on the grid, times a likelihood ratio."""
        three = self[:3]
        return [np.broadcast_to(np.multiply(x, likelihood), shape).astype(float) for x in three]


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
        self._shuffled = self._Z
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
        arrays = [each.arrays(shape, each.likelihood) for each in terms]
        stacks = (np.array(kind) for kind in zip(*arrays, strict=True))
        price, absent, present = (
            backend.asarray(stack if len(terms) > 1 else stack[0]) for stack in stacks
        )
        state = self._solved(price, absent, present)
        F = self._first(state, price, absent, present)
        each = [F[k, ...] for k in range(len(terms))] if len(terms) > 1 else [F]
        return [float(self.grid.at_origin(values)) for values in each]

    def _first(self, state: Array, price: Array, absent: Array, present: Array) -> Array:
        """Return F at the first look, read off smooth functions: near a boundary F is corrected."""
        at_first: dict[Action, Callable[[], Array]] = {
            Action.WAIT: lambda: price + self.looking.chosen(self.looking.after(state)),
            Action.ABSENT: lambda: absent,
            Action.PRESENT: lambda: present,
        }
        return at_first[Action(int(self.strategy.decide(np.zeros(self._Z.shape[-1]), 0.0)))]()

    def _at(
        self, look: int, price: Array, absent: Array, present: Array, *, shuffled: bool = False
    ) -> tuple[Array, Step]:
        """Return G at a look, and what makes a state of D there.

        Where `shuffled`, the strategy sees what a reshuffle makes of the state.
        """
        backend, Z = self.grid.backend, self._shuffled if shuffled else self._Z
        to_absent, to_present = self.strategy.margins(Z, look * self.dt)
        # Present wins where both tests hold; where neither does, the nearer one counts.
        level = backend.asarray(np.maximum(to_absent, to_present))
        prefers = backend.asarray(to_present - np.minimum(to_absent, 0.0))
        G = backend.xp.where(prefers >= 0, present, absent)
        aligned = self.strategy.is_axis_aligned and not shuffled
        answers = prefers, absent - present
        return G, self.looking.earlier(Stopping(G, level < 0, level, aligned, answers))

    def _settled(self, step: Step, start: Array) -> Array:
        """Return the fixed point of a step."""
        point = fixed_point(
            self.grid.backend,
            step,
            self.looking.start(start),
            tolerance=TOLERANCE,
            memory=MEMORY,
            patience=PATIENCE,
        )
        if not point.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {point.residual:.2g}; "
                "does it wait endlessly somewhere?"
            )
        return point.value

    def _solved(self, price: Array, absent: Array, present: Array) -> Array:
        """Return the state at the second look: the fixed point, followed backwards."""
        terms, looking = (price, absent, present), self.looking

        def at(look: int) -> tuple[Array, Step]:
            """Return G at a look, and what makes a state of the one a look later."""
            G, earlier = self._at(look, *terms)
            return G, lambda state: earlier(price + looking.after(state) - G)

        G, settled = at(self._looks)
        state = self._settled(settled, G)
        for look in range(self._looks - 1, 0, -1):
            state = at(look)[1](state)
        return state


class ReshuffledEquation(StrategyEquation):
    r"""The same where items are reshuffled every K steps.

    Let F be a quantity of the trials with a target at l, times :math:`e^{Z_l}`. A reshuffle takes
    the target to place m with probability :math:`\pi_m`, and leaves the state (S, ..., S). With
    :math:`\bar F = \sum_m \pi_m F_m`, whose likelihood ratio is
    :math:`e^S = \sum_m \pi_m e^{Z_m}`, waiting there is worth

    .. math:: e^{Z_l - S}\, \bar W(S, \dots, S), \qquad
              \bar W = \bar p + E_0[\bar F(Z')] \text{ right after a reshuffle} .

    So :math:`\bar F` has a fixed point of its own, round by round, and each :math:`F_l` follows
    from it in one round more. Trials without a target have the likelihood ratio 1 throughout.
    """

    def __init__(
        self, looking: Looking, strategy: BoundaryStrategy, problem: Discretisation
    ) -> None:
        super().__init__(looking, strategy, problem)
        self._steps = problem.steps_per_period
        self._diagonal = Diagonal(self.grid)
        S = self._diagonal.S
        self._mean_likelihood = np.exp(S)
        self._shuffled = problem.states(np.repeat(S[..., None], self._states.shape[-1], axis=-1))
        self._means: dict[Any, Any] = {}

    def _values(self, terms: Sequence[Terms]) -> list[float]:
        return [self._value(each) for each in terms]

    def _value(self, terms: Terms) -> float:
        asarray, shape = self.grid.backend.asarray, self.grid.shape
        is_absent = np.ndim(terms.likelihood) == 0
        mean = 1.0 if is_absent else self._mean_likelihood
        share = asarray(np.divide(terms.likelihood, mean))
        key = (*terms[:3], is_absent)
        if key not in self._means:
            self._means[key] = self._mean([asarray(x) for x in terms.arrays(shape, mean)])
        own = [asarray(x) for x in terms.arrays(shape, terms.likelihood)]
        state = self._round(0, own, share)(self._means[key])
        return float(self.grid.at_origin(self._first(state, *own)))

    def _mean(self, terms: Sequence[Array]) -> Array:
        """Return the value of waiting right after the first reshuffle, averaged over places."""
        price, looking = terms[0], self.looking

        def waiting(state: Array) -> Array:
            return price + looking.chosen(looking.after(state))

        rounds = max(1, math.ceil(self._looks / self._steps))
        settled = self._round(rounds, terms, 1.0)
        nothing = self.grid.backend.xp.zeros_like(price)
        state = self._settled(lambda state: settled(waiting(state)), nothing)
        for number in range(rounds - 1, 0, -1):
            state = self._round(number, terms, 1.0)(waiting(state))
        return waiting(state)

    def _round(
        self, number: int, terms: Sequence[Array], share: Array | float
    ) -> Callable[[Array], Array]:
        """Return what leads from waiting after one reshuffle to the state a look after the last.

        Parameters
        ----------
        number : int
            Of the reshuffle at which the round begins; 0 for the start of the trial.
        terms : sequence of three arrays
        share : array
            What the likelihood ratio is of that averaged over places.
        """
        first, looking, price = number * self._steps, self.looking, terms[0]
        G_last, last = self._at(first + self._steps, *terms, shuffled=True)
        # Tests that are the same at every look are made once.
        alike = first >= self._looks and not self.strategy.period
        same = self._at(first + 1, *terms) if alike and self._steps > 1 else None
        looks = range(first + self._steps - 1, first, -1)
        at = [same or self._at(look, *terms) for look in looks]

        def earlier(waiting: Array) -> Array:
            D = share * self._diagonal.after(waiting) - G_last
            state = last(self.looking.start(D))
            for G, step in at:
                before, state = state, step(price + looking.after(state) - G)
                if same is not None and has_settled(self.grid.backend.xp, before, state):
                    break
            return state

        return earlier
