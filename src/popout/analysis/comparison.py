r"""The table that `compare` returns: a DataFrame that shows itself well.

It prints what people ask first: risks, then errors and response times, then the slope of the mean
response time :math:`T_M` over the set size *M*, by least squares over the sizes of the table,

.. math::

   \hat\beta = \sum_M w_M T_M, \qquad w_M = \frac{M - \bar M}{\sum (M - \bar M)^2}, \qquad
   \mathrm{se}^2 = \sum_M w_M^2\, \mathrm{se}^2(T_M).

Everything derived from it (a selection, a copy, a group) is a plain DataFrame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.plotting import PlotAccessor

from popout.drawing.plain import plain
from popout.drawing.representation import Card, count, listed, with_error
from popout.policies.stopping.strategy import name_of, typed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Show = Callable[[Any], str]
"""From a row of the table to a cell of a card."""
CELL = {
    "locations": ("set size", "{} locations"),
    "drift": ("drift (1/s)", "drift {} /s"),
    "information": ("information (1/s)", "information {} /s"),
    "time_cost": ("time cost (1/s)", "time cost {} /s"),
}
"""What tells the cells of a comparison apart: heading of the column, words where all agree. Drift
or information stands for the task, whichever it has."""
OBSERVER = ("attention", "strategy")
"""What tells the rows of a cell apart; attention where it is a choice."""
CLASSES = ("absent", "present")
MEASURES = {"error_rate": "errors (%)", "mean_rt": "RT (ms)"}
PARAMETERS = ("tau_minus", "tau_plus", "a_minus", "a_plus")
MOST_NOTES = 2
"""Cells whose notes are printed."""
CERTAIN = 3.0
"""Standard errors below which a zero is, that no trial contradicts (95 %)."""


class Comparison(pd.DataFrame):
    """One row for each strategy of each cell (a task and its costs).

    An ordinary DataFrame, but for how it prints, how a notebook shows it, and `plot()` without
    arguments, which draws excess risk, response times and errors of each strategy, with their
    errors. With arguments of pandas, and as ``plot.bar`` and so on, it is that of pandas.

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
        """Return its cards; a line has to fit a terminal."""
        if not self._is_whole:
            return super().__repr__()
        return "\n".join(card.text() for card in self.cards())

    def _repr_html_(self) -> str:
        """Return the table with rounded numbers and their errors."""
        if self._is_whole:
            return "".join(card.html() for card in self.cards())
        return pd.DataFrame(self).to_html(max_rows=60, max_cols=20)

    @property
    def _is_whole(self) -> bool:
        """Whether the table still has rows and the columns that a card needs."""
        needed = {"strategy", "risk", "risk_se", "excess", "excess_se", "reference"}
        needed |= {"locations", "time_cost"}
        return bool(len(self)) and needed <= set(self.columns)

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the rows as `simulate` has them: rates and times by class, parameters apart.

        Strategies have the names that are typed.
        """
        rows: list[dict[str, Any]] = plain(self.to_dict("records"))
        for row in rows:
            for what, se in product((*MEASURES, "rt_slope"), ("", "_se")):
                columns = {side: f"{what}_{side}{se}" for side in CLASSES}
                if set(columns.values()) <= row.keys():
                    row[f"{what}{se}"] = {side: row.pop(name) for side, name in columns.items()}
            row["parameters"] = typed({name: row.pop(name) for name in PARAMETERS if name in row})
            if isinstance(row["time_cost"], list):
                row["time_cost"] = dict(zip(CLASSES, row["time_cost"], strict=True))
            for name in ("strategy", "reference"):
                row[name] = name_of(row[name])
        return rows

    def cards(self) -> list[Card]:
        """Return what is shown of it: risks; errors and response times; slopes."""
        cards = [self.card()]
        if {f"{what}_{side}" for what in MEASURES for side in CLASSES} <= set(self.columns):
            measures = {
                f"{words}, {side}": partial(_measure, what=what, side=side)
                for what, words in MEASURES.items()
                for side in CLASSES
            }
            numbers = self["trials"].unique().tolist() if "trials" in self.columns else []
            note = f"{count(numbers[0], 'trial')} each" if len(numbers) == 1 else ""
            cards.append(_card("Errors and mean response times", self, measures, note))
        if "first_from_centre" in self.columns:
            eyes: dict[str, Show] = {
                f"{what}, {side}": partial(_mean, name=f"{what}_{side}")
                for what in ("fixations", "refixations")
                for side in CLASSES
            }
            eyes["first from the centre (deg)"] = partial(_mean, name="first_from_centre")
            if "fixation_duration" in self.columns:
                eyes["duration (s)"] = partial(_mean, name="fixation_duration")
            cards.append(_card("Fixations per trial", self, eyes))
        slopes = self.slopes()
        if len(slopes):
            lines: dict[str, Show] = {
                f"{side} (ms/item)": partial(_slope, side=side) for side in CLASSES
            }
            lines |= {"absent / present": _ratio} if "attention" in self.columns else {}
            cards.append(_card("Slopes of the mean response time over set size", slopes, lines))
        return cards

    def slopes(self) -> pd.DataFrame:
        """Return the slopes of the mean response times over set size, one row for each series.

        Columns ``rt_slope_absent``, ``rt_slope_present`` and their standard errors, in ms per item;
        no rows where there is one set size.
        """
        names = [f"rt_slope_{side}{suffix}" for side in CLASSES for suffix in ("", "_se")]
        if not {*names, "strategy", "locations", "time_cost"} <= set(self.columns):
            return pd.DataFrame()
        first = ~pd.DataFrame(self)[_series(self)].duplicated()
        known = self["rt_slope_absent"].notna()
        cell = [name for name in CELL if name in self.columns]
        return pd.DataFrame(self)[first & known][[*observer(self), *cell, *names]]

    def card(self) -> Card:
        """Return the card of risks and excesses, with the trials behind them."""
        references = self["reference"].unique().tolist()
        over = f"excess over {references[0]}" if len(references) == 1 else "excess"
        columns = {"risk": lambda row: with_error(row["risk"], row["risk_se"]), over: _excess}
        if len(references) > 1:
            columns["over"] = lambda row: str(row["reference"])
        if "excess_trials" in self.columns:
            columns["trials"] = lambda row: str(row["excess_trials"] or "exact")
        note = " ".join([*self.undecided_notes(), *self.notes()])
        what = "Attention" if "attention" in self.columns else "Strategies"
        title = ": ".join([f"{what} compared", *([", ".join(self._same)] if self._same else [])])
        return _card(title, self, columns, note)

    def undecided_notes(self) -> list[str]:
        """Return whose trials had not ended at the time limit: they paid for time, not for errors.

        Examples
        --------
        >>> table = Comparison({"strategy": ["SPRT", "Hardmax"], "undecided": [0, 3]})
        >>> table.undecided_notes()
        ['Hardmax: 3 trials undecided, the risk is a lower bound.']
        """
        if "undecided" not in self.columns:
            return []
        late = pd.DataFrame(self)["undecided"].groupby(observer_labels(self), sort=False).sum()
        return [
            f"{name}: {count(int(n), 'trial')} undecided, the risk is a lower bound."
            for name, n in late.items()
            if n
        ]

    def notes(self) -> list[str]:
        """Return what looks wrong with the cells, a sentence or two each; of many, the first."""
        if "note" not in self.columns:
            return []
        columns = [name for name in CELL if name in self.columns]
        cells = pd.DataFrame(self)[[*columns, "note"]].fillna({"note": ""}).drop_duplicates()
        noted = cells[cells["note"] != ""]
        if len(noted["note"].unique()) < 2 and len(noted) == len(cells):
            return noted["note"].unique().tolist()
        told_apart = varying(self)
        words = [
            ": ".join([", ".join(_cell_words(name, row[name]) for name in told_apart), row["note"]])
            for _, row in noted.head(MOST_NOTES).iterrows()
        ]
        more = len(noted) - len(words)
        return words + ([f"{count(more, 'more cell')} with such a note."] if more > 0 else [])

    @property
    def _same(self) -> list[str]:
        """What all cells have in common, in words."""
        told_apart = varying(self)
        strategy = [] if "strategy" in _named(self) else [str(self["strategy"].iloc[0])]
        return strategy + [
            _cell_words(name, self[name].iloc[0])
            for name in CELL
            if name in self.columns and name not in told_apart and self[name].notna().all()
        ]


class ComparisonPlot(PlotAccessor):
    """``table.plot``: called without arguments of pandas, it draws the comparison."""

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__(table)
        self._table = table

    def __call__(
        self, *args: Any, ax: Axes | None = None, show: str | None = None, **keywords: Any
    ) -> Any:
        """Draw excess risk, mean response times and errors, over the cells if there are many.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw one of them; a new figure with a panel for each when left out.
        show : str, optional
            ``"excess"``, ``"rt"`` or ``"errors"``: this one alone; the excess in axes of your own.
        *args, **keywords
            Anything else goes to the plot of pandas.

        Returns
        -------
        Axes, or an array of them, one for each panel
        """
        if args or keywords:
            return super().__call__(*args, ax=ax, **keywords)
        from popout.analysis.comparison_pictures import draw_comparison

        return draw_comparison(self._table, ax, show)


def with_slopes(table: pd.DataFrame) -> Comparison:
    """Return a table with the slopes of mean response times over set size, in ms per item.

    Examples
    --------
    >>> rows = {"strategy": ["SPRT"] * 2, "locations": [2, 4], "drift": 4.0, "time_cost": 0.2}
    >>> rows |= {"mean_rt_absent": [0.2, 0.24], "mean_rt_absent_se": [0.003, 0.004]}
    >>> rows |= {"mean_rt_present": [0.2, 0.21], "mean_rt_present_se": [0.0, 0.0]}
    >>> slopes = with_slopes(pd.DataFrame(rows)).slopes()
    >>> [round(float(v), 6) for v in slopes[["rt_slope_absent", "rt_slope_absent_se"]].iloc[0]]
    [20.0, 2.5]
    """
    names = [f"rt_slope_{side}{suffix}" for side in CLASSES for suffix in ("", "_se")]
    table = table.assign(**dict.fromkeys(names, math.nan))
    for _, rows in table.groupby(_series(table), dropna=False, sort=False):
        size = rows["locations"].to_numpy(np.float64)
        if len(set(size)) < 2:
            continue
        weight = (size - size.mean()) / ((size - size.mean()) ** 2).sum()
        for side in CLASSES:
            rt, se = (1e3 * rows[f"mean_rt_{side}{suffix}"].to_numpy() for suffix in ("", "_se"))
            table.loc[rows.index, f"rt_slope_{side}"] = weight @ rt
            error = math.sqrt(float(weight**2 @ se**2))
            table.loc[rows.index, f"rt_slope_{side}_se"] = error
    return Comparison(table)


def varying(table: pd.DataFrame) -> list[str]:
    """Return the columns that tell the cells apart."""
    return [name for name in CELL if name in table.columns and table[name].nunique() > 1]


def observer(table: pd.DataFrame) -> list[str]:
    """Return the columns that tell the rows of a cell apart."""
    return [name for name in OBSERVER if name in table.columns]


def observer_labels(table: pd.DataFrame) -> pd.Series[str]:
    """Return what each row is called: its strategy, its attention, or both where both differ."""
    if "attention" not in table.columns:
        return table["strategy"]
    if table["strategy"].nunique() == 1:
        return table["attention"]
    return table["attention"] + ", " + table["strategy"]


def _series(table: pd.DataFrame) -> list[str]:
    """Return the columns that tell series over the set size apart."""
    cell = [name for name in CELL if name in table.columns and name != "locations"]
    return [*observer(table), *cell]


def _named(table: pd.DataFrame) -> list[str]:
    """Return the columns that name the rows of a card; one strategy for all is in its title."""
    alike = "attention" in table.columns and table["strategy"].nunique() == 1
    return ["attention"] if alike else observer(table)


def _cell_words(name: str, value: Any) -> str:
    return count(value, "location") if name == "locations" else CELL[name][1].format(shown(value))


def shown(value: Any) -> str:
    """Show a number, or one number for each location or class."""
    return listed(value) if isinstance(value, tuple) else f"{value:g}"


def _card(title: str, table: pd.DataFrame, columns: Mapping[str, Show], note: str = "") -> Card:
    """Return a card with a row for each row of a table: what it is about, then some columns."""
    named, told_apart = _named(table), varying(table)
    keys = [*named, *(CELL[name][0] for name in told_apart)]
    rows = [
        [*(str(row[name]) for name in named), *(shown(row[name]) for name in told_apart)]
        + [show(row) for show in columns.values()]
        for _, row in table.iterrows()
    ]
    return Card(title, headings=[*keys, *columns], rows=rows, note=note, keys=len(keys))


def _excess(row: pd.Series[Any]) -> str:
    """Show the excess; a zero is the reference itself, or what no trial contradicts."""
    if row.get("is_reference", False):
        return "reference"
    if row["excess"] == 0.0 and row["excess_se"] > 0.0:
        return f"below {CERTAIN * row['excess_se']:.1g}"
    return with_error(row["excess"], row["excess_se"])


def _measure(row: pd.Series[Any], what: str, side: str) -> str:
    """Show an error rate in percent or a mean response time in milliseconds."""
    scale = {"error_rate": 1e2, "mean_rt": 1e3}[what]
    value, se = (scale * row[f"{what}_{side}{suffix}"] for suffix in ("", "_se"))
    if what == "error_rate" and value == 0.0:
        return "none"
    return with_error(value, se)


def _mean(row: pd.Series[Any], name: str) -> str:
    """Show a mean with its error, which it has none of where all trials are alike."""
    value, se = row[name], row[f"{name}_se"]
    return with_error(value, se) if se > 0.0 else f"{value:.3g}"


def _ratio(row: pd.Series[Any]) -> str:
    """Show the ratio of the two slopes."""
    absent, present = (row[f"rt_slope_{side}"] for side in CLASSES)
    parts = [row[f"rt_slope_{side}_se"] / row[f"rt_slope_{side}"] for side in CLASSES]
    return with_error(absent / present, abs(absent / present) * math.hypot(*parts))


def _slope(row: pd.Series[Any], side: str) -> str:
    return with_error(row[f"rt_slope_{side}"], row[f"rt_slope_{side}_se"])
