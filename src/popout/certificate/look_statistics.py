r"""What one more look, or two, could tell: statistics for tasks with a choice of looks.

The evidence of a look at f overlaps under "target at l" and "no target" by

.. math:: \mathbb{E}_0\sqrt{e^{\Delta Z_l}} = e^{-v_{fl} s_l^2 / 8},

one where item l is not seen, near zero where it is seen well. Of the posterior mass the part that
the best plan of k looks tells about is therefore at most about

.. math:: \max_{f_1 \le \dots \le f_k} \sum_l p_l \Bigl(1 - \prod_i e^{-v_{f_i l} s_l^2 / 8}\Bigr),

which knows where the likely items are and which gazes see them, as the value of looking does. The
logarithms of the sums over the items' odds, for plans of one and of two looks, follow the rows of
`popout.certificate.statistics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from popout.certificate.problem import Array
from popout.certificate.statistics import FEWEST, LogSumExps
from popout.noise.elementary import compiled, minus_log

PLANS = (1, 2)
"""Looks of a plan."""
LEAST = 1e-9
"""Part that a plan tells at least: logarithms stay finite where nothing is seen."""


@dataclass(frozen=True, eq=False)
class LookStatistics:
    """Scaled log-sum-exps of Z, and what plans of looks tell, see `LogSumExps`.

    Parameters
    ----------
    sums : LogSumExps
        Row 0 holds the log odds.
    told : sequence of ndarray of shape (n_plans, M)
        What each plan of so many looks tells of each item.

    Examples
    --------
    >>> sums = LogSumExps(np.ones((1, 2)), np.zeros((1, 2)), np.ones(1))
    >>> statistics = LookStatistics.of_looks(sums, np.eye(2), np.array([4.0, 4.0]))
    >>> Z = np.array([[0.0], [1.0]])
    >>> one, two = statistics.of(statistics.exponentials(Z), Z)[1:, 0]
    >>> round(float(np.exp(one) / np.e), 3), round(float(np.exp(two) / (1 + np.e)), 3)
    (0.865, 0.865)
    """

    sums: LogSumExps
    told: tuple[Array, ...]

    @classmethod
    def of_looks(cls, sums: LogSumExps, rows: Array, sd: Array) -> LookStatistics:
        """Return the statistics for looks that give items such parts of their best step."""
        overlap = -rows * sd**2 / 8.0
        told = []
        for n in PLANS:
            plans = combinations_with_replacement(range(len(rows)), n)
            told.append(np.unique([-np.expm1(overlap[list(p)].sum(axis=0)) for p in plans], axis=0))
        return cls(sums, tuple(np.maximum(each, LEAST) for each in told))

    @property
    def slope(self) -> Array:
        """Of the log-sum-exps."""
        return self.sums.slope

    @property
    def scale(self) -> Array:
        """One for each row, all that is read of it being how many there are."""
        return np.append(self.sums.scale, np.ones(len(self.told)))

    def exponentials(self, Z: Array) -> Array:
        """Return the terms of the log-sum-exps, shape (J, M, P)."""
        return self.sums.exponentials(Z)

    def of(self, e: Array, Z: Array) -> Array:
        """Return the statistics of states, shape (J + 2, P)."""
        none = np.ones((Z.shape[0], 1))
        rows = [self._tell(told, e[0], none) for told in self.told]
        return np.concatenate([self.sums.of(e, Z), *rows])

    def after(self, e: Array, Z: Array, steps: Array) -> tuple[Array, Array]:
        """Return what the statistics become after each of K steps, see `LogSumExps.after`."""
        sums, rows = self.sums.after(e, Z, steps)
        factors = np.exp(steps)
        return sums, np.concatenate([rows, *(self._tell(t, e[0], factors) for t in self.told)])

    @staticmethod
    def _tell(told: Array, odds: Array, factors: Array) -> Array:
        out = np.empty((odds.shape[1], factors.shape[1]))
        _best_plans(told, odds, factors, out)
        return out.reshape(1, out.size)


@compiled
def _best_plans(told: Any, odds: Any, factors: Any, out: Any) -> None:
    """Write the log of the largest sum of told[r, l] odds[l, p] factors[l, k] over plans r."""
    M, P = odds.shape
    K = factors.shape[1]
    total = np.empty(K)
    for p in range(P):
        best = out[p]
        for k in range(K):
            best[k] = FEWEST
        for plan in range(len(told)):
            for k in range(K):
                total[k] = 0.0
            for location in range(M):
                x = told[plan, location] * odds[location, p]
                for k in range(K):
                    total[k] += x * factors[location, k]
            for k in range(K):
                best[k] = max(best[k], total[k])
        for k in range(K):
            best[k] = -minus_log(best[k])
