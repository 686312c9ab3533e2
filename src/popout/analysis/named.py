r"""Strategies by name: made, tuned or solved for a task.

A name is that of a recipe (``a-sprt``, ``sprt-opt``, ``sprt``, ``hardmax``, ``time-varying-sprt``),
whose free parameters are tuned (see `tune`), or ``optimal``, the exact solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import tune
from popout.exact import solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.strategies import RECIPES, Recipe, Strategy
from popout.task import Costs, Faults, SearchTask
from popout.task.faults import did_you_mean

__all__ = ["OPTIMAL", "STRATEGY_NAMES", "Named", "named", "recipes_of"]

OPTIMAL = "optimal"
STRATEGY_NAMES = (OPTIMAL, *RECIPES)


@dataclass(frozen=True)
class Named:
    """A strategy made by name, and how well its tuned parameters are known.

    Attributes
    ----------
    strategy : Strategy
    errors : dict of str to float
        Standard errors of what was tuned, by attribute of the strategy (``a_minus``, ``tau_plus``);
        inf where the trials do not tell.
    """

    strategy: Strategy
    errors: dict[str, float]


def named(
    name: str,
    task: SearchTask,
    costs: Costs,
    *,
    n_trials: int = 100_000,
    seed: int = 0,
    rtol: float = 1e-4,
    threads: int | None = None,
) -> Named:
    """Return the strategy of that name for a task, with the errors of its parameters.

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
    >>> task = SearchTask(n_locations=4, drift=12.0)
    >>> sorted(named("a-sprt", task, Costs(time=1.0), n_trials=8000).errors)
    ['a_minus', 'a_plus']
    """
    faults = Faults("")
    if name not in STRATEGY_NAMES:
        remedy = did_you_mean(name, STRATEGY_NAMES, "choose one")
        faults.add("strategy", f"one of {', '.join(STRATEGY_NAMES)}", name, remedy)
    faults.raise_if_any()
    if name == OPTIMAL:
        return Named(solve(task, costs, rtol).strategy, {})
    recipe, pair = RECIPES[name], threshold_pair(task, costs)
    if not recipe.parameters(task, *pair):
        return Named(recipe.for_task(task, *pair), {})
    tuned = tune(
        recipe,
        task,
        costs,
        thresholds=pair,
        n_trials=n_trials,
        seed=fresh_seed(seed, Purpose.TUNING),
        threads=threads,
    )
    errors = {recipe.attributes.get(key, key): se for key, se in tuned.parameters_se.items()}
    return Named(tuned.strategy, errors)


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
