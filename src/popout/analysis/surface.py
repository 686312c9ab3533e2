r"""A quadratic surface through noisy risks: where its minimum is, and how well that is known.

Near its minimum the risk is a parabola, :math:`R(u) \approx c + g^\top u + \frac12 u^\top H u`. A
simulated risk, even under common random numbers, is a parabola plus a jagged remainder (single
trials change their outcome as a threshold moves), and the lowest point of the jags says little. A
least-squares surface over a design of radius *h* averages the jags out; its minimum is
:math:`\hat u = -H^{-1} g`.

The error of :math:`\hat u` comes from the jackknife over batches of trials: with
:math:`\hat u_{(b)}` the minimum when batch *b* is left out,
:math:`\mathrm{se}^2 = \frac{B-1}{B} \sum_b (\hat u_{(b)} - \bar u)^2`. It covers the noise of both
*g* and *H*. A direction along which the surface is not convex is left alone; parameters that
depend on it have an infinite error.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["design", "jackknife_minimum", "minimum_of"]

Array = NDArray[np.float64]

FLAT = 0.1
"""A parameter with this share of its square along flat directions is not determined."""


def design(d: int, h: float) -> Array:
    """Return the points of the design: centre, axes, and two opposite corners of each pair.

    Parameters
    ----------
    d : int
        Number of parameters.
    h : float
        Radius along the axes.

    Returns
    -------
    points : ndarray of shape (1 + 2 d + 2 d (d - 1), d)

    Examples
    --------
    >>> design(1, 0.5).ravel().tolist()
    [0.0, 0.5, -0.5]
    """
    e = np.eye(d) * h
    points = [np.zeros(d)]
    for i in range(d):
        points += [e[i], -e[i]]
    for i, j in combinations(range(d), 2):
        points += [e[i] + e[j], -e[i] - e[j], e[i] - e[j], e[j] - e[i]]
    return np.array(points)


def _features(points: Array) -> Array:
    d = points.shape[1]
    columns = [np.ones(len(points)), *points.T, *(0.5 * points.T**2)]
    columns += [points[:, i] * points[:, j] for i, j in combinations(range(d), 2)]
    return np.array(columns).T


def minimum_of(points: Array, values: Array, limit: float) -> tuple[Array, Array]:
    """Return the minimum of the least-squares quadratic, and what share of each axis is flat.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    values : ndarray of shape (n,)
    limit : float
        The minimum is sought within this distance of the origin.

    Returns
    -------
    u : ndarray of shape (d,)
    flat : ndarray of shape (d,)
        Between 0 (determined) and 1 (the surface is not convex along this axis).

    Examples
    --------
    >>> points = design(2, 1.0)
    >>> u, flat = minimum_of(points, ((points - [0.2, -0.3]) ** 2).sum(axis=1), limit=2.0)
    >>> u.round(6), flat.round(6)
    (array([ 0.2, -0.3]), array([0., 0.]))
    """
    d = points.shape[1]
    coefficients = np.linalg.lstsq(_features(points), values, rcond=None)[0]
    g, H = coefficients[1 : d + 1], np.diag(coefficients[d + 1 : 2 * d + 1])
    for (i, j), h_ij in zip(combinations(range(d), 2), coefficients[2 * d + 1 :], strict=True):
        H[i, j] = H[j, i] = h_ij
    curvature, directions = np.linalg.eigh(H)
    convex = curvature > 0
    along = directions[:, convex]
    u = -along @ ((along.T @ g) / curvature[convex])
    length = float(np.linalg.norm(u))
    flat = (directions[:, ~convex] ** 2).sum(axis=1)
    return u * min(1.0, limit / length if length > 0 else 1.0), flat


def jackknife_minimum(points: Array, batches: Array, limit: float) -> tuple[Array, Array]:
    """Return the minimum of the quadratic through noisy values, and its standard error.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    batches : ndarray of shape (n, B)
        Values at each point in B batches of trials; their mean over batches is fitted.
    limit : float
        See `minimum_of`.

    Returns
    -------
    u, se : ndarray of shape (d,)

    Examples
    --------
    >>> points = design(1, 1.0)
    >>> noise = np.random.default_rng(0).normal(size=(3, 20))
    >>> u, se = jackknife_minimum(points, 5 * points**2 + 0.1 * noise, limit=2.0)
    >>> bool(abs(u[0]) < 4 * se[0] < 0.02)
    True
    """
    u, flat = minimum_of(points, batches.mean(axis=1), limit)
    B = batches.shape[1]
    total = batches.sum(axis=1)
    left_out = np.array(
        [minimum_of(points, (total - batches[:, b]) / (B - 1), limit)[0] for b in range(B)]
    )
    se = np.sqrt((B - 1) / B * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    se[flat > FLAT] = np.inf
    return u, se
