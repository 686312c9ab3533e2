"""Results of the analysis as pictures: comparisons and calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from popout.analysis.comparison import CELL, CLASSES, observer_labels, shown, varying
from popout.analysis.reliability import Reliability
from popout.drawing.style import GREY, axes_for, look_of, signed_log_axis, styled
from popout.task import InputError
from popout.task.faults import did_you_mean


@dataclass(frozen=True)
class Panel:
    """What one panel of a comparison shows.

    Attributes
    ----------
    columns : tuple of str
        One series for each strategy and column; open marks for the first of two.
    label : str
        Of the axis.
    scale : float
        From the unit of the table to that of the axis.
    """

    columns: tuple[str, ...]
    label: str
    scale: float = 1.0

    @property
    def needed(self) -> set[str]:
        """The columns of the table that it takes."""
        return {name + suffix for name in self.columns for suffix in ("", "_se")}


PANELS = {
    "excess": Panel(("excess",), "excess risk over {}"),
    "rt": Panel(("mean_rt_absent", "mean_rt_present"), "mean response time (ms)", 1e3),
    "errors": Panel(("error_rate_absent", "error_rate_present"), "errors (%)", 1e2),
}
"""By what `plot` is asked to show."""


@styled
def draw_comparison(table: pd.DataFrame, ax: Axes | None, show: str | None = None) -> Any:
    """Draw excess risk, mean response times and errors of each strategy, with one standard error.

    With one cell the strategies stand side by side. With several, the numbers run over the set size
    (or else the cost, or the drift); a second difference between cells is told by the shade.

    Returns
    -------
    Axes of one panel, where one was asked for; otherwise an array of the axes of all of them
    """
    if show is not None and show not in PANELS:
        remedy = did_you_mean(show, PANELS, "leave it out to see all")
        expected = f"plot: expected show to be one of {', '.join(PANELS)}"
        raise InputError(f"{expected}, got {show!r}; {remedy}")
    base = {"strategy", "locations", "time_cost"}
    first = PANELS[show or "excess"].needed | base
    if not len(table) or not first <= set(table.columns):
        raise InputError(
            f"plot: expected a table with rows and the columns {', '.join(sorted(first))}, got "
            f"{', '.join(map(str, table.columns)) or 'none'}; draw the table that compare returned"
        )
    table = table.assign(strategy=observer_labels(table))
    if ax is not None or show is not None:
        ax = axes_for(ax)
        _draw_panel(ax, table, PANELS[show or "excess"], is_first=True)
        return ax
    import matplotlib.pyplot as plt

    panels = [panel for panel in PANELS.values() if panel.needed <= set(table.columns)]
    size = (3.4 * len(panels), 3.4)
    _, axes = plt.subplots(
        1, len(panels), figsize=size, dpi=100, layout="constrained", squeeze=False
    )
    for number, (place, panel) in enumerate(zip(axes[0], panels, strict=True)):
        _draw_panel(place, table, panel, is_first=number == 0)
    return axes[0]


def _draw_panel(ax: Axes, table: pd.DataFrame, panel: Panel, *, is_first: bool) -> None:
    """Draw one panel; strategies are named in the first one."""
    ways = ("locations", "time_cost", "drift", "information")
    order = [name for name in ways if name in varying(table)]
    labels = table["strategy"].unique().tolist()
    looks = {label: look_of(label, number) for number, label in enumerate(labels)}
    for number, column in enumerate(panel.columns):
        is_open = number == 0 and len(panel.columns) > 1
        shown_table = table.assign(
            value=panel.scale * table[column], error=panel.scale * table[f"{column}_se"]
        )
        if order:
            _over_cells(ax, shown_table, order, looks, is_open, is_named=is_first and not is_open)
        else:
            _side_by_side(ax, shown_table, looks, is_open, len(panel.columns))
    is_excess = panel is PANELS["excess"]
    handles: list[Any] = []
    if is_excess:
        ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
        _scale(ax, table)
    else:
        ax.set_ylim(bottom=0.0)
        style: dict[str, Any] = {"color": GREY, "marker": "o", "linestyle": ""}
        handles = [
            Line2D([], [], markerfacecolor="white", label="target absent", **style),
            Line2D([], [], label="target present", **style),
        ]
    if order and (is_excess or is_first):
        handles = [*ax.get_legend_handles_labels()[0], *handles]
    slopes = _slopes_in_words(table) if panel is PANELS["rt"] else None
    if handles:
        ax.legend(handles=handles, title=slopes, title_fontsize="small", alignment="left")
    references = table["reference"].unique() if "reference" in table.columns else ["reference"]
    over = references[0] if len(references) == 1 else "the reference"
    ax.set_ylabel(panel.label.format(over))


def _slopes_in_words(table: pd.DataFrame) -> str | None:
    """Return the slopes over set size, where there is one series a strategy."""
    names = [f"rt_slope_{side}" for side in CLASSES]
    if not set(names) <= set(table.columns):
        return None
    slopes = table.dropna(subset=names).drop_duplicates(["strategy", *names])
    if not len(slopes) or slopes["strategy"].duplicated().any():
        return None
    each = slopes[["strategy", *names]].itertuples(index=False)
    lines = [f"{label}: {absent:.1f}, {present:.1f}" for label, absent, present in each]
    return "\n".join(["ms/item (absent, present)", *lines])


def _side_by_side(
    ax: Axes, table: pd.DataFrame, looks: dict[str, Any], is_open: bool, n_columns: int
) -> None:
    """Draw the strategies of one cell next to each other."""
    shift = 0.0 if n_columns == 1 else -0.12 if is_open else 0.12
    for place, (_, row) in enumerate(table.iterrows()):
        look = looks[row["strategy"]]
        style: dict[str, Any] = {"fmt": look.marker or "o", "color": look.colour, "capsize": 3}
        style |= {"markerfacecolor": "white"} if is_open else {}
        ax.errorbar(place + shift, row["value"], row["error"], **style)
    turned: dict[str, Any] = {"rotation": 30, "ha": "right"} if len(table) > 3 else {}
    ax.set_xticks(range(len(table)), table["strategy"], **turned)
    ax.set_xlim(-0.5, len(table) - 0.5)


def _over_cells(
    ax: Axes,
    table: pd.DataFrame,
    order: Sequence[str],
    looks: dict[str, Any],
    is_open: bool,
    is_named: bool,
) -> None:
    """Draw a line for each strategy, in shades if the cells differ in more than one way."""
    along, *others = order
    values = list(dict.fromkeys(table[along]))
    numeric = all(isinstance(value, int | float | np.number) for value in values)
    place = {value: value if numeric else k for k, value in enumerate(values)}
    series = list(dict.fromkeys(zip(*(table[name] for name in others), strict=True))) or [()]
    for label, look in looks.items():
        for number, key in enumerate(series):
            chosen = table["strategy"] == label
            for name, value in zip(others, key, strict=True):
                chosen &= pd.Series([item == value for item in table[name]], index=table.index)
            rows = table[chosen]
            shade = (number + 1.0) / len(series)
            words = [CELL[n][1].format(shown(v)) for n, v in zip(others, key, strict=True)]
            title = ", ".join([look.label, *words]) if is_named else None
            style = look.points(alpha=0.3 + 0.7 * shade, label=title)
            style |= {"markerfacecolor": "white"} if is_open else {}
            x = [place[value] for value in rows[along]]
            ax.errorbar(x, rows["value"], rows["error"], capsize=2, **style)
    if numeric:
        ax.set_xticks(values, [f"{value:g}" for value in values], minor=False)
        ax.minorticks_off()
    else:
        ax.set_xticks(range(len(values)), [shown(value) for value in values])
        ax.set_xlim(-0.3, len(values) - 0.7)
    ax.set_xlabel(CELL[along][0])


def _scale(ax: Axes, table: pd.DataFrame) -> None:
    """Use a logarithmic axis where the excesses differ by orders, linear around zero."""
    size = table["excess"].abs()
    clear = size[size > 3 * table["excess_se"]]
    clear = clear[clear > 0]
    if len(clear) < 2 or clear.max() <= 30 * clear.min():
        return
    if len(clear) == len(table) and (table["excess"] > table["excess_se"]).all():
        ax.set_yscale("log")
        return
    linear = 10.0 ** math.floor(math.log10(clear.min()))
    signed_log_axis(ax, linear)
    if (table["excess"] > -linear).all():
        ax.set_ylim(bottom=-linear)


@styled
def draw_calibration(readings: Reliability, ax: Axes | None) -> Axes:
    """Draw how often a target is there against the posterior; see `Reliability.plot`."""
    ax = axes_for(ax, size=(3.8, 3.8))
    table = readings.calibration
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=0)
    ax.errorbar(
        table["predicted"], table["observed"], table["se"], fmt="o", color="black", capsize=2
    )
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set(xlabel="posterior of presence", ylabel="share of displays with a target")
    time = readings.over_time["time"].iloc[-1]
    ax.set_title(f"{table['trials'].sum()} displays after {time:g} s")
    return ax
