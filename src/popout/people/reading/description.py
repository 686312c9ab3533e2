r"""What the trials look like before any model: means, quantiles, error rates and slopes.

A cell is one set size with the target present or absent. Of each cell: the number of answers, the
share of errors with its binomial standard error, and of correct answers the mean response time with
its standard error and quantiles. Trials without an answer are counted and enter nothing else.

The slope is the least-squares line through the mean correct response times :math:`m_i` of the set
sizes :math:`M_i`. It is a weighted sum of means, so its standard error follows from theirs whether
or not the means lie on a line:

.. math:: b = \sum_i w_i m_i, \quad w_i = \frac{M_i - \bar M}{\sum_j (M_j - \bar M)^2},
    \quad \mathrm{se}(b)^2 = \sum_i w_i^2\, \mathrm{se}(m_i)^2 .

The ratio of slopes, absent to present, has the error of the delta method; it is not given where
the slope with a target is within two standard errors of zero. Over observers the mean of their
values is given, with the standard error between observers. Where a condition is taken apart, all of
this holds within each of its values, and differences between them are taken within observers
(`paired_differences`): of a quantity :math:`x_{ij}` of observer :math:`i` in condition :math:`j`
the mean, over the :math:`n` observers who have both, of

.. math:: d_i = x_{ij} - x_{ik}, \qquad \mathrm{se}(\bar d)^2 = \frac{1}{n (n - 1)}
    \sum_i (d_i - \bar d)^2 .

What observers have in common with themselves cancels; people are the sample, not people times
conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.people.reading.datafile import natural_order
from popout.people.reading.observed import Group, ObservedTrials
from popout.policies.stopping import Action
from popout.simulation.responses import Responses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASSES = ("absent", "present")
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
ALL = "all"
"""The name of the mean over observers."""
SHOWN = 25
"""Rows of observers that a card lists."""
MINUS = " - "
"""Between two conditions."""
MEASURES = ("absent", "present", "ratio", "false_alarms", "misses")
"""Of the table of slopes."""


@dataclass(frozen=True, eq=False, repr=False)
class TrialsDescription(HasCard):
    """Cells and slopes of each observer in each condition, and their means over observers.

    Attributes
    ----------
    cells : DataFrame
        One row for each observer, set size and class: ``trials``, ``no_answer``, ``error_rate`` and
        ``mean_rt`` (correct answers, s) with standard errors ``_se``, and quantiles ``q10`` to
        ``q90`` of correct answers in seconds. Rows of the observer "all" are means over observers.
        Where a condition is taken apart there is a column ``condition``, here and in `slopes`.
    slopes : DataFrame
        One row for each observer: slopes in ms/item, ``absent``, ``present`` and their ``ratio``,
        each with ``_se``; and error rates ``false_alarms`` and ``misses``, with ``_se`` of the
        means over observers.
    n_observers : int
        People, whatever the number of conditions.
    differences : DataFrame
        Between conditions, within observers, with standard errors over observers: what `slopes`
        has, and mean correct response times ``rt_absent``, ``rt_present`` in seconds over the set
        sizes that both have; see `paired_differences`.

    Examples
    --------
    >>> people = Responses(
    ...     response=np.array([2, 1, 2, 1, 1, 1, 2, 1]),
    ...     rt=np.array([0.5, 0.6, 0.52, 0.62, 0.7, 0.8, 0.6, 0.84]),
    ...     target=np.array([0, -1, 0, -1, 0, -1, 0, -1]),
    ...     columns={"set_size": np.array([3, 3, 3, 3, 6, 6, 6, 6])},
    ... )
    >>> found = describe_trials(people)
    >>> found.cells.query("set_size == 6 and target == 'present'")["error_rate"].item()
    0.5
    >>> found.slopes["absent"].item()
    70.0
    """

    cells: pd.DataFrame
    slopes: pd.DataFrame
    n_observers: int
    differences: pd.DataFrame

    def __repr__(self) -> str:
        """Return one line."""
        trials = int(self.cells.query("observer != @ALL")["trials"].sum())
        return f"TrialsDescription({count(self.n_observers, 'observer')}, {count(trials, 'trial')})"

    def of(self, observer: str, condition: str | None = None) -> pd.DataFrame:
        """Return the cells of one observer, or of "all", in one condition or in all of them."""
        rows = self.cells["observer"] == observer
        return self.cells[rows & (condition is None or self.cells.get("condition") == condition)]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Values of the condition that is taken apart; empty if none is."""
        return tuple(self.cells["condition"].unique()) if "condition" in self.cells else ()

    @property
    def _title(self) -> str:
        """Name of the rows to show: the mean, or the only observer."""
        return ALL if self.n_observers > 1 else str(self.cells["observer"].iloc[0])

    def card(self) -> Card:
        """Return slopes and errors of each observer, and the cells of all."""
        cells = self.of(self._title)
        facts: list[tuple[str, object]] = []
        for row in cells.to_dict("records"):
            size = count(int(row["set_size"]), "item")
            name = ", ".join([size, *_condition(row), row["target"]])
            facts.append((name, f"{row['mean_rt']:.3f} s, errors {100 * row['error_rate']:.1f} %"))
        headings, rows = self.slope_rows(SHOWN)
        more = int((self.slopes["observer"] != ALL).sum()) - SHOWN
        note = "Slopes in ms/item with standard errors; false alarms and misses in %."
        note += self.ratio_note
        if len(self.differences):
            note += " Differences of conditions are within observers, over those who have both."
        if more > 0:
            note += f" {more} more rows of observers are not shown."
        title = f"Mean correct response times and errors: {self._title}"
        return Card(title, facts, headings, rows, note, keys=2 if self.conditions else 1)

    def slope_rows(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Return slopes and errors in words: headings; observers, their means, differences.

        Parameters
        ----------
        most : int, optional
            Rows of observers.
        """
        people = self.slopes["observer"] != ALL
        shown = pd.concat([self.slopes[people][:most], self.slopes[~people]]).to_dict("records")
        rows = [[str(row["observer"]), *_condition(row), *_slope_words(row)] for row in shown]
        for (first, second), some in self.differences.groupby(["condition", "against"], sort=False):
            measures = some.set_index("measure")
            row = measures["difference"].to_dict() | measures["se"].add_suffix("_se").to_dict()
            rows.append([ALL, f"{first}{MINUS}{second}", *_slope_words(row)])
        split = ["condition"] if self.conditions else []
        return ["observer", *split, "absent", "present", "ratio", "false alarms", "misses"], rows

    @property
    def ratio_note(self) -> str:
        """Why some ratios are not given, if some are not."""
        lacking = self.slopes["ratio"].isna() & self.slopes["present"].notna()
        why = " No ratio (-) where the slope with a target is within two standard errors of zero."
        return why if lacking.any() else ""

    def as_dict(self) -> dict[str, Any]:
        """Return cells and slopes as lists of rows."""
        names = ("cells", "slopes", "differences")
        tables = {name: getattr(self, name).to_dict("records") for name in names}
        return {"n_observers": self.n_observers, **tables}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean response times against set size, the mean over thin lines of observers."""
        from popout.people.reading.trial_pictures import draw_means

        return draw_means(self, ax)


def _condition(row: Mapping[Any, Any]) -> list[str]:
    return [str(row["condition"])] if "condition" in row else []


def _slope_words(row: Mapping[Any, Any]) -> list[str]:
    """Return slopes, and errors in %, with their errors where these are known."""
    words = []
    for name in MEASURES:
        factor = 100 if name in ("false_alarms", "misses") else 1
        value, error = factor * row.get(name, np.nan), factor * row.get(f"{name}_se", np.nan)
        if not np.isfinite(value):
            words.append("-")
        elif np.isfinite(error):
            words.append(with_error(value, error))
        else:  # a mean of one observer is none
            words.append("-" if row.get("observer", ALL) == ALL else f"{value:.1f}")
    return words


def describe_trials(trials: ObservedTrials | Responses) -> TrialsDescription:
    """Describe trials of people before any model.

    Parameters
    ----------
    trials : ObservedTrials or Responses
        All observers, or the trials of one, with a column ``set_size``.

    Returns
    -------
    TrialsDescription

    Examples
    --------
    >>> import popout as po
    >>> found = po.describe_trials(po.read_trials("examples/people/two_observers.csv"))
    >>> found.slopes.set_index("observer").loc["ag", ["absent", "present"]].round(1).to_dict()
    {'absent': 29.7, 'present': 7.1}
    """
    groups = trials.groups if isinstance(trials, ObservedTrials) else {Group("1"): trials}
    n_observers = len({each.observer for each in groups})
    apart = [_cells(group, some) for group, some in groups.items()]
    slopes = pd.DataFrame([_slopes(g, each) for g, each in zip(groups, apart, strict=True)])
    cells = pd.concat(apart, ignore_index=True)
    differences = _differences(cells, slopes) if n_observers > 1 else paired_differences(_NO_VALUES)
    if n_observers > 1:
        cells = pd.concat([cells, _mean_cells(cells)], ignore_index=True)
        slopes = pd.concat([slopes, _mean_slopes(slopes)], ignore_index=True)
    return TrialsDescription(cells, slopes, n_observers, differences)


_NO_VALUES = pd.DataFrame(columns=["observer", "condition", "measure", "value"])


def _differences(cells: pd.DataFrame, slopes: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of conditions within observers."""
    if "condition" not in slopes:
        return paired_differences(_NO_VALUES)
    names = ["observer", "condition"]
    lines = slopes.melt(names, MEASURES, "measure")
    means = cells.assign(measure="rt_" + cells["target"], value=cells["mean_rt"])
    both = [paired_differences(lines), paired_differences(means, within=["set_size"])]
    return pd.concat(both, ignore_index=True)


def _cells(group: Group, trials: Responses) -> pd.DataFrame:
    """Return the cells of one observer in a condition."""
    rows = []
    size, decided = trials.columns["set_size"], trials.response != Action.WAIT
    for M in np.unique(size):
        for kind, chosen in zip(CLASSES, (~trials.present, trials.present), strict=True):
            cell = (size == M) & chosen
            answered, right = cell & decided, cell & trials.correct
            n, rt = int(answered.sum()), trials.rt[right]
            error = 1 - right.sum() / n if n else np.nan
            quantiles = np.quantile(rt, QUANTILES) if rt.size else [np.nan] * len(QUANTILES)
            rows.append(
                {
                    **group.as_dict(),
                    "set_size": int(M),
                    "target": kind,
                    "trials": int(cell.sum()),
                    "no_answer": int(cell.sum()) - n,
                    "error_rate": error,
                    "error_rate_se": np.sqrt(error * (1 - error) / n) if n else np.nan,
                    "mean_rt": rt.mean() if rt.size else np.nan,
                    "mean_rt_se": rt.std(ddof=1) / np.sqrt(rt.size) if rt.size > 1 else np.nan,
                    **{f"q{100 * q:.0f}": v for q, v in zip(QUANTILES, quantiles, strict=True)},
                }
            )
    return pd.DataFrame(rows)


def _slopes(group: Group, cells: pd.DataFrame) -> dict[str, Any]:
    """Return slopes and error rates of one observer in a condition."""
    row: dict[str, Any] = {**group.as_dict()}
    for kind in CLASSES:
        some = cells[(cells["target"] == kind) & np.isfinite(cells["mean_rt"])]
        M = some["set_size"].to_numpy(float)
        w = M - M.mean() if M.size else M
        w = w / np.sum(w**2) if M.size > 1 else np.full(M.size, np.nan)
        usable = bool(np.isfinite(w).all()) and M.size > 1
        row[kind] = 1000 * float(w @ some["mean_rt"]) if usable else np.nan
        error = np.sqrt(np.sum((w * some["mean_rt_se"].to_numpy()) ** 2)) if usable else np.nan
        row[f"{kind}_se"] = 1000 * float(error)
    a, b = row["absent"], row["present"]
    safe = abs(b) > 2 * row["present_se"]
    ratio = a / b if safe else np.nan
    relative = np.hypot(row["absent_se"], ratio * row["present_se"]) / abs(b) if safe else np.nan
    row |= {"ratio": ratio, "ratio_se": float(relative)}
    for kind, errors in zip(CLASSES, ("false_alarms", "misses"), strict=True):
        some = cells[cells["target"] == kind]
        n = (some["trials"] - some["no_answer"]).to_numpy(float)
        wrong = np.nansum(some["error_rate"].to_numpy() * n)
        row[errors] = float(wrong / n.sum()) if n.sum() else np.nan
    return row


def _by_condition(table: pd.DataFrame) -> list[str]:
    return ["condition"] if "condition" in table else []


def _mean_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the means over observers, with the standard errors between them."""
    groups = cells.groupby([*_by_condition(cells), "set_size", "target"], sort=True)
    values = [name for name in cells.columns if name in ("error_rate", "mean_rt") or name[0] == "q"]
    mean = groups[values].mean()
    error = groups[["error_rate", "mean_rt"]].sem().add_suffix("_se")
    totals = groups[["trials", "no_answer"]].sum()
    table = pd.concat([totals, mean, error], axis=1).reset_index()
    return table.assign(observer=ALL)[list(cells.columns)]


def _mean_slopes(slopes: pd.DataFrame) -> pd.DataFrame:
    """Return the means over observers, one row for each condition."""
    by = _by_condition(slopes)
    groups = slopes.assign(observer=ALL).groupby(["observer", *by], sort=False)[list(MEASURES)]
    return pd.concat([groups.mean(), groups.sem().add_suffix("_se")], axis=1).reset_index()


def means_over_people(table: pd.DataFrame, by: Sequence[str] = ("measure",)) -> pd.DataFrame:
    """Return the mean over observers of each quantity in each condition.

    Parameters
    ----------
    table : DataFrame
        Columns ``observer``, ``condition``, ``value``, and those that name the quantity.
    by : sequence of str
        The columns that name the quantity.

    Returns
    -------
    DataFrame
        `by`, ``condition``, ``mean``, its standard error ``se`` over observers, and their number
        ``n``.
    """
    groups = table.dropna(subset="value").groupby([*by, "condition"], sort=False)["value"]
    table = pd.DataFrame({"mean": groups.mean(), "se": groups.sem(), "n": groups.count()})
    return table.reset_index()


def paired_differences(
    table: pd.DataFrame, by: Sequence[str] = ("measure",), within: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the mean difference within observers of each quantity, for each pair of conditions.

    Parameters
    ----------
    table, by
        As for `means_over_people`.
    within : sequence of str
        Columns to average over within an observer, such as set sizes: those that both have.

    Returns
    -------
    DataFrame
        `by`, ``condition``, ``against``, ``difference`` (the first less the second), its standard
        error ``se`` over observers, and their number ``n``.

    Examples
    --------
    >>> slopes = pd.DataFrame(
    ...     {
    ...         "observer": ["ag", "ag", "km", "km"],
    ...         "condition": ["a", "b", "a", "b"],
    ...         "measure": "present",
    ...         "value": [10.0, 4.0, 30.0, 22.0],
    ...     }
    ... )
    >>> paired_differences(slopes).to_dict("records")[0]["difference"]
    7.0
    """
    rows = []
    names = natural_order(set(table["condition"]))
    for quantity, some in table.groupby([*by], sort=False):
        values = some.pivot(index=["observer", *within], columns="condition", values="value")
        for first, second in combinations([name for name in names if name in values], 2):
            apart = (values[first] - values[second]).dropna().groupby("observer").mean()
            rows.append((*quantity, first, second, apart.mean(), apart.sem(), len(apart)))
    return pd.DataFrame(rows, columns=[*by, "condition", "against", "difference", "se", "n"])
