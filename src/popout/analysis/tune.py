r"""`tune`: the parameters of a recipe that minimise the risk.

Objective: the risk of ``recipe.for_task(task, tau_minus, tau_plus, **parameters)`` under common
random numbers: every candidate faces the same trials, so the estimate is a deterministic function
of the parameters. With at most three locations it is the exact optimal risk plus the regret, which
is nearly free of noise; otherwise the mean loss of simulated trials (see `objective`).

Search, in units of each parameter's own scale:

1. coarse, on an eighth of the trials: COBYQA (Ragonneau and Zhang 2022), a derivative-free
   trust-region method with bounds, down to a step of 0.3 scales;
2. fine, on all trials: the minimum of a least-squares quadratic surface around the last optimum
   (see `surface`), moved there and fitted again until it moves by less than half the radius of its
   design. While the error of the minimum is below a tenth of the radius, what the parabola leaves
   out may matter more than the noise, and the design is shrunk. The search stops when the error is
   above a tenth of the radius, or the radius at 0.03 scales; 15 surfaces without that are reported
   as ``converged = False``. Where the surface is not convex the search moves to the best point of
   the design, if that is significantly better than its centre, or else shrinks the design.

The optimum of an estimate is biased downwards (it fits the noise), so the risk is scored again on
fresh trials. Parameter errors come from the jackknife over batches of trials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from popout.analysis.objective import Objective, RegretObjective, SimulatedRisk
from popout.analysis.score import fresh_seed
from popout.analysis.surface import design, jackknife_minimum
from popout.analysis.thresholds import Pair, threshold_pair
from popout.exact import solve
from popout.strategies import BoundaryStrategy, Parameter, Recipe
from popout.task import Costs, Faults, SearchTask, Task

__all__ = ["Method", "Tuned", "tune"]

Array = NDArray[np.float64]
Progress = Callable[[int], None]

N_BATCHES = 40
"""Batches of trials for the jackknife."""
MAX_SURFACES = 15
SMALLEST_RADIUS = 0.03
"""Of the design around the optimum, in scales of the parameters."""
MAX_EXACT = 3
"""Most locations for which the exact method is the default."""
SOLUTION_RTOL = 1e-4


class Method(StrEnum):
    """How the risk of a candidate is found."""

    EXACT = "exact"
    MONTE_CARLO = "monte carlo"


@dataclass(frozen=True)
class Tuned:
    """A tuned strategy, and how well its risk and its parameters are known.

    Attributes
    ----------
    strategy : BoundaryStrategy
    parameters, parameters_se : dict of str to float
        The optimum and its standard error; inf where the risk is flat within the noise.
    risk, risk_se : float
        Scored on fresh trials. With the exact method the error is that of the solution and of the
        regret together.
    risk_in_sample : float
        The value that the search minimised; below the risk, on average, by its optimism.
    method : Method
    evaluations : int
    converged : bool
        False when the optimum still moved after 15 surfaces.
    """

    strategy: BoundaryStrategy
    parameters: dict[str, float] = field(hash=False)
    parameters_se: dict[str, float] = field(hash=False)
    risk: float
    risk_se: float
    risk_in_sample: float
    method: Method
    evaluations: int
    converged: bool

    def __str__(self) -> str:
        """Return a few lines."""
        label = getattr(self.strategy, "label", type(self.strategy).__name__)
        state = "converged" if self.converged else "NOT converged"
        lines = [
            f"{label}: risk {self.risk:.6f} +- {self.risk_se:.6f} "
            f"({self.method}, {self.evaluations} evaluations, {state})"
        ]
        for name, value in self.parameters.items():
            lines.append(f"  {name} = {value:.4f} +- {self.parameters_se[name]:.4f}")
        return "\n".join(lines)


def tune(
    recipe: type[Recipe],
    task: Task,
    costs: Costs,
    *,
    thresholds: Pair | None = None,
    method: Method | str | None = None,
    n_trials: int = 200_000,
    seed: int = 0,
    max_evaluations: int = 500,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Choose the free parameters of a recipe so that the risk is least.

    Parameters
    ----------
    recipe : type of Recipe
        For example ``SPRTOpt`` (thresholds), ``ASPRT`` (scales), ``TimeVaryingSPRT``.
    task : Task
    costs : Costs
    thresholds : pair, optional
        ``(tau_minus, tau_plus)`` of discrimination, each a number or one per location; computed
        when left out.
    method : Method, optional
        Default: exact with at most three locations.
    n_trials : int
        Trials per candidate, and for the fresh score; the exact method takes a tenth of them.
    seed : int
        Of the common random numbers.
    max_evaluations : int
        Of the coarse search.
    threads : int, optional
    progress : callable, optional
        Called with the number of evaluations.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> from popout.strategies import SPRTOpt
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=4, drift=4.0)
    >>> tuned = tune(SPRTOpt, task, Costs(time=0.5), n_trials=20_000)
    >>> tuned.converged, tuned.method.value
    (True, 'monte carlo')
    """
    faults = Faults("tune")
    n_trials = faults.integer("n_trials", n_trials, "at least 1000", at_least=1000)
    limit = faults.integer("max_evaluations", max_evaluations, "allow some", at_least=10)
    chosen = _choose(faults, method, task)
    faults.raise_if_any()
    tau_minus, tau_plus = threshold_pair(task, costs) if thresholds is None else thresholds
    parameters = recipe.parameters(task, tau_minus, tau_plus)

    def values(u: Array) -> dict[str, float]:
        return {p.name: p.at(float(v)) for p, v in zip(parameters, u, strict=True)}

    def make(u: Array) -> BoundaryStrategy:
        return recipe.for_task(task, tau_minus, tau_plus, **values(u))

    objective = _objective(chosen, task, costs, n_trials, threads)
    done = 0

    def batches(u: Array, n: int = objective.n_trials) -> Array:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done)
        return objective.batches(make(u), n, seed, N_BATCHES)

    fine = _Fine(np.zeros(0), np.zeros(0), True)
    if parameters:
        few = max(1000, objective.n_trials // 8)
        start = _coarse(lambda u: float(batches(u, few).mean()), parameters, limit)
        fine = _fine(batches, parameters, start)
    in_sample = float(batches(fine.u).mean())
    score = objective.score(make(fine.u), fresh_seed(seed))
    optimum = values(fine.u)
    return Tuned(
        strategy=make(fine.u),
        parameters=optimum,
        parameters_se={
            p.name: p.spread(optimum[p.name], float(se))
            for p, se in zip(parameters, fine.se, strict=True)
        },
        risk=score.value,
        risk_se=score.se,
        risk_in_sample=in_sample,
        method=chosen,
        evaluations=done,
        converged=fine.converged,
    )


def _choose(faults: Faults, method: Method | str | None, task: Task) -> Method:
    possible = isinstance(task, SearchTask) and task.n_locations <= MAX_EXACT
    if method is None:
        return Method.EXACT if possible else Method.MONTE_CARLO
    if method not in list(Method):
        faults.add("method", "exact or monte carlo", method, "choose one, or leave it out")
    elif method == Method.EXACT and not isinstance(task, SearchTask):
        faults.add("method", "monte carlo for unknown distractors", method, "leave it out")
    else:
        return Method(method)
    return Method.MONTE_CARLO


def _objective(
    method: Method, task: Task, costs: Costs, n_trials: int, threads: int | None
) -> Objective:
    if method is Method.EXACT:
        assert isinstance(task, SearchTask)
        return RegretObjective(solve(task, costs, SOLUTION_RTOL), max(1000, n_trials // 10))
    return SimulatedRisk(task, costs, n_trials, threads)


def _coarse(
    risk: Callable[[Array], float], parameters: tuple[Parameter, ...], max_evaluations: int
) -> Array:
    """Return a rough optimum, in steps from each parameter's start."""
    result = minimize(
        risk,
        np.zeros(len(parameters)),
        method="COBYQA",
        bounds=Bounds(
            [p.steps_to(p.lower) for p in parameters], [p.steps_to(p.upper) for p in parameters]
        ),
        options={"initial_tr_radius": 1.0, "final_tr_radius": 0.3, "maxfev": max_evaluations},
    )
    return np.asarray(result.x, dtype=np.float64)


@dataclass(frozen=True)
class _Fine:
    """The optimum on a quadratic surface."""

    u: Array
    se: Array
    converged: bool


def _fine(batches: Callable[[Array], Array], parameters: tuple[Parameter, ...], u: Array) -> _Fine:
    """Move to the minimum of a quadratic surface until it stays put, then shrink the design."""
    lower = np.array([p.steps_to(p.lower) for p in parameters])
    upper = np.array([p.steps_to(p.upper) for p in parameters])
    radius = 1.0
    for _ in range(MAX_SURFACES):
        points = design(len(u), radius)
        # Keep the whole design inside the bounds.
        u = np.clip(u, lower + 1.01 * radius, upper - 1.01 * radius)
        values = np.array([batches(u + point) for point in points])
        step, se = jackknife_minimum(points, values, limit=2 * radius)
        if np.isinf(se).any():
            better, worse = _significant(values)
            if better:
                u = u + points[values.mean(axis=1).argmin()]
                continue
            if worse and radius > SMALLEST_RADIUS:
                radius *= 0.3
                continue
        u = u + step
        if np.linalg.norm(step, ord=np.inf) < radius / 2:
            if radius <= SMALLEST_RADIUS or not (se < radius / 10).all():
                return _Fine(u, se, True)
            radius *= 0.3
    return _Fine(u, se, False)


def _significant(values: Array) -> tuple[bool, bool]:
    """Return whether any point of a design is better, and any is worse, than its centre."""
    difference = values[1:] - values[0]
    se = difference.std(axis=1, ddof=1) / np.sqrt(difference.shape[1])
    score = difference.mean(axis=1) / np.maximum(se, np.finfo(float).tiny)
    return bool(score.min() < -3), bool(score.max() > 3)
