"""The numbers of one point.

==============  ===================================================================================
result          what is computed
==============  ===================================================================================
``exact``       no noise: the optimum is solved (`popout.solve`), any other strategy evaluated on a
                grid (`popout.evaluate`), to a relative accuracy of ``rtol``
``simulated``   ``n_trials`` trials of the strategy, with standard errors
``tuned``       the free parameters with their standard errors, and the risk on fresh trials
                (`popout.tune`); error rates and response times from ``n_trials`` further trials
==============  ===================================================================================

Where ``exact`` and ``simulated`` name a strategy with free parameters and give none, they are tuned
first, on trials of their own.

The stream of a point derives from the seed and the task: it is a number of 63 bits, the hash of
both. Nothing else enters, neither position, worker nor order; and strategies or costs that are
compared at one task face the same trials, which sharpens their differences (see `popout.compare`).
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from popout._version import __version__
from popout.analysis.making import OPTIMAL
from popout.analysis.sweep.case import THRESHOLDS, Case, Result
from popout.analysis.sweep.grid import Sweep
from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import MAX_EXACT, Tuned, tune
from popout.exact import Evaluation, evaluate, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.simulation import simulate
from popout.strategies import RECIPES, BoundaryStrategy, ScaledSPRT, Strategy
from popout.task import Costs, SearchTask, Task

__all__ = ["Outcome", "compute", "point_seed", "run_points"]

MEMORY_SHARE = 0.7
"""Of a worker's memory, for one solution."""
Values = dict[str, float]


@dataclass(frozen=True)
class Outcome:
    """What became of one point.

    Attributes
    ----------
    index : int
        Number of the point in its sweep.
    seconds : float
    values : dict of str to float
        Empty where the point failed.
    message : str
        Why it failed; empty otherwise.
    """

    index: int
    seconds: float
    values: Values
    message: str = ""


def run_points(sweep: Sweep, indices: tuple[int, ...], version: str = __version__) -> list[Outcome]:
    """Compute some points, one after the other; a point that fails does not stop the others.

    Parameters
    ----------
    sweep : Sweep
    indices : tuple of int
        Numbers of the points.
    version : str
        Of the `popout` that asks; a worker with another would mix numbers of two versions.

    Examples
    --------
    >>> base = {"kind": "search", "n_locations": 1, "costs": {"time": 0.2}}
    >>> sweep = Sweep(base, axes={"drift": [2.0, 4.0]}, result="exact", rates=False)
    >>> (outcome,) = run_points(sweep, (1,))
    >>> outcome.index, round(outcome.values["risk"], 4)
    (1, 0.0381)
    """
    if version != __version__:
        raise VersionError(f"popout {version}, got a worker with {__version__}")
    return [_run_point(sweep, index) for index in indices]


class VersionError(RuntimeError):
    """A worker runs another version of `popout` than the one that asks."""


def _run_point(sweep: Sweep, index: int) -> Outcome:
    began = time.perf_counter()
    values: Values = {}
    message = ""
    try:
        values = compute(sweep.case(index))
    except Exception as error:  # whatever it was, it is recorded and the others go on
        message = f"{type(error).__name__}: {error}"
    return Outcome(index, time.perf_counter() - began, values, message)


def point_seed(seed: int, task: Task) -> int:
    """Return the seed of a point's noise: 63 bits of the hash of the sweep's seed and the task.

    Examples
    --------
    >>> tasks = [SearchTask(n_locations=n, drift=4.0) for n in (2, 3)]
    >>> len({point_seed(seed, task) for seed in (1, 2) for task in tasks})
    4
    """
    text = json.dumps([seed, type(task).__name__, asdict(task)], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def compute(case: Case) -> Values:
    """Return the numbers of a point, by name of the variable.

    Examples
    --------
    >>> table = {"kind": "search", "n_locations": 8, "drift": 4.0, "costs": {"time": 0.2}}
    >>> case = Case.of({**table, "result": "simulated", "strategy": "sprt", "n_trials": 10_000})
    >>> found = compute(case)
    >>> found["risk_se"] < 0.1 * found["risk"]
    True
    """
    seed = point_seed(case.seed, case.task)
    values = {
        Result.EXACT: _exact,
        Result.SIMULATED: _simulated,
        Result.TUNED: _tuned,
    }[case.result](case, seed)
    return {name: float(value) for name, value in values.items()} | {"point_seed": seed}


def _exact(case: Case, seed: int) -> Values:
    task, costs = case.task, case.costs
    if case.strategy != OPTIMAL:
        strategy, tuned = _strategy(case, seed)
        found = evaluate(task, strategy, costs, case.rtol)
        risk = {"risk": found.risk, "risk_error": found.risk_error}
        return risk | _evaluated(found) | _parameters(case.strategy, strategy, tuned)
    solution = solve(task, costs, case.rtol, memory_limit=_memory())
    values = {"risk": solution.risk, "risk_error": solution.risk_error}
    if case.rates and task.n_locations <= MAX_EXACT:
        values |= _evaluated(evaluate(task, solution.strategy, costs, case.rtol))
    return values


def _evaluated(found: Evaluation) -> Values:
    return {
        "error_rate_absent": found.false_alarm,
        "error_rate_present": found.miss,
        "error_rate_error": found.rate_error,
        "mean_rt_absent": found.rt_absent,
        "mean_rt_present": found.rt_present,
        "mean_rt_error": found.rt_error,
    }


def _simulated(case: Case, seed: int) -> Values:
    strategy: Strategy
    if case.strategy == OPTIMAL:
        strategy = solve(case.task, case.costs, case.rtol, memory_limit=_memory()).strategy
        return _summary(case, strategy, seed)
    strategy, tuned = _strategy(case, seed)
    return _summary(case, strategy, seed) | _parameters(case.strategy, strategy, tuned)


def _tuned(case: Case, seed: int) -> Values:
    found = tune(
        RECIPES[case.strategy],
        case.task,
        case.costs,
        thresholds=_thresholds(case),
        n_trials=case.tune_trials,
        seed=seed,
        threads=1,
    )
    values = _summary(case, found.strategy, fresh_seed(seed, Purpose.SWEEP_SCORE))
    values |= _parameters(case.strategy, found.strategy, found)
    risk = {"risk": found.risk, "risk_se": found.risk_se, "converged": float(found.converged)}
    return values | risk


def _strategy(case: Case, seed: int) -> tuple[BoundaryStrategy, Tuned | None]:
    """Return the strategy of a point, with the parameters given or tuned."""
    recipe, pair = RECIPES[case.strategy], _thresholds(case)
    given = {name: v for name, v in case.parameters.items() if name not in THRESHOLDS}
    if given or not recipe.tunable(case.task, *pair).parameters:
        return recipe.for_task(case.task, *pair, **given), None
    found = tune(
        recipe,
        case.task,
        case.costs,
        thresholds=pair,
        n_trials=case.tune_trials,
        seed=fresh_seed(seed, Purpose.TUNING),
        threads=1,
    )
    return found.strategy, found


def _summary(case: Case, strategy: Strategy, seed: int) -> Values:
    """Simulate trials and summarise them."""
    tally = simulate(
        case.task,
        strategy,
        case.n_trials,
        seed,
        time_limit=case.time_limit,
        threads=1,
        keep=False,
    )
    summary = tally.summary(case.costs)
    values = {
        "risk": summary.risk,
        "risk_se": summary.risk_se,
        "undecided": float(summary.undecided),
    }
    for side in (summary.absent, summary.present):
        values |= {
            f"error_rate_{side.condition}": side.error_rate,
            f"error_rate_{side.condition}_se": side.error_rate_se,
            f"mean_rt_{side.condition}": side.mean_rt,
            f"mean_rt_{side.condition}_se": side.mean_rt_se,
        }
    return values


def _parameters(name: str, strategy: BoundaryStrategy, tuned: Tuned | None) -> Values:
    """Return the numbers in a finished strategy, and their errors where they were tuned."""
    values: Values = {}
    if isinstance(strategy, ScaledSPRT):
        names = (*THRESHOLDS, "a_minus", "a_plus")
        values = {key: getattr(strategy, key) for key in names}
    if tuned is None:
        return values
    for key in tuned.parameters:
        known = RECIPES[name].attributes.get(key, key)
        values[known] = tuned.parameters[key]
        values[f"{known}_se"] = tuned.parameters_se[key]
    return values


def _thresholds(case: Case) -> Pair:
    """Return the thresholds of discrimination: those given, the others computed."""
    given = [case.parameters.get(name) for name in THRESHOLDS]
    if None in given:
        found = _computed_pair(case.task, case.costs)
        given = [other if one is None else one for one, other in zip(given, found, strict=True)]
    lower, upper = given
    return lower, upper  # type: ignore[return-value]


def _computed_pair(task: Task, costs: Costs) -> Pair:
    if task.search is None:
        return threshold_pair(task, costs)
    pairs = [_thresholds_at(mu, task.dt, costs) for mu in task.search.drifts]
    return tuple(lower for lower, _ in pairs), tuple(upper for _, upper in pairs)


@lru_cache(maxsize=4096)
def _thresholds_at(drift: float, dt: float, costs: Costs) -> tuple[float, float]:
    """Solve one location; once for a worker, because many points of a grid share it."""
    one = SearchTask(n_locations=1, drift=drift, dt=dt)
    lower, upper = (np.ravel(side) for side in threshold_pair(one, costs))
    return float(lower[0]), float(upper[0])


def _memory() -> int | None:
    """Return the bytes a solution may take on a Dask worker, or None elsewhere."""
    distributed = sys.modules.get("distributed")
    try:
        limit = distributed.get_worker().memory_manager.memory_limit if distributed else None
    except ValueError:
        return None
    return int(MEMORY_SHARE * limit) if limit else None
