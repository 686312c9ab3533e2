r"""The search of `tune`: coarse steps into a valley, then smooth surfaces at its bottom.

Everything is in steps, units of each parameter's own scale around its start.

1. `coarse`: COBYQA (Ragonneau and Zhang 2022), a derivative-free trust-region method with bounds,
   from each start down to a step of 0.3. Starts that end in one valley count once.
2. `fine`: the minimum of a cubic surface around the last optimum (see `surface`), moved there and
   fitted again until it stays near the centre of its design. Where a cubic does not fit
   within the noise and the error of the minimum is below a tenth of the radius, the design is
   shrunk.

The design stays inside the bounds of the parameters; towards a bound where the risk jumps steps get
shorter (see `Parameter`). A minimum on a bound is approached by designs that shrink; its error is
then the last radius. Where the surface is not convex or does not fit,
the search moves to the best point of the design if that is significantly better than its centre.
Where it is not convex and no point is better the design is shrunk if any point is significantly
worse, or else the search stops: the risk is flat within the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from popout.analysis.surface import Minimum, Prior, Surface, design
from popout.policies.stopping import Parameter

Array = NDArray[np.float64]

MAX_SURFACES, MAX_VALLEYS = 12, 2
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
CONFLICT = 16.0
"""Squared distance, in errors, at which a surface overrules the expected optimum."""


@dataclass(frozen=True)
class Optimum:
    """Where the search ended.

    Attributes
    ----------
    u, se : ndarray of shape (d,)
        Steps from the start, and their standard error.
    converged : bool
    used_prior : bool
        False also where the surface contradicted the prior.
    """

    u: Array
    se: Array
    converged: bool
    used_prior: bool = False


def limits(parameters: Sequence[Parameter]) -> tuple[Array, Array]:
    """Return the bounds of the parameters, in steps."""
    return (
        np.array([p.steps_to(p.lower) for p in parameters]),
        np.array([p.steps_to(p.upper) for p in parameters]),
    )


def coarse(
    risk: Callable[[Array], float],
    parameters: Sequence[Parameter],
    starts: Sequence[Array],
    max_evaluations: int,
) -> list[Array]:
    """Return the rough optima, one for each valley, the lowest first."""
    lower, upper = limits(parameters)
    found: list[tuple[float, Array]] = []
    for start in starts:
        result = minimize(
            risk,
            start,
            method="COBYQA",
            bounds=Bounds(lower, upper),
            options={"initial_tr_radius": 1.0, "final_tr_radius": 0.3, "maxfev": max_evaluations},
        )
        found.append((float(result.fun), np.asarray(result.x, dtype=np.float64)))
    found.sort(key=lambda pair: pair[0])
    valleys: list[Array] = []
    for _, u in found:
        if all(np.abs(u - other).max() > 2.0 for other in valleys):
            valleys.append(u)
    return valleys[:MAX_VALLEYS]


def fine(
    batches: Callable[[Array], Array],
    parameters: Sequence[Parameter],
    u: Array,
    *,
    radius: float = RADIUS,
    spread: Array | None = None,
    grain: float = 0.0,
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
    grain : float
        How much one rare event changes a risk, see `Surface`.
    """
    lower, upper = limits(parameters)
    expected = u
    used = spread is not None
    se = np.full(len(u), np.inf)
    for _ in range(MAX_SURFACES):
        centre = np.clip(u, lower + 1.01 * radius, upper - 1.01 * radius)
        points = design(len(u), radius)
        values = np.array([batches(centre + point) for point in points])
        surface = Surface(points, values, grain)
        prior = Prior(expected - centre, spread) if used and spread is not None else None
        alone = surface.minimum(1.5 * radius)
        scores = _scores(values, grain)
        if prior is not None and _contradicts(alone, prior, scores, radius):
            used, prior = False, None
        found = alone if prior is None else surface.minimum(1.5 * radius, prior)
        better, worse = scores.min() < -SURE, scores.max() > SURE
        flat = prior is None and bool(np.isinf(found.se).any())
        # A poor fit may put its minimum beside the centre though other points are lower.
        if flat or (better and (np.isinf(alone.se).any() or not surface.fits)):
            best = centre + points[values.mean(axis=1).argmin()]
            held = (best < lower + 1.01 * radius) | (best > upper - 1.01 * radius)
            if better and not (held.any() and radius > SMALLEST):
                u = best
                continue
            if (better or worse) and radius > SMALLEST:
                u = best if better else u
                radius *= SHRINK
                continue
        wanted, se = centre + found.u, found.se
        u = np.clip(wanted, lower + EDGE, upper - EDGE)
        # Nearer to a bound than a design of this radius can be.
        pushing = (wanted < lower + 1.01 * radius) | (wanted > upper - 1.01 * radius)
        if ((np.abs(found.u) < SETTLED * radius) | pushing).all():
            precise = (alone.se < PRECISE * radius) | pushing
            poor = not surface.fits and bool(precise.all())
            if radius <= SMALLEST or not (pushing.any() or poor):
                return Optimum(u, np.where(pushing, radius, se), True, used)
            radius *= SHRINK
    return Optimum(u, se, False, used)


def _contradicts(alone: Minimum, prior: Prior, scores: Array, radius: float) -> bool:
    """Return whether the risks cannot be squared with where the minimum was expected.

    Either a point of the design is surely better than its centre though the expectation leaves no
    room for that, or the surface alone is sure of a minimum far away.
    """
    if (prior.sd < radius / 4).all() and scores.min() < -math.sqrt(CONFLICT):
        return True
    if np.isinf(alone.se).any():
        return False
    away = alone.u - prior.mean
    joint = alone.covariance + np.diag(prior.sd**2)
    return bool(away @ np.linalg.solve(joint, away) > CONFLICT)


def _scores(values: Array, grain: float) -> Array:
    """Return by how many errors the points of a design are worse than its centre."""
    difference = values[1:] - values[0]
    variance = difference.var(axis=1, ddof=1) / difference.shape[1] + 2 * grain**2
    return np.asarray(difference.mean(axis=1) / np.sqrt(variance + np.finfo(float).tiny))
