"""Pictures of trials of people over set size: means and errors.

Colour and marker are the class; where a condition is taken apart, the line is the condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from popout.drawing.style import ABSENT, PRESENT, axes_for, styled
from popout.people.reading.description import ALL, CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from popout.people.reading.description import TrialsDescription

COLOURS = dict(zip(CLASSES, (ABSENT, PRESENT), strict=True))
MARKERS = dict(zip(CLASSES, ("s", "o"), strict=True))
LINES = ("-", "--", ":", "-.")


@styled
def draw_means(description: TrialsDescription, ax: Axes | None = None) -> Axes:
    """Draw mean correct response times against set size."""
    ax = axes_for(ax)
    _lines(description, ax, "mean_rt", 1.0)
    top = ax.get_ylim()[1] * (1.25 if description.conditions else 1.0)
    ax.set(xlabel="set size", ylabel="mean correct response time (s)", ylim=(0, top))
    ax.legend(loc="upper left")
    return ax


@styled
def draw_errors(description: TrialsDescription, ax: Axes | None = None) -> Axes:
    """Draw error rates against set size."""
    ax = axes_for(ax)
    _lines(description, ax, "error_rate", 100.0)
    # Errors go up and down with set size, so the legend needs room above them.
    room = 1.25 + 0.15 * max(len(description.conditions) - 1, 0)
    ax.set(xlabel="set size", ylabel="errors (%)", ylim=(0, room * ax.get_ylim()[1]))
    ax.legend(loc="upper left")
    return ax


def _lines(description: TrialsDescription, ax: Axes, name: str, factor: float) -> None:
    """Draw one quantity: observers thin, their mean with error bars."""
    several = description.n_observers > 1
    conditions = description.conditions
    cells = description.cells.assign(condition=description.cells.get("condition", ""))
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
            error, marker = factor * some[f"{name}_se"], MARKERS[kind]
            look: Any = {"color": colour, "marker": marker, "linestyle": line, "linewidth": 2.0}
            ax.errorbar(x, y, error, label=words, zorder=3, **look)
    ax.set_xticks(sorted(description.cells["set_size"].unique()))
