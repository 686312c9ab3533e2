r"""Strategies for a task and its costs, made in one place.

What is wanted may be given as a name (``a-sprt``, ``sprt-opt``, ``sprt``, ``hardmax``,
``hardmax-per-location``, ``hardmax-opt``, ``time-varying-sprt``, any recipe of your own, or
``optimal`` for the exact solution), as a recipe class, or as a strategy that is finished already. A
recipe starts from the thresholds of discrimination of the task (see `thresholds`); its free
parameters are given or else tuned (see `tune`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import SOLUTION_RTOL, looking_may_pay, tune
from popout.analysis.tuned import Method, Tuned, tuned_value
from popout.drawing.representation import Card, HasCard, with_error
from popout.exact import Solution, solve
from popout.exact.notes import problem_notes
from popout.policies.looking import Attention
from popout.policies.stopping import RECIPES, PerLocation, Recipe, Strategy
from popout.policies.stopping.strategy import typed
from popout.progress import Progress
from popout.simulation import Summary
from popout.task import Costs, Faults, Task
from popout.task.faults import did_you_mean

OPTIMAL = "optimal"
Wanted = str | type[Recipe] | Strategy
"""A strategy that is to be made: its name or its recipe; or one that is finished."""
HEADINGS = {"knots": "time (s)"}
LEAST_ERROR = 1e-6
"""Relative standard error of a tuned parameter below which no trial has told anything of it."""


def strategy_names() -> tuple[str, ...]:
    """Return every name a strategy can be made by.

    Examples
    --------
    >>> strategy_names()[:3]
    ('optimal', 'a-sprt', 'sprt-opt')
    """
    return (OPTIMAL, *RECIPES)


def check_wanted(
    faults: Faults,
    field: str,
    wanted: Iterable[object],
    tasks: Sequence[Task] = (),
    *,
    attention: bool = False,
) -> None:
    """Record every fault of what is wanted, for any of the tasks.

    Parameters
    ----------
    faults : Faults
    field : str
        What the user calls them.
    wanted : iterable of `Wanted`
    tasks : sequence of Task
        Those with unknown distractors have no exact optimum and no tests of single locations.
    attention : bool
        Whether a policy shares out the information of the tasks.
    """
    before = len(faults.faults)
    known = [task for task in tasks if isinstance(task, Task) and not attention]
    for task in known:
        task.check_observable(faults)
    refused = len(faults.faults) > before
    without_search = [type(task).__name__ for task in known if task.search is None]
    for item in wanted:
        recipe = RECIPES.get(item) if isinstance(item, str) else item
        if item == OPTIMAL:
            name, is_local = OPTIMAL, True
        elif isinstance(recipe, type) and issubclass(recipe, Recipe):
            name, is_local = recipe.name, recipe.is_local
        else:
            if isinstance(item, str):
                remedy = did_you_mean(item, strategy_names(), "choose one")
                faults.add(field, f"one of {', '.join(strategy_names())}", item, remedy)
            elif not isinstance(item, Strategy):
                remedy = f"choose one of {', '.join(strategy_names())}, or a recipe such as ASPRT"
                faults.add(field, "a name, a recipe or a strategy", item, remedy)
            continue
        if is_local and without_search and not refused:
            expected = f"strategies on S, the one state of a {without_search[0]}"
            remedy = "it takes a log likelihood ratio for each location; use sprt-opt"
            faults.add(field, expected, name, remedy)


@dataclass(frozen=True)
class FinishedStrategy(HasCard):
    """A strategy with every number in it, and how well the tuned ones are known.

    Attributes
    ----------
    strategy : Strategy
    tuned : Tuned or None
        Where it was tuned.
    """

    strategy: Strategy
    tuned: Tuned | None = None

    @property
    def numbers(self) -> dict[str, float]:
        """Its parameters that are single numbers, and those that were tuned."""
        return self.strategy.numbers | (self.tuned.numbers if self.tuned else {})

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors of what was tuned (``a_minus``, ``tau_plus``); inf if undetermined.

        An error of a billionth is that of a parameter that no trial has asked for, too.
        """
        errors = self.tuned.errors if self.tuned else {}
        least = {name: LEAST_ERROR * abs(self.numbers[name]) for name in errors}
        return {name: se if se > least[name] else math.inf for name, se in errors.items()}

    @property
    def shaped_errors(self) -> dict[str, Any]:
        """The errors, as lists where the strategy has a list of numbers (``tau_plus`` at knots)."""
        shaped: dict[str, Any] = {}
        stems = self.tuned.recipe.attributes if self.tuned else {}
        for name, se in self.errors.items():
            stem, _, place = name.rpartition("_")
            values = self.strategy.parameters.get(stems.get(stem, ""))
            if isinstance(values, list):
                each = shaped.setdefault(stems[stem], [math.nan] * len(values))
                each[int(place)] = se
            else:
                shaped[name] = se
        return shaped

    def row(self) -> dict[str, float]:
        """Return its part of a row of a table: its numbers, and the errors of those tuned."""
        return self.numbers | {f"{name}_se": se for name, se in self.errors.items()}

    @property
    def converged(self) -> bool:
        """Whether the tuning came to rest, if there was any."""
        return self.tuned is None or self.tuned.converged

    def card(self) -> Card:
        """Return its numbers with their errors; those at knots in a table."""
        errors, parameters = self.shaped_errors, self.strategy.parameters
        facts = [
            (name, tuned_value(value, errors[name]) if name in errors else f"{value:.4g}")
            for name, value in self.strategy.numbers.items()
        ]
        columns = {
            name: list(map(_at_knot, values, errors.get(name, [math.nan] * len(values))))
            for name, values in parameters.items()
            if isinstance(values, list)
        }
        rows = list(zip(*columns.values(), strict=True))
        undetermined = "(flat)" in str(rows)
        note = "flat: these trials do not determine it" if undetermined else ""
        headings = [HEADINGS.get(name, name) for name in columns]
        return Card(self.strategy.label, facts, headings, rows, note)

    def as_dict(self) -> dict[str, Any]:
        """Return name, parameters and their errors."""
        return {**self.strategy.as_dict(), "parameters_se": typed(self.shaped_errors)}


def _at_knot(value: float, se: float) -> str:
    """Return a number in a table; what was not tuned has no error."""
    if math.isnan(se):
        return f"{value:.4g}"
    return with_error(value, se) if math.isfinite(se) else f"{value:.3f} (flat)"


@dataclass(frozen=True)
class Workshop:
    """Makes strategies for one task and its costs.

    Parameters
    ----------
    task : Task
    costs : Costs
    thresholds : pair, optional
        ``(tau_minus, tau_plus)`` of discrimination, each a number or one per location; what is None
        is computed, once.
    solution : Solution, optional
        Of the task and the costs: the optimal strategy, and what others are tuned by.
    rtol : float
        Of the solution that ``optimal`` needs where there is none.
    method, n_trials, seed, threads
        Of the tuning, see `tune`.
    memory_limit : int, optional
        Of the solution, in bytes.
    attention : Attention, optional
        Where the observer looks, in a `LimitedSearchTask`; strategies are made for it.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> workshop = Workshop(SearchTask(n_locations=4, drift=12.0), Costs(time=1.0), n_trials=8000)
    >>> made = workshop.make("a-sprt")
    >>> sorted(made.errors), made.converged
    (['a_minus', 'a_plus'], True)
    >>> workshop.make("a-sprt", {"a_minus": 1.6, "a_plus": 0.7}).numbers["a_minus"]
    1.6
    """

    task: Task
    costs: Costs
    thresholds: tuple[PerLocation | None, PerLocation | None] = (None, None)
    solution: Solution | None = None
    rtol: float = SOLUTION_RTOL
    method: Method | None = None
    n_trials: int = 200_000
    seed: int = 1
    threads: int | None = None
    memory_limit: int | None = None
    attention: Attention | None = None

    @cached_property
    def pair(self) -> Pair:
        """The thresholds of discrimination: those given, the others computed."""
        lower, upper = self.thresholds
        if lower is not None and upper is not None:
            return lower, upper
        found = threshold_pair(self.task, self.costs)
        return found[0] if lower is None else lower, found[1] if upper is None else upper

    @cached_property
    def optimum(self) -> Solution:
        """The exact solution: the one given, or else solved."""
        if self.solution is not None:
            return self.solution
        task = self.task.search or self.task if self.attention is None else self.task
        limit, attention = self.memory_limit, self.attention
        return solve(task, self.costs, self.rtol, attention=attention, memory_limit=limit)

    def notes(self, summary: Summary) -> tuple[str, ...]:
        """Say what looks wrong with the task, from the response times of a strategy made for it."""
        p = self.task.prior
        mean_rt = (1.0 - p) * summary.absent.mean_rt + p * summary.present.mean_rt
        if mean_rt <= 0.0 and looking_may_pay(self.task, self.pair):
            return ("It answers before it looks, which need not be the best: see popout compare.",)
        return problem_notes(self.task, self.costs, mean_rt)

    def make(
        self,
        wanted: Wanted,
        parameters: Mapping[str, float] | None = None,
        *,
        progress: Progress | None = None,
    ) -> FinishedStrategy:
        """Make a strategy.

        Parameters
        ----------
        wanted : str, type of Recipe or Strategy
            A finished strategy is taken as it is.
        parameters : mapping of str to float, optional
            Values of what is free in the recipe; tuned when left out.
        progress : callable, optional
            Told of the tuning.
        """
        faults = Faults("")
        divided = self.attention is not None
        check_wanted(faults, "strategy", [wanted], [self.task], attention=divided)
        faults.raise_if_any()
        if isinstance(wanted, Strategy):
            return FinishedStrategy(wanted)
        if wanted == OPTIMAL:
            return FinishedStrategy(self.optimum.strategy)
        recipe = RECIPES[wanted] if isinstance(wanted, str) else wanted
        if parameters or not recipe.tunable(self.task, *self.pair).parameters:
            return FinishedStrategy(recipe.for_task(self.task, *self.pair, **(parameters or {})))
        tuned = self.tune(recipe, progress)
        return FinishedStrategy(tuned.strategy, tuned)

    def tune(self, recipe: type[Recipe], progress: Progress | None = None) -> Tuned:
        """Tune a recipe, even one with nothing free: its risk is scored on fresh trials."""
        return tune(
            recipe,
            self.task,
            self.costs,
            attention=self.attention,
            thresholds=self.pair,
            method=self.method,
            solution=self.solution if self.attention is None else None,
            n_trials=self.n_trials,
            seed=self.seed,
            threads=self.threads,
            progress=progress,
        )
