"""The strategies that exist for a task, tuned where they can be, scored on common noise.

Three kinds of task:

- search (or its equivalent): the exact optimum where it is solved, a-SPRT, SPRT-opt, SPRT, Hardmax.
  With a solution, a-SPRT has the scales fitted to the exact boundary and the excess
  of a strategy is its regret, or its simulated risk less the exact one where that is the sharper
  estimate; without one, a-SPRT is tuned and the excess is the paired difference to it, errors
  counted by their probability;
- unknown distractors: strategies that watch the exact log likelihood ratio: SPRT-opt (constant
  thresholds), SPRT with a deadline, and SPRT with a deadline and thresholds that change over time,
  all tuned on stored paths. The excess is the paired difference to the last, of which the others
  are special cases.

- gaze: the optimum where it is solved, MAP, ELM, the ideal searcher, gaze at random and gaze that
  stays. The excess is over the optimum, exact where the stopping is solved, or else the paired
  difference to the best of them.

In the first two cases the best *fixed time* shows what stopping by the evidence is worth: every
trial lasts equally long and then the better answer is given.

Stored paths take the place of `popout.tune` where distractors are unknown: every simulated step
costs a sum over all displays there, and thresholds that are tried on stored evidence cost nothing.

Where there is no exact optimum a certificate bounds every strategy (`certificate_of`). The value
function behind it is learned from trials of the best strategy at hand, with an effort in proportion
to the trials that the bound rests on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from popout.analysis.certify import ValueMethod, certify
from popout.analysis.making import FinishedObserver, Workshop
from popout.analysis.score import Estimate, mean_loss
from popout.analysis.scoring import OptimalReference, Reference, Scored, SimulatedReference
from popout.certificate import Certificate
from popout.certificate import Effort as Learning
from popout.exact import MemoryLimitError, NotConvergedError, Solution, solve
from popout.exact.notes import problem_notes
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking import Attention
from popout.policies.looking.names import attention_names
from popout.policies.stopping import ASPRT, SPRT, Hardmax, HardmaxPerLocation, SPRTOpt, Strategy
from popout.policies.stopping.a_sprt import has_factors
from popout.policies.vocabulary import OPTIMAL
from popout.progress import Progress
from popout.reports.odds_paths import (
    best_duration,
    draw_paths,
    fixed_duration,
    tune_constant,
    tune_deadline,
    tune_varying,
)
from popout.simulation import simulate
from popout.task import Costs, GaussianWalk, InputError, SearchTask

if TYPE_CHECKING:
    from popout.reports.study import Study

FIXED = "fixed time"
LOOK_SHARE = 5
"""Every 5th of the effort's trials is used where looks are chosen: a step costs every item."""
RTOL_LOOKS = 2e-3
"""Finest relative accuracy of exact risks where looks are chosen."""
PRECISION = 2e-3
FEWEST_FIRST, FEWEST_LATER = 12, 6
"""Blocks of trials of the passes of learning, at least."""
BLOCK = 64
"""Trials in a block."""
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
    attention : Attention or None
        Where it looks, if that is a choice: such entries differ in this.
    """

    converged: bool = True
    attention: Attention | None = None

    @property
    def name(self) -> str:
        """The label of the strategy, or of the attention."""
        return self.strategy.label if self.attention is None else self.attention.label

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
    """The strategies of one study under one cost of time.

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

    def notes(self, study: Study) -> tuple[str, ...]:
        """Say what looks wrong with the task, a sentence or two each."""
        search, names = study.search, [entry.name for entry in self.entries]
        if study.chooses_looks:  # a step is a fixation, as short as it can be
            return ()
        if self.solution is not None:
            notes = self.solution.notes
        else:
            summary, p = self.best.summary, study.task.prior
            mean_rt = (1.0 - p) * summary.absent.mean_rt + p * summary.present.mean_rt
            notes = problem_notes(study.task, study.costs, mean_rt)
        left_out = search is not None and search.n_locations > 1 and "a-SPRT" not in names
        return (*notes, NO_FACTORS) if left_out else notes


def attempt(study: Study, costs: Costs) -> tuple[Solution | None, str]:
    """Solve the study if it can be solved; or else say why it cannot.

    Parameters
    ----------
    study : Study
    costs : Costs
    """
    why_not = study.unsolvable
    if why_not:
        return None, why_not
    try:
        if study.chooses_looks:
            return solve(study.task, costs, max(study.effort.rtol, RTOL_LOOKS)), ""
        return solve(study.search or study.task, costs, study.effort.rtol), ""
    except (MemoryLimitError, NotConvergedError, InputError) as error:
        return None, f"The exact solver refuses this task: {error}"


def run_contest(
    study: Study,
    costs: Costs,
    progress: Progress,
    *,
    share: float = 1.0,
    scales: tuple[float, float] | None = None,
) -> Contest:
    """Tune the strategies of a study and score them.

    Parameters
    ----------
    study : Study
    costs : Costs
        Those of the study, or others.
    progress : callable
        Told how far the work is.
    share : float
        Part of the trials that is used, for a quick look.
    scales : pair of float, optional
        Scales of a-SPRT where there is no solution to fit them to; SPRT-opt is then tuned on the
        paths. Without them both are tuned by `popout.tune`.
    """
    progress(0.0, "exact optimum")
    solution, why_not = attempt(study, costs)
    task = study.search
    if study.chooses_looks:
        return _of_looks(study, costs, progress, share, solution, why_not)
    if task is None:
        return _on_paths(study, costs, progress, why_not)
    known = scales
    if solution is not None and task.n_locations > 1:
        fitted = (solution.scales.a_minus, solution.scales.a_plus)
        known = fitted if all(math.isfinite(a) for a in fitted) else scales
    # Where looking does not pay there is nothing to gain by a long search.
    at_once = solution is not None and solution.risk > (1 - study.effort.rtol) * study.guess_risk
    finished = _finished(study, task, costs, progress, known, quick=at_once or scales is not None)
    entries = _scored(study, task, costs, progress, share, finished, solution)
    label = "the exact optimum" if solution is not None else entries[0].name
    return Contest(entries, label, solution, why_not)


def _finished(
    study: Study,
    task: SearchTask,
    costs: Costs,
    progress: Progress,
    scales: tuple[float, float] | None,
    *,
    quick: bool,
) -> list[FinishedObserver]:
    """Return the strategies of the paper for a search task, and the best fixed time."""
    tuning = fresh_seed(study.seed, Purpose.STUDY_TUNING)
    workshop = Workshop(task, costs, n_trials=study.effort.tune_trials, seed=tuning)
    paths = study.paths
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
    study: Study,
    task: SearchTask,
    costs: Costs,
    progress: Progress,
    share: float,
    finished: Sequence[FinishedObserver],
    solution: Solution | None,
) -> tuple[Entry, ...]:
    """Score the strategies of a search task on common trials."""
    effort, scoring = study.effort, fresh_seed(study.seed, Purpose.STUDY_SCORE)
    n_score = max(1000, int(share * effort.score_trials))
    rivals = [(made.strategy, made.converged, n_score) for made in finished]
    reference: Reference | None = None
    if solution is not None:
        n_regret = max(500, int(share * effort.regret_trials))
        seed = fresh_seed(study.seed, Purpose.STUDY_REGRET)
        reference = OptimalReference(solution, n_regret, seed, whichever_is_sharper=True)
        rivals.insert(0, (solution.strategy, True, max(500, int(share * effort.exact_trials))))
    entries = []
    for number, (strategy, converged, n_trials) in enumerate(rivals):
        progress(0.6 + 0.4 * number / len(rivals), f"scoring {strategy.label}")
        trials = simulate(task, strategy, n_trials, scoring)
        reference = SimulatedReference(strategy, trials) if reference is None else reference
        scored = reference.score(strategy, trials, costs)
        entries.append(Entry(**vars(scored), converged=converged))
    return tuple(entries)


def _of_looks(
    study: Study,
    costs: Costs,
    progress: Progress,
    share: float,
    solution: Solution | None,
    why_not: str,
) -> Contest:
    """Score ways to look on common trials, each with the stopping that suits it best.

    That is solved where the optimum is and the way to look can be; elsewhere it is tuned SPRT-opt.
    """
    task, effort = study.task, study.effort
    n_score = max(1000, int(share * effort.score_trials / LOOK_SHARE))
    n_tune = max(1000, int(share * effort.tune_trials / LOOK_SHARE))
    made, runs = [], []
    names = (*([OPTIMAL] if solution else []), *attention_names(task))
    for number, name in enumerate(names):
        progress((0.1 + 0.9 * number) / len(names), f"{name}: stopping, scoring")
        workshop = Workshop(
            task,
            costs,
            solution=solution if name == OPTIMAL else None,
            rtol=max(effort.rtol, RTOL_LOOKS),
            n_trials=n_tune,
            seed=fresh_seed(study.seed, Purpose.STUDY_TUNING),
            attention=name,
        )
        policy = workshop.policy
        assert policy is not None
        solved = solution is not None and math.isfinite(policy.settles)
        made.append(workshop.make(OPTIMAL if solved or name == OPTIMAL else SPRTOpt))
        scoring = fresh_seed(study.seed, Purpose.STUDY_SCORE)
        runs.append(simulate(task, made[-1], n_score, scoring))
    risks = [mean_loss(run, costs).value for run in runs]
    first = 0 if solution else risks.index(min(risks))
    exact = [
        None if one.solution is None else Estimate(one.solution.risk, one.solution.risk_error)
        for one in made
    ]
    reference = SimulatedReference(made[first], runs[first], exact[first])
    scored = [
        Entry(
            **vars(reference.score(observer, run, costs, known)),
            converged=observer.converged,
            attention=observer.attention,
        )
        for observer, run, known in zip(made, runs, exact, strict=True)
    ]
    entries = (scored[first], *scored[:first], *scored[first + 1 :])
    label = "the exact optimum" if solution is not None else entries[0].name
    return Contest(entries, label, solution, why_not)


def _on_paths(study: Study, costs: Costs, progress: Progress, why_not: str) -> Contest:
    """Tune and score strategies that watch the log likelihood ratio, on stored paths."""
    progress(0.1, "tuning SPRT-opt")
    paths = study.paths
    constant = tune_constant(paths, costs)
    progress(0.2, "tuning a deadline")
    deadline = tune_deadline(paths, costs, constant)
    progress(0.4, "tuning time-varying SPRT")
    varying = tune_varying(paths, costs, deadline)
    fixed = fixed_duration(paths, costs, best_duration(paths, costs)[0])
    progress(0.6, "scoring")
    fresh = draw_paths(study, fresh_seed(study.seed, Purpose.STUDY_SCORE), len(paths.target))
    reference = SimulatedReference(varying, fresh.responses(varying))
    entries = [
        Entry(**vars(reference.score(strategy, fresh.responses(strategy), costs)))
        for strategy in (varying, deadline, constant, fixed)
    ]
    return Contest(tuple(entries), varying.label, None, why_not)


def certificate_of(study: Study, strategy: Strategy, progress: Progress) -> Certificate | None:
    """Return a certificate for a study, or None where there can be none.

    Parameters
    ----------
    study : Study
    strategy : Strategy
        The best at hand.
    progress : Progress
    """
    trials, task = study.effort.certificate_trials, study.search or study.task
    if study.chooses_looks:  # `popout certify` bounds those
        return None
    walks = all(isinstance(law, GaussianWalk) for law in task.observations)
    if trials == 0 or not (task.search or walks):  # spikes are not covered
        return None
    blocks = trials // BLOCK
    learning = Learning(
        first_blocks=max(FEWEST_FIRST, 5 * blocks // 2),
        later_blocks=max(FEWEST_LATER, 3 * blocks // 4),
        passes=1 if blocks < BLOCK else 2,
        log2_points=7,
        shape=(24, 10),
    )
    return certify(
        task,
        study.costs,
        strategy=strategy,
        method=ValueMethod.REGRESSION,
        precision=PRECISION,
        most_trials=trials,
        effort=learning,
        seed=study.seed,
        progress=progress,
    )
