r"""Maximum likelihood from several starts, then intervals.

With tables of a fixed seed the log likelihood is a smooth but ill-conditioned function with more
than one basin, over the unit cube. Starts are the best of some places around each start of the
model, and the best of many places anywhere. From each a quasi-Newton search (L-BFGS-B, with
gradients from differences) finds the floor of its basin within some thousand evaluations, where
CMA-ES (`cma`) needs several thousand; it in turn is not stopped by ridges, and takes the best two
to the end.

**Intervals.** Steps :math:`h_i` along each coordinate are first made long enough to lower the log
likelihood by about 1 (which noise cannot hide); central differences over them give the Hessian, and
its inverse the 95 % intervals. A parameter is **not determined** if no step within the bounds
lowers the log likelihood, if its interval covers more than half of what was possible beforehand, or
if it is best at the edge of its range.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.fitted_model import FittedModel, Interval, in_words
from popout.people.models.model import (
    Model,
    ModelParameter,
    Scale,
    TrialLikelihood,
    position_of,
    set_sizes_of,
    values_at,
)
from popout.people.models.situation import counted_situations
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
_DROP = 1.0  # log units that a step along a coordinate should cost
_EDGE = 0.003  # of the range: closer to a bound is at the bound
_WIDE = 0.5  # share of the range beyond which an interval says nothing
_TRIED = 60  # places looked at around each start
_ANYWHERE, _KEPT = 300, 4  # places looked at in the whole cube, and how many become starts
_SHORT, _LONG = 1500, 6000  # evaluations of the first round, for each start, and of the second
_DIFFERENCE = 1e-4  # of coordinates, for gradients


def needs(name: str) -> Any:
    """Import a library of the extra ``popout[fit]``.

    Examples
    --------
    >>> needs("cma").__name__
    'cma'
    """
    from importlib import import_module

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a library says of its own options
            return import_module(name)
    except ImportError as error:
        message = f"fitting needs {name}: `pip install popout[fit]`"
        raise ImportError(message) from error


class _Surface:
    """The log likelihood over the unit cube, and how often it was asked for."""

    def __init__(self, likelihood: TrialLikelihood) -> None:
        self.likelihood, self.parameters = likelihood, likelihood.model.parameters
        self.n_evaluations = 0

    def __call__(self, x: Array) -> float:
        self.n_evaluations += 1
        value = self.likelihood.total(values_at(self.parameters, np.clip(x, 0.0, 1.0)))
        return value if math.isfinite(value) else -1e15


def fit_model(
    model: Model,
    responses: Responses,
    tables: PassageTables | None = None,
    seed: int = 1,
    progress: Progress | None = None,
    starts: tuple[Mapping[str, float], ...] | None = None,
) -> FittedModel:
    """Fit a model to the trials of one observer.

    Parameters
    ----------
    model : Model
    responses : Responses
        With ``columns["set_size"]``.
    tables : PassageTables, optional
        Made for the set sizes of the data when left out.
    seed : int
        Of the search.
    progress : Progress, optional
    starts : tuple of mapping, optional
        Where to search from, instead of the starts of the model: few if a good guess is known.

    Examples
    --------
    >>> class Guesses(Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> ones = np.ones(100)
    >>> rt = np.linspace(0.5, 1.5, 100)
    >>> trials = Responses(ones, rt, -ones, columns={"set_size": ones})
    >>> fitted = fit_model(Guesses(), trials)
    >>> round(fitted.estimates["mean"], 2), fitted.errors["mean"].determined
    (1.0, True)
    """
    began = time.perf_counter()
    sizes, counts = np.unique(set_sizes_of(responses), return_counts=True)
    tables = PassageTables(sizes.tolist()) if tables is None else tables
    likelihood = model.likelihood(responses, tables)
    surface = _Surface(likelihood)
    middle = values_at(model.parameters, np.full(len(model.parameters), 0.5))
    first = (model.starts if starts is None else starts) or ({},)
    places = [position_of(model.parameters, {**middle, **start}) for start in first]
    part = stretch(progress, 0.0, 0.9, model.name)
    x, peaks = maximise(surface, places, fresh_seed(seed, Purpose.MODEL_FIT), part)
    covariance, errors = intervals(surface, x, model.parameters)
    values = values_at(model.parameters, x)
    error, bias = likelihood.errors_of_total(values)
    if progress is not None:
        progress(1.0, model.name)
    return FittedModel(
        model=model,
        estimates=values,
        errors=errors,
        log_likelihood=surface(x),
        n_trials=len(responses),
        trials_by_size=dict(zip(sizes.tolist(), counts.tolist(), strict=True)),
        log_likelihood_error=error,
        log_likelihood_bias=bias,
        n_evaluations=surface.n_evaluations,
        seconds=time.perf_counter() - began,
        starts=tuple(peaks),
        covariance=covariance,
        tables=tables,
        situations=counted_situations(responses),
    )


def maximise(
    surface: Callable[[Array], float],
    places: list[Array],
    seed: int,
    progress: Progress | None = None,
) -> tuple[Array, list[float]]:
    """Return the best point of the unit cube, and the best value from each start.

    Parameters
    ----------
    surface : callable
        To be maximised.
    places : list of ndarray of shape (P,)
        Starts.
    seed : int
    progress : Progress, optional
    """
    tell = stretch(progress, 0.0, 1.0)
    best = []
    starts = _screened(surface, places, seed)
    for i, place in enumerate(starts):
        best.append(_slide(surface, place))
        tell(0.6 * (i + 1) / len(starts), f"start {i + 1}")
    best.sort(key=lambda each: -each[1])
    candidates = best[:2] if best[0][1] - best[-1][1] > 0.1 else best[:1]
    ended = []
    for i, (place, _) in enumerate(candidates):
        ended.append(_climb(surface, place, 0.05, _LONG, seed + 100 + i))
        tell(0.6 + 0.4 * (i + 1) / len(candidates), "to the end")
    x, _ = max(ended, key=lambda each: each[1])
    return x, [value for _, value in (*ended, *best[len(ended) :])]


def _screened(surface: Callable[[Array], float], places: list[Array], seed: int) -> list[Array]:
    """Return for each start the best of some places around it, and the best ones anywhere."""
    if len(places) == 1:
        return places
    random = np.random.default_rng(seed)
    chosen = []
    for place in places:
        noise = 0.15 * random.standard_normal((_TRIED, len(place)))
        around = np.clip(place + noise, 0.02, 0.98)
        chosen.append(max([place, *around], key=surface))
    anywhere = random.uniform(0.05, 0.95, (_ANYWHERE, len(places[0])))
    return chosen + sorted(anywhere, key=surface)[-_KEPT:]


def _slide(surface: Callable[[Array], float], place: Array) -> tuple[Array, float]:
    """Run a quasi-Newton search; return its end and the value there, no worse than the start's."""
    from scipy.optimize import minimize

    n = len(place)

    def loss(x: Array) -> tuple[float, Array]:
        value = surface(x)
        steps = np.where(x < 0.5, _DIFFERENCE, -_DIFFERENCE)
        moved = np.array([surface(x + step) for step in np.diag(steps)])
        return -value, (value - moved) / steps

    how: Any = {"method": "L-BFGS-B", "bounds": [(0.0, 1.0)] * n}
    how["options"] = {"maxfun": _SHORT // (n + 1), "ftol": 1e-9}
    search = minimize(loss, np.clip(place, 0.01, 0.99), jac=True, **how)
    end = np.asarray(search.x), -float(search.fun)
    return max(end, (place, surface(place)), key=lambda each: each[1])


def _climb(
    surface: Callable[[Array], float], place: Array, sigma: float, most: int, seed: int
) -> tuple[Array, float]:
    """Run CMA-ES; return the best point and its value, no worse than the start's."""
    inside = np.clip(place, 0.01, 0.99)
    if len(place) == 1:  # cma wants two dimensions
        from scipy.optimize import minimize_scalar

        line = minimize_scalar(
            lambda x: -surface(np.array([x])), bounds=(0.0, 1.0), method="bounded"
        )
        return np.array([float(line.x)]), -float(line.fun)
    options = {"bounds": [0.0, 1.0], "maxfevals": most, "seed": seed % (2**31 - 2) + 1}
    options |= {"verbose": -9, "tolfun": 0.05, "tolfunhist": 0.05, "tolx": 1e-5, "popsize": 14}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = needs("cma").CMAEvolutionStrategy(inside, sigma, options)
        while not search.stop():
            points = search.ask()
            search.tell(points, [-surface(np.asarray(point)) for point in points])
        result = search.result
    best = np.clip(result.xbest, 0.0, 1.0), -float(result.fbest)
    return max(best, (place, surface(place)), key=lambda each: each[1])


def intervals(
    surface: Callable[[Array], float], x: Array, parameters: tuple[ModelParameter, ...]
) -> tuple[Array, dict[str, Interval]]:
    """Return covariance in the unit cube and a 95 % interval for each parameter."""
    peak, n = surface(x), len(x)
    stepped = [_step(surface, x, peak, i) for i in range(n)]
    steps, loose = (np.array(each) for each in zip(*stepped, strict=True))
    edge = (x < _EDGE) | (x > 1.0 - _EDGE)
    free = np.flatnonzero(~loose & ~edge).tolist()
    covariance = np.zeros((n, n))
    covariance[np.ix_(free, free)] = _inverse(_curvature(surface, x, peak, steps, free))
    covariance[loose, loose] = 1.0 / 12.0  # flat over the range
    errors = {}
    for i, parameter in enumerate(parameters):
        half = abs(steps[i]) if edge[i] else 1.96 * math.sqrt(covariance[i, i])
        ends = max(0.0, x[i] - half), min(1.0, x[i] + half)
        low, high = (parameter.from_unit(end) for end in ends)
        why = ""
        if loose[i]:
            why = "any value fits"
        elif ends[1] - ends[0] > _WIDE:
            why = f"from {in_words(low)} to {in_words(high)} all fit"
        elif edge[i] and parameter.scale is not Scale.SHARE:  # serial attention is no edge
            why = f"at {parameter.from_unit(round(x[i])):g}, the edge of its range"
        errors[parameter.name] = Interval(low, high, not why, why)
    return covariance, errors


def _curvature(
    surface: Callable[[Array], float], x: Array, peak: float, steps: Array, free: list[int]
) -> Array:
    """Return minus the second derivatives along some coordinates; central where there is room."""
    shift = np.diag(steps)
    room = [0.0 <= x[i] - steps[i] <= 1.0 for i in free]
    ahead = [surface(x + shift[i]) - peak for i in free]
    curvature = np.empty((len(free), len(free)))
    for a, i in enumerate(free):
        behind = surface(x - shift[i]) - peak if room[a] else ahead[a]
        curvature[a, a] = -(ahead[a] + behind) / steps[i] ** 2
        for b, j in enumerate(free[:a]):
            both = surface(x + shift[i] + shift[j]) - peak
            if room[a] and room[b]:
                unlike = surface(x + shift[i] - shift[j]) + surface(x - shift[i] + shift[j])
                both = 0.25 * (both + surface(x - shift[i] - shift[j]) + peak - unlike)
            else:
                both -= ahead[a] + ahead[b]
            curvature[a, b] = curvature[b, a] = -both / (steps[i] * steps[j])
    return curvature


def _step(surface: Callable[[Array], float], x: Array, peak: float, i: int) -> tuple[float, bool]:
    """Return a step along a coordinate that costs about `_DROP`, and whether there is none."""
    sign = 1.0 if x[i] < 0.5 else -1.0  # towards the farther bound
    room = 1.0 - x[i] if sign > 0 else x[i]
    step, below = min(0.01, room), 0.0
    for _ in range(24):
        y = x.copy()
        y[i] += sign * step
        drop = peak - surface(y)
        if 0.5 * _DROP <= drop <= 2.0 * _DROP:
            return sign * step, False
        if drop < 0.5 * _DROP:
            if step >= room:
                return sign * room, True
            below = step
            step = min(room, 2.5 * step)
        else:
            step = 0.5 * (below + step)
    return sign * step, False


def _inverse(curvature: Array) -> Array:
    """Return the inverse, with directions that do not curve given the width of the cube."""
    values, vectors = np.linalg.eigh(curvature)
    return np.asarray((vectors / np.maximum(values, 12.0)) @ vectors.T)
