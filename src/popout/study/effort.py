"""How much work goes into a report: the presets, and what a rare class adds to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from popout.report.preset import preset_of
from popout.task import Faults

FEWEST_OF_CLASS = 50
"""Trials of the rarer class that are to be expected in every simulation."""
RAREST = 1e-4
"""Prior of a class below which that would take too many trials."""


@dataclass(frozen=True)
class Effort:
    """How much work goes into a report.

    Attributes
    ----------
    name : str
    rtol : float
        Relative accuracy of the exact risk.
    exact_equal, exact_unequal : int
        Most locations that are solved exactly, for equal and for unequal locations.
    path_trials : int
        Trials whose evidence is kept, for tuning thresholds on the log likelihood ratio.
    score_trials, exact_trials, regret_trials : int
        Trials on which strategies are scored; trials of the exact optimum; trials of the regret,
        which is nearly free of noise.
    tune_trials : int
        Trials of each candidate where a search strategy is tuned by simulation.
    numbers : int
        Observations drawn for the paths at most; fewer looks or trials where there are more.
    cost_factors : tuple of float
        Costs of time, as multiples of the task's own.
    certificate_trials : int
        Trials behind the bound on every strategy, where no optimum is solved; 0 for no bound.

    Examples
    --------
    >>> EFFORTS["quick"].score_trials < EFFORTS["thorough"].score_trials
    True
    """

    name: str
    rtol: float
    exact_equal: int
    exact_unequal: int
    path_trials: int
    score_trials: int
    exact_trials: int
    regret_trials: int
    tune_trials: int
    numbers: int
    cost_factors: tuple[float, ...]
    certificate_trials: int = 0

    def enough_for(self, prior: float) -> Effort:
        """Return an effort with enough trials for both classes to occur.

        Raises
        ------
        InputError
            If a class is so rare that this would take too long.

        Examples
        --------
        >>> EFFORTS["quick"].enough_for(0.001).tune_trials
        50000
        """
        rare = min(prior, 1 - prior)
        if rare < RAREST:
            faults = Faults("")
            expected = f"from {RAREST:g} to {1 - RAREST:g}, so that both classes occur"
            faults.add("prior", expected, prior, "make the rarer class less rare")
            faults.raise_if_any()
        least = math.ceil(FEWEST_OF_CLASS / rare)
        return replace(
            self,
            score_trials=max(self.score_trials, least),
            exact_trials=max(self.exact_trials, least),
            tune_trials=max(self.tune_trials, least),
        )


EFFORTS = {
    "quick": Effort(
        name="quick",
        rtol=1e-3,
        exact_equal=4,
        exact_unequal=3,
        path_trials=12_000,
        score_trials=200_000,
        exact_trials=40_000,
        regret_trials=5_000,
        tune_trials=40_000,
        numbers=30_000_000,
        cost_factors=(0.25, 0.5, 1.0, 2.0, 4.0),
        certificate_trials=1024,
    ),
    "thorough": Effort(
        name="thorough",
        rtol=1e-4,
        exact_equal=5,
        exact_unequal=3,
        path_trials=40_000,
        score_trials=1_000_000,
        exact_trials=200_000,
        regret_trials=30_000,
        tune_trials=200_000,
        numbers=100_000_000,
        cost_factors=(0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        certificate_trials=8192,
    ),
}
"""By name."""


def effort_of(preset: str | Effort, trials: int | None = None) -> Effort:
    """Return the effort of that name, with another number of trials if one is given.

    Parameters
    ----------
    preset : {"quick", "thorough"} or Effort
    trials : int, optional
        Trials on which strategies are scored; tuning takes fewer in proportion.

    Examples
    --------
    >>> effort_of("quick", trials=20_000).tune_trials
    4000
    """
    faults = Faults("")
    if trials is not None:
        faults.integer("trials", trials, "ask for a thousand or more", at_least=1000)
    effort = preset_of(preset, EFFORTS, faults)
    if trials is None:
        return effort
    share = trials / effort.score_trials
    return replace(
        effort,
        name=f"{effort.name}, {trials} trials",
        score_trials=trials,
        tune_trials=max(1000, round(share * effort.tune_trials)),
        path_trials=max(min(trials, effort.path_trials), round(share * effort.path_trials)),
        numbers=round(max(1.0, share) * effort.numbers),
        exact_trials=max(500, min(trials, round(share * effort.exact_trials))),
        regret_trials=max(500, min(trials, round(share * effort.regret_trials))),
        certificate_trials=max(1024, round(min(1.0, share) * effort.certificate_trials)),
    )
