r"""Risk, error rates and response times, each with its standard error.

Risk is the prior average (not the sum over classes that the paper displays in Equation 6)

.. math::

   R = \sum_{C} P(C)\,\bar\ell_C, \qquad
   \ell = c_\mathrm{error} \mathbf 1[D \ne C] + c_{\mathrm{time},C}\,T,

estimated with the known :math:`P(C)` as weights (post-stratification), so that the class balance
that happened to be drawn adds no variance: :math:`\mathrm{se}^2 = \sum_C P(C)^2 s_C^2 / n_C`.

Undecided trials are counted and shown. They paid for the time but made no error, so with any of
them `risk` is a lower bound on that of the unlimited strategy; they enter neither mean nor
quantiles of the response time.

Where response times are whole numbers of steps, the quantile p is the first of them by which a
share p has answered, halfway to the next if it is p exactly: a time that can occur, however long a
step is. Between measured times quantiles are read linearly (Hazen's rule). The standard error is
that of a quantile in samples drawn from the same trials, whose distribution is known (Maritz and
Jarrett, 1978), with :math:`I` the regularised incomplete beta function and :math:`F` the share that
has answered,

.. math:: P(Q_p \le t) = I_{F(t)}(np + \tfrac12,\; n(1-p) + \tfrac12).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.policies.stopping import Action
from popout.task import Costs

if TYPE_CHECKING:
    from popout.simulation.tally import Tally

QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The response-time quantiles customary in the field."""
NEGLIGIBLE = 0.01
"""Of a step: with a smaller error not one sample in 10,000 has its quantile at another step."""
MEASURES = ("error_rate", "error_rate_se", "mean_rt", "mean_rt_se")


@dataclass(frozen=True)
class ConditionSummary(HasCard):
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

    def card(self) -> Card:
        """Return what is shown of it."""
        headings, rows = condition_table([self])
        return Card(f"target {self.condition}", headings=headings, rows=rows)


@dataclass(frozen=True)
class Summary(HasCard):
    """Summary of trials; print it.

    Attributes
    ----------
    n_trials, undecided : int
    risk, risk_se : float
        Prior-averaged risk; NaN if only one class was shown.
    absent, present : ConditionSummary
    locations : tuple of ConditionSummary, length M
        Target at each location.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import Costs, SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> strategy = SPRT.for_task(task, -2.5, 2.5)
    >>> summary = simulate(task, strategy, n_trials=20_000, seed=1).summary(Costs(time=0.2))
    >>> print(summary)  # doctest: +ELLIPSIS
    risk 0.0690 +- 0.0015
      target   trials            errors ...
      absent    10057  0.0484 +- 0.0021 ...
      present    9943  0.0468 +- 0.0021 ...
      20000 trials, 0 undecided
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
        """Return its row of a table: risk, error rates, mean response times and undecided trials.

        Examples
        --------
        >>> from popout.simulation import simulate
        >>> from popout.policies.stopping import SPRT
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> trials = simulate(task, SPRT.for_task(task, -2.5, 2.5), n_trials=1000, seed=1)
        >>> list(trials.summary(Costs(time=0.2)).row())[:3]
        ['risk', 'risk_se', 'error_rate_absent']
        """
        rates = {
            f"{what}_{side.condition}{suffix}": float(getattr(side, what + suffix))
            for side in (self.absent, self.present)
            for what in ("error_rate", "mean_rt")
            for suffix in ("", "_se")
        }
        return {"risk": self.risk, "risk_se": self.risk_se, **rates, "undecided": self.undecided}

    def as_dict(self) -> dict[str, Any]:
        """Return trials, risk, error rates, mean response times and undecided trials."""
        risk = {"trials": self.n_trials, "risk": self.risk, "risk_se": self.risk_se}
        return {**risk, **condition_dict((self.absent, self.present))}


def _mean_and_se(n: int, total: float, squares: float) -> tuple[float, float]:
    """Return the mean and its standard error from a count, a sum and a sum of squares."""
    if n == 0:
        return math.nan, math.nan
    mean = float(total) / n
    if n == 1:
        return mean, math.nan
    return mean, math.sqrt(max(float(squares) / n - mean * mean, 0.0) / (n - 1))


def _quantiles(
    counts: NDArray[np.int64], tally: Tally
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return quantiles of the response times counted in `counts`, and their standard errors."""
    n, seen = int(counts.sum()), counts > 0
    if n == 0:
        return ((math.nan,) * len(QUANTILES),) * 2
    p, t, reached = np.asarray(QUANTILES), tally.times[seen], np.cumsum(counts[seen])
    if tally.in_whole_steps:
        slack = 1e-12 * n  # p n may be a whole number but for its last digits
        first, next_one = (np.searchsorted(reached, p * n + move) for move in (-slack, slack))
        middle = (t[first] + t[next_one]) / 2
    else:  # half of the answers of a moment came before it
        middle = np.interp(p, (reached - counts[seen] / 2) / n, t)
    if n == 1:
        return tuple(middle.tolist()), (math.nan,) * len(QUANTILES)
    a = (n * p + 0.5)[:, None]
    weight = np.diff(betainc(a, n + 1 - a, reached / n), prepend=0.0)
    away = t - (weight @ t)[:, None]
    se = np.sqrt((weight * away**2).sum(axis=1))
    if tally.in_whole_steps:
        se[se < NEGLIGIBLE * tally.unit] = 0.0
    return tuple(middle.tolist()), tuple(se.tolist())


def _condition(
    name: str,
    numbers: NDArray[Any],
    times: tuple[float, float],
    error: Action,
    quantiles: tuple[tuple[float, ...], ...] = (),
) -> ConditionSummary:
    """Summarise trials by response, shape (3,), with sum and sum of squares of decided times."""
    n, undecided = int(numbers.sum()), int(numbers[Action.WAIT])
    rate = _mean_and_se(n, numbers[error], numbers[error])
    return ConditionSummary(
        name, n, undecided, *rate, *_mean_and_se(n - undecided, *times), *quantiles
    )


def by_class(tally: Tally) -> list[ConditionSummary]:
    """Summarise the trials without and with a target."""
    summaries, t = [], tally.times
    sides = (("absent", Action.PRESENT), ("present", Action.ABSENT))
    for (name, error), counts in zip(sides, tally.by_class, strict=True):
        decided = counts[Action.ABSENT] + counts[Action.PRESENT]
        times = decided @ t, decided @ (t * t)
        quantiles = _quantiles(decided, tally)
        summaries.append(_condition(name, counts.sum(axis=1), times, error, quantiles))
    return summaries


def by_location(tally: Tally) -> tuple[ConditionSummary, ...]:
    """Summarise the trials with a target at each location."""
    summaries = []
    for place, counts in enumerate(tally.by_location):
        _, total, squares = counts[:, Action.ABSENT :].sum(axis=1)
        times = float(total) * tally.unit, float(squares) * tally.unit * tally.unit
        summaries.append(_condition(f"present at {place}", counts[0], times, Action.ABSENT))
    return tuple(summaries)


def condition_dict(conditions: Sequence[ConditionSummary]) -> dict[str, Any]:
    """Return each measure by condition, and how many trials were undecided."""
    measures: dict[str, Any] = {
        what: {item.condition: getattr(item, what) for item in conditions} for what in MEASURES
    }
    return {**measures, "undecided": sum(item.undecided for item in conditions)}


def condition_table(conditions: Sequence[ConditionSummary]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a card, one for each condition that was shown."""
    median = QUANTILES.index(0.5)
    any_undecided = any(item.undecided for item in conditions)
    rows = [
        [
            item.condition,
            str(item.n_trials),
            # No error among a number of trials is not a rate of zero known without error.
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
    t = tally.times
    classes = (
        (1 - tally.prior, costs.time_absent, costs.false_alarm, Action.PRESENT),
        (tally.prior, costs.time_present, costs.miss, Action.ABSENT),
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
    se, locations = math.sqrt(variance), by_location(tally)
    return Summary(tally.n_trials, tally.undecided, risk, se, absent, present, locations)
