"""Pictures of trials of people over set size: means, errors, and quantiles over a model's.

Colour and marker are the class; where a condition is taken apart, the line is the condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from popout.drawing.style import ABSENT, PRESENT, axes_for, dot, key, styled
from popout.people.description import ALL, CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from popout.people.description import TrialsDescription
    from popout.people.prediction import Prediction
    from popout.simulation.responses import Responses

COLOURS = dict(zip(CLASSES, (ABSENT, PRESENT), strict=True))
MARKERS = dict(zip(CLASSES, ("s", "o"), strict=True))
LINES = ("-", "--", ":", "-.")
DARK = dict(zip(CLASSES, ("#1F6FA3", "#94457A"), strict=True))
"""Lines of models over the lighter colours of the trials."""
FEWEST = 10
"""Answers of a kind below which no quantiles are drawn."""


@styled
def draw_means(found: TrialsDescription, ax: Axes | None = None) -> Axes:
    """Draw mean correct response times against set size."""
    ax = axes_for(ax)
    _lines(found, ax, "mean_rt", 1.0)
    top = ax.get_ylim()[1] * (1.25 if found.conditions else 1.0)
    ax.set(xlabel="set size", ylabel="mean correct response time (s)", ylim=(0, top))
    ax.legend(loc="upper left")
    return ax


@styled
def draw_errors(found: TrialsDescription, ax: Axes | None = None) -> Axes:
    """Draw error rates against set size."""
    ax = axes_for(ax)
    _lines(found, ax, "error_rate", 100.0)
    # Errors go up and down with set size, so the legend needs room above them.
    room = 1.25 + 0.15 * max(len(found.conditions) - 1, 0)
    ax.set(xlabel="set size", ylabel="errors (%)", ylim=(0, room * ax.get_ylim()[1]))
    ax.legend(loc="upper left")
    return ax


def _lines(found: TrialsDescription, ax: Axes, name: str, factor: float) -> None:
    """Draw one quantity: observers thin, their mean with error bars."""
    several = found.n_observers > 1
    conditions = found.conditions
    cells = found.cells.assign(condition=found.cells.get("condition", ""))
    for (observer, condition), group in cells.groupby(["observer", "condition"], sort=False):
        line = LINES[conditions.index(condition) % len(LINES)] if conditions else "-"
        for kind in CLASSES:
            some = group[group["target"] == kind]
            colour, x, y = COLOURS[kind], some["set_size"], factor * some[name]
            if several and observer != ALL:
                ax.plot(x, y, color=colour, linestyle=line, linewidth=0.8, alpha=0.45)
                continue
            words = f"target {kind}"
            if name == "error_rate":
                words += ": " + ("false alarms" if kind == "absent" else "misses")
            words += f", {condition}" if conditions else ""
            ax.errorbar(
                x,
                y,
                yerr=factor * some[f"{name}_se"],
                color=colour,
                marker=MARKERS[kind],
                linestyle=line,
                linewidth=2.0,
                label=words,
                zorder=3,
            )
    ax.set_xticks(sorted(found.cells["set_size"].unique()))


@styled
def draw_quantiles(
    predicted: Prediction,
    trials: Responses | None = None,
    ax: Axes | None = None,
    levels: Sequence[float] = (0.1, 0.5, 0.9),
    kinds: Sequence[str] = CLASSES,
) -> Axes:
    """Draw quantiles of correct response times against set size, and the medians of errors.

    Parameters
    ----------
    predicted : Prediction
        Lines; that of errors is dashed, and only where there are errors to compare with.
    trials : Responses, optional
        Points, open for errors; from `FEWEST` answers of a kind on.
    ax : Axes, optional
    levels : sequence of float
        Of the quantiles.
    kinds : sequence of str
        Classes to draw: absent, present or both.
    """
    ax = axes_for(ax)
    sizes = np.array(predicted.set_sizes)
    for kind in kinds:
        k = CLASSES.index(kind)
        ax.plot(sizes, predicted.quantiles(levels)[:, k], color=DARK[kind], linewidth=1.1)
        if trials is None:
            continue
        for correct in (True, False):
            places, fill = (levels, COLOURS[kind]) if correct else ((0.5,), "white")
            enough = np.zeros(len(sizes), np.bool_)
            for i, M in enumerate(sizes):
                here = (trials.columns["set_size"] == M) & (trials.present == bool(k))
                rt = trials.rt[here & (trials.correct == correct)]
                enough[i] = rt.size >= FEWEST
                if enough[i]:
                    ax.plot(
                        np.full(len(places), M), np.quantile(rt, places), linestyle="",
                        color=COLOURS[kind], marker=MARKERS[kind], markerfacecolor=fill, zorder=3,
                    )  # fmt: skip
            if not correct and enough.any():
                medians = predicted.quantiles((0.5,), correct=False)[:, k, 0]
                ax.plot(sizes[enough], medians[enough], "--", color=DARK[kind], linewidth=1.1)
    shown = [dot(f"target {kind}", color=COLOURS[kind], marker=MARKERS[kind]) for kind in kinds]
    ax.legend(handles=[*shown, key("model")] if trials is not None else shown, loc="upper left")
    top = 1.25 * ax.get_ylim()[1]  # room for the legend
    ax.set(xlabel="set size", xticks=sizes, ylabel="response time (s)", ylim=(0, top))
    return ax
