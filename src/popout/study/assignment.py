r"""A task with its costs and the effort to be spent, and what can be said about it beforehand.

**How long to look at most.** Guessing at once costs
:math:`R_0 = \min(p\,c_{miss}, (1 - p)\,c_{fa})`. After :math:`R_0` divided by the mean cost of time
the time alone has cost as much; that is the horizon, within the limits of memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from popout.evidence import Evidence
from popout.study.effort import Effort
from popout.task import Costs, SearchTask, Task

FEWEST_LOOKS, MOST_LOOKS = 20, 4000
FEWEST_TRIALS = 400


@dataclass(frozen=True)
class Assignment:
    """What a study is asked to analyse.

    Attributes
    ----------
    task : Task
    costs : Costs
    effort : Effort
    seed : int
    """

    task: Task
    costs: Costs
    effort: Effort
    seed: int

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
        if task is None:
            return (
                "The exact solver needs one Gaussian log likelihood ratio per location as the "
                "whole state of the observer. Here "
                f"{self.task.why_no_search}, so the best strategy may depend on more than the "
                "evidence for presence, and no exact optimum is known. Strategies below watch "
                "the exact log likelihood ratio alone."
            )
        places = task.n_locations
        alike = task.is_homogeneous and len(set(task.location_prior)) == 1
        most = effort.exact_equal if alike else effort.exact_unequal
        if places > most:
            kind = "equal" if alike else "unequal"
            return (
                f"The grid of the exact solver grows with the power of the number of locations; "
                f"the preset {effort.name} solves up to {most} {kind} ones, and this task has "
                f"{places}. The boundary of a-SPRT, the conjectured optimum, is shown instead."
            )
        return ""

    @property
    def guess_risk(self) -> float:
        """Risk of guessing at once."""
        p = self.task.prior
        return min(p * self.costs.miss, (1 - p) * self.costs.false_alarm)

    @property
    def criterion(self) -> float:
        """Log posterior odds at which the two answers cost the same."""
        return math.log(self.costs.false_alarm / self.costs.miss)

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
        return Costs(
            time=(factor * absent, factor * present),
            miss=self.costs.miss,
            false_alarm=self.costs.false_alarm,
        )
