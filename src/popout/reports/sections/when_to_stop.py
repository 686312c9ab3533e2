r"""Section: when to stop.

With two or more locations, and one log likelihood ratio :math:`Z_l` for each, a strategy is a pair
of surfaces in the space of all :math:`Z_l`. Shown are cuts through it in the plane of two
locations, with the others ruled out, and held at an intermediate value where there are any. The
exact boundary is traced on the solver's grid (see `popout.exact.boundary`), the others follow from
their tests.

With one location, or where the state is the log likelihood ratio of presence alone, a strategy is a
pair of thresholds on the log posterior odds, drawn against time with a few trials.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from popout.analysis.curves import SIDES, differences, exact_curves, strategy_curves
from popout.drawing.style import ABSENT, PRESENT, look_of, panel, styled
from popout.exact import Solution
from popout.policies.stopping import BoundaryStrategy, ScaledSPRT, Strategy, TimeVaryingSPRT
from popout.progress import Progress
from popout.reports.cells import NATS, Variables, labelled, over
from popout.reports.contest import FIXED, Contest, Entry
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, sentence, threshold
from popout.task import InputError

Array = NDArray[np.float64]
POINTS = 201
REACH = 16.0
RULED_OUT = -60.0
"""Stands for minus infinity: such a location no longer matters."""
EDGE = 70.0
"""A cut that the bisection places beyond this does not exist."""
SHOWN = 5


class _Cut(BoundaryStrategy):
    """A strategy in the plane of the first two locations, the others held."""

    def __init__(self, whole: BoundaryStrategy, M: int, others: float) -> None:
        self.whole, self.M, self.others = whole, M, others

    def margins(self, Z: ArrayLike, t: ArrayLike) -> tuple[Array, Array]:
        plane = np.asarray(Z, dtype=np.float64)
        rest = np.full((*plane.shape[:-1], self.M - 2), self.others)
        return self.whole.margins(np.concatenate([plane, rest], axis=-1), t)


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return cuts through the boundaries, or thresholds over time."""
    contest = study.contest(progress)
    search = study.search
    if search is not None and search.n_locations > 1:
        return _planes(study, contest)
    return _over_time(study, contest)


def _planes(study: Study, contest: Contest) -> xr.Dataset:
    search, solution = study.search, contest.solution
    assert search is not None
    M = search.n_locations
    strategies = {entry.name: entry.strategy for entry in contest.entries if entry.name != FIXED}
    levels = [RULED_OUT] if M == 2 else [RULED_OUT, _middle(strategies)]
    d = differences(REACH, POINTS)

    def cut(name: str, level: float) -> Variables:
        strategy, Z = strategies[name], np.full((2, d.size, 2), np.nan)
        if name == "optimal" and solution is not None:
            Z = _exact_cut(solution, level, d)
        elif isinstance(strategy, BoundaryStrategy):
            curves = strategy_curves(_Cut(strategy, M, level), d)
            reached = np.abs(curves.sum(axis=-1)) < EDGE
            Z = np.where(reached[..., None], curves, np.nan)
        return {"boundary": (("side", "difference", "location"), Z)}

    fits = () if solution is None else (solution.scales.minus, solution.scales.plus)
    unknown, side = [math.nan] * 2, ("side",)
    axes = {"strategy": strategies, "level": levels}
    return labelled(
        {
            **over(axes, cut),
            "scale": (side, [fit.a for fit in fits] or unknown),
            "misfit": (side, [fit.largest for fit in fits] or unknown, NATS),
            "a_sprt": (side, _scales_of(strategies.get("a-SPRT"))),
        },
        axes | {"side": SIDES, "difference": xr.Variable("difference", d, NATS)},
        {
            "kind": "plane",
            "locations": M,
            "places": study.places[:2],
            "why_not": contest.why_not,
        },
    )


def _scales_of(strategy: Strategy | None) -> list[float]:
    """Return the scales of a-SPRT, if it is there."""
    if isinstance(strategy, ScaledSPRT):
        return [strategy.a_minus, strategy.a_plus]
    return [math.nan, math.nan]


def _middle(strategies: Mapping[str, Strategy]) -> float:
    """Return a level just below SPRT's lower boundary for locations that are all equal."""
    sprt = strategies.get("SPRT")
    return round(min(sprt.tau_minus, 0.0) - 0.5, 1) if isinstance(sprt, ScaledSPRT) else -1.0


def _exact_cut(solution: Solution, level: float, d: Array) -> Array:
    """Return the exact boundary at each d, NaN where it is not on the grid."""
    try:
        return exact_curves(solution, d, -math.inf if level == RULED_OUT else level)
    except InputError:  # a location that never holds the target
        return np.full((2, d.size, 2), np.nan)


def _over_time(study: Study, contest: Contest) -> xr.Dataset:
    paths, task, solution = study.paths, study.task, contest.solution
    rt = contest.best.trials.rt
    last = int(min(max(1.3 * float(np.quantile(rt, 0.98)) / task.dt, 10), paths.odds.shape[1] - 1))
    looks = np.unique(np.linspace(0, last, min(last, 200) + 1).round().astype(int))
    t = looks * task.dt
    tau = {
        entry.name: _thresholds(None if solution is None else solution.thresholds[0], entry, t)
        for entry in contest.entries
        if entry.name != FIXED
    }
    shown = [np.flatnonzero(of_class)[:SHOWN] for of_class in (~paths.present, paths.present)]
    n = min(len(part) for part in shown)
    examples = np.stack([paths.odds[part[:n]][:, looks] for part in shown]).astype(np.float64)
    return labelled(
        {
            "tau": (("strategy", "side", "time"), np.stack(list(tau.values())), NATS),
            "example": (("class", "trial", "time"), examples, NATS),
        },
        {"strategy": tau, "side": SIDES, "class": SIDES, "time": t},
        {"kind": "time", "locations": 1, "why_not": contest.why_not},
    )


def _thresholds(optimal: tuple[float, float] | None, entry: Entry, t: Array) -> Array:
    """Return the thresholds on the log posterior odds at each time."""
    strategy = entry.strategy
    if isinstance(strategy, TimeVaryingSPRT):
        both = (strategy.tau_minus, strategy.tau_plus)
        tau = np.stack([np.interp(t, strategy.knots, values) for values in both])
        tau[:, t >= strategy.knots[-1] - 1e-9] = np.nan  # answered at the deadline
        return tau
    if entry.name == "optimal" and optimal is not None:
        low, high = optimal
    else:
        assert isinstance(strategy, ScaledSPRT)
        low, high = strategy.tau_minus, strategy.tau_plus
    return np.repeat([[low], [high]], t.size, axis=1)


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw cuts through the boundaries, or thresholds over time."""
    return _draw_time(data) if data.attrs["kind"] == "time" else _draw_planes(data)


def _draw_planes(data: xr.Dataset) -> Figure:
    rows = data.sizes["level"]
    figure = Figure(figsize=(9.2, 0.4 + 4.2 * rows), layout="constrained")
    axes = figure.subplots(rows, 2, squeeze=False)
    letters = iter("abcd")
    for row in range(rows):
        cut = data.isel(level=row)
        level = float(cut["level"])
        held = ""
        if data.attrs["locations"] > 2:
            held = ", others ruled out" if level == RULED_OUT else f", others at {level:g}"
        for ax, side, name in zip(axes[row], SIDES, ("lower", "upper"), strict=True):
            panel(ax, next(letters), f"{name} boundary{held}")
            _cuts(ax, cut.sel(side=side))
    axes[0, 0].legend(loc="lower left")
    # With equal scales the layout needs a second pass, which is the one that is saved.
    figure.draw_without_rendering()
    return figure


def _cuts(ax: Axes, cut: xr.Dataset) -> None:
    """Draw one side of the boundary of every strategy."""
    seen = []
    for number, name in enumerate(cut["strategy"].to_numpy()):
        Z = cut["boundary"].sel(strategy=name).to_numpy()
        ax.plot(*Z.T, **look_of(str(name), number).line())
        if np.isfinite(Z).any():
            seen.append(np.nanmax(Z))
    if seen:
        top = max(seen) + 0.6
        ax.set(xlim=(top - 7.5, top), ylim=(top - 7.5, top))
    else:
        ax.text(0.5, 0.5, "not reached at this level", ha="center", transform=ax.transAxes)
        ax.set(xticks=[], yticks=[])
    x, y = (f"$Z_{{{place}}}$ (nats)" for place in cut.attrs["places"])
    ax.set(xlabel=x, ylabel=y, aspect="equal")


def _draw_time(data: xr.Dataset) -> Figure:
    figure = Figure(figsize=(9.2, 4.4), layout="constrained")
    ax = figure.subplots()
    t = data["time"]
    for kind, colour in zip(SIDES, (ABSENT, PRESENT), strict=True):
        paths = data["example"].sel({"class": kind}).to_numpy()
        ax.plot(t, paths.T, color=colour, linewidth=0.7, alpha=0.9)
        ax.plot([], [], color=colour, label=f"trials, target {kind}")
    for number, name in enumerate(data["strategy"].to_numpy()):
        look: dict[str, Any] = look_of(str(name), number).line()
        tau = data["tau"].sel(strategy=name).to_numpy()
        for curve in tau:
            ax.plot(t, curve, **look)
            look["label"] = None
        ended = np.flatnonzero(np.isnan(tau[0]))
        if ended.size and ended[0]:  # the deadline closes the gap
            ax.plot([t[ended[0]]] * 2, tau[:, ended[0] - 1], **look)
    tau = data["tau"].to_numpy()
    ax.set_ylim(float(np.nanmin(tau)) - 1.0, float(np.nanmax(tau)) + 1.0)
    ax.set(xlabel="time (s)", ylabel="log posterior odds of presence (nats)")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.text(0.99, 0.98, 'say "present"', ha="right", va="top", transform=ax.transAxes)
    ax.text(0.99, 0.02, 'say "absent"', ha="right", va="bottom", transform=ax.transAxes)
    return figure


def preface(data: xr.Dataset) -> tuple[str, ...]:
    """Say why there is no exact optimum, if there is none."""
    return (data.attrs["why_not"],)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say where the boundaries are."""
    if data.attrs["kind"] == "time":
        return _describe_time(data)
    M = data.attrs["locations"]
    first, second = data.attrs["places"]
    sentences = [
        f"Cuts in the plane of locations {first} and {second}, of {M} that can hold the target."
        if M > 2
        else "Boundaries in the plane of the two local log likelihood ratios."
    ]
    scale, far = data["scale"].to_numpy(), data["misfit"].to_numpy()
    if np.isfinite(scale).all():
        sentences.append(
            f"The conjecture's scales fitted to the exact boundary are a₋ = {fixed(scale[0])} and "
            f"a₊ = {fixed(scale[1])}; its surfaces then leave the exact boundary by "
            f"{fixed(float(far.max()), 2)} nats at most."
        )
    elif np.isfinite(data["a_sprt"]).all():
        a_minus, a_plus = data["a_sprt"].to_numpy()
        sentences.append(f"a-SPRT is tuned to a₋ = {fixed(a_minus)} and a₊ = {fixed(a_plus)}.")
    return tuple(sentences)


def _describe_time(data: xr.Dataset) -> tuple[str, ...]:
    """Say where the thresholds are, at onset and later where they change."""
    sentences = ["Thresholds on the log posterior odds of presence."]
    t = data["time"].to_numpy()
    for name in data["strategy"].to_numpy():
        words = []
        both = data["tau"].sel(strategy=name).to_numpy()
        there = np.flatnonzero(np.isfinite(both[0]))
        if not there.size:
            continue
        last = there[-1]
        for side, tau in zip(("lower", "upper"), both, strict=True):
            still = abs(tau[0] - tau[last]) < 1e-6
            after = f" at onset, {threshold(tau[last])} after {fixed(t[last], 2)} s"
            words.append(f"{side} {threshold(tau[0])} nats{'' if still else after}")
        if last < t.size - 1:
            words.append(f"deadline {fixed(t[last + 1], 2)} s")
        called = "Exact optimum" if name == "optimal" else sentence(str(name))
        sentences.append(f"{called}: {'; '.join(words)}.")
    return tuple(sentences)


BOUNDARY = StudyPart("boundary", "When to stop", compute, 15.0, draw, describe, preface=preface)
