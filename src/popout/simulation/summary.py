r"""Risk, error rates and response times of a simulation, each with its standard error.

Risk is the prior average (not the sum over classes that the paper displays in Eq. risk)

.. math::

   R = \sum_{C} P(C)\,\bar\ell_C, \qquad
   \ell = c_\mathrm{error} \mathbf 1[D \ne C] + c_{\mathrm{time},C}\,T,

estimated with the known :math:`P(C)` as weights (post-stratification), so that the class balance
that happened to be drawn adds no variance: :math:`\mathrm{se}^2 = \sum_C P(C)^2 s_C^2 / n_C`.

Undecided trials are counted and shown. They paid for the time but made no error, so with any of
them `risk` is a lower bound on that of the unlimited strategy; they enter neither mean nor
quantiles of the response time.

Quantiles interpolate the empirical distribution linearly between looks; the standard error is half
the distance between the quantiles at :math:`p \pm \sqrt{p(1-p)/n}`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.simulation.tally import Tally
from popout.strategies import Action
from popout.task import Costs

__all__ = ["QUANTILES", "ConditionSummary", "Summary", "by_class", "condition_table", "summarise"]

QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The response-time quantiles customary in the field."""


@dataclass(frozen=True)
class ConditionSummary:
    """What happened under one condition.

    Attributes
    ----------
    condition : str
        ``"absent"``, ``"present"`` or ``"present at l"``.
    n_trials, undecided : int
    error_rate, error_rate_se : float
        False alarms or misses, as a share of all trials of the condition.
    mean_rt, mean_rt_se : float
        Seconds, over decided trials.
    quantiles, quantiles_se : tuple of float, length 5
        Response-time quantiles at `QUANTILES`, in seconds; empty for a single location.
    """

    condition: str
    n_trials: int
    undecided: int
    error_rate: float
    error_rate_se: float
    mean_rt: float
    mean_rt_se: float
    quantiles: tuple[float, ...] = ()
    quantiles_se: tuple[float, ...] = ()


@dataclass(frozen=True)
class Summary(HasCard):
    """Summary of a simulation; print it.

    Attributes
    ----------
    n_trials, undecided : int
    risk, risk_se : float
        Prior-averaged risk; NaN if only one class was simulated.
    absent, present : ConditionSummary
    locations : tuple of ConditionSummary, length M
        Target at each location.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.strategies import SPRT
    >>> from popout.task import Costs, SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> strategy = SPRT.for_task(task, -2.5, 2.5)
    >>> summary = simulate(task, strategy, n_trials=20_000, seed=1).summary(Costs(time=0.2))
    >>> print(summary)  # doctest: +ELLIPSIS
    risk 0.06900 +- 0.00151 (20000 trials, 0 undecided)
    ...
    """

    n_trials: int
    undecided: int
    risk: float
    risk_se: float
    absent: ConditionSummary
    present: ConditionSummary
    locations: tuple[ConditionSummary, ...]

    def card(self) -> Card:
        """Return what is shown of it."""
        bound = "; the risk is a lower bound" if self.undecided else ""
        headings, rows = condition_table([self.absent, self.present])
        return Card(
            f"risk {with_error(self.risk, self.risk_se)}",
            headings=headings,
            rows=rows,
            note=f"{count(self.n_trials, 'trial')}, {self.undecided} undecided{bound}",
        )

    def row(self) -> dict[str, float]:
        """Return its row of a table: risk, error rates and response times with their errors."""
        row = {"risk": self.risk, "risk_se": self.risk_se}
        for side in (self.absent, self.present):
            row |= {
                f"error_rate_{side.condition}": side.error_rate,
                f"error_rate_{side.condition}_se": side.error_rate_se,
                f"mean_rt_{side.condition}": side.mean_rt,
                f"mean_rt_{side.condition}_se": side.mean_rt_se,
            }
        return row | {"undecided": self.undecided}

    def as_dict(self) -> dict[str, Any]:
        """Return risk, error rates and response times, by class, with their errors."""
        sides = (self.present, self.absent)
        measures = ("error_rate", "error_rate_se", "mean_rt", "mean_rt_se")
        return {
            "trials": self.n_trials,
            "risk": self.risk,
            "risk_se": self.risk_se,
            **{name: {s.condition: getattr(s, name) for s in sides} for name in measures},
            "undecided": self.undecided,
        }

    def to_frame(self, locations: bool = False) -> pd.DataFrame:
        """Return one row per condition.

        Parameters
        ----------
        locations : bool
            Whether to add a row for each target location.
        """
        rows = []
        for item in (self.absent, self.present, *(self.locations if locations else ())):
            row = {
                "condition": item.condition,
                "n_trials": item.n_trials,
                "undecided": item.undecided,
                "error_rate": item.error_rate,
                "error_rate_se": item.error_rate_se,
                "mean_rt": item.mean_rt,
                "mean_rt_se": item.mean_rt_se,
            }
            for p, q, se in zip(QUANTILES, item.quantiles, item.quantiles_se, strict=False):
                row |= {f"rt_{p:g}": q, f"rt_{p:g}_se": se}
            rows.append(row)
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        """Return a small table."""
        bound = "; a lower bound, see undecided" if self.undecided else ""
        lines = [
            f"risk {self.risk:.5f} +- {self.risk_se:.5f} "
            f"({self.n_trials} trials, {self.undecided} undecided{bound})",
            f"{'':8}{'trials':>10}{'errors':>18}{'mean RT (s)':>18}{'median':>9}{'undecided':>11}",
        ]
        for item in (self.absent, self.present):
            median = item.quantiles[QUANTILES.index(0.5)]
            lines.append(
                f"{item.condition:8}{item.n_trials:10d}"
                f"{item.error_rate:9.4f} +-{item.error_rate_se:6.4f}"
                f"{item.mean_rt:9.4f} +-{item.mean_rt_se:6.4f}"
                f"{median:9.4f}{item.undecided:11d}"
            )
        return "\n".join(lines)


def _mean_and_se(n: int, total: float, squares: float) -> tuple[float, float]:
    """Return the mean and its standard error from a count, a sum and a sum of squares."""
    if n == 0:
        return math.nan, math.nan
    mean = total / n
    if n == 1:
        return mean, math.nan
    return mean, math.sqrt(max(squares / n - mean * mean, 0.0) / (n - 1))


def _quantile(counts: NDArray[np.int64], dt: float, p: float) -> tuple[float, float]:
    """Return a quantile of steps counted in `counts`, in seconds, and its standard error."""
    n = int(counts.sum())
    if n == 0:
        return math.nan, math.nan
    cumulated = np.concatenate([[0.0], np.cumsum(counts) / n])
    # Node k is the share of trials that had answered before look k; trials of look k lie between.
    edges = (np.arange(len(cumulated)) - 1.0) * dt
    edges[0] = 0.0
    half = math.sqrt(p * (1 - p) / n)
    low, middle, high = np.interp([p - half, p, p + half], cumulated, edges)
    return float(middle), float(high - low) / 2


def _condition(name: str, counts: NDArray[np.int64], error: Action, dt: float) -> ConditionSummary:
    """Summarise the counts of one class, shape (3, n_looks)."""
    n = int(counts.sum())
    wrong = int(counts[error].sum())
    decided = counts[Action.ABSENT] + counts[Action.PRESENT]
    t = np.arange(counts.shape[-1]) * dt
    mean_rt, mean_rt_se = _mean_and_se(int(decided.sum()), decided @ t, decided @ (t * t))
    rate, rate_se = _mean_and_se(n, wrong, wrong)
    quantiles, errors = zip(*(_quantile(decided, dt, p) for p in QUANTILES), strict=True)
    undecided = int(counts[Action.WAIT].sum())
    return ConditionSummary(
        name, n, undecided, rate, rate_se, mean_rt, mean_rt_se, quantiles, errors
    )


def _location(index: int, counts: NDArray[np.int64], dt: float) -> ConditionSummary:
    """Summarise ``Tally.by_location[index]``."""
    number, total, squares = (row.astype(float) for row in counts)
    n = int(number.sum())
    answers = [Action.ABSENT, Action.PRESENT]
    rate, rate_se = _mean_and_se(n, number[Action.ABSENT], number[Action.ABSENT])
    mean, se = _mean_and_se(
        int(number[answers].sum()), total[answers].sum() * dt, squares[answers].sum() * dt * dt
    )
    undecided = int(number[Action.WAIT])
    return ConditionSummary(f"present at {index}", n, undecided, rate, rate_se, mean, se)


def by_class(tally: Tally) -> tuple[ConditionSummary, ConditionSummary]:
    """Summarise the trials without and with a target."""
    absent, present = tally.by_class
    return (
        _condition("absent", absent, Action.PRESENT, tally.task.dt),
        _condition("present", present, Action.ABSENT, tally.task.dt),
    )


def condition_table(conditions: Sequence[ConditionSummary]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a card, one for each condition that was simulated."""
    median = QUANTILES.index(0.5)
    any_undecided = any(item.undecided for item in conditions)
    rows = [
        [
            item.condition,
            str(item.n_trials),
            # No error among so many is not a rate of zero known without error.
            with_error(item.error_rate, item.error_rate_se)
            if item.error_rate
            else f"none of {item.n_trials}",
            with_error(item.mean_rt, item.mean_rt_se),
            with_error(item.quantiles[median], item.quantiles_se[median]),
            *([str(item.undecided)] if any_undecided else []),
        ]
        for item in conditions
        if item.n_trials
    ]
    headings = ["target", "trials", "errors", "mean RT (s)", "median RT (s)"]
    return [*headings, *(["undecided"] if any_undecided else [])], rows


def summarise(tally: Tally, costs: Costs) -> Summary:
    """Summarise a tally under given costs.

    Parameters
    ----------
    tally : Tally
    costs : Costs

    Examples
    --------
    See `Summary`.
    """
    task, dt = tally.task, tally.task.dt
    t = np.arange(tally.by_class.shape[-1]) * dt
    classes = (
        (1 - task.prior, costs.time_absent, costs.false_alarm, Action.PRESENT),
        (task.prior, costs.time_present, costs.miss, Action.ABSENT),
    )
    risk, variance = 0.0, 0.0
    for counts, (weight, time_cost, error_cost, error) in zip(tally.by_class, classes, strict=True):
        loss = np.tile(time_cost * t, (3, 1))
        loss[error] += error_cost
        mean, se = _mean_and_se(
            int(counts.sum()), float((counts * loss).sum()), float((counts * loss**2).sum())
        )
        risk += weight * mean
        variance += (weight * se) ** 2
    absent, present = by_class(tally)
    locations = tuple(_location(i, counts, dt) for i, counts in enumerate(tally.by_location))
    return Summary(
        tally.n_trials, tally.undecided, risk, math.sqrt(variance), absent, present, locations
    )
