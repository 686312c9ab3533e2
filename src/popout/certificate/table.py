r"""The exact value function as v, where the exact solver has a table.

`popout.policies.stopping.ExactTable` holds :math:`A = \log (Q / G)`, the logarithm of the value of
waiting over that of answering, at nodes of Z. Between the nodes cubic B-splines interpolate; below
the lowest node a location is ruled out, above the highest one answers: :math:`v = g \min(1, e^A)`.
What separates the two bounds is then the error of the table and of its interpolation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from popout.certificate.problem import Array, Prices
from popout.certificate.statistics import LogSumExps, statistics_for
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.table_spline import TableSpline


@dataclass(frozen=True, eq=False)
class TableValue:
    """A table of the exact solution as a `popout.certificate.problem.Value`."""

    statistics: LogSumExps
    prices: Prices
    spline: TableSpline

    def advantage(self, S: Array) -> Array:
        """Return the advantage of waiting, shape (n,)."""
        A = self.spline(S[len(self.statistics.scale) :])
        return np.asarray(-self.prices.stop(S[0]) * np.expm1(np.minimum(A, 50.0)))


def table_value(table: ExactTable, prices: Prices, sd: Array) -> TableValue:
    """Return the value function of an exact table.

    Parameters
    ----------
    table : ExactTable
        ``solution.strategy`` of `popout.solve`.
    prices : Prices
    sd : ndarray of shape (M,)
        Standard deviation of a step at the locations of the table.
    """
    log_weight = np.asarray(table.log_weight)[list(table.locations)]
    rows = statistics_for(log_weight, sd, None)
    keep = slice(0, 3)  # the log odds, and what serves as control variates
    statistics = LogSumExps(rows.slope[keep], rows.shift[keep], rows.scale[keep], True)
    return TableValue(statistics, prices, TableSpline.of(table))
