r"""`compare`: strategies side by side, on the same trials.

Every strategy of a cell (a task and its costs) is tuned where its recipe has free parameters, and
then all are scored on one fresh set of trials. The excess over the reference is

- with at most three locations: over the exact optimum, as the regret along the strategy's own
  trials (see `regret`); `risk` is then the optimal risk plus the regret;
- otherwise: over tuned a-SPRT, the conjectured optimum, as a paired difference in which errors
  count by their posterior probability (see `score`). Its noise is far below that of `risk`, so it
  is not the difference of two risks of the table, only equal to it within their errors.

Error rates and response times come from the common trials in either case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from popout.analysis.comparison import Comparison
from popout.analysis.regret import regret
from popout.analysis.score import Estimate, expected_difference
from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import MAX_EXACT, SOLUTION_RTOL, tune
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.simulation import Trials, simulate
from popout.strategies import ASPRT, Recipe, ScaledSPRT, Strategy
from popout.task import Costs, Faults, SearchTask, Task

__all__ = ["ThresholdRule", "compare"]

ThresholdRule = Callable[[SearchTask, Costs], Pair]
"""Gives the thresholds ``(tau_minus, tau_plus)`` of discrimination for a task and costs."""
Progress = Callable[[str], None]
REGRET_SHARE = 50
"""One trial in so many is run again for the regret, which needs far fewer."""


def compare(
    task: Task | Sequence[Task],
    costs: Costs | Sequence[Costs],
    strategies: Sequence[type[Recipe] | Strategy],
    *,
    thresholds: ThresholdRule = threshold_pair,
    n_trials: int = 1_000_000,
    tune_trials: int = 200_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare strategies over tasks and costs.

    Parameters
    ----------
    task : Task or sequence of them
        Searches, or tasks with an equivalent one.
    costs : Costs or sequence of them
        Every task is combined with every cost.
    strategies : sequence of recipes or strategies
        Recipes are tuned for each cell; a finished strategy is taken as it is.
    thresholds : callable, optional
        Gives ``(tau_minus, tau_plus)`` of discrimination for a task and costs.
    n_trials, tune_trials : int
        Trials of the common score, and of each candidate while tuning.
    seed : int
    threads : int, optional
    progress : callable, optional
        Called with a few words before each piece of work.

    Returns
    -------
    table : Comparison
        A DataFrame with a row for each strategy of each cell: ``strategy``, ``locations``,
        ``drift``, ``time_cost``, ``risk``, ``risk_se``, ``excess``, ``excess_se``, ``reference``,
        error rates and mean response times by class with their standard errors, ``undecided``,
        and the parameters of the scaled family.

    Examples
    --------
    >>> from popout.strategies import SPRT, Hardmax
    >>> table = compare(
    ...     SearchTask(n_locations=4, drift=12.0),
    ...     Costs(time=0.5),
    ...     [ASPRT, SPRT, Hardmax],
    ...     n_trials=20_000,
    ...     tune_trials=10_000,
    ... )
    >>> table.strategy.tolist()
    ['a-SPRT', 'SPRT', 'Hardmax']
    >>> table[["excess", "excess_se"]].iloc[0].tolist()
    [0.0, 0.0]
    """
    asked = [task] if isinstance(task, Task) else list(task)
    tasks = [one.search for one in asked if one.search is not None]
    all_costs = [costs] if isinstance(costs, Costs) else list(costs)
    faults = Faults("compare")
    for one in asked:
        if one.search is None:
            expected = "a SearchTask, or a task with an equivalent one"
            faults.add("task", expected, type(one).__name__, one.why_no_search)
    for field, values in (("task", asked), ("costs", all_costs), ("strategies", strategies)):
        if not values:
            faults.add(field, "one or more", values, "name something to compare")
    for item in strategies:
        if not isinstance(item, Strategy) and not (
            isinstance(item, type) and issubclass(item, Recipe)
        ):
            faults.add("strategies", "recipes such as ASPRT, or strategies", item, "see Recipe")
    faults.integer("n_trials", n_trials, "ask for two or more", at_least=2)
    faults.integer("tune_trials", tune_trials, "ask for two or more", at_least=2)
    faults.raise_if_any()

    scoring = fresh_seed(seed, Purpose.COMPARISON)
    rows: list[dict[str, Any]] = []
    for one_task in tasks:
        for one_cost in all_costs:
            pair = thresholds(one_task, one_cost)
            solution = None
            if one_task.n_locations <= MAX_EXACT:
                solution = solve(one_task, one_cost, SOLUTION_RTOL)

            def finished(
                item: type[Recipe] | Strategy,
                task: SearchTask = one_task,
                costs: Costs = one_cost,
                pair: Pair = pair,
                solution: Solution | None = solution,
            ) -> Strategy:
                if isinstance(item, Strategy):
                    return item
                if progress is not None:
                    progress(f"{item.name}, {task.n_locations} locations")
                if not item.parameters(task, *pair):
                    return item.for_task(task, *pair)
                tuned = tune(
                    item,
                    task,
                    costs,
                    thresholds=pair,
                    solution=solution,
                    n_trials=tune_trials,
                    seed=seed,
                    threads=threads,
                )
                return tuned.strategy

            made = [finished(item) for item in strategies]
            reference: Reference
            if solution is not None:
                n_regret = max(2000, n_trials // REGRET_SHARE)
                reference = _Optimum(solution, n_regret, scoring)
            else:
                named = ASPRT in list(strategies)
                base = made[list(strategies).index(ASPRT)] if named else finished(ASPRT)
                reference = _Best(simulate(one_task, base, n_trials, scoring, threads=threads))
            rows += _cell(one_task, one_cost, made, reference, n_trials, scoring, threads)
    return Comparison(rows)


class Reference(Protocol):
    """What the others are measured against."""

    @property
    def label(self) -> str:
        """Its name in the table."""

    def score(self, trials: Trials, costs: Costs) -> tuple[Estimate, Estimate]:
        """Return the risk of the trials' strategy and its excess over the reference."""


@dataclass(frozen=True)
class _Optimum:
    """The exact solution."""

    solution: Solution
    n_trials: int
    seed: int
    label: str = "optimal"

    def score(self, trials: Trials, costs: Costs) -> tuple[Estimate, Estimate]:
        found = regret(
            self.solution, trials.strategy, n_trials=self.n_trials, seed=self.seed, with_map=False
        )
        error = math.hypot(found.se, self.solution.risk_error)
        risk = Estimate(self.solution.risk + found.value, error)
        return risk, Estimate(found.value, found.se)


@dataclass(frozen=True)
class _Best:
    """A strategy that was simulated on the same trials."""

    trials: Trials

    @property
    def label(self) -> str:
        return str(getattr(self.trials.strategy, "label", type(self.trials.strategy).__name__))

    def score(self, trials: Trials, costs: Costs) -> tuple[Estimate, Estimate]:
        summary = trials.summary(costs)
        excess = expected_difference(trials, self.trials, costs)
        return Estimate(summary.risk, summary.risk_se), excess


def _cell(
    task: SearchTask,
    costs: Costs,
    strategies: Sequence[Strategy],
    reference: Reference,
    n_trials: int,
    seed: int,
    threads: int | None,
) -> list[dict[str, Any]]:
    """Score the strategies of one task under one cost on the same fresh trials."""
    rows = []
    for strategy in strategies:
        trials = simulate(task, strategy, n_trials, seed, threads=threads)
        risk, excess = reference.score(trials, costs)
        summary = trials.summary(costs)
        row: dict[str, Any] = {
            "strategy": getattr(strategy, "label", type(strategy).__name__),
            "locations": task.n_locations,
            "drift": task.drift,
            "time_cost": costs.time,
            "risk": risk.value,
            "risk_se": risk.se,
            "excess": excess.value,
            "excess_se": excess.se,
            "reference": reference.label,
        }
        for side in (summary.absent, summary.present):
            row |= {
                f"error_rate_{side.condition}": side.error_rate,
                f"error_rate_{side.condition}_se": side.error_rate_se,
                f"mean_rt_{side.condition}": side.mean_rt,
                f"mean_rt_{side.condition}_se": side.mean_rt_se,
            }
        row["undecided"] = summary.undecided
        if isinstance(strategy, ScaledSPRT):
            row |= {
                key: getattr(strategy, key)
                for key in ("tau_minus", "tau_plus", "a_minus", "a_plus")
            }
        rows.append(row)
    return rows
