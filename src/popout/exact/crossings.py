"""Where a smooth function given on equally spaced nodes crosses zero, to sub-grid accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["crossings"]


def crossings(z: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the zeros of the cubic interpolant of `f`, one for each cell where it changes sign.

    Parameters
    ----------
    z : ndarray of shape (n,)
        Equally spaced nodes, n >= 4.
    f : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (number of sign changes,)

    Examples
    --------
    >>> z = np.linspace(0.0, 4.0, 21)
    >>> crossings(z, np.cos(z)).round(4)
    array([1.5708])
    """
    n = z.size
    cells = np.nonzero((f[:-1] < 0) != (f[1:] < 0))[0]
    base = np.clip(cells - 1, 0, n - 4)
    window = f[base[:, None] + np.arange(4)]  # values at local positions 0, 1, 2, 3
    low = (cells - base).astype(np.float64)
    high = low + 1.0
    rising = f[cells + 1] >= 0
    for _ in range(60):  # bisection: the cubic passes through both ends of the cell
        middle = 0.5 * (low + high)
        above = _cubic(window, middle) >= 0
        high = np.where(above == rising, middle, high)
        low = np.where(above == rising, low, middle)
    return np.asarray(z[0] + (z[1] - z[0]) * (base + 0.5 * (low + high)))


def _cubic(f: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
    d1 = f[:, 1] - f[:, 0]
    d2 = f[:, 2] - 2 * f[:, 1] + f[:, 0]
    d3 = f[:, 3] - 3 * f[:, 2] + 3 * f[:, 1] - f[:, 0]
    return np.asarray(f[:, 0] + t * (d1 + (t - 1) * (d2 / 2 + (t - 2) * d3 / 6)))
