r"""The Bellman equation of looking and stopping together.

After the change of measure of `bellman`, the choice of shares adds one minimum:

.. math:: V(Z) = \min\Bigl\{ c_{fa},\; c_{miss}\,(w-1),\; W(Z) \Bigr\}, \qquad
          W(Z) = \delta t\,\bigl(C_0 + C_1 (w-1)\bigr) + \min_\alpha E_0^\alpha\bigl[V(Z')\bigr] .

The iteration runs on W, the value of waiting. Where the shares are free it is smooth; V has kinks
where W meets the cost of an answer, and those are known between the nodes (`joint_kinks`). The
minimum over shares is differentiable where the best share changes continuously, so it needs no
correction of its own.

For a given attention policy the minimum is replaced by the value of the policy's shares, and the
same equation yields the best stopping for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from popout.exact.joint_grid import JointGrid
from popout.exact.joint_kinks import Cells, find_cells
from popout.exact.joint_shares import best_share
from popout.task import Costs

__all__ = ["Choice", "JointBellman"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """The value of waiting and the shares that bring it about.

    Attributes
    ----------
    W : ndarray of shape (size,)
    shares : ndarray of shape (size, M)
    """

    W: Array
    shares: Array


class JointBellman:
    """The right-hand side of the Bellman equation on one grid.

    Parameters
    ----------
    grid : JointGrid
    costs : Costs
    dt : float
        Seconds per step.
    shares : ndarray of shape (size, M), optional
        Shares of a given attention policy at the domain's nodes; the best ones when left out.
    """

    def __init__(
        self, grid: JointGrid, costs: Costs, dt: float, shares: Array | None = None
    ) -> None:
        self.grid = grid
        self.costs = costs
        self.dt = dt
        self.shares = shares
        size = grid.size
        self._best = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)

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
    def _full_stop(self) -> Array:
        return np.asarray(self.grid.full(self.stop))

    @cached_property
    def _ridge(self) -> Array:
        """V of "absent" minus V of "present" on the full grid."""
        odds = np.asarray(self.grid.full(self.grid.odds))
        return self.costs.miss * odds - self.costs.false_alarm

    @cached_property
    def _near_ridge(self) -> NDArray[np.bool_]:
        """Nodes with a neighbour on the other side of the ridge."""
        side = self._ridge < 0
        near = np.zeros(side.shape, dtype=np.bool_)
        for axis in range(side.ndim):
            differs = np.diff(side, axis=axis)
            ends = [(0, 1), (1, 0)]
            for pad in ends:
                widths = [(0, 0)] * side.ndim
                widths[axis] = pad
                near |= np.pad(differs, widths)
        return near

    @cached_property
    def _weights(self) -> Array:
        assert self.shares is not None
        return self.grid.lattice.weights(self.shares)

    @cached_property
    def _used(self) -> NDArray[np.bool_]:
        return np.asarray((self._weights != 0.0).any(axis=1))

    def values(self, W: Array, waits: NDArray[np.bool_] | None = None) -> Array:
        """Return E_0[V(Z')] under every share, shape (A, size), for a value of waiting W.

        Parameters
        ----------
        W : ndarray of shape (size,)
        waits : bool ndarray of shape (size,), optional
            Where to wait, if that is not to follow from W.
        """
        V, cells = self.boundaries(W, waits)
        choose = None if self.shares is None else (lambda share: bool(self._used[share]))
        return self.grid.expect(V, cells, choose)

    def boundaries(
        self, W: Array, waits: NDArray[np.bool_] | None = None
    ) -> tuple[Array, list[Cells]]:
        """Return V at the nodes and where it has kinks between them."""
        D = W - self.stop
        inside = D < 0 if waits is None else waits
        V = np.where(inside, W, self.stop)
        level = np.asarray(self.grid.full(D))
        sides = np.asarray(self.grid.full(inside))
        cells = [find_cells(level, level, inside=sides)]
        if (~sides & self._near_ridge).any():
            cells.append(find_cells(self._ridge, self._ridge, keep=~sides))
        return V, cells

    def __call__(self, W: Array, waits: NDArray[np.bool_] | None = None) -> Array:
        """Return the value of waiting, given the value of waiting one step later."""
        f = self.values(W, waits)
        if self.shares is not None:
            used = self._used
            return self.price + np.einsum("as,as->s", self._weights[used], f[used])
        out = np.empty(self.grid.size)
        best_share(f, self.grid.lattice.neighbours, True, out, *self._best)
        return self.price + out

    def choice(self, W: Array) -> Choice:
        """Return the value of waiting and the shares, given the value one step later."""
        after = self(W)
        if self.shares is not None:
            return Choice(after, self.shares)
        return Choice(after, self.grid.lattice.shares_between(*self._best))

    def origin(self, W: Array) -> float:
        """Return the value before any evidence."""
        here = self.grid.at_origin
        return float(min(self.stop[here], W[here]))
