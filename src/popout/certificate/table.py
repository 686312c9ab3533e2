r"""The exact value function as v, where the exact solver has a table.

`popout.strategies.ExactTable` holds :math:`A = \log (Q / G)`, the logarithm of the value of waiting
over that of answering, at nodes of Z. Between the nodes cubic B-splines interpolate; below the
lowest node a location is ruled out, above the highest one answers: :math:`v = g \min(1, e^A)`. What
separates the two bounds is then the error of the table and of its interpolation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import spline_filter

from popout.certificate.problem import Array, Prices
from popout.certificate.statistics import LogSumExps, statistics_for
from popout.noise.elementary import compiled
from popout.strategies.exact_table import ExactTable


@dataclass(frozen=True, eq=False)
class TableValue:
    """A table of the exact solution as a `popout.certificate.problem.Value`."""

    statistics: LogSumExps
    prices: Prices
    coefficients: Array
    lower: Array
    spacing: Array

    def advantage(self, S: Array) -> Array:
        """Return the advantage of waiting, shape (n,)."""
        A = np.empty(S.shape[1])
        shape = np.array(self.coefficients.shape)
        Z = S[len(self.statistics.scale) :]
        _interpolate(Z, self.coefficients.ravel(), shape, self.lower, self.spacing, A)
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
    # Mirrored at either end, as `spline_filter` assumes: the stencil reaches one node further.
    coefficients = np.pad(spline_filter(table.table.astype(np.float64)), 1, mode="reflect")
    return TableValue(
        statistics,
        prices,
        np.ascontiguousarray(coefficients),
        np.asarray(table.lower),
        np.asarray(table.spacing),
    )


@compiled
def _interpolate(Z: Any, flat: Any, shape: Any, lower: Any, spacing: Any, out: Any) -> None:
    """Evaluate a cubic spline in D dimensions at each column of Z, clipped to its range."""
    D, n = Z.shape
    weight = np.empty((D, 4))
    stride = np.ones(D, np.int64)
    for d in range(D - 2, -1, -1):
        stride[d] = stride[d + 1] * shape[d + 1]
    n_outer = 4 ** (D - 1)
    for i in range(n):
        first = 0
        for d in range(D):
            cells = shape[d] - 3
            x = (Z[d, i] - lower[d]) / spacing[d]
            x = min(max(x, 0.0), cells * 1.0)
            cell = min(int(x), cells - 1)
            x -= cell
            y = 1.0 - x
            weight[d, 0] = y * y * y / 6.0
            weight[d, 1] = (3.0 * x * x * (x - 2.0) + 4.0) / 6.0
            weight[d, 2] = (3.0 * y * y * (y - 2.0) + 4.0) / 6.0
            weight[d, 3] = x * x * x / 6.0
            first += cell * stride[d]
        total = 0.0
        for outer in range(n_outer):
            w, place, rest = 1.0, first, outer
            for d in range(D - 1):
                tap = rest & 3
                rest >>= 2
                w *= weight[d, tap]
                place += tap * stride[d]
            inner = 0.0
            for tap in range(4):
                inner += weight[D - 1, tap] * flat[place + tap]
            total += w * inner
        out[i] = total
