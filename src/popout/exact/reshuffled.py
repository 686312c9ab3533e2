r"""The Bellman equation where items are reshuffled every K steps.

Between two reshuffles nothing is new: with k steps since the last one

.. math:: V_k(Z) = \min\bigl\{G(Z),\; \delta t\,(C_0 + C_1 (w - 1)) + E_0[V_{k+1}(Z')]\bigr\},
          \qquad k = 0, \dots, K - 1 .

A reshuffle keeps the odds of presence, and with them w and the value G of the better answer. All
that is left of the state is :math:`S = \log \sum_l \pi_l e^{Z_l}`,

.. math:: V_K(Z) = V_0(S, \dots, S) .

So the unknown is a function of one number, and a round of K steps of `bellman` leads from one guess
of it to the next. The fixed point of the round is looked for as that of a step is, and the same
bound holds: a residual counts once a round, of which there are no more than steps.

:math:`V_0` has kinks where the observer stops. Its value of waiting has none; it is read along the
diagonal of the grid, between the nodes too, at the S of every node, and becomes the value of
waiting at :math:`V_K`, whose boundary, :math:`S = \mathrm{const}`, is then corrected for like any
other. With K = 1 the observer never knows more than S.

**A long period.** Once a step changes V by less than rounding, the others of the round would not
change it either, and are left out. And an observer who is sure to have answered before the first
reshuffle (`Costs.patience`) faces the static task, which is then solved in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from popout.exact.axis import interpolation_weights
from popout.exact.backend import Array
from popout.exact.bellman import Bellman
from popout.exact.looking import Looking
from popout.task import Costs, Task

POINTS = 8  # nodes of the diagonal from which a value between them is read
SETTLED = 1e-14  # of the largest value: below that a step changes nothing
NEVER = 100.0  # times `Costs.patience`: exp(-100 / e) = 1e-16 of the trials last as long


def at_rest(task: Any, costs: Costs) -> Any:
    """Return the task, or the static one where nobody waits for the first reshuffle.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0, period=1000.0)
    >>> at_rest(task, po.Costs(time=0.2)).period is None
    True
    """
    late = isinstance(task, Task) and (task.period or 0.0) > NEVER * costs.patience
    return task.static if late else task


def has_settled(xp: Any, before: Array, state: Array) -> bool:
    """Return whether a step has changed nothing, so that no further one will."""
    return float(xp.max(xp.abs(state - before))) <= SETTLED * float(xp.max(xp.abs(state)))


class Diagonal:
    """The states after a reshuffle, in which all locations agree, and who gets there.

    Parameters
    ----------
    grid : Grid or ShareGrid
        All of its axes have the same nodes.
    """

    def __init__(self, grid: Any) -> None:
        self.grid = grid
        self._nodes = grid.backend.asarray(grid.diagonal)

    @cached_property
    def S(self) -> Any:
        """Log likelihood ratio of presence at the stored nodes, of the grid's shape."""
        total = sum(group.weight * group.m for group in self.grid.groups)
        return np.log(self.grid.backend.to_numpy(self.grid.odds) / total)

    @cached_property
    def _reading(self) -> list[tuple[Array, Array]]:
        """Places along the diagonal, and their weights, that give a value at S of every node."""
        axis, backend = self.grid.groups[0].axis, self.grid.backend
        first, weights = interpolation_weights(axis, self.S.reshape(-1), POINTS)
        return [
            (backend.asarray(first + a), backend.asarray(weight))
            for a, weight in enumerate(weights)
        ]

    def along(self, values: Array) -> Array:
        """Return values on the diagonal, shape (n,), of an array of the grid's shape."""
        xp = self.grid.backend.xp
        return xp.take(xp.reshape(values, (-1,)), self._nodes)

    def after(self, values: Array) -> Array:
        """Return at every node the value at the state that a reshuffle makes of it."""
        xp, line = self.grid.backend.xp, self.along(values)
        parts = (xp.take(line, places) * weights for places, weights in self._reading)
        return xp.reshape(sum(parts), self.grid.shape)


class ReshuffledBellman(Bellman):
    """The right-hand side for a round of steps, from one reshuffle to the next.

    Its state is that of `Bellman` one step after a reshuffle: `wait` is the value of waiting right
    after it, and before any evidence.

    Parameters
    ----------
    looking : Looking
    costs : Costs
    dt : float
    steps : int
        Between two reshuffles.
    """

    def __init__(self, looking: Looking, costs: Costs, dt: float, steps: int) -> None:
        super().__init__(looking, costs, dt)
        self.steps = steps
        self.diagonal = Diagonal(looking.grid)

    def reshuffled(self, D: Array) -> Array:
        """Return the advantage of waiting at a reshuffle, from that right after one."""
        waiting = self.diagonal.after(self.looking.chosen(D) + self.stop) - self.stop
        xp = self.backend.xp
        return waiting if D.ndim == waiting.ndim else xp.broadcast_to(waiting, D.shape)

    def round(self, state: Array) -> Iterator[tuple[Array, Array]]:
        """Yield advantages and the state a step earlier, from one reshuffle back to the last.

        The last state is that from which the next round begins.
        """
        D = self.reshuffled(self.advantages(state))
        before = None
        for _ in range(self.steps):
            state = self.best(D)
            yield D, state
            if before is not None and has_settled(self.backend.xp, before, state):
                return
            D, before = self.advantages(state), state

    def __call__(self, state: Array) -> Array:
        """Return the state of a round earlier."""
        for _, earlier in self.round(state):
            state = earlier
        return state

    def with_sides_of(self, state: Array) -> Callable[[Array], Array]:
        """Return the round, the nodes kept on the sides where the state has them."""
        chosen, held = self.looking.chosen, self.looking.held
        steps = [self.earlier(chosen(D) < 0, held(D)) for D, _ in self.round(state)]

        def earlier(state: Array) -> Array:
            D = self.reshuffled(self.advantages(state))
            for best in steps[:-1]:
                D = self.advantages(best(D))
            last: Array = steps[-1](D)
            return last

        return earlier
