r"""The paper's dynamic programming on its own grid (Equation 7; Methods, "Dynamic programming").

The paper solves

.. math:: R(Z) = \min\{1 - P_0,\; P_0,\; C_{time}\,\delta t + E[R(Z') \mid Z]\}

by backward induction on bins of a fixed width between fixed ends. The next state follows a mixture
of M + 1 Gaussians, one for each place of the target. With the odds of presence
:math:`o(Z) = \frac{p}{1-p}\frac{1}{M} \sum_l e^{Z_l}` and :math:`V = (1 + o)\,R` the mixture
becomes the law of target-absent alone, since :math:`e^{Z_l}` is the likelihood ratio of "target at
l":

.. math:: V = \min\{o,\; 1,\; C_{time}\,\delta t\,(1 + o) + E_0[V(Z')]\}.

This is the same induction, number for number. Under target-absent the locations are independent,
so a step is one matrix product for each axis. A Gaussian step is two half steps
through points that are far apart (the trapezoidal rule is exact to 1e-13 on Gaussians at this
spacing), which makes each product thin.

What lies beyond the ends takes the value of the end; the paper does not say what it did there.
Above, where the answer is "present" and V = 1, that is exact. Below it is an error of order
:math:`e^{-10}`.

After k steps V belongs to a horizon of k steps: an observer that has :math:`k\,\delta t` seconds
left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.evidence import llr_step
from popout.exact.crossings import crossings
from popout.task import Costs, SearchTask

Array = NDArray[np.float64]
COARSE = 2.5
"""Points between the half steps for each standard deviation of a step."""
REACH = 9.0
"""Standard deviations of a half step after which a Gaussian is zero."""


@dataclass(frozen=True, eq=False)
class PaperGrid:
    """Bins between two ends, for one location or two.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
        With equal costs of both errors, as in the paper.
    low, high : float
        Ends of every axis, in nats.
    bins : int
        An even number, so that Z = 0 is a node.

    Examples
    --------
    >>> grid = PaperGrid(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2), -10, 10, 250)
    >>> V, _ = settle(grid)
    >>> print(f"{grid.risk(V):.4f}")
    0.0440
    """

    task: SearchTask
    costs: Costs
    low: float
    high: float
    bins: int

    @property
    def nodes(self) -> Array:
        """Edges of the bins, shape (bins + 1,)."""
        return np.linspace(self.low, self.high, self.bins + 1)

    @property
    def odds(self) -> Array:
        """Posterior odds of presence at every node."""
        alone = np.exp(self.nodes) * self.task.prior / (1 - self.task.prior) / self.task.n_locations
        return alone if self.task.n_locations == 1 else alone[:, None] + alone[None, :]

    def stop(self) -> Array:
        """Return V where the observer has to answer: the end of the horizon."""
        return np.minimum(self.odds, 1.0)

    def steps(self, V: Array) -> Iterator[tuple[Array, Array]]:
        """Yield V after one more step of the horizon, and the value of waiting before it."""
        halves = [self._half_steps(location) for location in range(self.task.n_locations)]
        (out, back), (out2, back2) = halves[0], halves[-1]
        stop, price = self.stop(), self.costs.time_absent * self.task.dt * (1.0 + self.odds)
        while True:
            waiting = out @ (back @ V) if V.ndim == 1 else out @ (back @ V @ back2.T) @ out2.T
            waiting += price
            V = np.minimum(stop, waiting)
            yield V, waiting

    def risk(self, V: Array) -> float:
        """Return the risk before any evidence, R(0)."""
        origin = int(np.argmin(np.abs(self.nodes)))
        return float((1 - self.task.prior) * V[(origin,) * V.ndim])

    def log_ratio(self, waiting: Array) -> Array:
        """Return log(value of waiting / value of answering); the boundary is where it vanishes."""
        return np.asarray(np.log(waiting / self.stop()))

    def _half_steps(self, location: int) -> tuple[Array, Array]:
        """Return the second and the first half of a step: (nodes, points), (points, nodes)."""
        law = llr_step(self.task)
        mean = float(law.mean_distractor[location]) / 2
        sd = float(law.sd[location]) / math.sqrt(2.0)
        nodes, h = self.nodes, (self.high - self.low) / self.bins
        apart = math.sqrt(2.0) * sd / COARSE
        points = np.arange(self.low - REACH * sd + mean, self.high + REACH * sd + mean, apart)
        beyond = math.ceil(2 * REACH * sd / h)
        wide = self.low + h * np.arange(-beyond, self.bins + 1 + beyond)

        def density(x: Array) -> Array:
            return np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))

        out = apart * density(points[None, :] - nodes[:, None])
        full = h * density(wide[None, :] - points[:, None])
        back = full[:, beyond:-beyond].copy()
        back[:, 0] += full[:, :beyond].sum(axis=1)
        back[:, -1] += full[:, -beyond:].sum(axis=1)
        return out, back


def settle(
    grid: PaperGrid, start: Array | None = None, change: float = 1e-9, limit: int = 20_000
) -> tuple[Array, Array]:
    """Go backwards until one more step changes V by less than `change` everywhere.

    Parameters
    ----------
    grid : PaperGrid
    start : ndarray, optional
        V to begin with, e.g. of a coarser grid; "answer now" by default.
    change : float
    limit : int
        Most steps.

    Returns
    -------
    V, waiting : ndarray
    """
    V = grid.stop() if start is None else start
    for k, (new, waiting) in enumerate(grid.steps(V)):
        # The comparison costs as much as a tenth of a step: not every time.
        if (k % 8 == 7 and float(np.abs(new - V).max()) < change) or k >= limit:
            return new, waiting
        V = new
    raise AssertionError  # steps never end


def boundary_sums(nodes: Array, log_ratio: Array, d: Array) -> Array:
    """Return Z1 + Z2 where the boundaries cross lines of constant Z1 - Z2.

    Parameters
    ----------
    nodes : ndarray of shape (n,)
    log_ratio : ndarray of shape (n, n)
    d : ndarray of shape (k,)
        Values of Z1 - Z2, rounded to whole bins.

    Returns
    -------
    sums : ndarray of shape (2, k)
        Lower and upper boundary; NaN where waiting never pays.

    Examples
    --------
    >>> nodes = np.linspace(-4.0, 4.0, 9)
    >>> ring = nodes[:, None] ** 2 + nodes[None, :] ** 2 - 8.0  # wait inside
    >>> boundary_sums(nodes, ring, np.array([0.0])).ravel()
    array([-4.,  4.])
    """
    h = nodes[1] - nodes[0]
    sums = np.full((2, d.size), math.nan)
    for k, offset in enumerate(np.rint(d / h).astype(int)):
        along = np.diagonal(log_ratio, -offset)
        first = max(int(offset), 0)
        Z1 = nodes[first : first + along.size]
        ends = crossings(Z1, along)
        if ends.size >= 2:
            sums[:, k] = 2 * ends[[0, -1]] - offset * h
    return sums
