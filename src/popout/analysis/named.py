r"""Strategies by name: made, tuned or solved for a task.

A name is that of a recipe (``a-sprt``, ``sprt-opt``, ``sprt``, ``hardmax``, ``time-varying-sprt``),
whose free parameters are tuned (see `tune`), or ``optimal``, the exact solution.
"""

from __future__ import annotations

from collections.abc import Sequence

from popout.analysis.score import fresh_seed
from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import tune
from popout.exact import solve
from popout.strategies import RECIPES, Recipe, Strategy
from popout.task import Costs, Faults, SearchTask
from popout.task.faults import did_you_mean

__all__ = ["OPTIMAL", "STRATEGY_NAMES", "named_strategy", "recipes_of"]

OPTIMAL = "optimal"
STRATEGY_NAMES = (OPTIMAL, *RECIPES)
TUNING = 3
"""Purpose of the seed, see `fresh_seed`."""


def named_strategy(
    name: str,
    task: SearchTask,
    costs: Costs,
    *,
    n_trials: int = 100_000,
    seed: int = 0,
    rtol: float = 1e-4,
    threads: int | None = None,
) -> Strategy:
    """Return the strategy of that name for a task.

    Parameters
    ----------
    name : str
        One of `STRATEGY_NAMES`.
    task : SearchTask
    costs : Costs
    n_trials : int
        Trials of each candidate, where parameters are tuned.
    seed : int
        Of the tuning; it is done on other trials than those of ``simulate(..., seed=seed)``.
    rtol : float
        Accuracy of the exact solution.
    threads : int, optional

    Examples
    --------
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> named_strategy("hardmax", task, Costs(time=0.2)).label
    'Hardmax'
    """
    faults = Faults("")
    if name not in STRATEGY_NAMES:
        remedy = did_you_mean(name, STRATEGY_NAMES, "choose one")
        faults.add("strategy", f"one of {', '.join(STRATEGY_NAMES)}", name, remedy)
    faults.raise_if_any()
    if name == OPTIMAL:
        return solve(task, costs, rtol).strategy
    recipe, pair = RECIPES[name], threshold_pair(task, costs)
    if not recipe.parameters(task, *pair):
        return recipe.for_task(task, *pair)
    tuned = tune(
        recipe,
        task,
        costs,
        thresholds=pair,
        n_trials=n_trials,
        seed=fresh_seed(seed, TUNING),
        threads=threads,
    )
    return tuned.strategy


def recipes_of(names: Sequence[str]) -> list[type[Recipe]]:
    """Return the recipes of these names.

    Examples
    --------
    >>> [recipe.__name__ for recipe in recipes_of(["a-sprt", "hardmax"])]
    ['ASPRT', 'Hardmax']
    """
    faults = Faults("")
    for name in names:
        if name not in RECIPES:
            remedy = did_you_mean(name, RECIPES, "choose from them")
            faults.add("strategies", f"names from {', '.join(RECIPES)}", name, remedy)
    faults.raise_if_any()
    return [RECIPES[name] for name in names]
