r"""A task with its costs and the effort to be spent, and what several sections need of it.

**How long to look at most.** Guessing at once costs
:math:`R_0 = \min(p\,c_{miss}, (1 - p)\,c_{fa})`. After :math:`R_0` divided by the mean cost of time
the time alone has cost as much; that is the horizon, within the limits of memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import xarray as xr

from popout.evidence import Evidence
from popout.noise.seeds import Purpose, fresh_seed
from popout.progress import Progress
from popout.reports.contest import Contest, run_contest
from popout.reports.odds_paths import OddsPaths, draw_paths
from popout.reports.part import Part, preset_of
from popout.task import Costs, Faults, SearchTask, Task

FEWEST_LOOKS, MOST_LOOKS = 20, 4000
FEWEST_TRIALS = 400
FEWEST_OF_CLASS = 50
"""Trials of the rarer class that are to be expected in every simulation."""
RAREST = 1e-4
"""Prior of a class below which that would take too many trials."""


@dataclass(frozen=True)
class Effort:
    """How much work goes into a report; that of the quick preset where nothing else is said.

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
    rtol: float = 1e-3
    exact_equal: int = 4
    exact_unequal: int = 3
    path_trials: int = 12_000
    score_trials: int = 200_000
    exact_trials: int = 40_000
    regret_trials: int = 5_000
    tune_trials: int = 40_000
    numbers: int = 30_000_000
    cost_factors: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    certificate_trials: int = 1024

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
        faults = Faults("")
        if rare < RAREST:
            expected = f"from {RAREST:g} to {1 - RAREST:g}, so that both classes occur"
            faults.add("prior", expected, prior, "make the rarer class less rare")
        faults.raise_if_any()
        least = math.ceil(FEWEST_OF_CLASS / rare)
        names = ("score_trials", "exact_trials", "tune_trials")
        return replace(self, **{name: max(getattr(self, name), least) for name in names})


EFFORTS = {
    "quick": Effort("quick"),
    "thorough": Effort(
        name="thorough",
        rtol=1e-4,
        exact_equal=5,
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


@dataclass(frozen=True)
class Study:
    """What a report is asked to analyse; what several sections need is made when asked for.

    Attributes
    ----------
    task : Task
    costs : Costs
    effort : Effort
    seed : int
    data : dict of str to Dataset
        Of the sections that are done.
    """

    task: Task
    costs: Costs
    effort: Effort
    seed: int
    data: dict[str, xr.Dataset] = field(default_factory=dict)
    contests: list[Contest] = field(default_factory=list)

    @cached_property
    def paths(self) -> OddsPaths:
        """Log posterior odds along trials, for the evidence and for tuning."""
        return draw_paths(self, fresh_seed(self.seed, Purpose.STUDY_TUNING))

    @property
    def scales(self) -> tuple[float, float]:
        """The scales of a-SPRT under the costs of the task, from the section on strategies."""
        parameter = self.data["strategies"]["parameter"]
        if "a-SPRT" not in parameter["strategy"]:
            return 1.0, 1.0  # not used: one location, or unknown distractors
        own = parameter.sel(strategy="a-SPRT")
        return float(own.sel(parameter_name="a_minus")), float(own.sel(parameter_name="a_plus"))

    def contest(self, progress: Progress) -> Contest:
        """Return the strategies, tuned and scored under the costs of the task, once."""
        if not self.contests:
            self.contests.append(run_contest(self, self.costs, progress))
        return self.contests[0]

    @property
    def chooses_looks(self) -> bool:
        """Whether the observer decides at every step what is seen."""
        return self.task.look.is_chosen and self.search is None

    @cached_property
    def search(self) -> SearchTask | None:
        """The task as the solver takes it, at the `places` alone, or None."""
        return self.task.search and self.task.search.possible

    @property
    def places(self) -> tuple[int, ...]:
        """Numbers, from 1, of the locations that count: those that can hold the target.

        The others tell nothing in search; where distractors are unknown they tell what is drawn.
        """
        prior = self.task.location_prior
        every = range(1, self.task.n_locations + 1)
        if self.search is None:
            return tuple(every)
        return tuple(place for place, p in zip(every, prior, strict=True) if p > 0)

    @property
    def unsolvable(self) -> str:
        """Why there is no exact solution, in words; empty if it can be tried."""
        task, effort = self.search, self.effort
        if self.chooses_looks:
            items = sum(p > 0 for p in self.task.location_prior)
            if items <= effort.exact_unequal:
                return ""
            return (
                "The grid of the exact solver grows with the power of the number of items; the "
                f"preset {effort.name} solves up to {effort.exact_unequal}, and this task has "
                f"{items}. The best of the rules is not the optimum."
            )
        if task is None:
            return (
                "The exact solver needs one Gaussian log likelihood ratio per location as the "
                "whole state of the observer. Here "
                f"{self.task.why_no_search}, so the best strategy may depend on more than the "
                "evidence for presence, and no exact optimum is known. Strategies below watch "
                "the exact log likelihood ratio alone."
            )
        alike = task.is_homogeneous and len(set(task.location_prior)) == 1
        most = effort.exact_equal if alike else effort.exact_unequal
        if task.n_locations <= most:
            return ""
        return (
            f"The grid of the exact solver grows with the power of the number of locations; "
            f"the preset {effort.name} solves up to {most} {'equal' if alike else 'unequal'} ones, "
            f"and this task has {task.n_locations}. The boundary of a-SPRT, the conjectured "
            "optimum, is shown instead."
        )

    @property
    def guess_risk(self) -> float:
        """Risk of guessing at once."""
        p = self.task.prior
        return min(p * self.costs.miss, (1 - p) * self.costs.false_alarm)

    @cached_property
    def looks(self) -> int:
        """Steps of evidence up to the horizon."""
        p, dt = self.task.prior, self.task.dt
        mean_cost = (1 - p) * self.costs.time_absent + p * self.costs.time_present
        wanted = self.guess_risk / mean_cost / dt
        room = self.effort.numbers / (self.width * FEWEST_TRIALS)
        return int(min(max(wanted, FEWEST_LOOKS), max(room, FEWEST_LOOKS), MOST_LOOKS))

    @property
    def horizon(self) -> float:
        """Seconds up to the horizon."""
        return self.looks * self.task.dt

    @property
    def path_trials(self) -> int:
        """Trials of the paths: as many as the effort says, or as there is room for."""
        room = self.effort.numbers // (self.width * self.looks)
        return max(FEWEST_TRIALS, min(self.effort.path_trials, room))

    @property
    def width(self) -> int:
        """Observations in one look."""
        return int(np.prod(Evidence(self.task).observation_shape))

    def at_cost(self, factor: float) -> Costs:
        """Return the costs with that of time multiplied."""
        absent, present = self.costs.time_absent, self.costs.time_present
        return replace(self.costs, time=(factor * absent, factor * present))


StudyPart = Part[Callable[[Study, Progress], xr.Dataset]]
"""A section of the report on a task: computed from a study and progress."""
