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
(`looking`). There the iteration runs on the expected value after a step, which is smooth where
V is not: V's kinks are known between the nodes (`share_kinks`).

**Naming the place.** Where the answer has to name the place of the target and a wrong place costs a
miss, "present" becomes one answer for each location,

.. math:: c_{fa} + c_{miss} \Bigl(w - 1 - \frac{p}{1-p} \pi_l e^{Z_l}\Bigr) ,

and the better answer is the least of M + 1 smooth functions, with kinks where two of them meet.
Two likely locations are worth telling apart however likely they are, so that the region of waiting
has no upper end there: an axis ends where its location is named unless another has come too far to
matter (`discretisation`).

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
from typing import Any

import numpy as np

from popout.exact.array_kinks import add_corrections, boundary_on
from popout.exact.backend import Array, Backend
from popout.exact.crossings import crossings
from popout.exact.looking import Looking, Stopping
from popout.task import Costs


class Stakes:
    """What the answers and a step cost at the nodes of a grid.

    Parameters
    ----------
    grid : Grid or ShareGrid
    costs : Costs
    dt : float
        Seconds per step.
    names_place : bool
        Whether "present" has to name the place; of a grid that has `odds_at`.
    """

    def __init__(self, grid: Any, costs: Costs, dt: float, names_place: bool = False) -> None:
        self.grid = grid
        self.costs = costs
        self.dt = dt
        self.names_place = names_place

    @cached_property
    def answers(self) -> Array:
        """V of "absent", and of every place that can be named, shape (1 + M, size)."""
        odds, at, costs = self.grid.odds, self.grid.odds_at, self.costs
        return np.vstack([costs.miss * odds, costs.false_alarm + costs.miss * (odds - at)])

    @cached_property
    def stop(self) -> Array:
        """V of the best answer."""
        if self.names_place:
            return np.asarray(self.answers.min(axis=0))
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

    @property
    def at_once(self) -> float:
        """V of the better answer before any evidence."""
        costs, groups = self.costs, self.grid.groups
        odds: float = sum(group.weight * group.m for group in groups)
        elsewhere = odds - max(group.weight for group in groups) if self.names_place else 0.0
        return min(costs.false_alarm + costs.miss * elsewhere, costs.miss * odds)

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


class Bellman(Stakes):
    """The right-hand side of the Bellman equation on a grid, whatever a look can be.

    It maps one state of `Looking` to that of a step earlier: for fixed rates V itself, for shares
    its expectation.

    Parameters
    ----------
    looking : Looking
        What a look is, and who chooses it; it holds the grid.
    costs : Costs
    dt : float
        Seconds per step.
    names_place : bool
        See `Stakes`.
    """

    def __init__(
        self, looking: Looking, costs: Costs, dt: float, names_place: bool = False
    ) -> None:
        super().__init__(looking.grid, costs, dt, names_place)
        self.looking = looking

    @property
    def backend(self) -> Backend:
        """Where it is computed."""
        backend: Backend = self.grid.backend
        return backend

    def start(self) -> Array:
        """Return the state of an observer who answers after the next step."""
        return self.looking.start(self.stop)

    def wait(self, state: Array) -> Array:
        """Return the value of waiting one step, of the grid's shape."""
        return self.price + self.looking.chosen(self.looking.after(state))

    def advantages(self, state: Array) -> Array:
        """Return the value of every look that the state keeps apart minus that of answering."""
        return self.price + self.looking.after(state) - self.stop

    def earlier(
        self, waits: Array | None = None, looking: Looking | None = None
    ) -> Callable[[Array], Array]:
        """Return what makes a state of `advantages`; nodes keep their sides where these are given.

        Parameters
        ----------
        waits : bool array of the grid's shape, optional
        looking : Looking, optional
            The equation's own when left out.
        """
        ridge = (self.ridge, self.ridge) if self.looking.moves_singly else None
        stopping = Stopping(self.stop, waits, answers=ridge)
        if self.names_place:
            stopping = Stopping(self.stop, waits, places=self.answers)
        return (looking or self.looking).earlier(stopping)

    @cached_property
    def best(self) -> Callable[[Array], Array]:
        """What takes the minimum over the three actions, with sub-grid kinks, of `advantages`."""
        return self.earlier()

    def with_sides_of(self, state: Array) -> Callable[[Array], Array]:
        """Return the right-hand side, the nodes kept on the sides where the state has them."""
        D = self.advantages(state)
        best = self.earlier(self.looking.chosen(D) < 0, self.looking.held(D))
        return lambda state: best(self.advantages(state))

    def __call__(self, state: Array) -> Array:
        """Return the right-hand side of the Bellman equation."""
        return self.best(self.advantages(state))

    def origin(self, state: Array) -> float:
        """Return the value before any evidence, when the state is that of one step later.

        V itself cannot be read off close to a boundary: there it holds the corrections of `kinks`.
        """
        waiting: float = self.grid.at_origin(self.wait(state))
        return min(self.at_once, waiting)

    def resample(self, state: Array, target: Bellman) -> Array:
        """Interpolate a state to the grid of another equation."""
        return self.looking.resample(state, target.looking)
