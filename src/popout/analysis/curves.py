r"""Decision boundaries in the plane of two locations, on one axis common to all.

Along either boundary one log likelihood ratio falls as the other rises, so a boundary is a function
of the difference :math:`d = Z_1 - Z_2`: one point :math:`Z = (s + d, s - d) / 2` for each d. Curves
given on the same values of d can be compared point by point.

For a strategy whose margins are known the sum s is found by bisection: the evidence for presence
grows with s, so the margin of "present" rises and that of "absent" falls. For the exact solution
the traced boundary is interpolated, and continued where the grid ends: there one location is ruled
out and the log likelihood ratio of the other stays where it is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from popout.exact import Solution
from popout.policies.stopping import BoundaryStrategy

Array = NDArray[np.float64]
SIDES = ("absent", "present")
HALVINGS = 60
FAR = 80.0


def differences(reach: float, points: int) -> Array:
    """Return values of Z1 - Z2 from -reach to reach."""
    return np.linspace(-reach, reach, points)


def strategy_curves(strategy: BoundaryStrategy, d: Array) -> Array:
    """Return where a strategy's two boundaries cross each d.

    Parameters
    ----------
    strategy : BoundaryStrategy
        Of two locations.
    d : ndarray of shape (n,)
        Values of Z1 - Z2.

    Returns
    -------
    Z : ndarray of shape (2, n, 2)
        By side (absent, present), d, and location.

    Examples
    --------
    >>> from popout.policies.stopping import Hardmax
    >>> from popout.task import SearchTask
    >>> hardmax = Hardmax.for_task(SearchTask(n_locations=2, drift=4.0), -3.0, 3.0)
    >>> strategy_curves(hardmax, np.array([2.0]))[1].round(3)  # 3 + log 2 at the first location
    array([[3.693, 1.693]])
    """
    curves = []
    for side, sign in enumerate((-1.0, 1.0)):
        low, high = np.full(d.shape, -FAR), np.full(d.shape, FAR)
        for _ in range(HALVINGS):
            s = 0.5 * (low + high)
            margin = strategy.margins(_plane(s, d), 0.0)[side]
            above = sign * margin >= 0
            high, low = np.where(above, s, high), np.where(above, low, s)
        curves.append(_plane(0.5 * (low + high), d))
    return np.stack(curves)


def exact_curves(solution: Solution, d: Array, others: float = -math.inf) -> Array:
    """Return where the exact boundaries cross each d, shape (2, n, 2).

    Parameters
    ----------
    solution : Solution
        Of two locations or more.
    d : ndarray of shape (n,)
        Values of Z1 - Z2.
    others : float
        Where all other locations are held; NaN is returned where a boundary is not on the grid.
    """
    boundary = solution.boundary(others=others)
    curves = []
    for points in (boundary.absent, boundary.present):
        if len(points) < 2:
            curves.append(np.full((d.size, 2), np.nan))
            continue
        Z1, Z2 = (points.iloc[:, i].to_numpy() for i in (0, 1))
        order = np.argsort(Z1 - Z2, kind="stable")
        along, s = (Z1 - Z2)[order], (Z1 + Z2)[order]
        beyond = np.abs(d - np.clip(d, along[0], along[-1]))
        curves.append(_plane(np.interp(d, along, s) - beyond, d))
    return np.stack(curves)


def _plane(s: Array, d: Array) -> Array:
    return np.stack([(s + d) / 2, (s - d) / 2], axis=-1)
