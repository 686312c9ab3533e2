r"""`tune`: the parameters of a recipe that minimise the risk.

Objective: the risk of ``recipe.for_task(task, tau_minus, tau_plus, **parameters)`` under common
random numbers: every candidate faces the same trials, so the estimate is a deterministic function
of the parameters. With at most three locations, or with a solution in hand, it is the exact optimal
risk plus the regret, which is nearly free of noise; otherwise the mean loss of simulated trials
(see `objective`).

Where the search begins, and what it ends with:

- *An optimum is expected* (see `expected`): of a-SPRT with an exact solution, the scales fitted to
  the exact boundary; with more locations, those of a law, or the optima of exactly solved small
  problems, continued.
  The search begins there. The surface of the risk and the expectation are combined, each weighted
  by its precision (see `surface`): the parameters leave the expected values as far as the risk can
  tell, and stay where it is flat within the noise. Their error is that of the combination. Where
  the surface alone is sure of a minimum more than four standard errors away, the expectation is
  given up.
- *None is expected*: the search begins at each of the recipe's starts, coarsely on a few simulated
  trials; then it goes on with surfaces in every valley found (see `search`), and the lowest counts.
  A parameter whose curvature is not significant is not determined; its error is infinite.

The optimum of an estimate is biased downwards (it fits the noise), so the risk is scored again on
fresh trials.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from popout.analysis.expected import (
    Expected,
    expected_optimum,
    fitted_optimum,
    lawful_optimum,
)
from popout.analysis.objective import Objective, RegretObjective, SimulatedRisk
from popout.analysis.score import has_quick_posterior
from popout.analysis.search import Optimum, coarse, fine, limits
from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tuned import Method, Tuned
from popout.exact import Solution, solve
from popout.exact.discretisation import check_attention, check_divided
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking import Attention
from popout.policies.stopping import ASPRT, RECIPES, BoundaryStrategy, Parameter, Recipe, Tunable
from popout.progress import UNKNOWN, Progress
from popout.simulation.simulate import check_trials
from popout.task import Costs, Faults, SearchTask, Task, check_costs, check_task

Array = NDArray[np.float64]
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
    max_evaluations: int = 500,
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
        Where the observer looks; a `LimitedSearchTask` needs one.
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
    max_evaluations : int
        Of each coarse search.
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
    recipe = _recipe(faults, recipe)
    faults.raise_if_any()  # the checks below rest on these
    policy = None
    if attention is None:
        task.check_observable(faults)
    else:
        check_divided(faults, task)
        policy = check_attention(faults, task, attention, may_change=True)
    n_trials = check_trials(faults, "n_trials", n_trials, at_least=1000)
    limit = faults.integer("max_evaluations", max_evaluations, "allow some", at_least=10)
    chosen = _choose(faults, method, task, solution)
    if solution is not None and (solution.task != task or solution.costs != costs):
        faults.add("solution", "that of the task and costs", solution, "solve the same problem")
    faults.raise_if_any()
    discrimination = threshold_pair(task, costs)
    pair = discrimination if thresholds is None else thresholds
    own = _same(task, pair, discrimination)
    free = recipe.tunable(task, *pair)
    looks = looking_may_pay(task, discrimination)
    plan = _Plan(
        recipe, free, task, costs, pair, looks, chosen, n_trials, limit, seed, threads, policy
    )
    expected = None
    if chosen is Method.EXACT:
        solution = solution or solve(task.search or task, costs, SOLUTION_RTOL)
        objective: Objective = RegretObjective(solution, max(1000, n_trials // EXACT_SHARE))
        if own and looks and recipe is ASPRT:
            expected = fitted_optimum(solution.task, free.parameters, _fitted(solution))
    else:
        if own and looks and task.n_locations > MAX_EXACT:
            if recipe is ASPRT and attention is None:
                expected = lawful_optimum(task, costs, free.parameters)
            expected = expected or expected_optimum(
                task, free.parameters, lambda small: _small_optimum(recipe, small, costs)
            )
        share = SIMULATED_SHARE if has_quick_posterior(task) else 1
        objective = SimulatedRisk(task, costs, max(1000, n_trials // share), threads, policy)
    return plan.carry_out(objective, progress, expected)


def _choose(
    faults: Faults, method: Method | str | None, task: Task, solution: Solution | None
) -> Method:
    few = task.search is not None and task.n_locations <= MAX_EXACT
    if method is None:
        return Method.EXACT if few or solution is not None else Method.MONTE_CARLO
    if method not in list(Method):
        faults.add("method", "exact or monte carlo", method, "choose one, or leave it out")
    elif method == Method.EXACT and task.search is None:
        faults.add("method", "monte carlo for unknown distractors", method, "leave it out")
    else:
        return Method(method)
    return Method.MONTE_CARLO


def _recipe(faults: Faults, wanted: object) -> type[Recipe]:
    """Return the recipe that is meant by itself or by its name."""
    recipe = RECIPES.get(wanted) if isinstance(wanted, str) else wanted
    if isinstance(recipe, type) and issubclass(recipe, Recipe):
        return recipe
    remedy = "choose one of them, or a recipe such as ASPRT; a finished strategy has nothing free"
    faults.add("recipe", f"a recipe, or one of {', '.join(RECIPES)}", wanted, remedy)
    return ASPRT


def _same(task: Task, pair: Pair, discrimination: Pair) -> bool:
    """Return whether thresholds are those of discrimination, on which exact scales rest."""
    if task.search is None:
        return False
    return all(
        np.allclose(np.broadcast_to(mine, np.shape(theirs)), theirs, rtol=0.0, atol=0.01)
        for mine, theirs in zip(pair, discrimination, strict=True)
    )


@lru_cache(maxsize=64)
def _small_optimum(recipe: type[Recipe], task: SearchTask, costs: Costs) -> dict[str, float]:
    """Return the optimal parameters of a small task; the same for every large one like it."""
    if recipe is ASPRT:
        return _fitted(solve(task, costs, SMALL_RTOL))
    return tune(recipe, task, costs, method=Method.EXACT, n_trials=SMALL_TRIALS).parameters


def _fitted(solution: Solution) -> dict[str, float]:
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


@dataclass(frozen=True)
class _Plan:
    """A search that is ready to go."""

    recipe: type[Recipe]
    free: Tunable
    task: Task
    costs: Costs
    pair: Pair
    looks: bool
    method: Method
    n_trials: int
    max_evaluations: int
    seed: int
    threads: int | None
    attention: Attention | None

    def carry_out(
        self, objective: Objective, progress: Progress | None, expected: Expected | None
    ) -> Tuned:
        """Search, and score the optimum on fresh trials."""
        parameters = self.free.parameters if expected is None else expected.parameters
        candidates = _Candidates(self, parameters, objective, progress)
        best = None
        if self.looks or not self.free.at_once:
            best = self._searched(candidates, expected)
        for at in self.free.at_once:
            guess = _Found(at, np.full(len(parameters), np.inf), candidates.risk(at))
            if best is None or _surely_lower(guess.batches, best.batches):
                best = guess
        assert best is not None
        judge: Objective = objective
        if self.method is Method.MONTE_CARLO:
            judge = self._simulated(self.n_trials)
        strategy = candidates.strategy(best.values)
        score = judge.score(strategy, fresh_seed(self.seed, Purpose.TUNED_RISK))
        return Tuned(
            recipe=self.recipe,
            strategy=strategy,
            parameters=best.values,
            parameters_se={
                p.name: p.spread(best.values[p.name], float(se))
                for p, se in zip(parameters, best.se, strict=True)
            },
            risk=score.value,
            risk_se=score.se,
            risk_in_sample=float(best.batches.mean()),
            method=self.method,
            evaluations=candidates.count,
            converged=best.converged,
            undecided=score.undecided,
            expected={p.name: p.start for p in parameters} if best.used_prior else {},
        )

    def _simulated(self, n_trials: int) -> SimulatedRisk:
        return SimulatedRisk(self.task, self.costs, n_trials, self.threads, self.attention)

    def _searched(self, candidates: _Candidates, expected: Expected | None) -> _Found:
        """Return the best of those who look, no worse than any that was tried on the way."""
        parameters, grain = candidates.parameters, candidates.objective.grain
        nowhere = np.zeros(len(parameters))
        optima = [Optimum(nowhere, nowhere, True)]
        if expected is not None:
            spread, radius = expected.spread, expected.radius
            at = candidates.at
            optima = [fine(at, parameters, nowhere, radius=radius, spread=spread, grain=grain)]
        elif parameters:
            starts = [_near(parameters, place) for place in self.free.starts or ({},)]
            rough = self._simulated(max(1000, self.n_trials // ROUGH_SHARE))
            valleys = coarse(
                lambda u: float(candidates.at(u, rough).mean()),
                parameters,
                starts,
                self.max_evaluations,
            )
            optima = [fine(candidates.at, parameters, u, grain=grain) for u in valleys]
        found = [candidates.found(optimum) for optimum in optima]
        best = min(found, key=lambda one: float(one.batches.mean()))
        if not self.looks:
            return best
        for values in self.free.contains:
            candidates.risk(values)
        for _ in range(MOST_RESTARTS):
            # What was tried on the way may be better than where the search ended.
            least = best.batches
            rivals = [one for one in candidates.tried if _surely_lower(one[1], least, SURE)]
            if not rivals:
                break
            values, risk = min(rivals, key=lambda pair: float(pair[1].mean()))
            u = candidates.steps(values)
            best = candidates.found(fine(candidates.at, parameters, u, radius=NARROW, grain=grain))
            if _surely_lower(risk, best.batches):
                best = _Found(values, np.full(len(u), np.inf), risk, converged=False)
        return best


@dataclass(frozen=True)
class _Found:
    """Where a search ended.

    Attributes
    ----------
    values : dict of str to float
    se : ndarray of shape (d,)
        In steps of each parameter.
    batches : ndarray of shape (B,)
        The risk in batches of trials.
    converged, used_prior : bool
        See `Optimum`.
    """

    values: dict[str, float]
    se: Array
    batches: Array
    converged: bool = True
    used_prior: bool = False


@dataclass
class _Candidates:
    """Makes candidates, finds their risk on common trials, and remembers all of them."""

    plan: _Plan
    parameters: tuple[Parameter, ...]
    objective: Objective
    progress: Progress | None
    count: int = 0
    tried: list[tuple[dict[str, float], Array]] = field(default_factory=list)

    def strategy(self, values: dict[str, float]) -> BoundaryStrategy:
        """Make one."""
        return self.plan.recipe.for_task(self.plan.task, *self.plan.pair, **values)

    def risk(self, values: dict[str, float], by: Objective | None = None) -> Array:
        """Return the risk in batches of trials, by the objective unless another one is named."""
        self.count += 1
        if self.progress is not None:
            self.progress(UNKNOWN, f"{self.count} evaluations")
        risk = (by or self.objective).batches(self.strategy(values), self.plan.seed)
        if by is None:
            self.tried.append((values, risk))
        return risk

    def at(self, u: Array, by: Objective | None = None) -> Array:
        """Return the risk at some steps from the start."""
        return self.risk(self.values(u), by)

    def values(self, u: Array) -> dict[str, float]:
        """Return the parameters at some steps from the start."""
        return {p.name: p.at(float(v)) for p, v in zip(self.parameters, u, strict=True)}

    def steps(self, values: dict[str, float]) -> Array:
        """Return the steps that lead to some values."""
        return np.array([p.steps_to(values[p.name]) for p in self.parameters])

    def found(self, optimum: Optimum) -> _Found:
        """Return an optimum with its risk."""
        values = self.values(optimum.u)
        risk = self.risk(values)
        return _Found(values, optimum.se, risk, optimum.converged, optimum.used_prior)


def _near(parameters: tuple[Parameter, ...], at: dict[str, float]) -> Array:
    """Return steps to some values, well inside the bounds; to the start where there is none."""
    lower, upper = limits(parameters)
    steps = [
        0.0
        if math.isnan(at.get(p.name, math.nan))
        else p.steps_to(float(np.clip(at[p.name], p.lower, p.upper)))
        for p in parameters
    ]
    return np.clip(steps, lower + 0.5, upper - 0.5)
