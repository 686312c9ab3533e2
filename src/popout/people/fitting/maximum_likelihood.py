r"""Maximum likelihood from several starts, then intervals.

With tables of a fixed seed the log likelihood is a smooth but ill-conditioned function with more
than one basin, over the unit cube. Starts are the best of some places around each start of the
model, the best of many places anywhere, and the best parameters of all special cases of the model
and of theirs, so that it never fits worse than they do. All are followed for a few steps, the best
of them for more, and few to the floors of their basins.

**Scoring.** An evaluation gives the log density :math:`\ell_n` of every trial. Differences along
the coordinates give the scores :math:`J_{ni} = \partial\ell_n/\partial x_i`, their sum the gradient
g, and :math:`B = J^\top J` nearly the information (Berndt, Hall, Hall and Hausman, 1974), for as
many evaluations as there are parameters. A step maximises :math:`g d - \frac12 d^\top (B + \mu\,
\mathrm{diag} B)\,d` within the cube, and :math:`\mu` follows success as in Levenberg and
Marquardt's method. Some 20 steps find the floor of a basin from afar; where the model is wrong, and
B is not the curvature, the last of them are short. So the best end is taken further by the same
steps with B replaced by the second derivatives (`curvature`), and then shaken: searches from places
two and four standard deviations away on both sides along each coordinate, the others following by
:math:`B^{-1}`, must find nothing better. Where trials are few the surface is rough, as single quick
answers make summits of their own; searches with other seeds then end up to .4 log units apart.

**Intervals.** Steps :math:`h_i` along each coordinate are first made long enough to lower the log
likelihood by about 1 (which noise cannot hide); a point that raises it starts the search anew.
Differences over them give the Hessian, and its inverse the 95 % intervals. They are checked: at
both ends, with the other coordinates as the Hessian says, the log likelihood should be 1.92 lower.
Where it is not, or where a parameter is best at the edge of its range, the interval is that of the
**profile likelihood**: the values at which the log likelihood, maximised over all other
parameters by scoring, is 1.92 below its maximum. A parameter is **not determined** if no step
within the bounds lowers the log likelihood, if its interval covers more than half of what was
possible beforehand, or if it is best at the edge of its range.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

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
Densities = Callable[[Array], Array]
"""Log densities of all trials at a point of the unit cube."""
_DROP = 1.0  # log units that a step along a coordinate should cost
_EDGE = 0.003  # of the range: closer to a bound is at the bound
_WIDE = 0.5  # share of the range beyond which an interval says nothing
_TRIED = 40  # places looked at around each start
_ANYWHERE, _KEPT = 200, 4  # places looked at in the whole cube, and how many become starts
_STAGES = (1000, 3), (7, 5), (4, 40)  # how many searches go on, and for how many steps at most
_ROUNDS = 40  # steps of a search at most
_SHAKES, _SHAKE_ROUNDS = (-2.0, 2.0, -4.0, 4.0), 6  # standard deviations away, and steps from there
_DIFFERENCE = 1e-5  # of coordinates, for scores
_PROFILE_ROUNDS = 5  # steps from a point of the profile to the next, at most
_PROFILE = 1.92  # log units below the maximum at the ends of a 95 % interval
_TRUSTED = (1.3, 2.8)  # within these the ends of a normal interval are good enough
_BETTER = 0.02  # log units by which another point is better


class _Surface:
    """Log densities of trials over the unit cube, and how often they were asked for."""

    def __init__(self, likelihood: TrialLikelihood) -> None:
        self.likelihood, self.parameters = likelihood, likelihood.model.parameters
        self.n_evaluations = 0

    def __call__(self, x: Array) -> Array:
        self.n_evaluations += 1
        values = values_at(self.parameters, np.clip(x, 0.0, 1.0))
        return np.nan_to_num(self.likelihood.log_densities(values), nan=-1e3, neginf=-1e3)


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
    x, covariance, errors = intervals(surface, x, model.parameters)
    values = values_at(model.parameters, x)
    error, bias = likelihood.errors_of_total(values)
    if progress is not None:
        progress(1.0, model.name)
    return FittedModel(
        model=model,
        estimates=values,
        errors=errors,
        log_likelihood=float(surface(x).sum()),
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


def maximum_near(likelihood: TrialLikelihood, start: Mapping[str, float]) -> dict[str, float]:
    """Return the parameters of the highest likelihood near some others, to some .01 log units."""
    parameters = likelihood.model.parameters
    x, _ = climb(_Surface(likelihood), position_of(parameters, start), close=True)
    return values_at(parameters, x)


def maximise(
    densities: Densities, places: list[Array], seed: int, progress: Progress | None = None
) -> tuple[Array, list[float]]:
    """Return the best point of the unit cube, and the best value from each start.

    Parameters
    ----------
    densities : callable
        Returns the log densities of all trials, whose sum is to be maximised.
    places : list of ndarray of shape (P,)
        Starts.
    seed : int
    progress : Progress, optional
    """
    tell = stretch(progress, 0.0, 1.0)
    ends = [(place, -np.inf) for place in _screened(densities, places, seed)]
    n_starts = len(ends)
    for stage, (most, rounds) in enumerate(_STAGES):
        going = ends[:most]
        for i, (place, _) in enumerate(going):
            ends[i] = climb(densities, place, rounds=rounds)
            tell((stage + (i + 1) / len(going)) / (len(_STAGES) + 2), "climbing")
        ends.sort(key=lambda each: -each[1])
    ends[0] = climb(densities, ends[0][0], exact=True)
    if n_starts > 1:
        ends[0] = _shaken(densities, *ends[0])
    return ends[0][0], [value for _, value in ends]


def _shaken(densities: Densities, x: Array, value: float) -> tuple[Array, float]:
    """Climb again from places that fit hardly worse, and go on from what is better.

    They lie `_SHAKES` standard deviations away along each coordinate, the others following as in a
    profile: where trials are few, the summit that a quick answer makes may have others beside it.
    """
    before, failed, most = value, 0, len(_SHAKES) * len(x)
    while failed < most:
        scores = _scores(densities, x, densities(x), None)
        spread = _inverse(scores.T @ scores)
        along = spread / np.sqrt(np.diag(spread))[:, None]
        for place in np.concatenate([np.clip(x + far * along, 0.0, 1.0) for far in _SHAKES]):
            end, there = climb(densities, place, rounds=_SHAKE_ROUNDS, beat=value + _BETTER)
            failed += 1
            if there > value + _BETTER:
                x, value, failed = end, there, 0
                break
            if failed == most:
                break
    return climb(densities, x, exact=True) if value > before else (x, value)


def _screened(densities: Densities, places: list[Array], seed: int) -> list[Array]:
    """Return the starts, for each the best of some places around it, and the best anywhere."""
    if len(places) == 1:
        return places
    random = np.random.default_rng(seed)

    def value(x: Array) -> float:
        return float(densities(x).sum())

    chosen = []
    for place in places:
        noise = 0.15 * random.standard_normal((_TRIED, len(place)))
        around = max(np.clip(place + noise, 0.02, 0.98), key=value)
        chosen += [place, around] if value(around) > value(place) else [place]
    anywhere = random.uniform(0.05, 0.95, (_ANYWHERE, len(places[0])))
    return chosen + sorted(anywhere, key=value)[-_KEPT:]


def climb(
    densities: Densities,
    place: Array,
    exact: bool = False,
    held: int | None = None,
    rounds: int | None = None,
    beat: float = -math.inf,
    close: bool = False,
) -> tuple[Array, float]:
    """Climb by scoring; return the end and the value there, no worse than the start's.

    Parameters
    ----------
    densities : callable
    place : ndarray of shape (P,)
    exact : bool
        Whether steps follow the second derivatives instead of the scores.
    held : int, optional
        A coordinate that does not move.
    rounds : int, optional
        Steps at most; `_ROUNDS` when left out.
    beat : float
        The search is given up after a step that gained less than a quarter of what is missing.
    close : bool
        Whether to go on, by scores, until steps gain as little as they do if `exact`.
    """
    x, now = place.copy(), densities(place)
    damping, short, least, reach = 0.01, 0, 1e-3 if exact or close else 0.02, 1.0
    for _ in range(_ROUNDS if rounds is None else rounds):
        scores = _scores(densities, x, now, held)
        slope, bend = scores.sum(axis=0), scores.T @ scores
        if exact:
            slope, bend = _seen_from_afar(densities, x, float(now.sum()), slope, bend, reach)
        gain = 0.0
        while gain <= 0.0 and damping < 1e7:
            tried = _step(x, slope, bend, damping, held)
            there = densities(tried)
            gain = float((there - now).sum())
            damping *= 0.2 if gain > 0.0 else 8.0
        if gain > 0.0:
            x, now = tried, there
        if float(now.sum()) + 4.0 * gain < beat:
            break
        short = short + 1 if gain < least else 0
        if gain <= 0.0 or short == 2 or (short and held is not None):
            reach, damping, short = 0.2 * reach, 0.01, 0
            if not exact or reach < 0.02:
                break
    return x, float(now.sum())


def _scores(densities: Densities, x: Array, now: Array, held: int | None) -> Array:
    """Return how the log density of each trial changes along each coordinate, shape (n, P)."""
    scores = np.zeros((len(now), len(x)))
    for i, step in enumerate(np.where(x < 0.5, _DIFFERENCE, -_DIFFERENCE)):
        if i != held:
            moved = x.copy()
            moved[i] += step
            scores[:, i] = (densities(moved) - now) / step
    return scores


def _step(x: Array, slope: Array, bend: Array, damping: float, held: int | None) -> Array:
    """Return the point of the cube where a damped quadratic is greatest; bounds that bind hold."""
    free = ~(((x <= 0.0) & (slope < 0.0)) | ((x >= 1.0) & (slope > 0.0)))
    free[[] if held is None else [held]] = False
    damped = bend + np.diag(damping * np.diag(bend) + 1e-3)
    step = np.zeros_like(x)
    for _ in range(len(x)):
        if not free.any():
            break
        rest = slope - damped @ np.where(free, 0.0, step)
        step[free] = np.linalg.solve(damped[np.ix_(free, free)], rest[free])
        inside = np.clip(x + step, 0.0, 1.0) - x
        beyond = free & (inside != step)
        step = inside
        if not beyond.any():
            break
        free &= ~beyond
    return np.asarray(np.clip(x + step, 0.0, 1.0))


def _seen_from_afar(
    densities: Densities, x: Array, peak: float, slope: Array, scores: Array, reach: float
) -> tuple[Array, Array]:
    """Return slopes and second derivatives over steps that matter, where there is room for them.

    Between the levels of the tables the surface is smooth, and at them it bends: a slope over a
    short step would take such an edge for a summit.

    Parameters
    ----------
    slope, scores : ndarray of shape (P,) and (P, P)
        From short steps, for the coordinates without room.
    reach : float
        Length of the steps: 1 where they change the log likelihood by about a quarter.
    """
    steps = reach * np.minimum(np.sqrt(0.5 / np.maximum(np.diag(scores), 1.0)), 0.1)
    room = np.flatnonzero((x - steps >= 0.0) & (x + steps <= 1.0)).tolist()
    slope, bend = slope.copy(), scores.copy()
    wide = curvature(lambda y: float(densities(y).sum()), x, peak, steps, room)
    slope[room], bend[np.ix_(room, room)] = wide
    scale = 1.0 / np.sqrt(np.maximum(np.diag(scores), 1e-3))
    values, axes = np.linalg.eigh(bend * np.outer(scale, scale))
    positive = (axes * np.maximum(np.abs(values), 0.02)) @ axes.T
    return slope, np.asarray(positive / np.outer(scale, scale))


def intervals(
    densities: Densities, x: Array, parameters: tuple[ModelParameter, ...]
) -> tuple[Array, Array, dict[str, Interval]]:
    """Return the best point, the covariance in the unit cube, and 95 % intervals.

    The point is the one given, unless a better one turns up on the way.
    """
    search, ends = _Ends(densities, x), None
    while ends is None:
        try:
            covariance, ends = search.run()
        except _BetterPointError:
            search = _Ends(densities, climb(densities, search.best[0], exact=True)[0])
    x = search.x
    errors = {}
    for i, parameter in enumerate(parameters):
        low, high = (parameter.from_unit(end) for end in ends[i])
        why = ""
        if search.loose[i]:
            why = "any value fits"
        elif ends[i][1] - ends[i][0] > _WIDE:
            why = f"from {in_words(low)} to {in_words(high)} all fit"
        elif search.edge[i] and parameter.scale is not Scale.SHARE:  # serial attention is no edge
            why = f"at {parameter.from_unit(round(x[i])):g}, the edge of its range"
        errors[parameter.name] = Interval(low, high, not why, why)
    return x, covariance, errors


class _BetterPointError(Exception):
    """A point is better than the maximum."""


class _Ends:
    """The ends of intervals around a maximum, and the best point seen on the way."""

    def __init__(self, densities: Densities, x: Array) -> None:
        self.densities, self.x = densities, x
        self.peak = float(densities(x).sum())
        self.best = x, self.peak
        self.edge = (x < _EDGE) | (x > 1.0 - _EDGE)
        self.loose = np.zeros(len(x), bool)

    def value(self, x: Array) -> float:
        """Return the log likelihood, and remember the best one."""
        return self._seen(x, float(self.densities(x).sum()))

    def _seen(self, x: Array, value: float) -> float:
        if value > self.best[1]:
            self.best = x.copy(), value
        if value > self.peak + _BETTER:
            raise _BetterPointError
        return value

    def run(self) -> tuple[Array, list[tuple[float, float]]]:
        """Return the covariance, and both ends of each coordinate."""
        n = len(self.x)
        stepped = [_long_step(self.value, self.x, self.peak, i) for i in range(n)]
        steps, self.loose = (np.array(each) for each in zip(*stepped, strict=True))
        free = np.flatnonzero(~self.loose & ~self.edge).tolist()
        covariance = np.zeros((n, n))
        _, bend = curvature(self.value, self.x, self.peak, steps, free)
        covariance[np.ix_(free, free)] = _inverse(bend)
        covariance[self.loose, self.loose] = 1.0 / 12.0  # flat over the range
        return covariance, [
            (self._end(i, -1.0, covariance), self._end(i, 1.0, covariance)) for i in range(n)
        ]

    def _end(self, i: int, sign: float, covariance: Array) -> float:
        """Return where an interval ends, by the normal approximation or the profile."""
        bound = 0.5 + 0.5 * sign
        if self.loose[i] or self.x[i] == bound:
            return bound
        sd = np.sqrt(covariance[i, i])
        along = covariance[:, i] / covariance[i, i] if sd > 0.0 else np.eye(len(self.x))[i]
        end = float(np.clip(self.x[i] + sign * 1.96 * (sd or 0.02), 0.0, 1.0))
        near = np.clip(self.x + (end - self.x[i]) * along, 0.0, 1.0)
        drop = self.peak - self.value(near)
        if sd > 0.0 and (_TRUSTED[0] < drop < _TRUSTED[1] or (end == bound and drop < _PROFILE)):
            return end
        return self._profile(i, bound, near)

    def _profile(self, i: int, bound: float, near: Array) -> float:
        """Return where the profile is `_PROFILE` lower, between the maximum and a bound."""
        inner, outer, root = float(self.x[i]), None, 0.0  # root of twice the drop: nearly a line
        wanted = math.sqrt(2.0 * _PROFILE)
        for _ in range(8):
            near, value = climb(self.densities, near, held=i, rounds=_PROFILE_ROUNDS)
            self._seen(near, value)
            place, here = float(near[i]), math.sqrt(max(2.0 * (self.peak - value), 1e-12))
            if abs(here - wanted) < 0.08 or (place == bound and here < wanted):
                return place
            if here < wanted:
                inner, root = place, here
            else:
                outer = (place, here)
            if outer is None:
                further = self.x[i] + (place - self.x[i]) * min(3.0, 1.1 * wanted / here)
                aim = float(np.clip(further, 0.0, 1.0))
            else:
                share = np.clip((wanted - root) / (outer[1] - root), 0.1, 0.9)
                aim = inner + float(share) * (outer[0] - inner)
            near = np.clip(self.x + (near - self.x) * (aim - self.x[i]) / (place - self.x[i]), 0, 1)
            near[i] = aim
        return float(near[i])


def curvature(
    value: Callable[[Array], float], x: Array, peak: float, steps: Array, free: list[int]
) -> tuple[Array, Array]:
    """Return slopes and minus second derivatives along some coordinates; central if possible."""
    shift = np.diag(steps)
    room = [0.0 <= x[i] - steps[i] <= 1.0 for i in free]
    ahead = [value(x + shift[i]) - peak for i in free]
    behind = [value(x - shift[i]) - peak if ok else 0.0 for i, ok in zip(free, room, strict=True)]
    bend = np.empty((len(free), len(free)))
    for a, i in enumerate(free):
        bend[a, a] = -(ahead[a] + (behind[a] if room[a] else ahead[a])) / steps[i] ** 2
        for b, j in enumerate(free[:a]):
            both = value(x + shift[i] + shift[j]) - peak - ahead[a] - ahead[b]
            if room[a] and room[b]:
                both += value(x - shift[i] - shift[j]) - peak - behind[a] - behind[b]
                both *= 0.5
            bend[a, b] = bend[b, a] = -both / (steps[i] * steps[j])
    slope = (np.array(ahead) - np.array(behind)) / (2.0 * steps[free])
    return slope, bend


def _long_step(
    value: Callable[[Array], float], x: Array, peak: float, i: int
) -> tuple[float, bool]:
    """Return a step along a coordinate that costs about `_DROP`, and whether there is none."""
    sign = 1.0 if x[i] < 0.5 else -1.0  # towards the farther bound
    room = 1.0 - x[i] if sign > 0 else x[i]
    step, below = min(0.01, room), 0.0
    for _ in range(24):
        y = x.copy()
        y[i] += sign * step
        drop = peak - value(y)
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
