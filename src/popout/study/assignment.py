r"""A task with its costs and the effort to be spent, and what can be said about it beforehand.

**What the exact solver takes.** Its state is one Gaussian log likelihood ratio per location. That
is `SearchTask`; and any other task with one target and one distractor orientation under Gaussian
noise is the same problem: with drifts :math:`\mu_1, \mu_0` (vectors over channels) each step moves
:math:`Z_l` by :math:`\pm\lVert\mu_1 - \mu_0\rVert^2 \delta t / 2` with variance
:math:`\lVert\mu_1 - \mu_0\rVert^2 \delta t`, which is search with drift
:math:`\lVert\mu_1 - \mu_0\rVert / 2`. In all other tasks the observer is unsure what a distractor
or a target looks like, and the log likelihood ratio is no longer the whole state.

**How long to look at most.** Guessing at once costs
:math:`R_0 = \min(p\,c_{miss}, (1 - p)\,c_{fa})`. After :math:`R_0` divided by the mean cost of time
the time alone has cost as much; that is the horizon, within the limits of memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np

from popout.evidence import Evidence
from popout.study.effort import Effort
from popout.task import (
    Costs,
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    SearchTask,
    Task,
)

__all__ = ["Assignment", "equivalent_search"]

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
        return equivalent_search(self.task)

    @property
    def places(self) -> tuple[int, ...]:
        """Numbers, from 1, of the locations that count: those that can hold the target.

        The others tell nothing in search; where distractors are unknown they tell what is drawn.
        """
        prior = getattr(self.task, "location_prior", (1.0,))
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
                f"{_why_not(self.task)}, so the best strategy may depend on more than the "
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


def equivalent_search(task: Task) -> SearchTask | None:
    """Return the search task with the same log likelihood ratios, or None if there is none.

    Locations that never hold the target are left out.

    Examples
    --------
    >>> task = MixtureSearchTask.independent(4, [0], [90], {0: 3.0, 90: -1.0})
    >>> equivalent_search(task).drifts
    (2.0, 2.0, 2.0, 2.0)
    """
    if isinstance(task, SearchTask):
        return _possible(task)
    if not isinstance(task, DiscriminationTask | MixtureSearchTask):
        return None
    if not isinstance(task.observation, GaussianWalk):
        return None
    mixtures = task.mixtures if isinstance(task, MixtureSearchTask) else (task.distractor_prior,)
    kinds = [np.flatnonzero(p) for p in (task.target_prior, *mixtures)]
    if any(len(kind) != 1 for kind in kinds) or len({int(kind[0]) for kind in kinds[1:]}) != 1:
        return None
    rows = np.asarray(task.observation.rows)
    distance = float(np.linalg.norm(rows[kinds[0][0]] - rows[kinds[1][0]]))
    if distance == 0.0:
        return None
    search = SearchTask(
        n_locations=task.n_locations,
        drift=distance / 2,
        dt=task.dt,
        prior=task.prior,
        location_prior=getattr(task, "location_prior", None),
    )
    return _possible(search)


def _possible(task: SearchTask) -> SearchTask:
    """Return the task at the locations that can hold the target; the others are noise alone."""
    here = [p > 0 for p in task.location_prior]
    if all(here):
        return task
    return SearchTask(
        drift=tuple(compress(task.drifts, here)),
        dt=task.dt,
        prior=task.prior,
        location_prior=tuple(compress(task.location_prior, here)),
    )


def _why_not(task: Task) -> str:
    if not isinstance(task, SearchTask) and not isinstance(task.observation, GaussianWalk):
        return "observations are spike counts, whose log likelihood ratio moves in jumps"
    if isinstance(task, DiscriminationTask):
        return "target or distractor can have more than one orientation"
    if isinstance(task, MixtureSearchTask):
        return "what a target or a distractor looks like is unknown on each trial"
    return "the number of items is unknown on each trial"
