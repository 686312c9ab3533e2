"""The strategies that exist for a task, tuned where they can be, scored on common noise.

Two kinds of task:

- search (or its equivalent, see `problem`): the exact optimum where it is solved, a-SPRT, SPRT-opt,
  SPRT, Hardmax. With a solution, a-SPRT has the scales fitted to the exact boundary and the excess
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
from collections.abc import Callable
from dataclasses import dataclass, replace

from popout.analysis.regret import regret
from popout.analysis.score import Estimate, expected_difference, paired_difference
from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import tune
from popout.exact import MemoryLimitError, NotConvergedError, Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.simulation import Responses, Trials, simulate
from popout.strategies import (
    ASPRT,
    SPRT,
    BoundaryStrategy,
    Hardmax,
    Recipe,
    ScaledSPRT,
    SPRTOpt,
    Strategy,
    TimeVaryingSPRT,
)
from popout.study.assignment import Assignment as Problem
from popout.study.paths import (
    Paths,
    best_duration,
    draw_paths,
    fixed_duration,
    tune_constant,
    tune_deadline,
    tune_varying,
)
from popout.task import Costs, InputError, SearchTask

__all__ = ["Contest", "Entry", "attempt", "hold"]

Progress = Callable[[float, str], None]
Made = dict[str, tuple[BoundaryStrategy, bool]]
"""Strategies by name, and whether their tuning came to rest."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A strategy and what it scored.

    Attributes
    ----------
    name : str
    strategy : Strategy
    trials : Responses
        On common noise, except those of the exact optimum, which are fewer.
    risk, excess : Estimate
    parameters : dict of str to float
    converged : bool
        Whether its tuning came to rest.
    """

    name: str
    strategy: Strategy
    trials: Responses
    risk: Estimate
    excess: Estimate
    parameters: dict[str, float]
    converged: bool = True


@dataclass(frozen=True, eq=False)
class Contest:
    """The strategies of one problem under one cost of time.

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


def attempt(problem: Problem, costs: Costs) -> tuple[Solution | None, str]:
    """Solve the problem if it can be solved; or else say why it cannot.

    Parameters
    ----------
    problem : Problem
    costs : Costs
    """
    why_not = problem.unsolvable
    if why_not or problem.search is None:
        return None, why_not
    try:
        return solve(problem.search, costs, problem.effort.rtol), ""
    except (MemoryLimitError, NotConvergedError, InputError) as error:
        return None, f"The exact solver refuses this task: {error}"


def hold(
    problem: Problem,
    costs: Costs,
    paths: Paths,
    report: Progress,
    *,
    share: float = 1.0,
    scales: tuple[float, float] | None = None,
) -> Contest:
    """Tune the strategies of a problem and score them.

    Parameters
    ----------
    problem : Problem
    costs : Costs
        Those of the problem, or others.
    paths : Paths
        Of the problem's task, for tuning.
    report : callable
        Told how far the work is.
    share : float
        Part of the trials that is used, for a quick look.
    scales : pair of float, optional
        Scales of a-SPRT where there is no solution to fit them to; SPRT-opt is then tuned on the
        paths. Without them both are tuned by `popout.tune`.
    """
    report(0.0, "exact optimum")
    solution, why_not = attempt(problem, costs)
    if problem.search is None:
        return _on_paths(problem, costs, paths, report, why_not)
    if solution is not None and problem.search.n_locations > 1:
        fitted = (solution.scales.a_minus, solution.scales.a_plus)
        known = fitted if all(math.isfinite(a) for a in fitted) else scales
    else:
        known = scales
    # Where looking does not pay there is nothing to gain by a long search.
    at_once = (
        solution is not None and solution.risk > (1 - problem.effort.rtol) * problem.guess_risk
    )
    quick = at_once or scales is not None
    made = _made(problem, problem.search, costs, paths, report, known, quick=quick)
    return _score(problem, problem.search, costs, paths, report, share, made, solution, why_not)


def _score(
    problem: Problem,
    task: SearchTask,
    costs: Costs,
    paths: Paths,
    report: Progress,
    share: float,
    made: Made,
    solution: Solution | None,
    why_not: str,
) -> Contest:
    """Score the strategies of a search task on common trials."""
    effort, scoring = problem.effort, fresh_seed(problem.seed, Purpose.STUDY_SCORE)
    n_score = max(1000, int(share * effort.score_trials))
    n_exact = max(500, int(share * effort.exact_trials))
    n_regret = max(500, int(share * effort.regret_trials))
    seconds, _ = best_duration(paths, costs)
    made["fixed time"] = (fixed_duration(replace(paths, task=task), costs, seconds), True)
    entries = []
    reference: Trials | None = None
    if solution is not None:
        report(0.6, "optimum")
        trials = simulate(task, solution.strategy, n_exact, scoring)
        risk = Estimate(solution.risk, solution.risk_error)
        nothing = Estimate(0.0, 0.0)
        entries.append(Entry("optimal", solution.strategy, trials, risk, nothing, {}))
    for number, (name, (strategy, converged)) in enumerate(made.items()):
        report(0.65 + 0.35 * number / len(made), f"scoring {name}")
        trials = simulate(task, strategy, n_score, scoring)
        summary = trials.summary(costs)
        if solution is not None:
            seed = fresh_seed(problem.seed, Purpose.STUDY_REGRET)
            lost = regret(solution, strategy, n_trials=n_regret, seed=seed)
            excess = Estimate(lost.value, lost.se)
            if summary.risk_se < lost.se:  # the regret is the sharper one near the optimum only
                excess = Estimate(summary.risk - solution.risk, summary.risk_se)
            error = math.hypot(excess.se, solution.risk_error)
            risk = Estimate(solution.risk + excess.value, error)
        else:
            reference = trials if reference is None else reference
            excess = expected_difference(trials, reference, costs)
            risk = Estimate(summary.risk, summary.risk_se)
        numbers = _parameters(strategy, seconds)
        entries.append(Entry(name, strategy, trials, risk, excess, numbers, converged))
    label = "the exact optimum" if solution is not None else f"{entries[0].name}"
    return Contest(tuple(entries), label, solution, why_not)


def _made(
    problem: Problem,
    task: SearchTask,
    costs: Costs,
    paths: Paths,
    report: Progress,
    scales: tuple[float, float] | None,
    *,
    quick: bool,
) -> Made:
    """Return the strategies of the paper for a search task, and whether their tuning settled."""
    pair = threshold_pair(task, costs)
    if task.n_locations == 1:  # every member of the family is SPRT then
        return {"SPRT": (SPRT.for_task(task, *pair), True)}

    def tuned(recipe: type[Recipe]) -> tuple[BoundaryStrategy, bool]:
        found = tune(
            recipe,
            task,
            costs,
            thresholds=pair,
            n_trials=problem.effort.tune_trials,
            seed=fresh_seed(problem.seed, Purpose.STUDY_TUNING),
        )
        return found.strategy, found.converged

    made: Made = {}
    report(0.1, "tuning a-SPRT")
    if scales is not None:
        a_minus, a_plus = scales
        made["a-SPRT"] = (ASPRT.for_task(task, *pair, a_minus=a_minus, a_plus=a_plus), True)
    else:
        made["a-SPRT"] = tuned(ASPRT)
    report(0.35, "tuning SPRT-opt")
    if quick:
        on_paths = tune_constant(paths, costs)
        lower, upper = on_paths.tau_minus[0], on_paths.tau_plus[0]
        made["SPRT-opt"] = (SPRTOpt.for_task(task, *pair, lower=lower, upper=upper), True)
    else:
        made["SPRT-opt"] = tuned(SPRTOpt)
    made["SPRT"] = (SPRT.for_task(task, *pair), True)
    made["Hardmax"] = (Hardmax.for_task(task, *pair), True)
    return made


def _on_paths(
    problem: Problem, costs: Costs, paths: Paths, report: Progress, why_not: str
) -> Contest:
    report(0.1, "tuning SPRT-opt")
    constant = tune_constant(paths, costs)
    report(0.2, "tuning a deadline")
    deadline = tune_deadline(paths, costs, constant)
    report(0.4, "tuning time-varying SPRT")
    varying = tune_varying(paths, costs, deadline)
    seconds, _ = best_duration(paths, costs)
    fixed = fixed_duration(paths, costs, seconds)
    report(0.6, "scoring")
    fresh = draw_paths(problem, fresh_seed(problem.seed, Purpose.STUDY_SCORE), len(paths.target))
    reference = fresh.responses(varying)
    entries = []
    for strategy in (varying, deadline, constant, fixed):
        responses = fresh.responses(strategy)
        summary = responses.summary(costs)
        excess = paired_difference(responses, reference, costs)
        risk = Estimate(summary.risk, summary.risk_se)
        numbers = _parameters(strategy, seconds)
        entries.append(Entry(strategy.label, strategy, responses, risk, excess, numbers))
    return Contest(tuple(entries), varying.label, None, why_not)


def _parameters(strategy: Strategy, seconds: float) -> dict[str, float]:
    """Return the numbers that make a strategy, by name."""
    if isinstance(strategy, ScaledSPRT):
        names = ("tau_minus", "tau_plus", "a_minus", "a_plus")
        return {name: float(getattr(strategy, name)) for name in names}
    if isinstance(strategy, TimeVaryingSPRT) and strategy.label == "fixed time":
        return {"seconds": seconds}
    if isinstance(strategy, TimeVaryingSPRT):
        at_onset = {"tau_minus": strategy.tau_minus[0], "tau_plus": strategy.tau_plus[0]}
        return {**at_onset, "seconds": strategy.knots[-1]}
    return {}
