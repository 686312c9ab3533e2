r"""The Bellman equation of looking and stopping together.

After the change of measure of `bellman`, the choice of shares adds one minimum:

.. math:: V(Z) = \min\Bigl\{ c_{fa},\; c_{miss}\,(w-1),\;
          \delta t\,\bigl(C_0 + C_1 (w-1)\bigr) + \min_\alpha E_0^\alpha\bigl[V(Z')\bigr] \Bigr\} .

The iteration runs on the expected value after a step, which is smooth where V is not: V has kinks
where waiting costs as much as an answer, and those are known between the nodes (`joint_kinks`).
For a given attention policy the minimum over shares is replaced by its own (`joint_looking`),
and the same equation yields the best stopping for it.

**The minimum over shares.** Close to where two locations are equally good the best share passes
from one to the other within a strip narrower than a step. The expected value has a kink there that
is rounded off over the width of the strip; a grid that does not resolve the strip errs at second
order in the spacing. A second such kink lies along :math:`Z_l = \tau_-`: whether location l is
above or below its lower threshold matters all the while another one is being looked at, and
nothing smooths V along axis l meanwhile. The refinement (`joint_refine`) sees these errors like any
other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from popout.exact.backend import Backend, get_backend
from popout.exact.joint_kinks import Cells, find_cells
from popout.exact.joint_looking import Looking
from popout.task import Costs

Array = NDArray[np.float64]
Sides = NDArray[np.bool_]


class JointBellman:
    """The right-hand side of the Bellman equation on one grid.

    Parameters
    ----------
    looking : Looking
        How shares are chosen; it holds the grid.
    costs : Costs
    dt : float
        Seconds per step.
    """

    def __init__(self, looking: Looking, costs: Costs, dt: float) -> None:
        self.looking = looking
        self.grid = looking.grid
        self.costs = costs
        self.dt = dt

    @cached_property
    def stop(self) -> Array:
        """V of the better of the two answers."""
        return np.minimum(self.costs.miss * self.grid.odds, self.costs.false_alarm)

    @cached_property
    def price(self) -> Array:
        """What one step of waiting adds to V."""
        costs = self.costs
        return np.asarray(self.dt * (costs.time_absent + costs.time_present * self.grid.odds))

    @cached_property
    def _price_above_stop(self) -> Array:
        return self.grid.full(self.price - self.stop)

    @cached_property
    def _ridge(self) -> Array:
        """V of "absent" minus V of "present" on the full grid."""
        return self.costs.miss * self.grid.full(self.grid.odds) - self.costs.false_alarm

    @cached_property
    def _near_ridge(self) -> Sides:
        """Nodes with a neighbour on the other side of the ridge."""
        side = self._ridge < 0
        near = np.zeros(side.shape, dtype=np.bool_)
        for axis in range(side.ndim):
            differs = np.diff(side, axis=axis)
            for pad in ((0, 1), (1, 0)):
                near |= np.pad(differs, [pad if k == axis else (0, 0) for k in range(side.ndim)])
        return near

    def start(self) -> Array:
        """Return the state of an observer who answers after the next step."""
        return self.looking.start(self.stop)

    def wait(self, state: Array) -> Array:
        """Return the value of waiting, shape (size,)."""
        return self.price + self.looking.value(state)

    def __call__(self, state: Array, waits: Sides | None = None) -> Array:
        """Return the state one step earlier.

        Parameters
        ----------
        state : ndarray
            See `Looking`.
        waits : bool ndarray of shape (size,), optional
            Where to wait, if that is not to follow from the state.
        """
        D = self.wait(state) - self.stop
        inside = D < 0 if waits is None else waits
        sides = self.grid.full(inside)
        cells: list[Cells] = []
        for value, here in self.looking.pieces(state):
            level = self._price_above_stop + value
            if here is None:
                cells.append(find_cells(level, level, inside=sides))
            else:
                within = sides & here
                cells.append(find_cells(level, level, inside=within, keep=within | ~sides))
        if (~sides & self._near_ridge).any():
            cells.append(find_cells(self._ridge, self._ridge, keep=~sides))
        cells += self.looking.turns(state, sides)
        return self.looking.step(self.stop + np.where(inside, D, 0.0), cells)

    @property
    def backend(self) -> Backend:
        """Where it is computed."""
        return get_backend()

    def with_sides_of(self, state: Array) -> Callable[[Array], Array]:
        """Return the right-hand side, the nodes kept on the sides where the state has them."""
        waits = self.wait(state) < self.stop
        return lambda state: self(state, waits)

    def origin(self, state: Array) -> float:
        """Return the value before any evidence."""
        here = self.grid.at_origin
        return float(min(self.stop[here], self.wait(state)[here]))
