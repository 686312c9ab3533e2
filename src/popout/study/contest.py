"""The strategies that exist for a task, tuned where they can be, scored on common noise.

Two kinds of task:

- search (or its equivalent): the exact optimum where it is solved, a-SPRT, SPRT-opt, SPRT, Hardmax.
  With a solution, a-SPRT has the scales fitted to the exact boundary and the excess
  of a strategy is its regret, or its simulated risk less the exact one where that is the sharper
  estimate; without one, a-SPRT is tuned and the excess is the paired difference to it, errors
  counted by their probability;
- unknown distractors: strategies that watch the exact log likelihood ratio: SPRT-opt (constant
  thresholds), SPRT with a deadline, and SPRT with a deadline and thresholds that change over time,
  all tuned on stored paths. The excess is the paired difference to the last, of which the others
  are special cases.

In either case the best *fixed time* shows what stopping by the evidence is worth: every trial lasts
equally long and then the better answer is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from popout.analysis.making import FinishedObserver, Workshop
from popout.analysis.reference import OptimalReference, Reference, Scored, SimulatedReference
from popout.analysis.score import Estimate
from popout.exact import MemoryLimitError, NotConvergedError, Solution, solve
from popout.exact.notes import problem_notes
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.names import OPTIMAL
from popout.policies.stopping import ASPRT, SPRT, Hardmax, HardmaxPerLocation, SPRTOpt
from popout.policies.stopping.a_sprt import has_factors
from popout.progress import Progress
from popout.simulation import simulate
from popout.study.assignment import Assignment
from popout.study.paths import (
    OddsPaths,
    best_duration,
    draw_paths,
    fixed_duration,
    tune_constant,
    tune_deadline,
    tune_varying,
)
from popout.task import Costs, InputError, SearchTask

FIXED = "fixed time"
NO_FACTORS = (
    "At these costs one location hardly deserves a look: the thresholds of the locations differ in "
    "sign. a-SPRT and Hardmax per location need their ratios, and are left out."
)


@dataclass(frozen=True, eq=False)
class Entry(Scored):
    """A strategy and what it scored, on common noise; the exact optimum on fewer trials.

    Attributes
    ----------
    converged : bool
        Whether its tuning came to rest.
    """

    converged: bool = True

    @property
    def name(self) -> str:
        """The label of the strategy."""
        return self.strategy.label

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers; thresholds that change as they are at onset, and the seconds they last."""
        numbers = self.strategy.parameters
        if "knots" not in numbers:
            return numbers
        sides = () if self.name == FIXED else ("tau_minus", "tau_plus")
        return {**{side: numbers[side][0] for side in sides}, "seconds": numbers["knots"][-1]}


@dataclass(frozen=True, eq=False)
class Contest:
    """The strategies of one assignment under one cost of time.

    Attributes
    ----------
    entries : tuple of Entry
        Fixed time last.
    reference : str
        What the excess is over.
    solution : Solution or None
    why_not : str
        Why there is no solution; empty if there is one.
    """

    entries: tuple[Entry, ...]
    reference: str
    solution: Solution | None
    why_not: str

    @property
    def best(self) -> Entry:
        """The reference itself: the optimum, or what stands in for it."""
        return self.entries[0]

    def notes(self, assignment: Assignment) -> tuple[str, ...]:
        """Say what looks wrong with the task, a sentence or two each."""
        search, names = assignment.search, [entry.name for entry in self.entries]
        if search is None or search.n_locations == 1 or "a-SPRT" in names:
            return self._notes(assignment)
        return (*self._notes(assignment), NO_FACTORS)

    def _notes(self, assignment: Assignment) -> tuple[str, ...]:
        if self.solution is not None:
            return self.solution.notes
        summary, p = self.best.summary, assignment.task.prior
        mean_rt = (1.0 - p) * summary.absent.mean_rt + p * summary.present.mean_rt
        return problem_notes(assignment.task, assignment.costs, mean_rt)


def attempt(assignment: Assignment, costs: Costs) -> tuple[Solution | None, str]:
    """Solve the assignment if it can be solved; or else say why it cannot.

    Parameters
    ----------
    assignment : Assignment
    costs : Costs
    """
    why_not = assignment.unsolvable
    if why_not or assignment.search is None:
        return None, why_not
    try:
        return solve(assignment.search, costs, assignment.effort.rtol), ""
    except (MemoryLimitError, NotConvergedError, InputError) as error:
        return None, f"The exact solver refuses this task: {error}"


def run_contest(
    assignment: Assignment,
    costs: Costs,
    paths: OddsPaths,
    progress: Progress,
    *,
    share: float = 1.0,
    scales: tuple[float, float] | None = None,
) -> Contest:
    """Tune the strategies of an assignment and score them.

    Parameters
    ----------
    assignment : Assignment
    costs : Costs
        Those of the assignment, or others.
    paths : OddsPaths
        Of the assignment's task, for tuning.
    progress : callable
        Told how far the work is.
    share : float
        Part of the trials that is used, for a quick look.
    scales : pair of float, optional
        Scales of a-SPRT where there is no solution to fit them to; SPRT-opt is then tuned on the
        paths. Without them both are tuned by `popout.tune`.
    """
    progress(0.0, "exact optimum")
    solution, why_not = attempt(assignment, costs)
    task = assignment.search
    if task is None:
        return _on_paths(assignment, costs, paths, progress, why_not)
    if solution is not None and task.n_locations > 1:
        fitted = (solution.scales.a_minus, solution.scales.a_plus)
        known = fitted if all(math.isfinite(a) for a in fitted) else scales
    else:
        known = scales
    # Where looking does not pay there is nothing to gain by a long search.
    at_once = (
        solution is not None
        and solution.risk > (1 - assignment.effort.rtol) * assignment.guess_risk
    )
    finished = _finished(
        assignment, task, costs, paths, progress, known, quick=at_once or scales is not None
    )
    entries = _scored(assignment, task, costs, progress, share, finished, solution)
    label = "the exact optimum" if solution is not None else entries[0].name
    return Contest(entries, label, solution, why_not)


def _finished(
    assignment: Assignment,
    task: SearchTask,
    costs: Costs,
    paths: OddsPaths,
    progress: Progress,
    scales: tuple[float, float] | None,
    *,
    quick: bool,
) -> list[FinishedObserver]:
    """Return the strategies of the paper for a search task, and the best fixed time."""
    tuning = fresh_seed(assignment.seed, Purpose.STUDY_TUNING)
    workshop = Workshop(task, costs, n_trials=assignment.effort.tune_trials, seed=tuning)
    seconds, _ = best_duration(paths, costs)
    fixed = FinishedObserver(None, fixed_duration(replace(paths, task=task), costs, seconds))
    if task.n_locations == 1:  # every member of the family is SPRT then
        return [workshop.make(SPRT), fixed]
    progress(0.1, "tuning a-SPRT")
    given = None if scales is None else dict(zip(("a_minus", "a_plus"), scales, strict=True))
    factors = has_factors(task, *workshop.pair)
    ours = [workshop.make(ASPRT, given)] if factors else []
    progress(0.35, "tuning SPRT-opt")
    if quick:
        on_paths = tune_constant(paths, costs)
        given = {"lower": on_paths.tau_minus[0], "upper": on_paths.tau_plus[0]}
    theirs = workshop.make(SPRTOpt, given if quick else None)
    unequal = len(set(task.drifts)) > 1
    each_its_own = [workshop.make(HardmaxPerLocation)] if factors and unequal else []
    return [*ours, theirs, workshop.make(SPRT), workshop.make(Hardmax), *each_its_own, fixed]


def _scored(
    assignment: Assignment,
    task: SearchTask,
    costs: Costs,
    progress: Progress,
    share: float,
    finished: Sequence[FinishedObserver],
    solution: Solution | None,
) -> tuple[Entry, ...]:
    """Score the strategies of a search task on common trials."""
    effort, scoring = assignment.effort, fresh_seed(assignment.seed, Purpose.STUDY_SCORE)
    n_score = max(1000, int(share * effort.score_trials))
    entries = []
    reference: Reference | None = None
    if solution is not None:
        progress(0.6, "optimum")
        n_regret = max(500, int(share * effort.regret_trials))
        seed = fresh_seed(assignment.seed, Purpose.STUDY_REGRET)
        reference = OptimalReference(solution, n_regret, seed, whichever_is_sharper=True)
        n_exact = max(500, int(share * effort.exact_trials))
        trials = simulate(task, solution.strategy, n_exact, scoring)
        risk, nothing = Estimate(solution.risk, solution.risk_error), Estimate(0.0, 0.0)
        entries.append(
            Entry(solution.strategy, trials, trials.summary(costs), risk, nothing, OPTIMAL)
        )
    for number, made in enumerate(finished):
        progress(0.65 + 0.35 * number / len(finished), f"scoring {made.strategy.label}")
        trials = simulate(task, made.strategy, n_score, scoring)
        reference = SimulatedReference(made.strategy, trials) if reference is None else reference
        scored = reference.score(made.strategy, trials, costs)
        entries.append(Entry(**vars(scored), converged=made.converged))
    return tuple(entries)


def _on_paths(
    assignment: Assignment, costs: Costs, paths: OddsPaths, progress: Progress, why_not: str
) -> Contest:
    """Tune and score strategies that watch the log likelihood ratio, on stored paths."""
    progress(0.1, "tuning SPRT-opt")
    constant = tune_constant(paths, costs)
    progress(0.2, "tuning a deadline")
    deadline = tune_deadline(paths, costs, constant)
    progress(0.4, "tuning time-varying SPRT")
    varying = tune_varying(paths, costs, deadline)
    fixed = fixed_duration(paths, costs, best_duration(paths, costs)[0])
    progress(0.6, "scoring")
    fresh = draw_paths(
        assignment, fresh_seed(assignment.seed, Purpose.STUDY_SCORE), len(paths.target)
    )
    reference = SimulatedReference(varying, fresh.responses(varying))
    entries = [
        Entry(**vars(reference.score(strategy, fresh.responses(strategy), costs)))
        for strategy in (varying, deadline, constant, fixed)
    ]
    return Contest(tuple(entries), varying.label, None, why_not)
