r"""SPRT-opt: SPRT whose two thresholds minimise the risk.

The same statistic as SPRT, :math:`S(t)` (Equation 2); the thresholds are free and
`popout.tune` chooses them to minimise the risk (Equation 6). They need not agree with those of
discrimination, so SPRT-opt may give up asymptotic optimality for a lower risk.

At :math:`t = 0` the statistic is the log prior odds. A threshold on the wrong side of them would
answer before looking, so the search keeps the prior odds between the two; an optimum may lie right
at them (drifts 20 and 1/s, a second that costs as much as an error: "absent" as soon as *S* falls
at all). Answering before looking is the best where a target is very rare or very likely; it is
compared with what the search has found.

Notes
-----
With unequal drifts the risk may have two valleys, one for thresholds that suit the hard location
and one in which the hard location is given up. Searches start from every combination of the
thresholds of discrimination of the locations.
"""

from __future__ import annotations

from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from popout.policies.stopping.recipe import (
    Lower,
    Parameter,
    Recipe,
    Tunable,
    Upper,
    mean_thresholds,
    thresholds_per_location,
)
from popout.policies.stopping.scaled_sprt import ScaledSPRT, one_pair
from popout.task import Task

WIDEST = 25.0
"""Farthest a threshold is sought from the log prior odds, in nats."""
APART = 0.25
"""Nearest to the log prior odds that a search begins, in nats."""
MOST_STARTS = 3
"""Most thresholds, from the lowest to the highest, that are combined."""


class SPRTOpt(Recipe):
    """SPRT with tuned thresholds; the search starts from SPRT's own.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> tuned = po.tune(po.SPRTOpt, task, po.Costs(time=0.2), n_trials=2000, seed=1)
    >>> tuned.strategy.label, sorted(tuned.parameters)
    ('SPRT-opt', ['lower', 'upper'])
    """

    name = "sprt-opt"
    attributes: ClassVar = {"lower": "tau_minus", "upper": "tau_plus"}

    @classmethod
    def tunable(cls, task: Task, tau_minus: Lower, tau_plus: Upper = None) -> Tunable:
        """Return the two thresholds.

        Searches start from SPRT's own thresholds and from every combination of those of single
        locations.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> free = SPRTOpt.tunable(SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0))
        >>> [tuple(start.values()) for start in free.starts]
        [(-3.0, 3.0), (-4.0, 2.0), (-4.0, 4.0), (-2.0, 2.0), (-2.0, 4.0)]
        """
        owner = cls.__name__
        pairs = [mean_thresholds(owner, task, tau_minus, tau_plus)]
        lower, upper = (
            np.unique(tau) for tau in thresholds_per_location(owner, task, tau_minus, tau_plus)
        )
        if len(lower) > 1:
            pairs += product(_spread(lower, MOST_STARTS), _spread(upper, MOST_STARTS))
        odds = cls.onset(task)
        starts = tuple(
            {
                "lower": float(np.clip(low, odds - WIDEST / 2, odds - APART)),
                "upper": float(np.clip(high, odds + APART, odds + WIDEST / 2)),
            }
            for low, high in pairs
        )
        own = starts[0]
        return Tunable(
            (
                Parameter("lower", own["lower"], odds - WIDEST, odds, scale=0.5, cliff=odds),
                Parameter("upper", own["upper"], odds, odds + WIDEST, scale=0.5, cliff=odds),
            ),
            starts,
            contains=(own,),
            at_once=({**own, "lower": odds + APART / 2}, {**own, "upper": odds - APART / 2}),
        )

    @classmethod
    def for_task(
        cls,
        task: Task,
        tau_minus: Lower,
        tau_plus: Upper = None,
        *,
        lower: float | None = None,
        upper: float | None = None,
    ) -> ScaledSPRT:
        """Return SPRT-opt for a task.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination: what `lower` and `upper` default to.
        lower, upper : float, optional
            The thresholds used.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> SPRTOpt.for_task(task, -2.4, 2.4, upper=1.9).tau_plus
        1.9
        """
        low, high = mean_thresholds(cls.__name__, task, tau_minus, tau_plus)
        lower, upper = low if lower is None else lower, high if upper is None else upper
        return cls.with_thresholds(task, lower, upper)

    @classmethod
    def onset(cls, task: Task) -> float:
        """Return the statistic before looking, which the thresholds must lie on both sides of."""
        return task.log_prior_odds

    @classmethod
    def with_thresholds(cls, task: Task, lower: float, upper: float) -> ScaledSPRT:
        """Return the strategy with these thresholds."""
        return one_pair(task, lower, upper, "SPRT-opt")


def _spread(values: NDArray[np.float64], most: int) -> list[float]:
    """Return at most `most` of some sorted numbers, the ends among them."""
    places = np.linspace(0, len(values) - 1, min(most, len(values)))
    return [float(values[round(place)]) for place in places]
