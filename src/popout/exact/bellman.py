r"""The Bellman equation after a change of measure.

The paper's recursion (Equation 7) takes its expectation over a mixture of M + 1 Gaussians, one for
each place the target could be. Multiply the risk by

.. math:: w(Z) = \frac{1}{P(C=0 \mid Z)} = 1 + \frac{p}{1-p} \sum_l \pi_l e^{Z_l},
          \qquad V = w R .

Because :math:`e^{Z_l}` is the likelihood ratio of "target at l" against "absent", the mixture turns
into the target-absent law alone, under which all locations are independent:

.. math:: V(Z) = \min\Bigl\{ c_{fa},\; c_{miss}\,(w-1),\;
          \delta t\,\bigl(C_0 + C_1 (w-1)\bigr) + E_0\bigl[V(Z')\bigr] \Bigr\} .

:math:`C_0, C_1` are the costs of time when the target is absent and present; the first entry is
"say present", the second "say absent", the third "wait". V never exceeds the costs of errors, and
the risk before any evidence is :math:`R(0) = (1-p)\,V(0)`.

V has kinks where waiting costs as much as an answer (`kinks`), and where both answers cost the same
if nobody may wait (`Bellman.terminal`). Otherwise V is concave in the odds of each location, so
that on a line along an axis waiting saves most where the answers meet: a line on which anybody
waits has no such kink. Others are only reached by steps of several locations at once, and left
alone.

**Looking and stopping together.** Where information is shared out (`popout.task.look.Shares`) the
choice of shares adds one minimum, :math:`\min_\alpha E_0^\alpha[V(Z')]` in the place of
:math:`E_0[V(Z')]`; for a given attention policy its own shares take the place of the minimum
(`shares`). There the iteration runs on the expected value after a step, which is smooth where
V is not: V's kinks are known between the nodes (`share_kinks`).

Close to where two locations are equally good the best share passes from one to the other within a
strip narrower than a step. The expected value has a kink there that is rounded off over the width
of the strip; a grid that does not resolve the strip errs at second order in the spacing. A second
such kink lies along :math:`Z_l = \tau_-`: whether location l is above or below its lower threshold
matters all the while another one is being looked at, and nothing smooths V along axis l meanwhile.
The refinement sees these errors like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from popout.exact.array_kinks import add_corrections, boundary_on
from popout.exact.backend import Array, Backend
from popout.exact.crossings import crossings
from popout.exact.share_kinks import Cells, find_cells
from popout.exact.shares import Looking
from popout.task import Costs


class Bellman:
    """The right-hand side of the Bellman equation on a grid.

    Parameters
    ----------
    grid : Grid
    costs : Costs
    dt : float
        Seconds per step.
    """

    iteration: ClassVar[dict[str, Any]] = {}
    """How the fixed point is looked for, where not as `fixed_point.stationary` does by itself."""

    def __init__(self, grid: Any, costs: Costs, dt: float) -> None:
        self.grid = grid
        self.costs = costs
        self.dt = dt

    @cached_property
    def stop(self) -> Array:
        """V of the better of the two answers."""
        xp = self.grid.backend.xp
        answers = self.costs.miss * self.grid.odds
        return xp.where(answers < self.costs.false_alarm, answers, self.costs.false_alarm)

    @cached_property
    def price(self) -> Array:
        """What one step of waiting adds to V."""
        costs = self.costs
        return self.dt * (costs.time_absent + costs.time_present * self.grid.odds)

    @cached_property
    def ridge(self) -> Array:
        """V of "absent" minus V of "present"; its zero is where the answers cost the same."""
        return self.costs.miss * self.grid.odds - self.costs.false_alarm

    def wait(self, V: Array) -> Array:
        """Return the value of waiting one step when V is the value afterwards."""
        return self.price + self.grid.expect(V)

    def advantage(self, V: Array) -> Array:
        """Return the value of waiting minus that of the better answer."""
        return self.wait(V) - self.stop

    def best(self, D: Array) -> Array:
        """Return the minimum over the three actions, with sub-grid kinks.

        Parameters
        ----------
        D : array of the grid's shape
            Value of waiting minus that of the better answer.
        """
        return self._with_sides(D < 0)(D)

    def _with_sides(self, waits: Array) -> Callable[[Array], Array]:
        """Return `best` for nodes that keep their sides."""
        xp, stops = self.grid.backend.xp, ~waits
        boundary = boundary_on(self.grid, waits)

        def best(D: Array) -> Array:
            V = self.stop + xp.where(stops, xp.zeros_like(D), D)
            return add_corrections(V, boundary.kinks(D).correction(D))

        return best

    def origin(self, V: Array) -> float:
        """Return the value before any evidence, when V is the value one step later.

        V itself cannot be read off close to a boundary: there it holds the corrections of `kinks`.
        """
        waiting: float = self.grid.at_origin(self.wait(V))
        return min(self.at_once, waiting)

    @property
    def at_once(self) -> float:
        """V of the better answer before any evidence."""
        odds: float = sum(group.weight * group.m for group in self.grid.groups)
        return min(self.costs.false_alarm, self.costs.miss * odds)

    def terminal(self) -> Array:
        """Return V when the observer must answer at once, with its kink at the ridge."""
        kinks = boundary_on(self.grid, self.ridge < 0).kinks(self.ridge)
        return add_corrections(self.stop, kinks.correction(self.ridge))

    def waiting_interval(self, D: Array) -> tuple[float, float]:
        """Return the ends of the waiting region of one location, in units of its axis.

        If waiting never pays, both are where the two answers cost the same.

        Parameters
        ----------
        D : array of the grid's shape
            Value of waiting minus that of the better answer.
        """
        (group,) = self.grid.groups
        ends = crossings(group.axis.nodes, self.grid.backend.to_numpy(D))
        if ends.size < 2:
            ridge = math.log(self.costs.false_alarm / (self.costs.miss * group.weight))
            return ridge, ridge
        return float(ends[0]), float(ends[-1])

    @property
    def backend(self) -> Backend:
        """Where it is computed."""
        backend: Backend = self.grid.backend
        return backend

    def start(self) -> Array:
        """Return V of answering at once."""
        return self.stop

    def resample(self, V: Array, target: Bellman) -> Array:
        """Interpolate V to the grid of another equation."""
        return self.grid.resample(V, target.grid)

    def with_sides_of(self, V: Array) -> Callable[[Array], Array]:
        """Return the right-hand side, the nodes kept on the sides where V has them."""
        best = self._with_sides(self.advantage(V) < 0)
        return lambda V: best(self.advantage(V))

    def __call__(self, V: Array) -> Array:
        """Return the right-hand side of the Bellman equation."""
        return self.best(self.advantage(V))


class ShareBellman(Bellman):
    """The right-hand side with one more minimum: that over the shares of information.

    What is called V above is here the state of `Looking`, the expected value after a step.

    Parameters
    ----------
    looking : Looking
        How shares are chosen; it holds the grid.
    costs : Costs
    dt : float
        Seconds per step.
    """

    iteration: ClassVar[dict[str, Any]] = {
        "max_iterations": 18_000,
        "patience": (30, 90),
        "max_rounds": 8,
    }

    def __init__(self, looking: Looking, costs: Costs, dt: float) -> None:
        super().__init__(looking.grid, costs, dt)
        self.looking = looking

    @cached_property
    def _price_above_stop(self) -> Array:
        return self.grid.dense(self.price - self.stop)

    @cached_property
    def _ridge(self) -> Array:
        return self.grid.dense(self.ridge)

    @cached_property
    def _near_ridge(self) -> Array:
        """Nodes with a neighbour on the other side of the ridge."""
        side = self._ridge < 0
        near = np.zeros(side.shape, dtype=np.bool_)
        for axis in range(side.ndim):
            differs = np.diff(side, axis=axis)
            for pad in ((0, 1), (1, 0)):
                near |= np.pad(differs, [pad if k == axis else (0, 0) for k in range(side.ndim)])
        return near

    @property
    def at_once(self) -> float:
        """V of the better answer before any evidence."""
        return float(self.grid.at_origin(self.stop))

    def start(self) -> Array:
        """Return the state of an observer who answers after the next step."""
        return self.looking.start(self.stop)

    def wait(self, V: Array) -> Array:
        """Return the value of waiting, shape (size,)."""
        return self.price + self.looking.value(V)

    def __call__(self, V: Array, waits: Array | None = None) -> Array:
        """Return the state one step earlier.

        Parameters
        ----------
        V : ndarray
            See `Looking`.
        waits : bool ndarray of shape (size,), optional
            Where to wait, if that is not to follow from the state.
        """
        D = self.advantage(V)
        inside = D < 0 if waits is None else waits
        sides = self.grid.dense(inside)
        cells: list[Cells] = []
        for value, looked_at in self.looking.pieces(V):
            level = self._price_above_stop + value
            if looked_at is None:
                cells.append(find_cells(level, level, inside=sides))
            else:
                within = sides & looked_at
                cells.append(find_cells(level, level, inside=within, keep=within | ~sides))
        if (~sides & self._near_ridge).any():
            cells.append(find_cells(self._ridge, self._ridge, keep=~sides))
        cells += self.looking.turns(V, sides)
        return self.looking.step(self.stop + np.where(inside, D, 0.0), cells)

    def with_sides_of(self, V: Array) -> Callable[[Array], Array]:
        """Return the right-hand side, the nodes kept on the sides where the state has them."""
        waits = self.wait(V) < self.stop
        return lambda V: self(V, waits)

    def resample(self, V: Array, target: Bellman) -> Array:
        """Interpolate a state to the grid of another equation."""
        assert isinstance(target, ShareBellman)
        return self.looking.resample(V, target.looking)

    def shares(self, V: Array) -> Array:
        """Return the shares of a state, shape (size, M): those of one more step."""
        self(V)
        return self.looking.shares()
