"""A cubic spline through the nodes of an exact table: smooth where the table is multilinear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import spline_filter

from popout.noise.elementary import compiled
from popout.policies.stopping.exact_table import ExactTable

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableSpline:
    """The spline of a table; beyond its range it is constant.

    Attributes
    ----------
    coefficients : ndarray, one dimension per location of the table
        Of cubic B-splines, with one more at either end.
    lower, spacing : ndarray of shape (D,)
        First node and distance between nodes of each dimension.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> table = po.solve(task, po.Costs(time=0.2)).strategy
    >>> Z = np.array([[0.3], [-0.8]])
    >>> bool(abs(TableSpline.of(table)(Z) - table.log_ratio(Z.T)) < 1e-3)
    True
    """

    coefficients: Array
    lower: Array
    spacing: Array

    @classmethod
    def of(cls, table: ExactTable) -> TableSpline:
        """Return the spline through the nodes of a table."""
        # Mirrored at either end, as `spline_filter` assumes: the stencil reaches one node further.
        coefficients = np.pad(spline_filter(table.table.astype(np.float64)), 1, mode="reflect")
        return cls(
            np.ascontiguousarray(coefficients), np.asarray(table.lower), np.asarray(table.spacing)
        )

    @property
    def upper(self) -> Array:
        """Last node of each dimension, shape (D,)."""
        return self.lower + self.spacing * (np.asarray(self.coefficients.shape) - 3.0)

    @property
    def numbers(self) -> tuple[Array, ...]:
        """What `interpolate` takes: coefficients, their shape, first nodes and distances."""
        shape = np.array(self.coefficients.shape)
        return self.coefficients.ravel(), shape, self.lower, self.spacing

    def __call__(self, Z: Array) -> Array:
        """Return the spline at each column of Z, of shape (D, n)."""
        out = np.empty(Z.shape[1])
        interpolate(np.ascontiguousarray(Z), len(out), self.numbers, out)
        return out


@compiled
def cubic_splines(x: float, out: Any) -> None:
    """Write the four cubic B-splines that are not zero at a place x in [0, 1] of a cell."""
    y = 1.0 - x
    out[0] = y * y * y / 6.0
    out[1] = (3.0 * x * x * (x - 2.0) + 4.0) / 6.0
    out[2] = (3.0 * y * y * (y - 2.0) + 4.0) / 6.0
    out[3] = x * x * x / 6.0


@compiled
def interpolate(Z: Any, n: int, numbers: Any, out: Any) -> None:
    """Evaluate a spline at the first n columns of Z, clipped to its range.

    Many at a time: taking the numbers out of their tuple costs as much as some evaluations.
    """
    flat, shape, lower, spacing = numbers
    D = len(Z)
    weight, stride = np.empty((D, 4)), np.ones(D, np.int64)
    for d in range(D - 2, -1, -1):
        stride[d] = stride[d + 1] * shape[d + 1]
    # Where the rows of the last dimension begin, the last but one counting fastest.
    rows = np.zeros(4 ** (D - 1), np.int64)
    for d in range(D - 1):
        for row in range(len(rows)):
            rows[row] += ((row >> (2 * (D - 2 - d))) & 3) * stride[d]
    sums = np.empty(len(rows))
    for i in range(n):
        first = 0
        for d in range(D):
            cells = shape[d] - 3
            x = (Z[d, i] - lower[d]) / spacing[d]
            x = min(max(x, 0.0), cells * 1.0)
            cell = min(int(x), cells - 1)
            cubic_splines(x - cell, weight[d])
            first += cell * stride[d]
        w = weight[D - 1]
        for row in range(len(rows)):
            at = first + rows[row]
            sums[row] = (
                w[0] * flat[at] + w[1] * flat[at + 1] + w[2] * flat[at + 2] + w[3] * flat[at + 3]
            )
        left = len(rows)
        for d in range(D - 2, -1, -1):
            left //= 4
            w = weight[d]
            for row in range(left):
                at = 4 * row
                sums[row] = (
                    w[0] * sums[at]
                    + w[1] * sums[at + 1]
                    + w[2] * sums[at + 2]
                    + w[3] * sums[at + 3]
                )
        out[i] = sums[0]
