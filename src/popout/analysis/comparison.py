"""The table that `compare` returns: a DataFrame that shows itself well.

Everything derived from it (a selection, a copy, a group) is a plain DataFrame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.plotting import PlotAccessor

from popout.drawing.plain import plain
from popout.drawing.representation import Card, count, listed, with_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CELL", "Comparison", "shown", "varying"]

CELL = {
    "locations": ("locations", "{} locations"),
    "drift": ("drift (1/s)", "drift {} /s"),
    "time_cost": ("time cost (1/s)", "time cost {} /s"),
}
"""What tells the cells of a comparison apart: heading of the column, words where all agree."""
MEASURES = {
    "error_rate_absent": "errors, absent",
    "error_rate_present": "errors, present",
    "mean_rt_absent": "RT absent (s)",
    "mean_rt_present": "RT present (s)",
}


class Comparison(pd.DataFrame):
    """One row for each strategy of each cell (a task and its costs).

    An ordinary DataFrame, but for how it prints, how a notebook shows it, and `plot()` without
    arguments, which draws the excess risk of each strategy with its error. With arguments, and as
    ``plot.bar`` and so on, it is that of pandas.

    Examples
    --------
    >>> rows = {"strategy": ["SPRT"], "locations": [2], "drift": [4.0], "time_cost": [0.2]}
    >>> rows |= {"risk": [0.0440], "risk_se": [0.0001], "excess": [4e-5], "excess_se": [2e-6]}
    >>> rows |= {"reference": ["optimal"]}
    >>> print(Comparison(rows))
    Strategies compared: 2 locations, drift 4 /s, time cost 0.2 /s
      strategy                 risk  excess over optimal
      SPRT      0.04400 +- 0.00010  4.00e-05 +- 2.0e-06
    """

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    @property
    def plot(self) -> ComparisonPlot:
        """Draw the comparison: ``table.plot()``, or any plot of pandas."""
        return ComparisonPlot(self)

    def __repr__(self) -> str:
        """Return risks and excesses with their errors; a line has to fit a terminal."""
        return self.card().text() if self._is_whole else super().__repr__()

    def _repr_html_(self) -> str:
        """Return the table with rounded numbers and their errors."""
        if self._is_whole:
            return self.card(MEASURES).html()
        return pd.DataFrame(self).to_html(max_rows=60, max_cols=20)

    @property
    def _is_whole(self) -> bool:
        """Whether the table still has rows and the columns that a card needs."""
        needed = {"strategy", "risk", "risk_se", "excess", "excess_se", "reference", *CELL}
        return bool(len(self)) and needed <= set(self.columns)

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the rows, each by the names of the columns."""
        rows: list[dict[str, Any]] = plain(self.to_dict("records"))
        return rows

    def card(self, measures: Mapping[str, str] | None = None) -> Card:
        """Return what is shown of it: risks and excesses, and other measures by their headings."""
        told_apart = varying(self)
        same = [
            _cell_words(name, self[name].iloc[0])
            for name in CELL
            if name not in told_apart and self[name].notna().all()
        ]
        references = self["reference"].unique().tolist()
        over = f"excess over {references[0]}" if len(references) == 1 else "excess"
        measures = {name: text for name, text in (measures or {}).items() if name in self.columns}
        headings = ["strategy", *(CELL[name][0] for name in told_apart), "risk", over]
        rows = []
        for _, row in self.iterrows():
            cells = [str(row["strategy"]), *(shown(row[name]) for name in told_apart)]
            numbers = ("risk", "excess", *measures)
            cells += [with_error(row[name], row[f"{name}_se"]) for name in numbers]
            if len(references) > 1:
                cells.append(str(row["reference"]))
            rows.append(cells)
        headings += measures.values()
        headings += ["over"] if len(references) > 1 else []
        undecided = int(self["undecided"].sum()) if "undecided" in self.columns else 0
        note = f"{count(undecided, 'trial')} undecided" if undecided else ""
        title = ": ".join(["Strategies compared", *([", ".join(same)] if same else [])])
        return Card(title, headings=headings, rows=rows, note=note)


class ComparisonPlot(PlotAccessor):
    """``table.plot``: called without arguments, or with axes alone, it draws the excess risks."""

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__(table)
        self._table = table

    def __call__(self, *args: Any, ax: Axes | None = None, **keywords: Any) -> Any:
        """Draw the excess risk of each strategy with its error, over the cells if there are many.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        *args, **keywords
            Anything else goes to the plot of pandas.
        """
        if args or keywords:
            return super().__call__(*args, ax=ax, **keywords)
        from popout.analysis.pictures import draw_comparison

        return draw_comparison(self._table, ax)


def varying(table: pd.DataFrame) -> list[str]:
    """Return the columns that tell the cells apart."""
    return [name for name in CELL if table[name].nunique() > 1]


def _cell_words(name: str, value: Any) -> str:
    return count(value, "location") if name == "locations" else CELL[name][1].format(shown(value))


def shown(value: Any) -> str:
    """Show a number, or one number for each location or class."""
    return listed(value) if isinstance(value, tuple) else f"{value:g}"
