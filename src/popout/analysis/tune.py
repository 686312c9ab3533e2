r"""`tune`: the parameters of a recipe that minimise the risk.

Objective: the risk of ``recipe.for_task(task, tau_minus, tau_plus, **parameters)``,
estimated by simulation under common random numbers: every candidate faces the same trials, so the
estimate is a deterministic function of the parameters, smooth at any scale that matters.

Search, in units of each parameter's own scale:

1. coarse, on an eighth of the trials: COBYQA (Ragonneau and Zhang 2022), a derivative-free
   trust-region method with bounds, down to a step of 0.3 scales;
2. fine, on all trials: the minimum of a least-squares quadratic surface around the last optimum
   (see `surface`), moved there and fitted again until it moves by less than half the radius of its
   design: the stopping rule. Six surfaces without that are reported as ``converged = False``.

The optimum of an estimate is biased downwards (it fits the noise), so the risk is scored again on
fresh trials. Parameter errors come from the jackknife over batches of trials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from popout.analysis.score import batch_risks, fresh_seed
from popout.analysis.surface import design, jackknife_minimum
from popout.simulation import Summary, simulate
from popout.strategies import BoundaryStrategy, Parameter, Recipe, Thresholds
from popout.task import Costs, Faults, Task

__all__ = ["Tuned", "tune"]

Pair = tuple[Thresholds, Thresholds]
Array = NDArray[np.float64]
Progress = Callable[[int], None]

N_BATCHES = 40
"""Batches of trials for the jackknife."""
RADIUS = 1.0
"""Radius of the design around the optimum, in scales of the parameters."""
MAX_SURFACES = 6


@dataclass(frozen=True)
class Tuned:
    """A tuned strategy, and how well its risk and its parameters are known.

    Attributes
    ----------
    strategy : BoundaryStrategy
    parameters, parameters_se : dict of str to float
        The optimum and its standard error; inf where the risk is flat within the noise.
    risk, risk_se : float
        Scored on fresh trials.
    risk_in_sample : float
        The value that the search minimised; below the risk, on average, by its optimism.
    evaluations : int
    converged : bool
        False when the optimum still moved after six surfaces.
    """

    strategy: BoundaryStrategy
    parameters: dict[str, float] = field(hash=False)
    parameters_se: dict[str, float] = field(hash=False)
    risk: float
    risk_se: float
    risk_in_sample: float
    evaluations: int
    converged: bool

    def __str__(self) -> str:
        """Return a few lines."""
        label = getattr(self.strategy, "label", type(self.strategy).__name__)
        state = "converged" if self.converged else "NOT converged"
        lines = [
            f"{label}: risk {self.risk:.6f} +- {self.risk_se:.6f} "
            f"({self.evaluations} evaluations, {state})"
        ]
        for name, value in self.parameters.items():
            lines.append(f"  {name} = {value:.4f} +- {self.parameters_se[name]:.4f}")
        return "\n".join(lines)


def tune(
    recipe: type[Recipe],
    task: Task,
    costs: Costs,
    thresholds: Pair,
    *,
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
    thresholds : pair
        ``(tau_minus, tau_plus)`` of discrimination, each a number or one per location.
    n_trials : int
        Trials per candidate, and for the fresh score.
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
    >>> tuned = tune(SPRTOpt, task, Costs(time=0.5), thresholds=(-3.3, 3.3), n_trials=20_000)
    >>> tuned.converged
    True
    """
    faults = Faults("tune")
    n_trials = faults.integer("n_trials", n_trials, "at least 1000", at_least=1000)
    limit = faults.integer("max_evaluations", max_evaluations, "allow some", at_least=10)
    faults.raise_if_any()
    tau_minus, tau_plus = thresholds
    parameters = recipe.parameters(task, tau_minus, tau_plus)

    def make(u: Array) -> BoundaryStrategy:
        values = {p.name: p.at(float(v)) for p, v in zip(parameters, u, strict=True)}
        return recipe.for_task(task, tau_minus, tau_plus, **values)

    return _tune_by_simulation(
        make, parameters, task, costs, n_trials, seed, limit, threads, progress
    )


def _coarse(
    risk: Callable[[Array], float], parameters: tuple[Parameter, ...], max_evaluations: int
) -> tuple[Array, int]:
    """Return a rough optimum, in steps from each parameter's start, and the evaluations used."""
    result = minimize(
        risk,
        np.zeros(len(parameters)),
        method="COBYQA",
        bounds=Bounds(
            [p.steps_to(p.lower) for p in parameters], [p.steps_to(p.upper) for p in parameters]
        ),
        options={"initial_tr_radius": 1.0, "final_tr_radius": 0.3, "maxfev": max_evaluations},
    )
    return np.asarray(result.x, dtype=np.float64), int(result.nfev)


@dataclass(frozen=True)
class _Fine:
    """The optimum on a quadratic surface."""

    u: Array
    se: Array
    evaluations: int
    converged: bool


def _fine(batches: Callable[[Array], Array], parameters: tuple[Parameter, ...], u: Array) -> _Fine:
    """Move to the minimum of a quadratic surface until it stays put."""
    points = design(len(u), RADIUS)
    # Keep the whole design inside the bounds.
    lower = np.array([p.steps_to(p.lower) for p in parameters]) + 1.01 * RADIUS
    upper = np.array([p.steps_to(p.upper) for p in parameters]) - 1.01 * RADIUS
    evaluations = 0
    for _ in range(MAX_SURFACES):
        u = np.clip(u, lower, upper)
        values = np.array([batches(u + point) for point in points])
        evaluations += len(points)
        step, se = jackknife_minimum(points, values, limit=2 * RADIUS)
        u = u + step
        if np.linalg.norm(step, ord=np.inf) < RADIUS / 2:
            return _Fine(u, se, evaluations, True)
    return _Fine(u, se, evaluations, False)


def _tune_by_simulation(
    make: Callable[[Array], BoundaryStrategy],
    parameters: tuple[Parameter, ...],
    task: Task,
    costs: Costs,
    n_trials: int,
    seed: int,
    max_evaluations: int,
    threads: int | None,
    progress: Progress | None,
) -> Tuned:
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done)

    def risk(u: Array, n: int, at_seed: int) -> Summary:
        count()
        return simulate(task, make(u), n, at_seed, keep=False, threads=threads).summary(costs)

    def batches(u: Array) -> Array:
        count()
        trials = simulate(task, make(u), n_trials, seed, threads=threads)
        return batch_risks(trials, costs, N_BATCHES)

    fine = _Fine(np.zeros(0), np.zeros(0), 0, True)
    if parameters:
        few = max(1000, n_trials // 8)
        start, _ = _coarse(lambda u: risk(u, few, seed).risk, parameters, max_evaluations)
        fine = _fine(batches, parameters, start)
    in_sample = risk(fine.u, n_trials, seed).risk
    score = risk(fine.u, n_trials, fresh_seed(seed))
    values = {p.name: p.at(float(v)) for p, v in zip(parameters, fine.u, strict=True)}
    return Tuned(
        strategy=make(fine.u),
        parameters=values,
        parameters_se={
            p.name: p.spread(values[p.name], float(se))
            for p, se in zip(parameters, fine.se, strict=True)
        },
        risk=score.risk,
        risk_se=score.risk_se,
        risk_in_sample=in_sample,
        evaluations=done,
        converged=fine.converged,
    )
