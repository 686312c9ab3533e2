r"""What each question of the explorer answers: the objects of ``--json``, and what a plot needs.

The functions are called by the names of the questions, with the task, the costs, the settings and
`progress`. They return what `popout.drawing.plain.plain` turns into JSON.

The speed-accuracy frontier is the curve of error rates against mean response times that an observer
of a kind can reach. Each of its points is the observer made for one cost of time, and the cost runs
over a range around the one given. All points are simulated on the same trials.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from popout.analysis.compare import compare as compare_strategies
from popout.analysis.making import Workshop
from popout.evidence import log_likelihood_ratio_search
from popout.exact import thresholds as optimal_thresholds
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.simulation import Trials
from popout.task import Costs, Fault, InputError, LimitedSearchTask, Task
from popout.web.explorer import settings as chosen
from popout.web.explorer.curves import attention_map, boundary_curves, in_plane
from popout.web.explorer.observers import (
    Observer,
    make_observer,
    refuse_attention,
    solved,
)

SIDES = ("absent", "present")
LONGEST_PATH = 600
"""Points of an example that are sent; longer ones are thinned out."""


def solve(task: Task, costs: Costs, given: chosen.Solve, progress: Progress) -> Any:
    """Return the exact ideal observer."""
    if isinstance(task, LimitedSearchTask):
        where = given.attention or "optimal"
        return solved(task, costs, given.rtol, progress, where).as_dict()
    refuse_attention(given.attention)
    return solved(task, costs, given.rtol, progress).as_dict()


def thresholds(task: Task, costs: Costs, given: chosen.Thresholds, progress: Progress) -> Any:
    """Return the optimal thresholds at one location, of each drift that there is."""
    search = task.search
    if search is None:
        expected = "a task whose locations have drifts of their own"
        raise InputError([Fault("", ("task",), expected, task.kind, task.why_no_search)])
    rows = [
        optimal_thresholds(
            drift, costs, dt=task.dt, prior=task.prior, rtol=given.rtol, progress=progress
        ).as_dict()
        for drift in dict.fromkeys(search.drifts)
    ]
    return rows[0] if len(rows) == 1 else rows


def boundary(task: Task, costs: Costs, given: chosen.Boundary, progress: Progress) -> Any:
    """Return the boundary in the plane of two locations."""
    n = task.n_locations
    first, second = given.plane
    if max(first, second) >= n:
        expected = f"locations from 0 to {n - 1}"
        remedy = "name two of them" if n > 1 else "ask for the thresholds instead"
        raise InputError([Fault("", ("plane",), expected, str([first, second]), remedy)])
    plane = (first, second)
    found: dict[str, Any] = {"plane": plane, "others": given.others, "attention": None}
    if isinstance(task, LimitedSearchTask) and n > 1:
        name, where = given.strategy or "optimal", given.attention or "optimal"
        if name == "optimal":
            joint = solved(task, costs, given.rtol, progress, where)
            attention, strategy = joint.attention, in_plane(joint.strategy, plane, given.others, n)
            assert attention is not None
            found |= _risks(joint)
        else:
            observer = _observer(task, costs, given, progress)
            assert observer.attention is not None
            attention = observer.attention
            strategy = in_plane(observer.strategy, plane, given.others, n)
            found |= {"risk": None, "risk_error": None, "thresholds": None}
        shares = attention_map(attention, strategy, plane, given.others, n)
        return {
            **found,
            "strategy": name,
            **boundary_curves(strategy, plane),
            "attention": {"name": where, **shares},
        }
    if given.strategy in (None, "optimal"):
        refuse_attention(given.attention)
        solution = solved(task, costs, given.rtol, progress)
        others = -math.inf if given.others is None else given.others
        curves = solution.boundary(plane, others).as_dict()
        return {**found, "strategy": "optimal", **curves, **_risks(solution), "attention": None}
    observer = _observer(task, costs, given, progress)
    strategy = in_plane(observer.strategy, plane, given.others, n)
    unknown = {"risk": None, "risk_error": None, "thresholds": None}
    return {**found, "strategy": observer.name, **boundary_curves(strategy, plane), **unknown}


def _risks(solution: Any) -> dict[str, Any]:
    pairs = [{"lower": low, "upper": up} for low, up in solution.thresholds]
    return {"risk": solution.risk, "risk_error": solution.risk_error, "thresholds": pairs}


def simulate(task: Task, costs: Costs, given: chosen.Simulate, progress: Progress) -> Any:
    """Return trials of one strategy, summarised, with a histogram of response times."""
    observer = _observer(task, costs, given, stretch(progress, 0.0, 0.5, "preparing"))
    told = stretch(progress, 0.5, 1.0, "simulating")
    trials = observer.trials(task, given.trials, given.seed, given.time_limit, told)
    summary = trials.summary(costs)
    answer = {
        **observer.described,
        "seed": given.seed,
        **summary.as_dict(),
        "histogram": _histogram(trials, given.bins),
    }
    if observer.attention is None:
        answer["notes"] = Workshop(task, costs).notes(summary)
    return answer


def _observer(
    task: Task, costs: Costs, given: chosen.Observer | chosen.Boundary, progress: Progress
) -> Observer:
    return make_observer(
        task,
        costs,
        given.strategy,
        given.attention,
        given.tune_trials,
        given.seed,
        given.rtol,
        progress,
    )


def _histogram(trials: Trials, bins: int) -> dict[str, Any]:
    """Return counts by class and correctness; bins are whole numbers of steps."""
    decided = trials.response != Action.WAIT
    assert trials.dt is not None
    steps = trials.steps[decided]
    last = int(np.quantile(steps, 0.999)) + 1 if steps.size else 1
    width = max(1, math.ceil(last / bins))
    # A bin holds the steps (k width, (k + 1) width]: no step lies on an edge.
    edges = (np.arange(math.ceil(last / width) + 1) * width + 0.5) * trials.dt
    found: dict[str, Any] = {"edges": edges}
    for present, side in enumerate(SIDES):
        here = decided & (trials.present == bool(present))
        found[side] = {
            name: np.histogram(trials.rt[here & (trials.correct == correct)], edges)[0]
            for name, correct in (("correct", True), ("error", False))
        }
    return found


def slopes(task: Task, costs: Costs, given: chosen.Slopes, progress: Progress) -> Any:
    """Return errors and response times of one strategy over set sizes, and the slopes."""
    sizes = sorted(given.locations)
    rows = []
    for k, size in enumerate(sizes):
        told = stretch(progress, k / len(sizes), (k + 1) / len(sizes), f"{size} locations")
        told(0.0, "")
        sized = _resized(task, size)
        observer = _observer(sized, costs, given, told)
        summary = observer.trials(sized, given.trials, given.seed).summary(costs).as_dict()
        rows.append({"locations": size, **observer.described, **summary})
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


def compare(task: Task, costs: Costs, given: chosen.Compare, progress: Progress) -> Any:
    """Return strategies side by side, over set sizes and costs of time."""
    task.observations  # noqa: B018  # which says what to do instead where there are none
    tasks = [task] if given.locations is None else [_resized(task, n) for n in given.locations]
    prices = [costs]
    if given.time_costs is not None:
        prices = [dataclasses.replace(costs, time=time) for time in given.time_costs]
    return compare_strategies(
        tasks,
        prices,
        list(given.strategies),
        n_trials=given.trials,
        tune_trials=given.tune_trials,
        seed=given.seed,
        progress=progress,
    ).as_dict()


def frontier(task: Task, costs: Costs, given: chosen.Frontier, progress: Progress) -> Any:
    """Return mean response time and error rate as the cost of time changes."""
    half = (given.points - 1) / 2
    middle = given.points // 2
    powers = (np.arange(given.points) - middle) / max(half, 1.0) / 2
    points = []
    for k, factor in enumerate(given.span**powers):
        told = stretch(progress, k / given.points, (k + 1) / given.points)
        told(0.0, f"cost of time {k + 1} of {given.points}")
        pair = (costs.time_absent * factor, costs.time_present * factor)
        price = dataclasses.replace(costs, time=pair)
        observer = _observer(task, price, given, told)
        summary = observer.trials(task, given.trials, given.seed).summary(price).as_dict()
        share = (1.0 - task.prior, task.prior)
        mean = {
            name: sum(p * summary[name][side] for p, side in zip(share, SIDES, strict=True))
            for name in ("mean_rt", "error_rate")
        }
        points.append({"time_cost": price.time, **mean, "risk": summary["risk"]})
    return {"points": points, "chosen": middle}


def example_trials(task: Task, costs: Costs, given: chosen.Examples, progress: Progress) -> Any:
    """Return a few trials, step by step."""
    observer = _observer(task, costs, given, progress)
    trials = observer.trials(task, given.n, given.seed)
    return {**observer.described, "trials": [_example(task, trials, i) for i in range(given.n)]}


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
    }
