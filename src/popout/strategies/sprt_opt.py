r"""SPRT-opt: SPRT whose two thresholds minimise the risk.

The same statistic as SPRT, :math:`S(t)` (Eq. homo-search); the thresholds are free and
`popout.tune` chooses them to minimise the risk (Eq. risk). They need not agree with those of
discrimination, so SPRT-opt may give up asymptotic optimality for a lower risk.

At :math:`t = 0` the statistic is the log prior odds. A threshold on the wrong side of them would
answer before looking, so the search keeps the prior odds between the two; an optimum may lie right
at them (drifts 20 and 1/s, one second as dear as an error: "absent" as soon as *S* falls at all).
Answering before looking is the best where a target is very rare or very likely; it is compared with
what the search has found.

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

from popout.strategies.recipe import Parameter, Recipe, Thresholds, thresholds_per_location
from popout.strategies.scaled_sprt import ScaledSPRT
from popout.strategies.sprt import SPRT, unscaled
from popout.task import Task

__all__ = ["SPRTOpt"]

WIDEST = 25.0
"""Farthest a threshold is sought from the log prior odds, in nats."""
APART = 0.25
"""Nearest to the log prior odds that a search begins, in nats."""
MOST_STARTS = 3
"""Thresholds of so many locations, from the lowest to the highest, are combined."""


class SPRTOpt(Recipe):
    """SPRT with tuned thresholds; the search starts from SPRT's own."""

    name = "sprt-opt"
    attributes: ClassVar = {"lower": "tau_minus", "upper": "tau_plus"}

    @classmethod
    def parameters(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[Parameter, ...]:
        """Return the two thresholds."""
        start = cls.starts(task, tau_minus, tau_plus)[0]
        odds = task.log_prior_odds
        return (
            Parameter("lower", start["lower"], odds - WIDEST, odds, scale=0.5),
            Parameter("upper", start["upper"], odds, odds + WIDEST, scale=0.5),
        )

    @classmethod
    def starts(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[dict[str, float], ...]:
        """Return SPRT's own thresholds, then every combination of those of single locations.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> task = SearchTask(drift=(8.0, 3.0))
        >>> [tuple(start.values()) for start in SPRTOpt.starts(task, (-4.0, -2.0), (4.0, 2.0))]
        [(-3.0, 3.0), (-4.0, 2.0), (-4.0, 4.0), (-2.0, 2.0), (-2.0, 4.0)]
        """
        own = SPRT.for_task(task, tau_minus, tau_plus)
        pairs = [(own.tau_minus, own.tau_plus)]
        lower, upper = (
            np.unique(tau) for tau in thresholds_per_location("SPRTOpt", task, tau_minus, tau_plus)
        )
        if len(lower) > 1:
            pairs += product(_spread(lower, MOST_STARTS), _spread(upper, MOST_STARTS))
        odds = task.log_prior_odds
        return tuple(
            {
                "lower": float(np.clip(low, odds - WIDEST / 2, odds - APART)),
                "upper": float(np.clip(high, odds + APART, odds + WIDEST / 2)),
            }
            for low, high in pairs
        )

    @classmethod
    def beyond(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[dict[str, float], ...]:
        """Return the thresholds with which "absent", and "present", is answered before looking."""
        odds = task.log_prior_odds
        start = cls.starts(task, tau_minus, tau_plus)[0]
        return ({**start, "lower": odds + APART / 2}, {**start, "upper": odds - APART / 2})

    @classmethod
    def for_task(
        cls,
        task: Task,
        tau_minus: Thresholds,
        tau_plus: Thresholds,
        *,
        lower: float | None = None,
        upper: float | None = None,
    ) -> ScaledSPRT:
        """Return SPRT-opt for a task.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M
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
        start = SPRT.for_task(task, tau_minus, tau_plus)
        lower = start.tau_minus if lower is None else lower
        upper = start.tau_plus if upper is None else upper
        return unscaled(task, lower, upper, "SPRT-opt")


def _spread(values: NDArray[np.float64], most: int) -> list[float]:
    """Return at most so many of some sorted numbers, the ends among them."""
    places = np.linspace(0, len(values) - 1, min(most, len(values)))
    return [float(values[round(place)]) for place in places]
