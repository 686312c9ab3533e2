r"""With eye movements: how far greedy rules for gaze are from the optimum, exactly.

Three items on a line, looked at one at a time, and four in a square, whose centre may be looked at
as well. With fixations of a fixed length a task is three numbers: the spacing of the items over the
distance :math:`e_0` at which visibility falls to 1/e; the information of a fixation at the point of
gaze, :math:`\Lambda D = (d'/2)^2`; and the cost of the time that a fixation and its saccade take.
Priors are even and errors cost 1.

Before any evidence all items are equally likely, and MAP takes the first of them in the list. Items
are listed from the middle outwards here, which serves MAP best. ``end_first`` has what it risks on
the line where they are listed from an end.

Maps: what MAP, ELM and the ideal searcher, each with the stopping that is best for it, risk above
the optimum, in percent. Below: the display in which a rule loses most, with the fixations of the
optimum and of the rule on it while the evidence comes in just as expected without a target.

All risks are solved on grids; the errors are bounds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from popout.drawing.style import LOOKS, key, panel, styled
from popout.evidence.llr_step import shared_step
from popout.exact import Solution, solve
from popout.paper.preset import PaperPart, Preset
from popout.policies.looking import ELM, MAP, IdealSearcher
from popout.policies.stopping import BoundaryStrategy
from popout.progress import Progress
from popout.reports.cells import Variables, labelled, over
from popout.reports.words import fixed, percent
from popout.task import Costs, GazeTask

DISPLAYS = ("line", "square")
RULES = {"MAP": MAP, "ELM": ELM, "ideal searcher": IdealSearcher, "optimal": None}
FIXATION, SACCADE = 0.2, 0.03
FIXATIONS = 8
"""That are followed, at most."""
LEAST, MOST = 0.1, 30.0
"""Ends of the scale of colours, in percent."""
WORDS = {"line": "three on a line", "square": "a square with its centre"}


def display(name: str, spacing: float) -> tuple[list[Any], list[Any]]:
    """Return the items of a display, from the middle outwards, and the places of gaze.

    Examples
    --------
    >>> display("line", 2.0)[0]
    [(2.0, 0.0), (0.0, 0.0), (4.0, 0.0)]
    """
    if name == "line":
        items = [(k * spacing, 0.0) for k in (1, 0, 2)]
        return items, items
    items = [(0.0, 0.0), (spacing, 0.0), (spacing, spacing), (0.0, spacing)]
    return items, [*items, (spacing / 2, spacing / 2)]


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks with their errors, and fixations, of every rule and of the optimum."""
    gaze = preset.gaze
    goals = {"line": gaze.rtol_line, "square": gaze.rtol_square}
    axes = {
        "display": DISPLAYS,
        "fixation_cost": gaze.costs,
        "information": gaze.information,
        "spacing": gaze.spacings,
    }

    def cell(name: str, cost: float, information: float, spacing: float) -> Variables:
        items, places = display(name, spacing)
        task = GazeTask(
            items, places, information=information / FIXATION, falloff=1.0, fixation=FIXATION,
            saccade=SACCADE,
        )  # fmt: skip
        costs = Costs(time=cost / task.dt)
        every = [solve(task, costs, goals[name], attention=rule) for rule in RULES.values()]
        ends: dict[str, float] = {}
        if name == "line":
            other = replace(task, items=sorted(items), gazes=None)
            at_end = solve(other, costs, goals[name], attention=MAP)
            ends = {"end_first": at_end.risk, "end_first_error": at_end.risk_error}
        return {
            **ends,
            "risk": (("rule",), [each.risk for each in every]),
            "risk_error": (("rule",), [each.risk_error for each in every]),
            "path": (("rule", "fixation"), [_path(task, each) for each in every]),
        }

    return labelled(over(axes, cell, progress), axes | {"rule": list(RULES)})


def _path(task: GazeTask, solution: Solution) -> list[int]:
    """Return the gazes while the evidence of every item is what is expected of a distractor.

    -1 where the observer has answered.
    """
    policy, strategy = solution.attention, solution.strategy
    path: list[int] = []
    assert isinstance(strategy, BoundaryStrategy)
    assert policy is not None
    step, Z = 0.5 * float(shared_step(task).sd[0]) ** 2, np.zeros((1, task.n_locations))
    while len(path) < FIXATIONS and float(np.max(strategy.margins(Z, 0.0))) < 0:
        seen = policy.shares(Z, 0.0)[0]
        path.append(task.look.visibility.index(tuple(seen)))
        Z = Z - step * seen
    return path + [-1] * (FIXATIONS - len(path))


def excess_of(data: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Return what the rules risk above the optimum and a bound on its error, in percent."""
    best = data.sel(rule="optimal")
    rules = data.sel(rule=[rule for rule in data["rule"].to_numpy() if rule != "optimal"])
    error = (rules["risk_error"] + best["risk_error"]) / best["risk"]
    return 100 * (rules["risk"] / best["risk"] - 1), 100 * error


def end_first_excess(data: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Return what MAP loses on the line that begins at an end, and a bound on the error."""
    line = data.sel(display="line")
    best = line.sel(rule="optimal")
    error = (line["end_first_error"] + best["risk_error"]) / best["risk"]
    return 100 * (line["end_first"] / best["risk"] - 1), 100 * error


def first_from_centre(data: xr.Dataset) -> xr.DataArray:
    """Return how far from the middle of the items the first fixation lands, in spacings.

    Places that are mirror images of each other, between which a tie decides, are equally far.
    """
    first = data["path"].isel(fixation=0)
    away = first.astype(np.float64)
    for name in data["display"].to_numpy():
        items, places = (np.array(points) for points in display(str(name), 1.0))
        far = np.linalg.norm(places - items.mean(axis=0), axis=1).round(9)
        here = np.nan_to_num(first.sel(display=name).to_numpy(), nan=-1.0).astype(int)
        away.loc[{"display": name}] = np.where(here < 0, np.nan, far[here])
    return away


def worst_of(data: xr.Dataset, rule: str) -> xr.Dataset:
    """Return the point at which a rule loses most."""
    excess = excess_of(data)[0].sel(rule=rule).drop_vars("rule")
    return data.isel({str(dim): int(at) for dim, at in dict(excess.argmax(...)).items()})


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw a map for each rule and display, and the display where it loses most."""
    rules = [str(rule) for rule in data["rule"].to_numpy() if rule != "optimal"]
    shown = data.isel(fixation_cost=0)
    excess, error = excess_of(shown)
    names = [str(name) for name in data["display"].to_numpy()]
    figure = Figure(figsize=(10.0, 2.6 * (len(names) + 1)), layout="constrained")
    axes = figure.subplots(len(names) + 1, len(rules), squeeze=False)
    letters = iter("abcdefghi")
    for row, name in zip(axes, names, strict=False):
        for ax, rule in zip(row, rules, strict=True):
            panel(ax, next(letters), f"{rule}, {WORDS[name]}")
            at = {"display": name, "rule": rule}
            image = _map(ax, excess.sel(at), error.sel(at))
        row[0].set_ylabel("information of a fixation, $\\Lambda D$")
    bar = figure.colorbar(image, ax=list(axes[:-1].ravel()), fraction=0.02, extend="both")
    bar.set_label("risk above the optimum (%)")
    bar.set_ticks([0.1, 0.3, 1.0, 3.0, 10.0, 30.0], labels=["0.1", "0.3", "1", "3", "10", "30"])
    for ax, rule in zip(axes[-1], rules, strict=True):
        at_worst = worst_of(data, rule)
        lost = float(excess_of(at_worst)[0].sel(rule=rule))
        panel(ax, next(letters), f"{rule}: +{fixed(lost, 2)} %")
        _draw_worst(ax, at_worst, rule)
    optimum = key("optimum", color="black", marker="o")
    rest = [key(rule, color=LOOKS[rule].colour, marker="o") for rule in rules]
    figure.legend(handles=[optimum, *rest], loc="outside lower center", ncol=1 + len(rules))
    return figure


def _map(ax: Axes, excess: xr.DataArray, error: xr.DataArray) -> Any:
    """Draw the excess at every point as a number; grey and hatched where it is below its error."""
    value, bound = (each.transpose("information", "spacing").to_numpy() for each in (excess, error))
    known = value > bound
    colours: dict[str, Any] = {"cmap": "YlOrRd", "norm": LogNorm(LEAST, MOST)}
    edges = [np.arange(n + 1) - 0.5 for n in value.shape]
    image = ax.pcolormesh(edges[1], edges[0], np.where(known, value, np.nan), **colours)
    for row, column in np.ndindex(value.shape):
        at, words = value[row, column], f"<{fixed(float(bound[row, column]), 1)}"
        if known[row, column]:
            words = f"{at:.1f}"
        else:
            corner = (column - 0.5, row - 0.5)
            look: dict[str, Any] = {"hatch": "////", "edgecolor": "0.75", "linewidth": 0.0}
            ax.add_patch(_square(corner, look))
        dark = known[row, column] and at > MOST / 3
        ax.text(
            column, row, words, ha="center", va="center", fontsize=7,
            color="white" if dark else "black",
        )  # fmt: skip
    for axis, dim in ((ax.xaxis, "spacing"), (ax.yaxis, "information")):
        labels = [f"{at:g}" for at in excess[dim].to_numpy()]
        axis.set_ticks(range(len(labels)), labels=labels)
    ax.set_xlabel("spacing / $e_0$")
    return image


def _square(corner: tuple[float, float], look: dict[str, Any]) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1.0, 1.0, facecolor="0.95", **look)


def _draw_worst(ax: Axes, at: xr.Dataset, rule: str) -> None:
    """Draw the fixations of the optimum and of a rule, side by side where they fall together."""
    items, places = (np.array(points) for points in display(str(at["display"].item()), 1.0))
    ax.scatter(items[:, 0], items[:, 1], marker="s", s=120, facecolor="0.85", edgecolor="0.6")
    ax.scatter(places[:, 0], places[:, 1], marker="+", s=30, color="0.5", linewidth=0.8)
    for name, shift in (("optimal", 0.09), (rule, -0.09)):
        colour = "black" if name == "optimal" else LOOKS[rule].colour
        path = at["path"].sel(rule=name).to_numpy().astype(int)
        x, y = (places[path[path >= 0]] + [shift, shift]).T
        ax.plot(x, y, color=colour, linewidth=1.2, marker="o", markersize=5)
        for number, place in enumerate(zip(x, y, strict=True), start=1):
            side: dict[str, Any] = {
                "ha": "left" if shift > 0 else "right",
                "va": "center",
                "color": colour,
            }
            offset = (5 if shift > 0 else -5, 6 if shift > 0 else -6)
            ax.annotate(str(number), place, offset, textcoords="offset points", **side)
    spacing, information, cost = (
        float(at[dim]) for dim in ("spacing", "information", "fixation_cost")
    )
    ax.set_xlabel(f"spacing {spacing:g} $e_0$, $\\Lambda D$ = {information:g}, cost {cost:g}")
    (x0, y0), (x1, y1) = places.min(axis=0) - 0.45, places.max(axis=0) + 0.45
    ax.set(xlim=(x0, x1), ylim=(y0, y1), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the rules lose at most and where they are optimal."""
    excess, error = excess_of(data)
    rules = excess["rule"].to_numpy()
    cost = f"{float(data['fixation_cost'][0]):g}"
    worst = []
    for rule in rules:
        at = worst_of(data, str(rule))
        lost = percent(float(excess_of(at)[0].sel(rule=rule)) / 100)
        where = f"{float(at['spacing']):g} and {float(at['information']):g}"
        worst.append(f"{rule} {lost} ({WORDS[str(at['display'].item())]}, {where})")
    ours = [float((excess.sel(rule=rule) <= error.sel(rule=rule)).mean()) for rule in rules]
    close = [f"{rule} at {percent(share)}" for rule, share in zip(rules, ours, strict=True)]
    return (
        "Exact risks above the optimum, in percent, each rule with the stopping that is best for "
        f"it, at a cost of {cost} for a fixation and its saccade. Hatched: less than the error.",
        f"At most, over all points: {'; '.join(worst)}; in brackets spacing / e₀ and ΛD.",
        f"Within the error of the optimum: {', '.join(close)} of the points.",
        "Below, where each rule loses most: the order of fixations without a target while "
        "the evidence comes in as expected.",
        "MAP begins in the middle of the line; if it begins at an end it loses up to "
        f"{percent(float(end_first_excess(data)[0].max()) / 100)}.",
    )


GREEDY_GAZE = PaperPart(
    "greedy-gaze", "With eye movements: greedy rules and the optimum", compute, 14.0, draw, describe
)
