r"""The best thresholds for a cost of time, from tables of first passages.

With errors that cost 1 and an even prior, an observer with thresholds :math:`(-\tau_-, \tau_+)` has
the risk

.. math:: R = \tfrac12 (P_{miss} + P_{fa}) + c\,E[t], \qquad
   c\,E[t] = \kappa\, E[v], \quad v = \Lambda t/M, \quad
   \kappa = c\,M\,e^{\sigma^2/2} / \Lambda ,

where :math:`\Lambda` is the median rate of information and :math:`\sigma` the standard deviation of
its logarithm between trials. The error rates are known in closed form and
:math:`E[v]` is in the table, so that the best pair depends on :math:`\kappa` alone: one curve for
each set size and guidance, computed once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import RectBivariateSpline
from scipy.optimize import minimize

from popout.people.passages.first_passages import (
    LEVELS,
    PassageTable,
    answer_probability,
    level_position,
)

Array = NDArray[np.float64]
_COSTS = np.linspace(np.log(1e-4), np.log(10.0), 48)


class MeanTimes:
    """Errors and mean decision times of any pair of thresholds, for one set size and guidance.

    Parameters
    ----------
    table : PassageTable

    Examples
    --------
    >>> import math
    >>> from popout.people.passages.first_passages import make_passages
    >>> times = MeanTimes(make_passages(1, 0.0, n_paths=20_000))
    >>> errors, time = times(2.0, 2.0)  # Wald: 2 tanh(1) / 2
    >>> round(float(errors), 3), bool(abs(time / math.tanh(1.0) - 1.0) < 0.03)
    (0.119, True)
    """

    def __init__(self, table: PassageTable) -> None:
        grid = np.arange(len(LEVELS))
        answers = answer_probability(LEVELS[:, None], LEVELS[None, :])
        mean = 0.5 * (answers * table.mean_time).sum(axis=(0, 1))
        self._log_mean = RectBivariateSpline(grid, grid, np.log(mean))

    def __call__(self, tau_minus: ArrayLike, tau_plus: ArrayLike) -> tuple[Array, Array]:
        """Return the error rate, both classes equally likely, and the mean of v."""
        answers = answer_probability(tau_minus, tau_plus)
        k, j = level_position(tau_minus), level_position(tau_plus)
        return 0.5 * (answers[0, 1] + answers[1, 0]), np.exp(self._log_mean.ev(k, j))


class IdealThresholds:
    """Best thresholds as functions of the cost of time.

    Parameters
    ----------
    tables : sequence of sequence of PassageTable, shape (n_sizes, G)
    """

    def __init__(self, tables: list[list[PassageTable]]) -> None:
        self.times = [[MeanTimes(table) for table in row] for row in tables]
        self.curves = np.array([[_curve(times) for times in row] for row in self.times])

    def __call__(self, log_cost: Array, weights: Array) -> tuple[Array, Array]:
        """Return the lower and the upper thresholds, shape (n_sizes,) each.

        Parameters
        ----------
        log_cost : ndarray of shape (n_sizes,)
            Log of kappa.
        weights : ndarray of shape (G,)
            Of the guidances.
        """
        x = np.clip((log_cost - _COSTS[0]) / (_COSTS[1] - _COSTS[0]), 0.0, len(_COSTS) - 1 - 1e-9)
        i = x.astype(np.int64)
        x = (x - i)[:, None]
        sizes = np.arange(len(i))
        before, after = (weights @ self.curves[sizes, ..., at] for at in (i, i + 1))
        tau: Array = np.exp((1.0 - x) * before + x * after)
        return tau[:, 0], tau[:, 1]


def _curve(times: MeanTimes) -> Array:
    """Return the log of the best thresholds at `_COSTS`, shape (2, n_costs)."""
    curve = np.empty((2, len(_COSTS)))
    bounds = [(np.log(LEVELS[0]), np.log(LEVELS[-1]))] * 2
    fine = np.exp(np.linspace(*bounds[0], 60))
    errors, mean = times(fine[:, None], fine[None, :])
    for n, cost in enumerate(np.exp(_COSTS)):

        def risk(log_tau: Array, cost: float = cost) -> float:
            wrong, time = times(*np.exp(log_tau))
            return float(np.log(wrong + cost * time))

        k, j = np.unravel_index(np.argmin(errors + cost * mean), errors.shape)
        start = np.log([fine[k], fine[j]])
        best = minimize(risk, start, method="L-BFGS-B", bounds=bounds)
        curve[:, n] = best.x if best.fun <= risk(start) else start
    return curve
