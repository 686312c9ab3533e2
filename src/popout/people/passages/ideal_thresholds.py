r"""The best thresholds for a cost of time, from tables of first passages.

Targets have the probability p, misses cost :math:`c_1`, false alarms :math:`c_0`, and a second c.
An observer with thresholds :math:`(-\tau_-, \tau_+)` on the log likelihood ratio S, which starts at
0 whatever the prior, has the risk

.. math:: R = p\,c_1 P_{miss} + (1-p)\,c_0 P_{fa} + c\,\bigl(p\,E_1[t] + (1-p)\,E_0[t]\bigr),
   \qquad c\,E[t] = \kappa\, E[v], \quad v = \Lambda t/M, \quad
   \kappa = c\,M\,e^{\sigma^2/2} / \Lambda ,

where :math:`\Lambda` is the median rate of information and :math:`\sigma` the standard deviation of
its logarithm between trials. The error rates are known in closed form. Given the answer its mean
time is the same in both classes, and in the table; so the best pair depends on :math:`\kappa` alone
for given stakes :math:`(p, c_1, c_0)`: one curve for each set size and guidance, computed once, by
Newton's method for all costs of time together.

**At once.** Where targets are likely or an error costs much, the best threshold on one side may
be 0: the answer comes without looking. Tables begin at `LEAST` nats, where the rarer answer still
has a probability of some 15 %, so they are continued to `AT_ONCE`, where it has one of 0.1 %. Error
rates are exact there, and mean times shrink as those of a Brownian motion (`log_sooner`).

**Time limits** are left out of the risk: thresholds are those of unlimited time. That is no small
matter where many trials run into the limit and a missing answer costs something. One item,
:math:`\kappa = 0.1`: if a missing answer costs as much as a guess (1/2), the best constant
thresholds for the limit have a risk 3 % lower where 5 % of the trials would be cut, 7 % lower where
10 % would, and 15 % lower where 20 % would; twice to four times that if it costs as much as an
error. People under such pressure are better described by free thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import RectBivariateSpline

from popout.people.passages.first_passages import (
    LEAST,
    LEVELS,
    MOST,
    PassageTable,
    answer_probability,
    level_position,
    log_sooner,
)

Array = NDArray[np.float64]
Stakes = tuple[float, float, float]
"""Prior, cost of a miss, cost of a false alarm."""
EVEN: Stakes = (0.5, 1.0, 1.0)
AT_ONCE = 1e-3
"""Least threshold in nats: all but one in a thousand answer at once."""
_COSTS = np.linspace(np.log(1e-4), np.log(10.0), 128)
_BOUNDS = np.log([AT_ONCE, MOST])
_DIFFERENCE = 1e-3  # of log thresholds, for Newton's method
_STENCIL = _DIFFERENCE * np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)])


class MeanTimes:
    """Errors and mean decision times of any pair of thresholds, for one set size and guidance.

    Parameters
    ----------
    table : PassageTable
    *more : PassageTable
        Where kinds of trials differ, all tables between which theirs lie.
    shares : array_like of shape (S,)
        Of the kinds of trials, times what their time is worth.
    by_table : array_like of shape (S, n_tables)
        How each is interpolated between the tables, in log time.

    Examples
    --------
    >>> import math
    >>> from popout.people.passages.first_passages import make_passages
    >>> times = MeanTimes(make_passages(1, math.inf))
    >>> errors, time = times(2.0, 2.0)  # Wald: 2 tanh(1) / 2
    >>> round(float(errors), 3), bool(abs(time / math.tanh(1.0) - 1.0) < 1e-3)
    (0.119, True)
    """

    def __init__(
        self,
        table: PassageTable,
        *more: PassageTable,
        shares: ArrayLike = (1.0,),
        by_table: ArrayLike = ((1.0,),),
    ) -> None:
        self._log_means = [_log_means(each) for each in (table, *more)]
        self._shares, self._by_table = np.asarray(shares), np.asarray(by_table)

    def __call__(
        self, tau_minus: ArrayLike, tau_plus: ArrayLike, stakes: Stakes = EVEN
    ) -> tuple[Array, Array]:
        """Return the mean cost of errors, an error rate if the stakes are even, and that of v."""
        tau = np.broadcast_arrays(np.asarray(tau_minus, float), np.asarray(tau_plus, float))
        prior, miss, alarm = stakes
        answers = answer_probability(*tau)
        wrong = prior * miss * answers[1, 0] + (1.0 - prior) * alarm * answers[0, 1]
        k, j = (level_position(np.maximum(each, LEAST)) for each in tau)
        mean, sooner = np.zeros(tau[0].shape), log_sooner(*tau)
        for said in range(2):
            logs = np.array([log_means[said].ev(k, j) for log_means in self._log_means])
            times = np.exp(np.tensordot(self._by_table, logs, 1) - sooner[said])
            share = (1.0 - prior) * answers[0, said] + prior * answers[1, said]
            mean += share * np.tensordot(self._shares, times, 1)
        return wrong, mean


@lru_cache(maxsize=1024)
def _log_means(table: PassageTable) -> list[RectBivariateSpline]:
    grid = np.arange(len(LEVELS))
    return [RectBivariateSpline(grid, grid, np.log(m)) for m in table.mean_time]


class IdealThresholds:
    """Best thresholds as functions of the cost of time.

    Parameters
    ----------
    tables : sequence of sequence of PassageTable, shape (n_sizes, G)
    """

    def __init__(self, tables: list[list[PassageTable]]) -> None:
        self.times = [[MeanTimes(table) for table in row] for row in tables]
        self._curves: dict[Stakes, Array] = {}

    def curves(self, stakes: Stakes) -> Array:
        """Return the best thresholds at all costs of time, shape (n_sizes, G, 2, n_costs)."""
        if stakes not in self._curves:
            rows = [[_curve(times, stakes) for times in row] for row in self.times]
            self._curves[stakes] = np.array(rows)
        return self._curves[stakes]

    def __call__(
        self, log_cost: Array, weights: Array, stakes: Stakes = EVEN
    ) -> tuple[Array, Array]:
        """Return the lower and the upper thresholds, shape (n_sizes,) each.

        Parameters
        ----------
        log_cost : ndarray of shape (n_sizes,)
            Log of kappa.
        weights : ndarray of shape (G,)
            Of the guidances.
        stakes : tuple of three float
            Prior, and the costs of a miss and of a false alarm.
        """
        x = np.clip((log_cost - _COSTS[0]) / (_COSTS[1] - _COSTS[0]), 0.0, len(_COSTS) - 1 - 1e-9)
        i = x.astype(np.int64)
        x, curves, sizes = (x - i)[:, None], self.curves(stakes), np.arange(len(i))
        before, after = (weights @ curves[sizes, ..., at] for at in (i, i + 1))
        tau: Array = (1.0 - x) * before + x * after
        return tau[:, 0], tau[:, 1]


def _curve(times: MeanTimes, stakes: Stakes) -> Array:
    """Return the best thresholds at `_COSTS`, shape (2, n_costs): a grid, then Newton's method."""
    fine = np.linspace(_BOUNDS[0], _BOUNDS[1], 80)
    grid = np.stack(np.meshgrid(fine, fine), axis=-1).reshape(-1, 2)
    costs = np.exp(_COSTS)

    def risk(x: Array, costs: Array = costs) -> Array:
        tau = np.exp(x)
        wrong, time = times(tau[..., 0], tau[..., 1], stakes)
        return wrong + costs * time

    x = grid[np.argmin(risk(grid, costs[:, None]), axis=1)]
    return np.asarray(np.exp(descended(risk, x, 20).T))


def descended(risk: Callable[[Array], Array], x: Array, n_steps: int) -> Array:
    """Return log thresholds of less risk, by Newton's method.

    Parameters
    ----------
    risk : callable
        Maps log thresholds of shape (..., n, 2) to shape (..., n).
    x : ndarray of shape (n, 2)
        Where to begin.
    n_steps : int
    """
    best, damping = risk(x), np.full(len(x), 1e-3)
    for _ in range(n_steps):
        around = risk(x + _STENCIL[:, None]).reshape(3, 3, -1)
        slope = np.stack([around[2, 1] - around[0, 1], around[1, 2] - around[1, 0]], axis=-1)
        slope /= 2.0 * _DIFFERENCE
        bend = np.empty((len(x), 2, 2))
        bend[:, 0, 0] = around[2, 1] + around[0, 1] - 2.0 * around[1, 1]
        bend[:, 1, 1] = around[1, 2] + around[1, 0] - 2.0 * around[1, 1]
        mixed = around[2, 2] + around[0, 0] - around[2, 0] - around[0, 2]
        bend[:, 0, 1] = bend[:, 1, 0] = 0.25 * mixed
        values, axes = np.linalg.eigh(bend / _DIFFERENCE**2)
        along = np.einsum("nji,nj->ni", axes, slope)
        along /= np.abs(values) + damping[:, None] * np.abs(values).max(axis=1, keepdims=True)
        step = np.clip(np.einsum("nij,nj->ni", axes, along), -1.0, 1.0)
        tried = np.clip(x - step, *_BOUNDS)
        there = risk(tried)
        better = there < best
        x[better], best[better] = tried[better], there[better]
        damping = np.where(better, 0.1 * damping, 10.0 * damping + 1e-6)
    return x
