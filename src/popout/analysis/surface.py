r"""The search of `tune`: coarse steps into a valley, then smooth surfaces at its bottom.

Everything is in steps, units of each parameter's own scale around its start.

1. `coarse`: COBYQA (Ragonneau and Zhang 2022), a derivative-free trust-region method with bounds,
   from each start down to a step of 0.3. Starts that end in one valley count once.
2. `fine`: the minimum of a cubic surface around the last optimum, moved there and fitted again
   until it stays near the centre of its design. Where a cubic does not fit within the noise and the
   error of the minimum is below a tenth of the radius, the design is shrunk.

**The surface.** Near its minimum the risk is nearly a parabola, with a third-order part that must
not be left out: the risk of a threshold falls steeply on one side and slowly on the other, and a
parabola over a design of radius *h* puts the minimum :math:`h^2/6` too far out. A simulated risk,
even under common random numbers, is a smooth function plus a jagged remainder (single trials change
their outcome as a threshold moves), and the lowest point of the jags says little. A least-squares
cubic :math:`R(u)` over the design averages the jags out. It is linear in the risks, so the
covariance :math:`\Sigma(u)` of its gradient :math:`g(u)` follows from the fits to batches of
trials.

**Its minimum.** Steps :math:`-H^{-1} g(u)` with the curvature *H* at the centre of the design,
along the directions in which it is positive by more than two of its own standard errors; the others
are left alone, and parameters that depend on them have an infinite error. Elsewhere the covariance
of the minimum is :math:`H^{-1} \Sigma H^{-1}`. Where the minimum is expected at :math:`u_0` with
precision :math:`P_0`, the surface says that :math:`g(u) = 0` up to noise, and the two together

.. math::

   \hat u = \arg\min_u\; g(u)^\top \Sigma^{-1} g(u) + (u - u_0)^\top P_0 (u - u_0), \qquad
   \mathrm{cov}(\hat u) = (H \Sigma^{-1} H + P_0)^{-1}

(Gauss-Newton). A surface too flat to say anything leaves the expectation as it is.

**Bounds.** The design stays inside the bounds of the parameters; towards a bound where the risk
jumps steps get shorter (see `Parameter`). A minimum on a bound is approached by designs that
shrink; its error is then the last radius. Where the surface is not convex or does not fit, the
search moves to the best point of the design if that is significantly better than its centre. Where
it is not convex and no point is better the design is shrunk if any point is significantly worse, or
else the search stops: the risk is flat within the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from popout.policies.stopping import Parameter

Array = NDArray[np.float64]
TINY = np.finfo(np.float64).tiny

MAX_EVALUATIONS, MAX_VALLEYS, MAX_SURFACES = 500, 2, 12
"""Of each coarse search; valleys that are searched finely; surfaces in each."""
RADIUS, SMALLEST, SHRINK = 1.5, 0.1, 0.3
"""Of the design: at first, at last, and from one to the next."""
SETTLED = 1 / 4
"""Share of the radius within which a minimum need not be the centre of another design."""
PRECISE = 1 / 10
"""Share of the radius below which an error lets the misfit of a cubic matter."""
EDGE = 0.01
"""How near to a bound the search goes, in steps."""
SURE = 3.0
"""Errors by which a point of a design must be better or worse than its centre."""
FLAT = 0.1
"""A parameter with this share of its square along flat directions is not determined."""
CONVEX, NEGLIGIBLE = 2.0, 1e-9
"""Standard errors by which a curvature must be positive; share of the risk that does not matter."""
MISFIT = 3.0
"""Mean square of the residuals, in their own errors, above which a cubic does not fit."""
STEPS, SMALL = 40, 1e-7
"""How many at most, and the step that ends them."""


class Minimum(NamedTuple):
    """Where a minimum is, or is expected, and its standard error; inf where nothing tells."""

    u: Array
    se: Array


class Optimum(NamedTuple):
    """Where a search ended.

    Attributes
    ----------
    u, se : ndarray of shape (d,)
        Steps from the start, and their standard error.
    converged : bool
    used_prior : bool
    """

    u: Array
    se: Array
    converged: bool = True
    used_prior: bool = False


def limits(parameters: Sequence[Parameter]) -> tuple[Array, Array]:
    """Return the bounds of the parameters, in steps."""
    lower = np.array([p.steps_to(p.lower) for p in parameters])
    return lower, np.array([p.steps_to(p.upper) for p in parameters])


def coarse(
    risk: Callable[[Array], float], parameters: Sequence[Parameter], starts: Sequence[Array]
) -> list[Array]:
    """Return the rough optima, one for each valley, the lowest first."""
    bounds = Bounds(*limits(parameters))
    options: Any = {"initial_tr_radius": 1.0, "final_tr_radius": 0.3, "maxfev": MAX_EVALUATIONS}
    ends = [minimize(risk, u, method="COBYQA", bounds=bounds, options=options) for u in starts]
    valleys: list[Array] = []
    for end in sorted(ends, key=lambda end: float(end.fun)):
        if all(np.abs(end.x - other).max() > 2.0 for other in valleys):
            valleys.append(np.asarray(end.x, dtype=np.float64))
    return valleys[:MAX_VALLEYS]


def fine(
    batches: Callable[[Array], Array],
    parameters: Sequence[Parameter],
    u: Array,
    *,
    radius: float = RADIUS,
    spread: Array | None = None,
) -> Optimum:
    """Move to the minimum of a cubic surface until it stays put, then shrink the design.

    Parameters
    ----------
    batches : callable
        Risks in batches of trials, for steps of shape (d,).
    parameters : sequence of Parameter
    u : ndarray of shape (d,)
        Where to begin.
    radius : float
        Of the first design.
    spread : ndarray of shape (d,), optional
        Standard deviation around `u` with which the optimum is expected there.
    """
    lower, upper = limits(parameters)
    expected, used_prior = u, spread is not None
    se = np.full(len(u), np.inf)
    for _ in range(MAX_SURFACES):
        low, high = lower + 1.01 * radius, upper - 1.01 * radius
        centre = np.clip(u, low, high)
        points = design(len(u), radius)
        values = np.array([batches(centre + point) for point in points])
        surface = Surface(points, values)
        alone = minimum = surface.minimum(1.5 * radius)
        if spread is not None:
            minimum = surface.minimum(1.5 * radius, Minimum(expected - centre, spread))
        scores = _scores(values)
        better, worse = scores.min() < -SURE, scores.max() > SURE
        # A poor fit may put its minimum beside the centre though other points are lower.
        unfit = bool(np.isinf(alone.se).any()) or not surface.fits
        if np.isinf(minimum.se).any() or (better and unfit):
            best = centre + points[values.mean(axis=1).argmin()]
            held = ((best < low) | (best > high)).any()
            if better and not (held and radius > SMALLEST):
                u = best
                continue
            if (better or worse) and radius > SMALLEST:
                u = best if better else u
                radius *= SHRINK
                continue
        wanted, se = centre + minimum.u, minimum.se
        u = np.clip(wanted, lower + EDGE, upper - EDGE)
        pushing = (wanted < low) | (wanted > high)  # nearer to a bound than this design can be
        if ((np.abs(minimum.u) < SETTLED * radius) | pushing).all():
            poor = not surface.fits and bool(((alone.se < PRECISE * radius) | pushing).all())
            if radius <= SMALLEST or not (pushing.any() or poor):
                return Optimum(u, np.where(pushing, radius, se), True, used_prior)
            radius *= SHRINK
    return Optimum(u, se, False, used_prior)


def _scores(values: Array) -> Array:
    """Return by how many errors the points of a design are worse than its centre."""
    difference = values[1:] - values[0]
    variance = difference.var(axis=1, ddof=1) / difference.shape[1]
    return np.asarray(difference.mean(axis=1) / np.sqrt(variance + TINY))


def design(d: int, h: float) -> Array:
    """Return the points of a design: centre, two distances on each axis, corners of each pair.

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
    axes = np.eye(d) * h
    points = [np.zeros(d)]
    for e in axes:
        points += [e, -e, e / 2, -e / 2]
    for e, f in combinations(axes, 2):
        points += [e + f, -e - f, e - f, f - e]
    return np.array(points)


def _exponents(d: int) -> NDArray[np.int64]:
    """Return the powers of each monomial: all up to the third order that the design resolves."""
    unit = np.eye(d, dtype=np.int64)
    rows = [np.zeros(d, np.int64), *unit, *(2 * unit), *(3 * unit)]
    for e, f in combinations(unit, 2):
        rows += [e + f, 2 * e + f, e + 2 * f]
    return np.array(rows)


class Surface:
    """A least-squares cubic through the points of a design.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    batches : ndarray of shape (n, B)
        Values at each point in B batches of trials.

    Examples
    --------
    >>> points = design(2, 1.0)
    >>> noise = np.random.default_rng(0).normal(size=(len(points), 20))
    >>> truth = ((points - [0.2, -0.3]) ** 2).sum(axis=1)[:, None]
    >>> u, se = Surface(points, truth + 0.01 * noise).minimum(limit=2.0)
    >>> bool((abs(u - [0.2, -0.3]) < 4 * se).all() and (se < 0.02).all())
    True
    """

    def __init__(self, points: Array, batches: Array) -> None:
        self.d, self.n_batches = points.shape[1], batches.shape[1]
        self._powers = _exponents(self.d)
        features = np.prod(points[:, None, :] ** self._powers, axis=2)
        self._by_batch = np.linalg.lstsq(features, batches, rcond=None)[0]
        self._small = NEGLIGIBLE * np.abs(batches).max()
        self._least = self._small / np.abs(points).max() ** 2
        # Orthogonal to everything a cubic can be: noise, and what a cubic leaves out.
        contrasts = np.linalg.qr(features, mode="complete")[0][:, features.shape[1] :]
        self._residuals = contrasts.T @ batches

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
        variance = r.var(axis=1, ddof=1) / self.n_batches + self._small**2
        # Risks that do not vary at all are fitted.
        return bool((r.mean(axis=1) ** 2 / (variance + TINY)).mean() < MISFIT)

    def gradient(self, u: Array) -> tuple[Array, Array]:
        """Return the gradient at `u`, shape (d,), and its covariance."""
        first = np.empty((len(self._powers), self.d))
        for i, unit in enumerate(np.eye(self.d, dtype=np.int64)):
            left = np.maximum(self._powers - unit, 0)
            first[:, i] = self._powers[:, i] * np.prod(u**left, axis=1)
        noise = np.atleast_2d(np.cov(first.T @ self._by_batch)) / self.n_batches
        return first.T @ self._by_batch.mean(axis=1), noise

    def minimum(self, limit: float, prior: Minimum | None = None) -> Minimum:
        """Return the minimum, no further than `limit` from the centre of the design.

        Parameters
        ----------
        limit : float
            In each coordinate.
        prior : Minimum, optional
            As it is expected. Without, directions that are not surely convex are left alone.
        """
        curvature, directions = self._convex()
        inverse = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        H, inverse_H = ((directions * values) @ directions.T for values in (curvature, inverse))
        u = np.zeros(self.d) if prior is None else np.clip(prior.u, -limit, limit)
        for _ in range(STEPS):
            if prior is None:
                step = -inverse_H @ self.gradient(u)[0]
            else:
                information, pull = self._combine(H, u, prior)
                step = np.asarray(np.linalg.solve(information, pull), dtype=np.float64)
            new = np.clip(u + step, -limit, limit)
            moved, u = np.abs(new - u).max(), new
            if moved < SMALL:
                break
        if prior is not None:
            information, _ = self._combine(H, u, prior)
            return Minimum(u, np.sqrt(np.diag(np.linalg.inv(information))))
        _, noise = self.gradient(u)
        se = np.sqrt(np.diag(inverse_H @ noise @ inverse_H))
        se[(directions[:, curvature == 0] ** 2).sum(axis=1) > FLAT] = np.inf
        return Minimum(u, se)

    def _convex(self) -> tuple[Array, Array]:
        """Return curvatures at the centre and their directions, 0 where not surely positive."""
        by_batch = np.zeros((self.n_batches, self.d, self.d))
        for powers, row in zip(self._powers, self._by_batch, strict=True):
            if powers.sum() == 2:
                i, j = np.repeat(np.arange(self.d), powers)
                by_batch[:, i, j] = by_batch[:, j, i] = row * (2 if i == j else 1)
        curvature, directions = np.linalg.eigh(by_batch.mean(axis=0))
        along = np.einsum("ik,bij,jk->bk", directions, by_batch, directions)
        se = np.sqrt(along.var(axis=0, ddof=1) / self.n_batches)
        return np.where(curvature > CONVEX * se + self._least, curvature, 0.0), directions

    def _combine(self, H: Array, u: Array, prior: Minimum) -> tuple[Array, Array]:
        """Return the information of surface and prior together, and where they pull."""
        g, noise = self.gradient(u)
        # Without noise the surface alone would count, but its covariance must stay invertible.
        ridge = 1e-9 * np.trace(noise) + TINY**0.5
        weight = H @ np.linalg.inv(noise + ridge * np.eye(self.d))
        precision = np.diag(1.0 / prior.se**2)
        return weight @ H + precision, -weight @ g + precision @ (prior.u - u)
