r"""Observers for a task and its costs, made in one place.

A strategy may be wanted by name (``a-sprt``, ``sprt-opt``, ``sprt``, ``hardmax``,
``hardmax-per-location``, ``hardmax-opt``, ``time-varying-sprt``, any recipe of your own, or
``optimal`` for the exact solution), as a recipe class, or finished already. A recipe starts from
the thresholds of discrimination of the task (see `thresholds`); its free parameters are given or
else tuned (see `tune`). Where the task leaves it to the observer how information is shared out,
attention may be wanted by name, class or policy too, and strategies are made for it; the optimum is
the observer whose attention and strategy are both ``optimal``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import Method, Tuned, looking_may_pay, tune, tuned_value
from popout.drawing.representation import Card, with_error
from popout.exact import Solution, solve
from popout.exact.notes import problem_notes
from popout.policies.looking import Attention
from popout.policies.looking.names import named_attention
from popout.policies.observer import Observer, checked_attention
from popout.policies.stopping import RECIPES, PerLocation, Recipe, Strategy
from popout.policies.stopping.recipe import recipe_of
from popout.policies.stopping.strategy import typed
from popout.policies.vocabulary import OPTIMAL
from popout.progress import Progress
from popout.simulation import Summary
from popout.task import Costs, Faults, Task
from popout.task.faults import did_you_mean

Wanted = str | type[Recipe] | Strategy
"""A strategy that is to be made: its name or its recipe; or one that is finished."""
WantedAttention = str | Attention | type[Attention]
"""An attention policy: its name or its class; or one that is finished."""
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
    whole = [task for task in tasks if isinstance(task, Task) and not task.look.is_chosen]
    without_search = [type(task).__name__ for task in whole if task.equivalent is None]
    for item in wanted:
        recipe, names = recipe_of(item), ", ".join(strategy_names())
        is_optimal = isinstance(item, str) and item == OPTIMAL
        if (is_optimal or (recipe and recipe.is_local)) and without_search:
            expected = f"strategies on S, the one state of a {without_search[0]}"
            remedy = "it takes a log likelihood ratio for each location; use sprt-opt"
            faults.add(field, expected, recipe.name if recipe else item, remedy)
        elif is_optimal or recipe is not None or isinstance(item, Strategy):
            continue
        elif isinstance(item, str):
            remedy = did_you_mean(item, strategy_names(), "choose one")
            faults.add(field, f"one of {names}", item, remedy)
        else:
            remedy = f"choose one of {names}, or a recipe such as ASPRT"
            faults.add(field, "a name, a recipe or a strategy", item, remedy)


def wanted_attention(
    faults: Faults, task: Task, wanted: Any, costs: Costs | None = None, *, steady: bool = False
) -> Attention | None:
    """Return the policy that is wanted by name, class or itself; None for the optimum, or none.

    Parameters
    ----------
    faults : Faults
        Told of a name that there is not, of attention that is missing, of no use or for another
        task.
    task : Task
    wanted : `WantedAttention` or None
    costs : Costs, optional
        What errors cost, for policies that care.
    steady : bool
        Whether it must not change with time, as for optimal stopping.
    """
    if isinstance(wanted, str) and task.look.is_chosen:
        wanted = named_attention(wanted, task, faults)
        if wanted is None:
            return None
    return checked_attention(faults, task, wanted, costs=costs, steady=steady)


@dataclass(frozen=True)
class FinishedObserver(Observer):
    """An observer with every number in it, and how well what was tuned or solved is known.

    Attributes
    ----------
    tuned : Tuned or None
        Where its strategy was tuned.
    solution : Solution or None
        Where its strategy was solved.

    Examples
    --------
    >>> import popout as po
    >>> task = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> observer = Workshop(task, po.Costs(time=0.2), attention="serial").make("sprt")
    >>> observer.label, observer.converged
    ('serial, SPRT', True)
    """

    tuned: Tuned | None = None
    solution: Solution | None = None

    @property
    def numbers(self) -> dict[str, float]:
        """Parameters of its strategy that are single numbers, and those that were tuned."""
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

    @property
    def flat(self) -> bool:
        """Whether the trials leave a number at some knot undetermined."""
        lists = [se for se in self.shaped_errors.values() if isinstance(se, list)]
        return any(math.isinf(se) for each in lists for se in each)

    @property
    def converged(self) -> bool:
        """Whether the tuning came to rest, if there was any."""
        return self.tuned is None or self.tuned.converged

    def row(self) -> dict[str, float]:
        """Return its part of a row of a table: its numbers, and the errors of those tuned."""
        return self.numbers | {f"{name}_se": se for name, se in self.errors.items()}

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
        looks = [] if self.attention is None else [f"{self.attention.label} attention"]
        return Card(
            ", ".join([self.strategy.label, *looks]),
            facts,
            [HEADINGS.get(name, name) for name in columns],
            list(zip(*columns.values(), strict=True)),
            "flat: these trials do not determine it" if self.flat else "",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the names of both, the parameters and their errors."""
        numbers = {**self.strategy.as_dict(), "parameters_se": typed(self.shaped_errors)}
        return {**super().as_dict(), **numbers}


def _at_knot(value: float, se: float) -> str:
    """Return a number in a table; what was not tuned has no error."""
    if math.isnan(se):
        return f"{value:.4g}"
    return with_error(value, se) if math.isfinite(se) else f"{value:.3f} (flat)"


@dataclass(frozen=True)
class Workshop:
    """Makes observers for one task and its costs.

    Parameters
    ----------
    task : Task
    costs : Costs
    thresholds : pair, optional
        ``(tau_minus, tau_plus)`` of discrimination, each a number or one per location; what is None
        is computed, once.
    solution : Solution, optional
        Of the task and the costs (and the attention, unless that is optimal): the optimal strategy,
        and what others are tuned by.
    rtol : float, optional
        Of the solution that ``optimal`` needs where there is none.
    method, n_trials, seed, threads
        Of the tuning, see `tune`.
    memory_limit : int, optional
        Of the solution, in bytes.
    attention : name, Attention or a class of it, optional
        Where the observers look, if the task leaves that to them.

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
    rtol: float | None = None
    method: Method | None = None
    n_trials: int = 200_000
    seed: int = 1
    threads: int | None = None
    memory_limit: int | None = None
    attention: WantedAttention | None = None

    @cached_property
    def pair(self) -> Pair:
        """The thresholds of discrimination: those given, the others computed."""
        lower, upper = self.thresholds
        if lower is not None and upper is not None:
            return lower, upper
        solved = threshold_pair(self.task, self.costs)
        return solved[0] if lower is None else lower, solved[1] if upper is None else upper

    @cached_property
    def policy(self) -> Attention | None:
        """Where the observers look; None if there is no choice."""
        given = self._given
        return self.optimum.attention if given is None and self.attention is not None else given

    @cached_property
    def _given(self) -> Attention | None:
        """The attention that needs no solution; None for the optimal one too."""
        faults = Faults("")
        policy = wanted_attention(faults, self.task, self.attention, self.costs)
        faults.raise_if_any()
        return policy

    @cached_property
    def optimum(self) -> Solution:
        """The exact solution: the one given, or else solved."""
        if self.solution is not None:
            return self.solution
        task = self.task.equivalent or self.task if self.attention is None else self.task
        limit = self.memory_limit
        return solve(task, self.costs, self.rtol, attention=self._given, memory_limit=limit)

    def make(
        self,
        wanted: Wanted,
        parameters: Mapping[str, float] | None = None,
        *,
        progress: Progress | None = None,
    ) -> FinishedObserver:
        """Make an observer.

        Parameters
        ----------
        wanted : str, type of Recipe or Strategy
            When to stop; a finished strategy is taken as it is.
        parameters : mapping of str to float, optional
            Values of what is free in the recipe; tuned when left out.
        progress : callable, optional
            Told of the tuning.
        """
        faults = Faults("")
        check_wanted(faults, "strategy", [wanted], [self.task])
        wanted_attention(faults, self.task, self.attention)
        faults.raise_if_any()
        if isinstance(wanted, Strategy):
            return FinishedObserver(self.policy, wanted)
        if wanted == OPTIMAL:
            return FinishedObserver(self.policy, self.optimum.strategy, solution=self.optimum)
        recipe = recipe_of(wanted)
        assert recipe is not None
        if parameters or not recipe.tunable(self.task, *self.pair).parameters:
            strategy = recipe.for_task(self.task, *self.pair, **(parameters or {}))
            return FinishedObserver(self.policy, strategy)
        tuned = self.tune(recipe, progress)
        return FinishedObserver(self.policy, tuned.strategy, tuned)

    def tune(self, recipe: type[Recipe], progress: Progress | None = None) -> Tuned:
        """Tune a recipe, even one with nothing free: its risk is scored on fresh trials."""
        return tune(
            recipe,
            self.task,
            self.costs,
            attention=self.policy,
            thresholds=self.pair,
            method=self.method,
            solution=self.solution if self.attention is None else None,
            n_trials=self.n_trials,
            seed=self.seed,
            threads=self.threads,
            progress=progress,
        )

    def notes(self, summary: Summary) -> tuple[str, ...]:
        """Say what looks wrong with the task, from the response times of an observer made for it.

        Nothing where information is shared out: a step has another length at every share.
        """
        if self.attention is not None:
            return ()
        p = self.task.prior
        mean_rt = (1.0 - p) * summary.absent.mean_rt + p * summary.present.mean_rt
        if mean_rt <= 0.0 and looking_may_pay(self.task, self.pair):
            return ("It answers before it looks, which need not be the best: see popout compare.",)
        return problem_notes(self.task, self.costs, mean_rt)
