"""Draws from tables of cumulative probabilities, by inversion.

The outcome of a uniform number u is the first one whose cumulative probability exceeds u.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True)
def choose(cdf: Array, u: float) -> int:
    """Return the first index whose cumulative probability exceeds u; u < 1."""
    low, high = 0, cdf.size - 1
    while low < high:
        middle = (low + high) // 2
        if u < cdf[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, parallel=True)
def invert(u: Array, index: NDArray[np.int64], cdf: Array) -> None:
    """Replace u of shape (n, T, M, C) by outcomes; `cdf[index[n, M], C]` is their table."""
    n_rows, n_steps, n_places, n_channels = u.shape
    for row in prange(n_rows):
        for step in range(n_steps):
            for i in range(n_places):
                for c in range(n_channels):
                    u[row, step, i, c] = choose(cdf[index[row, i], c], u[row, step, i, c])
