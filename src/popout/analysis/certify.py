r"""`certify`: a strategy that is as good as any found, and a bound on all others.

Tuning lives in this layer, which is why `certify` does: `popout.certificate` takes strategies as
they come, finds a value function, and follows paths. Here a strategy is tuned first, the value
function is taken from the exact solver or learned from the strategy's trials, a few trials choose
between the strategies at hand, and fresh trials give both bounds.

Where looks are chosen an observer takes the place of the strategy: rules of gaze, or serial
attention, each with tuned thresholds. The value function is learned from the best of them, or comes
from the exact table, and the observer who looks one step ahead of it is a candidate, too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import tune
from popout.certificate import Certificate
from popout.certificate.bound import (
    FEWEST_BLOCKS,
    GREEDY,
    MOST_STEPS,
    Estimates,
    Followed,
    estimate,
    follow,
    policy_of,
)
from popout.certificate.learn import Effort, learn
from popout.certificate.look_paths import LookProblem, foresighted
from popout.certificate.problem import Value
from popout.certificate.prophet import follow_looks, most_looks
from popout.certificate.search_paths import SearchProblem
from popout.certificate.unknown_paths import MixtureProblem
from popout.certificate.value import table_value
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.noise.streams import LANES
from popout.policies.looking import ELM, MAP, IdealSearcher, Serial
from popout.policies.observer import Observer, checked_attention
from popout.policies.stopping import ASPRT, SPRT, Action, SPRTOpt, Strategy
from popout.progress import Progress, stretch
from popout.simulation import simulate
from popout.task import Costs, Faults, InputError, Task, check_costs, check_task
from popout.task.look import Gazes
from popout.task.task import check_static

MOST_EXACT, MOST_EXACT_LOOKS = 4, 3
"""Most locations for which the exact value function is the default, without and with looks."""
EXACT_RTOL = {1: 1e-4, 2: 1e-4, 3: 1e-4, 4: 1e-3}
EXACT_RTOL_ABOVE = 3e-3
PILOT_BLOCKS = 8
"""By which the best candidate is chosen; never more than the bounds themselves may take."""
TUNING_TRIALS, TUNING_TRIALS_UNKNOWN = 50_000, 4_000
"""With known and with unknown distractors, whose trials take much longer."""
LOOKING_SHARES, LOOKING_TRIALS = (0.25, 0.4, 0.6, 0.8, 1.0), 4_000
"""Shares of the thresholds of discrimination, for a strategy that looks where the tuned one does
not, and on how many trials one is chosen."""


LOOK_EFFORT, LOOK_RTOL = Effort(400, 200, None, 8, (20, 8)), 3e-4
"""Of learning where looks are chosen, and accuracy of an exact value function there."""


class ValueMethod(StrEnum):
    """Where the value function comes from."""

    EXACT = "exact"
    REGRESSION = "regression"


def certify(
    task: Task,
    costs: Costs,
    *,
    strategy: Strategy | Observer | None = None,
    method: ValueMethod | str | None = None,
    solution: Solution | None = None,
    precision: float = 1e-3,
    most_trials: int = 100_000,
    effort: Effort | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Bound the risk of every strategy from below, and find one close to the bound.

    Parameters
    ----------
    task : Task
        Where looks are chosen the bound holds for every policy of gaze; where a limited rate of
        information is shared out, for all that look at one location at a time, for a step of dt.
    costs : Costs
    strategy : Strategy or Observer, optional
        A candidate, from whose trials the value function is learned; when left out, tuned a-SPRT,
        or the best of some rules of looking with tuned thresholds.
    method : {"exact", "regression"}, optional
        Default: exact with at most four locations, three with looks, or with a solution.
    solution : Solution, optional
        Of this task and these costs; solved where it is needed when left out.
    precision : float
        Wanted standard error of both bounds and of their gap, as a share of the risk.
    most_trials : int
        Where effort ends, whatever the precision. At least 1024: standard errors are taken between
        16 blocks of trials or more.
    effort : Effort, optional
        Of learning.
    seed : int
    threads : int, optional
        Default: all cores. Results do not depend on it.
    progress : Progress, optional

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=1.0)
    >>> bounds = certify(task, costs, most_trials=1024)
    >>> bounds.method, abs(bounds.lower - po.solve(task, costs).risk) < 3 * bounds.lower_se + 1e-5
    ('exact', True)

    With gaze no optimum is known for many items; here for two, which have a table:

    >>> gaze = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    >>> bounds = certify(gaze, costs, most_trials=1024)
    >>> 0.0 <= bounds.gap < 0.01
    True
    """
    began = time.monotonic()
    faults = Faults("certify")
    check_task(faults, "task", task)
    check_costs(faults, "costs", costs)
    faults.raise_if_any()
    looks = task.look.is_chosen and task.search is None
    check_static(faults, task)
    if not looks:
        task.check_observable(faults)
    elif isinstance(task.look, Gazes):
        if task.look.is_free:
            remedy = "give `fixation` in seconds; the bound counts whole fixations"
            faults.add("task", "fixations of a fixed duration", "free ones", remedy)
        if task.look.names_place:
            remedy = "answers that name a place have no bound yet; solve or simulate"
            faults.add("task", "answers absent or present", "answers that name a place", remedy)
    faults.raise_if_any()
    task = task if task.search is None else task.search
    precision = faults.positive("precision", precision, "give a share of the risk, e.g. 1e-3")
    chosen = _choose(faults, method, task, solution)
    fewest = FEWEST_BLOCKS * LANES
    remedy = f"allow {fewest}: errors are taken between {FEWEST_BLOCKS} blocks of trials or more"
    most = faults.integer("most_trials", most_trials, remedy, at_least=fewest)
    if solution is not None and (solution.task != task or solution.costs != costs):
        faults.add("solution", "that of the task and costs", solution, "solve the same problem")
    if looks and strategy is not None:
        given = Observer.of(strategy)
        attention = checked_attention(faults, task, given.attention, costs=costs)
        strategy = Observer(attention, given.strategy)
    faults.raise_if_any()
    made = _with_looks if looks else _at_fixed_rates
    known = made(task, costs, strategy, chosen, solution, effort, seed, threads, progress)

    def bounds(
        purpose: Purpose, most_blocks: int, part: Progress, best: int | None = None
    ) -> Estimates:
        own, problem = fresh_seed(seed, purpose), known.problem
        return estimate(
            lambda number: problem.block(own, number, known.value.statistics, known.points),
            known.value,
            known.policies,
            precision=precision,
            most_blocks=most_blocks,
            best=best,
            threads=threads,
            progress=part,
            following=known.following,
        )

    best, most_blocks = 0, most // known.problem.block_size
    if len(known.candidates) > 1:
        pilot_blocks = min(PILOT_BLOCKS, most_blocks)
        pilot = bounds(Purpose.CERTIFICATE_PILOT, pilot_blocks, stretch(progress, 0.5, 0.6))
        best = int(pilot.controlled.mean(axis=1).argmin())
    estimates = bounds(Purpose.CERTIFICATE_BOUND, most_blocks, stretch(progress, 0.6, 1.0), best)
    labels = [str(getattr(each, "label", type(each).__name__)) for each in known.candidates]
    return Certificate(
        task,
        costs,
        *estimates.lower_bound,
        *estimates.risk(best),
        *estimates.gap_share(best),
        strategy=known.candidates[best],
        risks={label: estimates.risk(n) for n, label in enumerate(labels)},
        gaps={label: estimates.gap_share(n) for n, label in enumerate(labels)},
        undecided=dict(zip(labels, estimates.undecided.tolist(), strict=True)),
        n_trials=estimates.n_trials,
        n_learning=known.n_learning,
        variance_ratio=estimates.variance_ratio(best),
        method=str(chosen),
        seconds=time.monotonic() - began,
        most_looks=most_looks(known.problem) if looks else MOST_STEPS,
    )


@dataclass(frozen=True, eq=False)
class Known:
    """What bounds are made of: a value function, and the candidates that they enclose.

    Attributes
    ----------
    problem : SearchProblem or the like
    value : Value
    candidates : sequence of Strategy or Observer
    policies : sequence
        The same, as `following` takes them.
    points : int
        Logarithm of the number of points of a conditional expectation.
    n_learning : int
        Trials.
    following : callable
        What walks along a block.
    """

    problem: Any
    value: Value
    candidates: Sequence[Strategy | Observer]
    policies: Sequence[Any]
    points: int
    n_learning: int = 0
    following: Callable[..., Followed] = follow


def _at_fixed_rates(
    task: Task,
    costs: Costs,
    strategy: Any,
    chosen: ValueMethod,
    solution: Solution | None,
    effort: Effort | None,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> Known:
    """Return what is known of a task whose locations observe at rates of their own."""
    problem, effort = problem_for(task, costs), effort or Effort()
    points = effort.points(problem.information)
    if chosen is ValueMethod.EXACT:
        stretch(progress, 0.0, 0.1)(0.0, "solving")
        if solution is None:
            solution = solve(
                task.search or task, costs, EXACT_RTOL.get(task.n_locations, EXACT_RTOL_ABOVE)
            )
        candidates = [*([] if strategy is None else [strategy]), solution.strategy]
        value = table_value(solution.strategy, problem.prices, problem.sd)
        return Known(problem, value, candidates, [policy_of(each) for each in candidates], points)
    stretch(progress, 0.0, 0.1)(0.0, "tuning")
    start = _tuned(task, costs, seed, threads) if strategy is None else strategy
    learned = learn(
        problem,
        _that_looks(task, costs, start, seed, threads),
        effort=effort,
        seed=fresh_seed(seed, Purpose.CERTIFICATE_LEARNING),
        threads=threads,
        progress=stretch(progress, 0.1, 0.5),
    )
    # `GREEDY` does what the learned strategy does, and is quicker.
    both = [start, problem.learned_strategy(learned)], [policy_of(start), GREEDY]
    return Known(problem, learned, *both, points, effort.blocks(problem) * problem.block_size)


def _with_looks(
    task: Task,
    costs: Costs,
    observer: Any,
    chosen: ValueMethod,
    solution: Solution | None,
    effort: Effort | None,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> Known:
    """Return what is known of a task whose looks are chosen."""
    gazes = isinstance(task.look, Gazes)
    learning = fresh_seed(seed, Purpose.CERTIFICATE_LEARNING)
    stretch(progress, 0.0, 0.1)(0.0, "tuning")
    rules = (MAP, ELM, IdealSearcher) if gazes else (Serial,)
    candidates = [] if observer is None else [observer]
    for rule in rules if observer is None else ():
        tuned = tune(
            SPRTOpt,
            task,
            costs,
            attention=rule,
            method="monte carlo",
            n_trials=TUNING_TRIALS,
            seed=seed,
            threads=threads,
        )
        looking = checked_attention(Faults("certify"), task, rule, costs=costs)
        candidates.append((tuned.risk, Observer(looking, tuned.strategy)))
    if observer is None:
        candidates = [each for _, each in sorted(candidates, key=lambda pair: pair[0])]
    problem = LookProblem(task, costs, candidates[0].attention)
    value: Value
    if chosen is ValueMethod.EXACT:
        stretch(progress, 0.1, 0.5)(0.0, "solving")
        rtol = LOOK_RTOL if gazes and task.n_locations <= MOST_EXACT_LOOKS else None
        solution = solution or solve(task, costs, rtol)
        value, n_learning = table_value(solution.strategy, problem.prices, problem.seen), 0
        candidates += [solution.observer] if gazes else []  # other shares are not bounded
    else:
        effort = effort or LOOK_EFFORT
        value = learn(
            problem,
            candidates[0].strategy,
            effort=effort,
            seed=learning,
            threads=threads,
            progress=stretch(progress, 0.1, 0.5),
        )
        n_learning = effort.blocks(problem) * problem.block_size
    points = (effort or Effort()).points(problem.information)
    candidates.append(foresighted(value, problem, points, learning))
    return Known(problem, value, candidates, candidates, points, n_learning, follow_looks)


def problem_for(task: Task, costs: Costs) -> Any:
    """Return a task and its costs as certificates need them.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> problem_for(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)).information
    0.64
    """
    return MixtureProblem(task, costs) if task.search is None else SearchProblem(task.search, costs)


def _choose(
    faults: Faults, method: ValueMethod | str | None, task: Task, solution: Solution | None
) -> ValueMethod:
    looks = task.look.is_chosen and task.search is None
    most = MOST_EXACT_LOOKS if looks else MOST_EXACT
    few = (looks or task.search is not None) and task.n_locations <= most
    if method is None:
        return ValueMethod.EXACT if few or solution is not None else ValueMethod.REGRESSION
    if method not in list(ValueMethod):
        names = ", ".join(ValueMethod)
        faults.add("method", f"one of {names}", method, "choose one, or leave it out")
    elif method == ValueMethod.EXACT and task.search is None and not looks:
        faults.add("method", "regression for unknown distractors", method, "leave it out")
    else:
        return ValueMethod(method)
    return ValueMethod.REGRESSION


def _tuned(task: Task, costs: Costs, seed: int, threads: int | None) -> Strategy:
    """Return tuned a-SPRT; where it does not apply, SPRT with tuned thresholds."""
    known = task.search is not None
    n = TUNING_TRIALS if known else TUNING_TRIALS_UNKNOWN
    if known:
        try:
            return tune(ASPRT, task, costs, n_trials=n, seed=seed, threads=threads).strategy
        except InputError:  # thresholds of different signs: factors would be negative
            pass
    return tune(SPRTOpt, task, costs, n_trials=n, seed=seed, threads=threads).strategy


def _that_looks(
    task: Task, costs: Costs, strategy: Strategy, seed: int, threads: int | None
) -> Strategy:
    """Return a strategy to learn from: the given one, unless it answers before it has looked.

    Nothing can be learned about waiting from a strategy that never waits: a single step seldom pays
    where many do. In its place comes the best SPRT that looks.
    """
    if task.search is None or not _answers_at_once(strategy, task):
        return strategy
    pair = threshold_pair(task, costs)
    own = fresh_seed(seed, Purpose.CERTIFICATE_LEARNING)
    best, least = strategy, math.inf
    for share in LOOKING_SHARES:
        lower, upper = (share * float(np.mean(tau)) for tau in pair)
        candidate = SPRT.for_task(task, lower, upper)
        if not _answers_at_once(candidate, task):
            trials = simulate(task, candidate, LOOKING_TRIALS, own, threads=threads)
            risk = trials.summary(costs).risk
            if risk < least:
                best, least = candidate, risk
    return best


def _answers_at_once(strategy: Strategy, task: Task) -> bool:
    return bool(np.ravel(strategy.decide(np.zeros((1, task.n_locations)), 0.0))[0] != Action.WAIT)
