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
values is given, with the standard error between observers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.people.observed import ObservedTrials
from popout.simulation.responses import Responses
from popout.strategies import Action

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASSES = ("absent", "present")
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
ALL = "all"
"""The name of the mean over observers."""
SHOWN = 25
"""Observers that a card lists one by one."""


@dataclass(frozen=True, eq=False, repr=False)
class TrialsDescription(HasCard):
    """Cells and slopes of each observer, and their means over observers.

    Attributes
    ----------
    cells : DataFrame
        One row for each observer, set size and class: ``trials``, ``no_answer``, ``error_rate`` and
        ``mean_rt`` (correct answers, s) with standard errors ``_se``, and quantiles ``q10`` to
        ``q90`` of correct answers in seconds. Rows of the observer "all" are means over observers.
    slopes : DataFrame
        One row for each observer: slopes in ms/item, ``absent``, ``present`` and their ``ratio``,
        each with ``_se``; and error rates.
    n_observers : int

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

    def __repr__(self) -> str:
        """Return one line."""
        trials = int(self.cells.query("observer != @ALL")["trials"].sum())
        return f"TrialsDescription({count(self.n_observers, 'observer')}, {count(trials, 'trial')})"

    def of(self, observer: str) -> pd.DataFrame:
        """Return the cells of one observer, or of "all"."""
        return self.cells[self.cells["observer"] == observer]

    @property
    def _title(self) -> str:
        """Name of the rows to show: the mean, or the only observer."""
        return ALL if self.n_observers > 1 else str(self.cells["observer"].iloc[0])

    def card(self) -> Card:
        """Return slopes and errors of each observer, and the cells of all."""
        rows = []
        for row in self.slopes.head(SHOWN).to_dict("records"):
            shown = [str(row["observer"])]
            shown += [_shown(row[name], row[f"{name}_se"]) for name in ("absent", "present")]
            shown += [_shown(row["ratio"], row["ratio_se"])]
            shown += [f"{100 * row[name]:.1f}" for name in ("false_alarms", "misses")]
            rows.append(shown)
        cells = self.of(self._title)
        facts: list[tuple[str, object]] = [
            (
                f"{row['set_size']:g} items, {row['target']}",
                f"{row['mean_rt']:.3f} s, errors {100 * row['error_rate']:.1f} %",
            )
            for row in cells.to_dict("records")
        ]
        more = len(self.slopes) - SHOWN
        return Card(
            f"Mean correct response times and errors: {self._title}",
            facts,
            ["observer", "absent", "present", "ratio", "false alarms", "misses"],
            rows,
            "Slopes in ms/item with standard errors; false alarms and misses in %."
            + (f" {more} more observers are not shown." if more > 0 else ""),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return cells and slopes as lists of rows."""
        return {
            "n_observers": self.n_observers,
            "cells": self.cells.to_dict("records"),
            "slopes": self.slopes.to_dict("records"),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean response times against set size, the mean over thin lines of observers."""
        from popout.people.pictures import draw_means

        return draw_means(self, ax)


def _shown(value: float, error: float) -> str:
    return with_error(value, error) if np.isfinite(value) else "-"


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
    observers = trials.observers if isinstance(trials, ObservedTrials) else {"1": trials}
    cells = [_cells(name, one) for name, one in observers.items()]
    slopes = pd.DataFrame(
        [_slopes(name, each) for name, each in zip(observers, cells, strict=True)]
    )
    together = pd.concat(cells, ignore_index=True)
    if len(observers) > 1:
        together = pd.concat([together, _mean_cells(together)], ignore_index=True)
        slopes = pd.concat([slopes, _mean_slopes(slopes)], ignore_index=True)
    return TrialsDescription(together, slopes, len(observers))


def _cells(name: str, one: Responses) -> pd.DataFrame:
    """Return the cells of one observer."""
    rows = []
    size, decided = one.columns["set_size"], one.response != Action.WAIT
    for M in np.unique(size):
        for kind, chosen in zip(CLASSES, (~one.present, one.present), strict=True):
            here = (size == M) & chosen
            answered, right = here & decided, here & one.correct
            n, rt = int(answered.sum()), one.rt[right]
            error = 1 - right.sum() / n if n else np.nan
            quantiles = np.quantile(rt, QUANTILES) if rt.size else [np.nan] * len(QUANTILES)
            rows.append(
                {
                    "observer": name,
                    "set_size": int(M),
                    "target": kind,
                    "trials": int(here.sum()),
                    "no_answer": int(here.sum()) - n,
                    "error_rate": error,
                    "error_rate_se": np.sqrt(error * (1 - error) / n) if n else np.nan,
                    "mean_rt": rt.mean() if rt.size else np.nan,
                    "mean_rt_se": rt.std(ddof=1) / np.sqrt(rt.size) if rt.size > 1 else np.nan,
                    **{f"q{100 * q:.0f}": v for q, v in zip(QUANTILES, quantiles, strict=True)},
                }
            )
    return pd.DataFrame(rows)


def _slopes(name: str, cells: pd.DataFrame) -> dict[str, Any]:
    """Return slopes and error rates of one observer."""
    row: dict[str, Any] = {"observer": name}
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
    row["ratio"] = ratio
    relative = np.hypot(row["absent_se"], ratio * row["present_se"]) / abs(b) if safe else np.nan
    row["ratio_se"] = float(relative)
    for kind, errors in zip(CLASSES, ("false_alarms", "misses"), strict=True):
        some = cells[cells["target"] == kind]
        n = (some["trials"] - some["no_answer"]).to_numpy(float)
        wrong = np.nansum(some["error_rate"].to_numpy() * n)
        row[errors] = float(wrong / n.sum()) if n.sum() else np.nan
    return row


def _mean_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the means over observers, with the standard errors between them."""
    groups = cells.groupby(["set_size", "target"], sort=True)
    values = [name for name in cells.columns if name in ("error_rate", "mean_rt") or name[0] == "q"]
    mean = groups[values].mean()
    error = groups[["error_rate", "mean_rt"]].sem().add_suffix("_se")
    totals = groups[["trials", "no_answer"]].sum()
    table = pd.concat([totals, mean, error], axis=1).reset_index()
    return table.assign(observer=ALL)[list(cells.columns)]


def _mean_slopes(slopes: pd.DataFrame) -> pd.DataFrame:
    row: dict[str, Any] = {"observer": ALL}
    for name in ("absent", "present", "ratio"):
        row[name], row[f"{name}_se"] = slopes[name].mean(), slopes[name].sem()
    for name in ("false_alarms", "misses"):
        row[name] = slopes[name].mean()
    return pd.DataFrame([row])
