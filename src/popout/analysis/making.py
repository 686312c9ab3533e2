r"""Strategies for a task and its costs, made in one place.

What is wanted may be given as a name (``a-sprt``, ``sprt-opt``, ``sprt``, ``hardmax``,
``time-varying-sprt``, any recipe of your own, or ``optimal`` for the exact solution), as a recipe
class, or as a strategy that is finished already. A recipe starts from the thresholds of
discrimination of the task (see `thresholds`); its free parameters are given or else tuned (see
`tune`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import SOLUTION_RTOL, Method, Tuned, tune, tuned_value
from popout.drawing.representation import Card, HasCard
from popout.exact import Solution, solve
from popout.progress import Progress
from popout.strategies import RECIPES, PerLocation, Recipe, Strategy
from popout.task import Costs, Faults, Task
from popout.task.faults import did_you_mean

__all__ = ["OPTIMAL", "FinishedStrategy", "Wanted", "Workshop", "check_wanted", "strategy_names"]

OPTIMAL = "optimal"
Wanted = str | type[Recipe] | Strategy
"""A strategy that is to be made: its name or its recipe; or one that is finished."""


def strategy_names() -> tuple[str, ...]:
    """Return every name a strategy can be made by.

    Examples
    --------
    >>> strategy_names()[:3]
    ('optimal', 'a-sprt', 'sprt-opt')
    """
    return (OPTIMAL, *RECIPES)


def check_wanted(
    faults: Faults, field: str, wanted: Iterable[object], tasks: Sequence[Task] = ()
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
    """
    before = len(faults.faults)
    for task in tasks:
        task.check_observable(faults)
    refused = len(faults.faults) > before
    without_search = [type(task).__name__ for task in tasks if task.search is None]
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
                faults.add(field, "names, recipes such as ASPRT, or strategies", item, "see Recipe")
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
        """Standard errors of what was tuned (``a_minus``, ``tau_plus``); inf if undetermined."""
        return self.tuned.errors if self.tuned else {}

    @property
    def converged(self) -> bool:
        """Whether the tuning came to rest, if there was any."""
        return self.tuned is None or self.tuned.converged

    def card(self) -> Card:
        """Return its numbers with their errors."""
        errors = self.errors
        facts = [
            (name, tuned_value(value, errors[name]) if name in errors else f"{value:.4g}")
            for name, value in self.numbers.items()
        ]
        return Card(self.strategy.label, facts)

    def as_dict(self) -> dict[str, Any]:
        """Return label, parameters and their errors."""
        return {**self.strategy.as_dict(), "parameters_se": self.errors}


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

    Examples
    --------
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
    seed: int = 0
    threads: int | None = None

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
        return solve(self.task, self.costs, self.rtol)

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
        check_wanted(faults, "strategy", [wanted], [self.task])
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
            thresholds=self.pair,
            method=self.method,
            solution=self.solution,
            n_trials=self.n_trials,
            seed=self.seed,
            threads=self.threads,
            progress=progress,
        )
