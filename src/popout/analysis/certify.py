r"""`certify`: a strategy that is as good as any found, and a bound on all others.

Tuning lives in this layer, which is why `certify` does: `popout.certificate` takes strategies as
they come, finds a value function, and follows paths. Here a strategy is tuned first, the value
function is taken from the exact solver or learned from the strategy's trials, a few trials choose
between the strategies at hand, and fresh trials give both bounds.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import tune
from popout.certificate import Certificate
from popout.certificate.bound import GREEDY, Policy, policy_of
from popout.certificate.control import check_most_trials
from popout.certificate.device import DeviceProblem
from popout.certificate.estimate import Estimates, estimate
from popout.certificate.learn import Effort, learn
from popout.certificate.net import NetEffort
from popout.certificate.problem import Value
from popout.certificate.problems import problem_for
from popout.certificate.table import table_value
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.noise.streams import LANES
from popout.policies.stopping import ASPRT, SPRT, Action, SPRTOpt, Strategy
from popout.progress import Progress, stretch
from popout.simulation import simulate
from popout.task import Costs, Faults, InputError, Task

MOST_EXACT = 4
"""Most locations for which the exact value function is the default."""
EXACT_RTOL = {1: 1e-4, 2: 1e-4, 3: 1e-4, 4: 1e-3}
EXACT_RTOL_ABOVE = 3e-3
PILOT_BLOCKS = 8
"""By which the best candidate is chosen; never more than the bounds themselves may take."""
TUNING_TRIALS, TUNING_TRIALS_UNKNOWN = 50_000, 4_000
"""With known and with unknown distractors, whose trials take much longer."""
DEVICE_THREADS = 4
"""Blocks on their way to a device at once."""
LOOKING_SHARES, LOOKING_TRIALS = (0.25, 0.4, 0.6, 0.8, 1.0), 4_000
"""Shares of the thresholds of discrimination, for a strategy that looks where the tuned one does
not, and on how many trials one is chosen."""


class ValueMethod(StrEnum):
    """Where the value function comes from."""

    EXACT = "exact"
    REGRESSION = "regression"
    NET = "net"


def certify(
    task: Task,
    costs: Costs,
    *,
    strategy: Strategy | None = None,
    method: ValueMethod | str | None = None,
    solution: Solution | None = None,
    precision: float = 1e-3,
    most_trials: int = 100_000,
    effort: Effort = Effort(),  # noqa: B008 (frozen)
    net: NetEffort = NetEffort(),  # noqa: B008 (frozen)
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Bound the risk of every strategy from below, and find one close to the bound.

    Parameters
    ----------
    task : Task
    costs : Costs
    strategy : Strategy, optional
        A candidate, from whose trials the value function is learned; tuned a-SPRT when left out.
    method : {"exact", "regression", "net"}, optional
        Default: exact with at most four locations, or with a solution.
    solution : Solution, optional
        Of this task and these costs; solved where it is needed when left out.
    precision : float
        Wanted standard error of both bounds and of their gap, as a share of the risk.
    most_trials : int
        Where effort ends, whatever the precision. At least 1024 (on a device 16,384): standard
        errors are taken between 16 blocks of trials or more.
    effort : Effort
        Of learning.
    net : NetEffort
        Size, training and device of the network, for ``method="net"``; needs PyTorch.
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
    >>> found = certify(task, costs, most_trials=1024)
    >>> found.method, abs(found.lower - po.solve(task, costs).risk) < 3 * found.lower_se + 1e-5
    ('exact', True)
    """
    began = time.monotonic()
    faults = Faults("certify")
    task = task if task.search is None else task.search
    precision = faults.positive("precision", precision, "give a share of the risk, e.g. 1e-3")
    chosen = _choose(faults, method, task, solution)
    device = net.device if chosen is ValueMethod.NET and net.on_device else None
    block_size = LANES if device is None else DeviceProblem.block_size
    most = check_most_trials(faults, "most_trials", most_trials, block_size)
    if solution is not None and (solution.task != task or solution.costs != costs):
        faults.add("solution", "that of the task and costs", solution, "solve the same problem")
    faults.raise_if_any()
    problem = problem_for(task, costs, device)
    pool = threads if device is None else DEVICE_THREADS
    if chosen is ValueMethod.EXACT:
        stretch(progress, 0.0, 0.1)(0.0, "solving")
        if solution is None:
            solution = solve(
                task.search or task, costs, EXACT_RTOL.get(task.n_locations, EXACT_RTOL_ABOVE)
            )
        basis = _solved(problem, solution, strategy)
    else:
        stretch(progress, 0.0, 0.1)(0.0, "tuning")
        start = _tuned(task, costs, seed, threads) if strategy is None else strategy
        value = learn(
            problem,
            _that_looks(task, costs, start, seed, threads),
            effort=effort,
            net=net if chosen is ValueMethod.NET else None,
            seed=fresh_seed(seed, Purpose.CERTIFICATE_LEARNING),
            threads=pool,
            progress=stretch(progress, 0.1, 0.5),
        )
        basis = _learned(problem, value, start, effort)

    def bounds(
        purpose: Purpose, most_blocks: int, part: Progress, best: int | None = None
    ) -> Estimates:
        own, points = fresh_seed(seed, purpose), effort.points(problem.information)
        return estimate(
            lambda number: problem.block(own, number, basis.value.statistics, points),
            basis.value,
            basis.policies,
            precision=precision,
            most_blocks=most_blocks,
            best=best,
            threads=pool,
            progress=part,
        )

    best, most_blocks = 0, most // problem.block_size
    if len(basis.candidates) > 1:
        pilot_blocks = min(PILOT_BLOCKS, most_blocks)
        pilot = bounds(Purpose.CERTIFICATE_PILOT, pilot_blocks, stretch(progress, 0.5, 0.6))
        best = int(pilot.controlled.mean(axis=1).argmin())
    found = bounds(Purpose.CERTIFICATE_BOUND, most_blocks, stretch(progress, 0.6, 1.0), best)
    return Certificate(
        task=task,
        costs=costs,
        **_in_numbers(found, basis, best),
        method=str(chosen),
        n_learning=basis.n_learning,
        seconds=time.monotonic() - began,
    )


@dataclass(frozen=True)
class _Basis:
    """What the bounds rest on: a value function, and the strategies to choose from."""

    value: Value
    candidates: list[Strategy]
    policies: list[Policy]
    n_learning: int


def _solved(problem: Any, solution: Solution, strategy: Strategy | None) -> _Basis:
    """Return the exact value function, with the optimal strategy beside the one given."""
    candidates: list[Strategy] = [] if strategy is None else [strategy]
    candidates.append(solution.strategy)
    value = table_value(solution.strategy, problem.prices, problem.sd)
    return _Basis(value, candidates, [policy_of(each) for each in candidates], 0)


def _learned(problem: Any, value: Value, strategy: Strategy, effort: Effort) -> _Basis:
    """Return a learned value function, with the strategy greedy on it beside the one given."""
    candidates = [strategy, problem.learned_strategy(value)]
    # `GREEDY` does what the learned strategy does, and is quicker.
    policies = [policy_of(strategy), GREEDY]
    return _Basis(value, candidates, policies, effort.blocks(problem) * problem.block_size)


def _in_numbers(found: Estimates, basis: _Basis, best: int) -> dict[str, Any]:
    """Return the fields of a certificate that come from trials."""
    risks = [found.risk(n) for n in range(len(basis.candidates))]
    labels = [str(getattr(one, "label", type(one).__name__)) for one in basis.candidates]
    gaps = [found.gap_share(n) for n in range(len(risks))]
    lower, lower_se = found.lower_bound
    return {
        "lower": lower,
        "lower_se": lower_se,
        "upper": risks[best].risk,
        "upper_se": risks[best].risk_se,
        "gap": gaps[best][0],
        "gap_se": gaps[best][1],
        "strategy": basis.candidates[best],
        "risks": {
            label: (risk.risk, risk.risk_se) for label, risk in zip(labels, risks, strict=True)
        },
        "gaps": dict(zip(labels, gaps, strict=True)),
        "n_trials": found.n_trials,
        "variance_ratio": risks[best].variance_ratio,
        "undecided": {label: risk.undecided for label, risk in zip(labels, risks, strict=True)},
    }


def _choose(
    faults: Faults, method: ValueMethod | str | None, task: Task, solution: Solution | None
) -> ValueMethod:
    few = task.search is not None and task.n_locations <= MOST_EXACT
    if method is None:
        return ValueMethod.EXACT if few or solution is not None else ValueMethod.REGRESSION
    if method not in list(ValueMethod):
        names = ", ".join(ValueMethod)
        faults.add("method", f"one of {names}", method, "choose one, or leave it out")
    elif method == ValueMethod.EXACT and task.search is None:
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
