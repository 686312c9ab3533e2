r"""`tune`: the parameters of a recipe that minimise the risk.

Objective: the risk of ``recipe.for_task(task, tau_minus, tau_plus, **parameters)`` under common
random numbers: every candidate faces the same trials, so the estimate is a deterministic function
of the parameters. With at most three locations, or with a solution in hand, it is the exact optimal
risk plus the regret, which is nearly free of noise; otherwise the mean loss of simulated trials
(see `objective`).

Where the search begins, and what it ends with:

- *An optimum is expected* (see `expected_optimum`): the search begins there. The surface of the
  risk and the expectation are combined, each weighted by its precision (see `surface`): the
  parameters leave the expected values as far as the risk can tell, and stay where it is flat within
  the noise. Their error is that of the combination.
- *None is expected*: the search begins at each of the recipe's starts, coarsely on a few simulated
  trials; then it goes on with surfaces in every valley, and the lowest counts. A parameter whose
  curvature is not significant is not determined; its error is infinite.
- *A candidate that was tried on the way is surely better*: the search begins anew from there,
  whatever was expected.

The optimum of an estimate is biased downwards (it fits the noise), so the risk is scored again on
fresh trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.analysis.expected_optimum import (
    Expected,
    expected_by_fit,
    expected_by_law,
    expected_by_size,
)
from popout.analysis.objective import Objective, RegretObjective, SimulatedRisk
from popout.analysis.score import has_quick_posterior
from popout.analysis.surface import Optimum, coarse, fine, limits
from popout.analysis.thresholds import Pair, threshold_pair
from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking import Attention
from popout.policies.observer import checked_attention
from popout.policies.stopping import ASPRT, RECIPES, BoundaryStrategy, Parameter, Recipe
from popout.policies.stopping.recipe import recipe_of
from popout.progress import UNKNOWN, Progress
from popout.simulation.simulator import check_trials
from popout.task import Costs, Faults, SearchTask, Task, check_costs, check_task

Array = NDArray[np.float64]
Values = dict[str, float]
MAX_EXACT = 3
"""Most locations for which the exact method is the default."""
SOLUTION_RTOL, SMALL_RTOL = 1e-4, 1e-3
EXACT_SHARE, SIMULATED_SHARE, ROUGH_SHARE = 20, 4, 8
"""Every 20th, 4th or 8th trial is used for a candidate: by the exact method, by simulation, and
roughly."""
MOST_RESTARTS, SURE, NARROW = 3, 4.0, 0.4
"""Of the search where it has left a better candidate behind; errors by which that must be better,
among the many that were tried; radius of the design around it."""
SMALL_TRIALS = 40_000
"""For the optimum of a small task, in trials of simulation."""


class Method(StrEnum):
    """How the risk of a candidate is found."""

    EXACT = "exact"
    MONTE_CARLO = "monte carlo"


@dataclass(frozen=True)
class Tuned(HasCard):
    """A tuned strategy, and how well its risk and its parameters are known.

    Attributes
    ----------
    recipe : type of Recipe
    strategy : BoundaryStrategy
    parameters, parameters_se : dict of str to float
        The optimum and its standard error; inf where the risk is flat within the noise and no small
        problem says more.
    risk, risk_se : float
        Scored on fresh trials. With the exact method the error is that of the solution and of the
        regret together.
    risk_in_sample : float
        The value that the search minimised; below the risk, on average, by its optimism.
    method : Method
    evaluations : int
    converged : bool
        False when the optimum still moved after 12 surfaces.
    undecided : int
        Trials of the score that reached the time limit; with any, the risk is a lower bound.
    expected : dict of str to float
        The optimum that was expected, where it had a part in the result.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> tuned = po.tune(po.ASPRT, task, costs, n_trials=2000, seed=1)
    >>> sorted(tuned.parameters), tuned.converged
    (['a_minus', 'a_plus'], True)
    >>> abs(tuned.risk - po.solve(task, costs).risk) < 4 * tuned.risk_se + 1e-4
    True
    """

    recipe: type[Recipe]
    strategy: BoundaryStrategy
    parameters: Values = field(hash=False)
    parameters_se: Values = field(hash=False)
    risk: float
    risk_se: float
    risk_in_sample: float
    method: Method
    evaluations: int
    converged: bool
    undecided: int = 0
    expected: Values = field(default_factory=dict, hash=False)

    @property
    def numbers(self) -> Values:
        """The optimum, by the names that the strategy has for the parameters (``tau_plus``)."""
        return {self.recipe.attributes.get(name, name): v for name, v in self.parameters.items()}

    @property
    def errors(self) -> Values:
        """Standard errors, by the names that the strategy has for the parameters."""
        return dict(zip(self.numbers, self.parameters_se.values(), strict=True))

    def card(self) -> Card:
        """Return what is shown of it."""
        state = "converged" if self.converged else "NOT converged"
        late = f"{count(self.undecided, 'trial')} undecided; the risk is a lower bound"
        errors = self.parameters_se
        return Card(
            f"{self.strategy.label}, tuned: risk {with_error(self.risk, self.risk_se)}",
            [("found", f"{self.method}, {self.evaluations} evaluations, {state}")],
            ["parameter", "value"],
            [[name, tuned_value(value, errors[name])] for name, value in self.parameters.items()],
            late if self.undecided else "",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything but recipe and strategy, of which only the label remains."""
        values = {key: value for key, value in vars(self).items() if key != "recipe"}
        as_plain: dict[str, Any] = plain({**values, "strategy": self.strategy.label})
        return as_plain


def tuned_value(value: float, se: float) -> str:
    """Return a tuned parameter in words.

    Examples
    --------
    >>> tuned_value(1.642, 0.031), tuned_value(0.7, math.inf)
    ('1.642 +- 0.031', '0.7000 (not determined by these trials)')
    """
    if math.isfinite(se):
        return with_error(value, se)
    return f"{value:.4f} (not determined by these trials)"


def tune(
    recipe: type[Recipe] | str,
    task: Task,
    costs: Costs,
    *,
    attention: Attention | type[Attention] | None = None,
    thresholds: Pair | None = None,
    method: Method | str | None = None,
    solution: Solution | None = None,
    n_trials: int = 200_000,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Choose the free parameters of a recipe so that the risk is least.

    Parameters
    ----------
    recipe : type of Recipe, or its name
        For example ``SPRTOpt`` (thresholds), ``ASPRT`` (scales), ``TimeVaryingSPRT``.
    task : Task
    costs : Costs
    attention : Attention or a class of it, optional
        Where the observer looks; needed where the task leaves that to it.
    thresholds : pair, optional
        ``(tau_minus, tau_plus)`` of discrimination, each a number or one per location; computed
        when left out.
    method : Method, optional
        Default: exact with at most three locations, or with a solution.
    solution : Solution, optional
        Of this task and these costs, for the exact method; solved when left out.
    n_trials : int
        The effort. A candidate is tried on a quarter of the trials, where errors count by their
        probability; on all of them with unknown distractors; on a twentieth by the exact method.
    seed : int
        Of the common random numbers.
    threads : int, optional
    progress : callable, optional
        Called with an unknown share, and the number of evaluations in words.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> from popout.policies.stopping import SPRTOpt
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=4, drift=4.0)
    >>> tuned = tune(SPRTOpt, task, Costs(time=1.0), n_trials=5_000)
    >>> tuned.converged, tuned.method.value
    (True, 'monte carlo')
    """
    faults = Faults("tune")
    check_task(faults, "task", task)
    check_costs(faults, "costs", costs)
    known = recipe_of(recipe)
    if known is None:
        expected_recipe = f"a recipe, or one of {', '.join(RECIPES)}"
        remedy = "choose one, or a recipe such as ASPRT; a finished strategy has nothing free"
        faults.add("recipe", expected_recipe, recipe, remedy)
    faults.raise_if_any()  # the checks below rest on these
    assert known is not None
    policy = checked_attention(faults, task, attention)
    n_trials = check_trials(faults, "n_trials", n_trials, at_least=1000)
    few = task.n_locations <= MAX_EXACT or solution is not None
    usual = Method.EXACT if few and task.search is not None else Method.MONTE_CARLO
    chosen = usual if method is None else method
    if chosen not in list(Method):
        faults.add("method", "exact or monte carlo", method, "choose one, or leave it out")
    elif chosen == Method.EXACT and task.search is None:
        what = "reshuffled items" if task.steps_per_period else "unknown distractors"
        faults.add("method", f"monte carlo for {what}", method, "leave it out")
    if solution is not None and (solution.task != task or solution.costs != costs):
        faults.add("solution", "that of the task and costs", solution, "solve the same problem")
    faults.raise_if_any()

    discrimination = threshold_pair(task, costs)
    pair = discrimination if thresholds is None else thresholds
    free = known.tunable(task, *pair)
    looks = looking_may_pay(task, discrimination)
    expects = looks and _same(task, pair, discrimination)
    expected: Expected | None = None

    def simulated(n: int) -> SimulatedRisk:
        return SimulatedRisk(task, costs, max(1000, n), threads, policy)

    if chosen == Method.EXACT:
        solution = solution or solve(task.search or task, costs, SOLUTION_RTOL)
        objective: Objective = RegretObjective(solution, max(1000, n_trials // EXACT_SHARE))
        judge = objective
        if expects and known is ASPRT:
            expected = expected_by_fit(solution.task, free.parameters, _fitted(solution))
    else:
        if expects and task.n_locations > MAX_EXACT:
            if known is ASPRT and policy is None:
                expected = expected_by_law(task, costs, free.parameters)
            expected = expected or expected_by_size(
                task, free.parameters, lambda small: _small_optimum(known, small, costs)
            )
        objective = simulated(
            n_trials // SIMULATED_SHARE if has_quick_posterior(task) else n_trials
        )
        judge = simulated(n_trials)

    parameters = free.parameters if expected is None else expected.parameters
    candidates = _Candidates(
        lambda values: known.for_task(task, *pair, **values), parameters, objective, seed, progress
    )
    best = None
    if looks or not free.at_once:
        starts = free.starts or ({},)
        best = candidates.lowest(expected, starts, simulated(n_trials // ROUGH_SHARE))
        best = candidates.restarted(best, free.contains) if looks else best
    for at in free.at_once:
        guess = _Found(at, candidates.risk(at), np.full(len(parameters), np.inf))
        if best is None or _surely_lower(guess.risk, best.risk):
            best = guess
    assert best is not None
    strategy = candidates.make(best.values)
    score = judge.score(strategy, fresh_seed(seed, Purpose.TUNED_RISK))
    errors = zip(parameters, best.se, strict=True)
    return Tuned(
        recipe=known,
        strategy=strategy,
        parameters=best.values,
        parameters_se={p.name: p.spread(best.values[p.name], float(se)) for p, se in errors},
        risk=score.value,
        risk_se=score.se,
        risk_in_sample=float(best.risk.mean()),
        method=Method(chosen),
        evaluations=candidates.count,
        converged=best.converged,
        undecided=score.undecided,
        expected={p.name: p.start for p in parameters} if best.used_prior else {},
    )


def _same(task: Task, pair: Pair, discrimination: Pair) -> bool:
    """Return whether thresholds are those of discrimination, on which exact scales rest."""
    return task.search is not None and all(
        np.allclose(np.broadcast_to(mine, np.shape(theirs)), theirs, rtol=0.0, atol=0.01)
        for mine, theirs in zip(pair, discrimination, strict=True)
    )


@lru_cache(maxsize=64)
def _small_optimum(recipe: type[Recipe], task: SearchTask, costs: Costs) -> Values:
    """Return the optimal parameters of a small task; the same for every large one like it."""
    if recipe is ASPRT:
        return _fitted(solve(task, costs, SMALL_RTOL))
    return tune(recipe, task, costs, method=Method.EXACT, n_trials=SMALL_TRIALS).parameters


def _fitted(solution: Solution) -> Values:
    """Return the scales of a-SPRT that fit the exact boundary."""
    return {"a_minus": solution.scales.a_minus, "a_plus": solution.scales.a_plus}


def looking_may_pay(task: Task, discrimination: Pair) -> bool:
    """Return whether the prior odds lie between the thresholds of discrimination of some location.

    Where they do not, nobody told where a target would be should look; all the less without.
    """
    if task.search is None:
        return True
    lower, upper = discrimination
    return bool(np.min(lower) < task.log_prior_odds < np.max(upper))


def _surely_lower(risk: Array, other: Array, errors: float = 2.0) -> bool:
    """Return whether a risk is lower than another by more than some standard errors, in batches."""
    difference = risk - other
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    return bool(difference.mean() < -errors * error - np.finfo(np.float64).eps)


class _Found(NamedTuple):
    """Where a search ended: values, their risk in batches, and what `Optimum` says."""

    values: Values
    risk: Array
    se: Array
    converged: bool = True
    used_prior: bool = False


@dataclass
class _Candidates:
    """Makes candidates, finds their risk on common trials, and remembers all of them."""

    make: Callable[[Values], BoundaryStrategy]
    parameters: tuple[Parameter, ...]
    objective: Objective
    seed: int
    progress: Progress | None
    count: int = 0
    tried: list[tuple[Values, Array]] = field(default_factory=list)

    def risk(self, values: Values, by: Objective | None = None) -> Array:
        """Return the risk in batches of trials, by the objective unless another one is named."""
        self.count += 1
        if self.progress is not None:
            self.progress(UNKNOWN, f"{self.count} evaluations")
        risk = (by or self.objective).batches(self.make(values), self.seed)
        if by is None:
            self.tried.append((values, risk))
        return risk

    def values(self, u: Array) -> Values:
        """Return the parameters at some steps from the start."""
        return {p.name: p.at(float(v)) for p, v in zip(self.parameters, u, strict=True)}

    def fine(self, u: Array, **how: Any) -> _Found:
        """Search finely around some steps."""
        optimum = Optimum(u, u)
        if self.parameters:
            optimum = fine(lambda v: self.risk(self.values(v)), self.parameters, u, **how)
        values = self.values(optimum.u)
        return _Found(values, self.risk(values), *optimum[1:])

    def lowest(
        self, expected: Expected | None, starts: Sequence[Values], rough: Objective
    ) -> _Found:
        """Search where the optimum is expected, or else in every valley."""
        nowhere = np.zeros(len(self.parameters))
        if expected is not None:
            return self.fine(nowhere, radius=expected.radius, spread=expected.spread)
        if not self.parameters:
            return self.fine(nowhere)
        valleys = coarse(
            lambda u: float(self.risk(self.values(u), rough).mean()),
            self.parameters,
            [self._near(place) for place in starts],
        )
        return min(map(self.fine, valleys), key=lambda end: float(end.risk.mean()))

    def restarted(self, best: _Found, contains: Sequence[Values]) -> _Found:
        """Search again from what was tried on the way, or is contained, if it is surely better."""
        for values in contains:
            self.risk(values)
        for _ in range(MOST_RESTARTS):
            rivals = [pair for pair in self.tried if _surely_lower(pair[1], best.risk, SURE)]
            if not rivals:
                break
            values, risk = min(rivals, key=lambda pair: float(pair[1].mean()))
            u = np.array([p.steps_to(values[p.name]) for p in self.parameters])
            best = self.fine(u, radius=NARROW)
            if _surely_lower(risk, best.risk):
                best = _Found(values, risk, np.full(len(u), np.inf), converged=False)
        return best

    def _near(self, at: Values) -> Array:
        """Return steps to some values, well inside the bounds; to the start where there is none."""
        lower, upper = limits(self.parameters)
        known = {name: value for name, value in at.items() if not math.isnan(value)}
        steps = [
            p.steps_to(float(np.clip(known[p.name], p.lower, p.upper))) if p.name in known else 0.0
            for p in self.parameters
        ]
        return np.clip(steps, lower + 0.5, upper - 0.5)
