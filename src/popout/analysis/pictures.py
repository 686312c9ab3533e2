"""Results of the analysis as pictures: comparisons, regret, calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from popout.analysis.comparison import CELL, shown, varying
from popout.analysis.regret import Regret
from popout.analysis.reliability import Reliability
from popout.drawing.style import GREY, axes_for, look_of, signed_log_axis, styled
from popout.task import InputError

__all__ = ["draw_calibration", "draw_comparison", "draw_regret"]


@styled
def draw_comparison(table: pd.DataFrame, ax: Axes | None) -> Axes:
    """Draw the excess risk of each strategy, with one standard error.

    With one cell the strategies stand side by side. With several, the excess runs over the set size
    (or else the cost, or the drift); a second difference between cells is told by the shade.
    """
    needed = {"strategy", "excess", "excess_se", *CELL}
    if not len(table) or not needed <= set(table.columns):
        raise InputError(
            f"plot: expected a table with rows and the columns {', '.join(sorted(needed))}, got "
            f"{', '.join(map(str, table.columns)) or 'none'}; draw the table that compare returned"
        )
    ax = axes_for(ax)
    order = [name for name in ("locations", "time_cost", "drift") if name in varying(table)]
    labels = table["strategy"].unique().tolist()
    looks = {label: look_of(label, number) for number, label in enumerate(labels)}
    if not order:
        for place, (_, row) in enumerate(table.iterrows()):
            look = looks[row["strategy"]]
            style: dict[str, Any] = {"fmt": look.marker or "o", "color": look.colour, "capsize": 3}
            ax.errorbar(place, row["excess"], row["excess_se"], **style)
        ax.set_xticks(range(len(table)), table["strategy"])
        ax.set_xlim(-0.5, len(table) - 0.5)
    else:
        _over_cells(ax, table, order, looks)
        ax.legend()
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    _scale(ax, table)
    references = table["reference"].unique() if "reference" in table.columns else ["reference"]
    over = references[0] if len(references) == 1 else "the reference"
    ax.set_ylabel(f"excess risk over {over}")
    return ax


def _over_cells(ax: Axes, table: pd.DataFrame, order: Sequence[str], looks: dict[str, Any]) -> None:
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
            style = look.points(alpha=0.3 + 0.7 * shade, label=", ".join([look.label, *words]))
            x = [place[value] for value in rows[along]]
            ax.errorbar(x, rows["excess"], rows["excess_se"], capsize=2, **style)
    if numeric:
        if along == "locations":
            ax.set_xscale("log", base=2)
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
def draw_regret(found: Regret, ax: Axes | None) -> Axes:
    """Draw where the risk is lost; see `Regret.plot`."""
    if found.map is None:
        raise InputError(
            "Regret.plot: expected the map of two locations, got none; a card shows what was lost "
            "by which action"
        )
    ax = axes_for(ax, size=(4.6, 3.8))
    z1, z2 = (found.map.coords[dim].to_numpy() for dim in ("z1", "z2"))
    lost = np.ma.masked_less_equal(found.map.transpose("z2", "z1").to_numpy(), 0.0)
    picture = ax.pcolormesh(z1, z2, lost, cmap="viridis_r", shading="nearest")
    ax.figure.colorbar(picture, ax=ax, label="excess risk lost in the cell", shrink=0.9)
    if lost.count():
        rows, columns = np.nonzero(~np.ma.getmaskarray(lost))
        ax.set_xlim(z1[columns.min()] - 1, z1[columns.max()] + 1)
        ax.set_ylim(z2[rows.min()] - 1, z2[rows.max()] + 1)
    ax.set(xlabel="$Z_{1}$ (nats)", ylabel="$Z_{2}$ (nats)", aspect="equal")
    ax.set_title(f"excess risk {found.value:.2g} in all")
    return ax


@styled
def draw_calibration(found: Reliability, ax: Axes | None) -> Axes:
    """Draw how often a target is there against the posterior; see `Reliability.plot`."""
    ax = axes_for(ax, size=(3.8, 3.8))
    table = found.calibration
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=0)
    ax.errorbar(
        table["predicted"], table["observed"], table["se"], fmt="o", color="black", capsize=2
    )
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set(xlabel="posterior of presence", ylabel="share of displays with a target")
    time = found.over_time["time"].iloc[-1]
    ax.set_title(f"{table['trials'].sum()} displays after {time:g} s")
    return ax
