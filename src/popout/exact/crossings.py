"""Where a smooth function given on equally spaced nodes crosses zero, to sub-grid accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.kinks import compiled_cubic
from popout.noise.elementary import compiled


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
    return line_crossings(z, f[:, None])[0]


def line_crossings(
    z: NDArray[np.float64], f: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the zeros along many lines at once, and the line of each; in order of line and zero.

    Parameters
    ----------
    z : ndarray of shape (n,)
        Equally spaced nodes, n >= 4, common to all lines.
    f : ndarray of shape (n, k)
        One line in each column.

    Examples
    --------
    >>> z = np.linspace(0.0, 4.0, 21)
    >>> roots, lines = line_crossings(z, np.stack([np.cos(z), np.sin(z - 1)], axis=1))
    >>> roots.round(4), lines
    (array([1.5708, 1.    ]), array([0, 1]))
    """
    lines, cells = np.nonzero(((f[:-1] < 0) != (f[1:] < 0)).T)
    base = np.clip(cells - 1, 0, z.size - 4)
    window = f[base[:, None] + np.arange(4), lines[:, None]]
    roots = z[0] + (z[1] - z[0]) * (base + cell_roots(window, cells - base))
    return np.asarray(roots), lines


def cell_roots(
    window: NDArray[np.float64], cell: NDArray[np.int64] | int = 1
) -> NDArray[np.float64]:
    """Return the zero of cubics through the positions 0, 1, 2, 3 within one of their cells.

    Parameters
    ----------
    window : ndarray of shape (k, 4)
        Values; they change sign between positions `cell` and ``cell + 1``.
    cell : int or ndarray of shape (k,)

    Returns
    -------
    ndarray of shape (k,)
        Between `cell` and ``cell + 1``.
    """
    low = np.array(np.broadcast_to(cell, window.shape[:1]), dtype=np.float64)
    _bisect(np.ascontiguousarray(window, dtype=np.float64), low)
    return low


@compiled
def _bisect(window: Any, roots: Any) -> None:
    """Replace the lower ends of cells by roots; the cubic passes through both ends of the cell."""
    for k in range(len(roots)):
        low, high = roots[k], roots[k] + 1.0
        rising = _cubic(window[k], high) >= 0.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if (_cubic(window[k], middle) >= 0.0) == rising:
                high = middle
            else:
                low = middle
        roots[k] = 0.5 * (low + high)


@compiled
def _cubic(f: Any, t: float) -> float:
    """Return the cubic through the positions 0, 1, 2, 3; `kinks` counts from -1."""
    value: float = compiled_cubic(f[0], f[1], f[2], f[3], t - 1.0)[0]
    return value
