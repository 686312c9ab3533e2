r"""A smooth surface through noisy risks: where its minimum is, and how well that is known.

Near its minimum the risk is nearly a parabola, with a third-order part that must not be left out:
the risk of a threshold falls steeply on one side and slowly on the other, and a parabola over a
design of radius *h* puts the minimum :math:`h^2/6` too far out. A simulated risk, even under common
random numbers, is a smooth function plus a jagged remainder (single trials change their outcome as
a threshold moves), and the lowest point of the jags says little. A least-squares cubic
:math:`R(u)` over the design averages the jags out. It is linear in the risks, so the covariance
:math:`\Sigma(u)` of its gradient :math:`g(u)` follows from the fits to batches of trials.

**Minimum.** Steps :math:`-H^{-1} g(u)` with the curvature *H* at the centre of the design, along
the directions in which it is positive by more than two of its own standard errors; the others are
left alone, and parameters that depend on them have an infinite error. Elsewhere the covariance of
the minimum is :math:`H^{-1} \Sigma H^{-1}`.

**With a prior.** Where the minimum is expected at :math:`u_0` with precision :math:`P_0`, the
surface says that :math:`g(u) = 0` up to noise, and the two together

.. math::

   \hat u = \arg\min_u\; g(u)^\top \Sigma^{-1} g(u) + (u - u_0)^\top P_0 (u - u_0), \qquad
   \mathrm{cov}(\hat u) = (H \Sigma^{-1} H + P_0)^{-1}

(Gauss-Newton). A surface too flat to say anything leaves the expectation as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FLAT = 0.1
"""A parameter with this share of its square along flat directions is not determined."""
CONVEX, NEGLIGIBLE = 2.0, 1e-9
"""Standard errors by which a curvature must be positive; share of the risk that does not matter."""
MISFIT = 3.0
"""Mean square of the residuals, in their own errors, above which a cubic does not fit."""
STEPS, SMALL = 40, 1e-7
"""How many at most, and the step that ends them."""


def design(d: int, h: float) -> Array:
    """Return the points of the design: centre, two distances on each axis, corners of each pair.

    Parameters
    ----------
    d : int
        Number of parameters.
    h : float
        Radius along the axes.

    Returns
    -------
    points : ndarray of shape (1 + 4 d + 2 d (d - 1), d)

    Examples
    --------
    >>> design(1, 0.5).ravel().tolist()
    [0.0, 0.5, -0.5, 0.25, -0.25]
    """
    e = np.eye(d) * h
    points = [np.zeros(d)]
    for i in range(d):
        points += [e[i], -e[i], e[i] / 2, -e[i] / 2]
    for i, j in combinations(range(d), 2):
        points += [e[i] + e[j], -e[i] - e[j], e[i] - e[j], e[j] - e[i]]
    return np.array(points)


def _exponents(d: int) -> NDArray[np.int64]:
    """Return the powers of each monomial: all up to the third order that the design resolves."""
    unit = np.eye(d, dtype=np.int64)
    rows = [np.zeros(d, np.int64), *unit, *(2 * unit), *(3 * unit)]
    for i, j in combinations(range(d), 2):
        rows += [unit[i] + unit[j], 2 * unit[i] + unit[j], unit[i] + 2 * unit[j]]
    return np.array(rows)


@dataclass(frozen=True)
class Prior:
    """Where the minimum is expected.

    Attributes
    ----------
    mean, sd : ndarray of shape (d,)
    """

    mean: Array
    sd: Array


@dataclass(frozen=True)
class Minimum:
    """A minimum and how well it is known.

    Attributes
    ----------
    u, se : ndarray of shape (d,)
        Standard error inf where the surface does not tell.
    covariance : ndarray of shape (d, d)
        Along the directions that are determined.
    """

    u: Array
    se: Array
    covariance: Array


class Surface:
    """A least-squares cubic through the points of a design.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    batches : ndarray of shape (n, B)
        Values at each point in B batches of trials.
    grain : float
        How much one rare event changes a value. Where a few trials make the difference between two
        points, an error that happened not to occur is missing from the spread of the batches as
        well; every value is taken to be uncertain by one such event.

    Examples
    --------
    >>> points = design(2, 1.0)
    >>> noise = np.random.default_rng(0).normal(size=(len(points), 20))
    >>> truth = ((points - [0.2, -0.3]) ** 2).sum(axis=1)[:, None]
    >>> found = Surface(points, truth + 0.01 * noise).minimum(limit=2.0)
    >>> bool((abs(found.u - [0.2, -0.3]) < 4 * found.se).all() and (found.se < 0.02).all())
    True
    """

    def __init__(self, points: Array, batches: Array, grain: float = 0.0) -> None:
        self.d, self.n_batches = points.shape[1], batches.shape[1]
        self._powers = _exponents(self.d)
        features = np.prod(points[:, None, :] ** self._powers, axis=2)
        self._by_batch = np.linalg.lstsq(features, batches, rcond=None)[0]
        self._mean = self._by_batch.mean(axis=1)
        self._small = NEGLIGIBLE * np.abs(batches).max()
        self._least = self._small / np.abs(points).max() ** 2
        # Orthogonal to everything a cubic can be: noise, and what a cubic leaves out.
        contrasts = np.linalg.qr(features, mode="complete")[0][:, features.shape[1] :]
        self._residuals = contrasts.T @ batches
        self._unseen = grain**2 * np.linalg.inv(features.T @ features)
        self._grain = grain

    @property
    def fits(self) -> bool:
        """Whether a cubic describes the values within their noise.

        Examples
        --------
        >>> points = design(1, 1.0)
        >>> noise = 0.01 * np.random.default_rng(0).normal(size=(len(points), 20))
        >>> Surface(points, points**2 + noise).fits, Surface(points, abs(points) + noise).fits
        (True, False)
        """
        r = self._residuals
        if len(r) == 0:
            return True
        variance = r.var(axis=1, ddof=1) / self.n_batches + self._grain**2 + self._small**2
        tiny = np.finfo(np.float64).tiny  # risks that do not vary at all are fitted
        return bool((r.mean(axis=1) ** 2 / (variance + tiny)).mean() < MISFIT)

    def gradient(self, u: Array) -> tuple[Array, Array]:
        """Return the gradient at `u`, shape (d,), and its covariance."""
        first = np.empty((len(self._powers), self.d))
        for i, one in enumerate(np.eye(self.d, dtype=np.int64)):
            left = np.maximum(self._powers - one, 0)
            first[:, i] = self._powers[:, i] * np.prod(u**left, axis=1)
        noise = np.atleast_2d(np.cov(first.T @ self._by_batch)) / self.n_batches
        return first.T @ self._mean, noise + first.T @ self._unseen @ first

    def _convex(self) -> tuple[Array, Array]:
        """Return curvatures at the centre and their directions, 0 where not surely positive."""
        by_batch = np.zeros((self.n_batches, self.d, self.d))
        unseen = np.zeros((self.d, self.d))
        for powers, row, variance in zip(
            self._powers, self._by_batch, np.diag(self._unseen), strict=True
        ):
            if powers.sum() == 2:
                i, j = np.repeat(np.arange(self.d), powers)
                by_batch[:, i, j] = by_batch[:, j, i] = row * (2 if i == j else 1)
                unseen[i, j] = unseen[j, i] = variance * (4 if i == j else 1)
        curvature, directions = np.linalg.eigh(by_batch.mean(axis=0))
        along = np.einsum("ik,bij,jk->bk", directions, by_batch, directions)
        missing = np.einsum("ik,ij,jk->k", directions**2, unseen, directions**2)
        se = np.sqrt(along.var(axis=0, ddof=1) / self.n_batches + missing)
        return np.where(curvature > CONVEX * se + self._least, curvature, 0.0), directions

    def minimum(self, limit: float, prior: Prior | None = None) -> Minimum:
        """Return the minimum, no further than `limit` from the centre of the design.

        Parameters
        ----------
        limit : float
            In each coordinate.
        prior : Prior, optional
            Without one, directions that are not surely convex are left alone.
        """
        curvature, directions = self._convex()
        inverse = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        H, inverse_H = ((directions * values) @ directions.T for values in (curvature, inverse))
        u = np.zeros(self.d) if prior is None else np.clip(prior.mean, -limit, limit)
        for _ in range(STEPS):
            g, noise = self.gradient(u)
            if prior is None:
                step = -inverse_H @ g
            else:
                information, pull = self._combine(g, noise, H, u, prior)
                step = np.asarray(np.linalg.solve(information, pull), dtype=np.float64)
            new = np.clip(u + step, -limit, limit)
            moved, u = np.abs(new - u).max(), new
            if moved < SMALL:
                break
        g, noise = self.gradient(u)
        if prior is not None:
            information, _ = self._combine(g, noise, H, u, prior)
            covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
            return Minimum(u, np.sqrt(np.diag(covariance)), covariance)
        covariance = inverse_H @ noise @ inverse_H
        se = np.sqrt(np.diag(covariance))
        se[(directions[:, curvature == 0] ** 2).sum(axis=1) > FLAT] = np.inf
        return Minimum(u, se, covariance)

    def _combine(
        self, g: Array, noise: Array, H: Array, u: Array, prior: Prior
    ) -> tuple[Array, Array]:
        """Return the information of surface and prior together, and where they pull."""
        # Without noise the surface alone would count, but its covariance must stay invertible.
        ridge = 1e-9 * np.trace(noise) + np.finfo(float).tiny ** 0.5
        weight = H @ np.linalg.inv(noise + ridge * np.eye(self.d))
        precision = np.diag(1.0 / prior.sd**2)
        return weight @ H + precision, -weight @ g + precision @ (prior.mean - u)
