r"""What each question of the explorer answers: the objects of ``--json``, and what a plot needs.

`answer` has one function for each kind of question; they return what `popout.drawing.plain.plain`
turns into JSON.

The speed-accuracy frontier is the curve of error rates against mean response times that an observer
of a kind can reach. Each of its points is the observer made for one cost of time, and the cost runs
over a range around the one given. All points are simulated on the same trials.

The exact boundary of independent locations is traced to sub-grid accuracy by
`popout.exact.boundary`. Of any other strategy with margins the boundary is the curve on which a
margin is zero: for each difference d = Z1 - Z2, the sum at which it is crossed
(`popout.analysis.curves`).
"""

from __future__ import annotations

import dataclasses
import math
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, strategy_curves
from popout.analysis.making import Workshop
from popout.evidence import log_likelihood_ratio_search
from popout.policies.looking import Attention
from popout.policies.observer import Observer
from popout.policies.stopping import Action, BoundaryStrategy
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.task import Fault, InputError, Task
from popout.task.look import FixedRates, Gazes
from popout.web.explorer import questions as asked
from popout.web.explorer.making import observer_for, solved

Array = NDArray[np.float64]
RULED_OUT = -80.0
REACH, POINTS = 16.0, 161
"""Differences of log likelihood ratios that are shown, in nats, and how many."""
EDGE = 12.0
"""Nothing is shown beyond, in nats."""
NODES = 61
LONGEST_PATH = 600
"""Points of an example that are sent; longer ones are thinned out."""


@singledispatch
def answer(question: asked.Question, progress: Progress) -> Any:
    """Answer a question."""
    raise NotImplementedError(question.name)


@answer.register
def _solve(question: asked.SolveQuestion, progress: Progress) -> Any:
    """Return the solution as ``popout solve --json`` does."""
    how = question.attention, question.rtol
    return solved(question.task, question.costs, *how, progress=progress).as_dict()


@answer.register
def _boundary(question: asked.BoundaryQuestion, progress: Progress) -> Any:
    """Return the boundary in the plane of two locations, and where attention goes in it."""
    task, others, n = question.task, question.others, question.task.n_locations
    first, second = plane = question.plane
    if max(plane) >= n:
        expected = f"locations from 0 to {n - 1}"
        remedy = "name two of them" if n > 1 else "take two or more"
        raise InputError([Fault("", ("plane",), expected, str([first, second]), remedy)])
    is_fixed = isinstance(task.look, FixedRates)
    if not is_fixed:
        question = question.model_copy(update={"attention": question.attention or "optimal"})
    name = question.strategy or "optimal"
    shown: dict[str, Any] = {"strategy": name, "plane": plane, "others": others, "attention": None}
    if name == "optimal":
        best = solved(task, question.costs, question.attention, question.rtol, progress=progress)
        pairs = [{"lower": low, "upper": up} for low, up in best.thresholds]
        shown |= {"risk": best.risk, "risk_error": best.risk_error, "thresholds": pairs}
        if is_fixed:
            held = -math.inf if others is None else others
            return {**best.boundary(plane, held).as_dict(), **shown}
        observer = Observer(best.attention, best.strategy)
    else:
        shown |= {"risk": None, "risk_error": None, "thresholds": None}
        observer, _ = observer_for(question, task, question.costs, progress)
    # Where distractors are unknown the state is one number, and has no plane.
    has_plane = task.search is not None or not is_fixed
    if not has_plane or not isinstance(observer.strategy, BoundaryStrategy):
        expected = "a strategy with a boundary between two locations"
        remedy = "choose another strategy, or a task whose distractors are known"
        got = repr(observer.strategy.label)
        raise InputError([Fault("", ("strategy",), expected, got, remedy)])
    strategy = InPlane(observer.strategy, plane, others, n)
    if observer.attention is not None:
        shares = attention_map(observer.attention, strategy)
        shown["attention"] = {"name": question.attention, **shares}
    return {**boundary_curves(strategy), **shown}


@dataclasses.dataclass(frozen=True)
class InPlane(BoundaryStrategy):
    """A strategy of many locations, of which all but two are held somewhere.

    Parameters
    ----------
    whole : BoundaryStrategy
    plane : pair of int
        The two.
    others : float or None
        Where the others are held; None rules them out.
    n : int
        Locations.
    """

    whole: BoundaryStrategy
    plane: tuple[int, int]
    others: float | None
    n: int
    label = "in the plane"

    @property
    def axes(self) -> list[str]:
        """Names of the two log likelihood ratios, counted from 1."""
        return [f"Z{place + 1}" for place in self.plane]

    def held(self, points: Array) -> Array:
        """Return the states of all locations from those of two, shape (..., n)."""
        rest = RULED_OUT if self.others is None else self.others
        Z = np.full((*points.shape[:-1], self.n), rest)
        Z[..., self.plane[0]], Z[..., self.plane[1]] = points[..., 0], points[..., 1]
        return Z

    def margins(self, Z: Any, t: Any) -> tuple[Array, Array]:
        """Return the margins of the whole strategy."""
        return self.whole.margins(self.held(np.asarray(Z)), t)


def boundary_curves(strategy: InPlane) -> dict[str, Any]:
    """Return both curves of a strategy, in order along them.

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> curves = boundary_curves(InPlane(SPRT.for_task(task, -3.0, 3.0), (0, 1), None, 2))
    >>> float(np.interp(0.0, *(np.subtract(*curves["present"].values()), curves["present"]["Z1"])))
    3.0
    """
    curves = {}
    lines = strategy_curves(strategy, differences(REACH, POINTS))
    for side, line in zip(SIDES, lines, strict=True):
        shown = line[(np.abs(line) <= EDGE).all(axis=1)]
        curves[side] = {name: shown[:, k] for k, name in enumerate(strategy.axes)}
    return curves


def attention_map(attention: Attention, strategy: InPlane) -> dict[str, Any]:
    """Return the share of the first of two locations, NaN where the strategy answers."""
    z = np.linspace(-EDGE, EDGE, NODES)
    points = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1)
    share = np.asarray(attention.shares(strategy.held(points), 0.0))[..., strategy.plane[0]]
    waits = np.maximum(*strategy.margins(points, 0.0)) < 0
    return {**dict.fromkeys(strategy.axes, z), "share": np.where(waits, share, np.nan)}


@answer.register
def _simulate(question: asked.SimulateQuestion, progress: Progress) -> Any:
    """Return trials of one strategy, summarised, with a histogram of response times."""
    task, costs, seed = question.task, question.costs, question.seed
    preparing = stretch(progress, 0.0, 0.5, "preparing")
    observer, described = observer_for(question, task, costs, preparing)
    simulating = stretch(progress, 0.5, 1.0, "simulating")
    n, limit = question.trials, question.time_limit
    trials = simulate(task, observer, n, seed, time_limit=limit, progress=simulating)
    summary = trials.summary(costs)
    notes = {} if observer.attention else {"notes": Workshop(task, costs).notes(summary)}
    more: dict[str, Any] = {"histogram": _histogram(trials, question.bins)}
    if isinstance(task.look, Gazes):
        more["fixations"] = trials.fixations.as_dict()
    return {**described, "seed": seed, **summary.as_dict(), **more, **notes}


def _histogram(trials: Trials, bins: int) -> dict[str, Any]:
    """Return counts by class and correctness; bins are whole numbers of steps."""
    decided = trials.response != Action.WAIT
    assert trials.dt is not None
    steps = trials.steps[decided]
    last = int(np.quantile(steps, 0.999)) + 1 if steps.size else 1
    width = max(1, math.ceil(last / bins))
    # A bin begins with a time that can occur; half a step keeps these off the edges.
    edges = np.arange(math.ceil(last / width) + 1) * width * trials.dt
    between = edges - trials.dt / 2
    histogram: dict[str, Any] = {"edges": edges}
    for present, side in enumerate(SIDES):
        of_side = decided & (trials.present == bool(present))
        histogram[side] = {
            name: np.histogram(trials.rt[of_side & (trials.correct == correct)], between)[0]
            for name, correct in (("correct", True), ("error", False))
        }
    return histogram


@answer.register
def _slopes(question: asked.SlopesQuestion, progress: Progress) -> Any:
    """Return errors and response times of one strategy over set sizes, and the slopes."""
    costs, sizes = question.costs, sorted(question.locations)
    rows = []
    for k, size in enumerate(sizes):
        part = stretch(progress, k / len(sizes), (k + 1) / len(sizes), f"{size} locations")
        part(0.0, "")
        task = _resized(question.task, size)
        observer, described = observer_for(question, task, costs, part)
        trials = simulate(task, observer, question.trials, question.seed)
        rows.append({"locations": size, **described, **trials.summary(costs).as_dict()})
    slope = {
        side: 1000.0 * np.polyfit(sizes, [row["mean_rt"][side] for row in rows], 1)[0]
        for side in SIDES
    }
    return {"rows": rows, "slope": slope}


def _resized(task: Task, size: int) -> Task:
    """Return the task with another set size."""
    try:
        sized: Task = dataclasses.replace(task, **{"n_locations": size})
        return sized
    except (InputError, TypeError):
        expected = "a task that says the same about every location"
        remedy = "give one drift or visibility for all locations, and no location_prior"
        raise InputError([Fault("", ("task",), expected, task.kind, remedy)]) from None


@answer.register
def _frontier(question: asked.FrontierQuestion, progress: Progress) -> Any:
    """Return mean response time and error rate as the cost of time changes."""
    task, costs, n_points = question.task, question.costs, question.points
    half, middle = (n_points - 1) / 2, n_points // 2
    powers = (np.arange(n_points) - middle) / max(half, 1.0) / 2
    points = []
    for k, factor in enumerate(question.span**powers):
        part = stretch(progress, k / n_points, (k + 1) / n_points)
        part(0.0, f"cost of time {k + 1} of {n_points}")
        pair = (costs.time_absent * factor, costs.time_present * factor)
        price = dataclasses.replace(costs, time=pair)
        observer, _ = observer_for(question, task, price, part)
        trials = simulate(task, observer, question.trials, question.seed)
        summary = trials.summary(price).as_dict()
        share = (1.0 - task.prior, task.prior)
        mean = {
            name: sum(p * summary[name][side] for p, side in zip(share, SIDES, strict=True))
            for name in ("mean_rt", "error_rate")
        }
        points.append({"time_cost": price.time, **mean, "risk": summary["risk"]})
    return {"points": points, "chosen": middle}


@answer.register
def _examples(question: asked.ExamplesQuestion, progress: Progress) -> Any:
    """Return a few trials, step by step."""
    task, n = question.task, question.n
    observer, described = observer_for(question, task, question.costs, progress)
    trials = simulate(task, observer, n, question.seed)
    return {**described, "trials": [_example(task, trials, index) for index in range(n)]}


def _example(task: Task, trials: Trials, index: int) -> dict[str, Any]:
    Z, shares = trials.history(index)
    thin = max(1, math.ceil(len(Z) / LONGEST_PATH))
    keep = np.unique(np.append(np.arange(0, len(Z), thin), len(Z) - 1))
    names = {Action.ABSENT: "absent", Action.PRESENT: "present"}
    target = int(trials.target[index])
    Z = Z[keep]
    odds = Z[:, 0]
    if Z.shape[1] == task.n_locations:
        odds = log_likelihood_ratio_search(Z, task.location_prior)
    return {
        "present": target >= 0,
        "target": target if target >= 0 else None,
        "response": names.get(Action(int(trials.response[index]))),
        "correct": bool(trials.correct[index]),
        "rt": float(trials.rt[index]),
        "t": keep * task.dt,
        "Z": Z,
        "posterior": 1.0 / (1.0 + np.exp(-(odds + task.log_prior_odds))),
        "shares": None if shares is None else shares[np.minimum(keep, max(len(shares) - 1, 0))],
        "fixations": _fixations(task, trials, index) if isinstance(task.look, Gazes) else None,
    }


def _fixations(task: Task, trials: Trials, index: int) -> list[dict[str, Any]]:
    """Return the fixations of a trial, each with P(target at l) after it for every item."""
    path = trials.scanpath(index)
    Z = path.filter(regex="^Z").to_numpy() + task.log_prior_odds
    odds = log_likelihood_ratio_search(Z, task.location_prior)
    likely = np.asarray(task.location_prior) * np.exp(Z - np.logaddexp(0.0, odds)[:, None])
    columns = path[["gaze", "x", "y", "onset", "duration"]].assign(likely=list(likely))
    rows: Any = columns.to_dict("records")
    return list(rows)
