"""The numbers of one point.

==============  ===================================================================================
result          what is computed
==============  ===================================================================================
``exact``       no noise: the optimum is solved (`popout.solve`), any other strategy evaluated on a
                grid (`popout.evaluate`), to a relative accuracy of ``rtol``; where information is
                limited, for the ``attention`` that is named
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

from popout._version import __version__
from popout.analysis.making import OPTIMAL, FinishedStrategy, Workshop
from popout.analysis.sweep.case import THRESHOLDS, Case, Result
from popout.analysis.sweep.cluster import check_version
from popout.analysis.sweep.grid import Sweep
from popout.analysis.tune import MAX_EXACT
from popout.exact import Evaluation, evaluate, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking.names import named_attention
from popout.policies.observer import Observer
from popout.policies.stopping import RECIPES, Strategy
from popout.simulation import simulate
from popout.task import LimitedSearchTask, Task

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
    check_version(version)
    return [_run_point(sweep, index) for index in indices]


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
    >>> from popout.task import SearchTask
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
    workshop = _workshop(case, fresh_seed(seed, Purpose.TUNING))
    if case.strategy != OPTIMAL:
        made = workshop.make(case.strategy, _given(case))
        return _evaluated(case, workshop, made.strategy).row() | made.row()
    solution = workshop.optimum
    values = {"risk": solution.risk, "risk_error": solution.risk_error}
    if case.rates and case.task.n_locations <= MAX_EXACT:
        values = _evaluated(case, workshop, solution.strategy).row() | values
    return values


def _evaluated(case: Case, workshop: Workshop, strategy: Strategy) -> Evaluation:
    """Evaluate a strategy on a grid."""
    observer = Observer(workshop.attention, strategy)
    return evaluate(case.task, observer, case.costs, case.rtol)


def _simulated(case: Case, seed: int) -> Values:
    workshop = _workshop(case, fresh_seed(seed, Purpose.TUNING))
    made = workshop.make(case.strategy, _given(case))
    return _summary(case, workshop, made.strategy, seed) | made.row()


def _tuned(case: Case, seed: int) -> Values:
    workshop = _workshop(case, seed)
    tuned = workshop.tune(RECIPES[case.strategy])
    values = _summary(case, workshop, tuned.strategy, fresh_seed(seed, Purpose.SWEEP_SCORE))
    risk = {"risk": tuned.risk, "risk_se": tuned.risk_se, "converged": float(tuned.converged)}
    return values | FinishedStrategy(tuned.strategy, tuned).row() | risk


def _workshop(case: Case, seed: int) -> Workshop:
    lower, upper = (case.parameters.get(name) for name in THRESHOLDS)
    attention, solution = None, None
    if case.attention is not None:
        assert isinstance(case.task, LimitedSearchTask)
        attention = named_attention(case.attention, case.task)
        if attention is None:
            solution = solve(case.task, case.costs, case.rtol)
            attention = solution.attention
    return Workshop(
        case.task,
        case.costs,
        (lower, upper),
        solution,
        rtol=case.rtol,
        n_trials=case.tune_trials,
        seed=seed,
        threads=1,
        memory_limit=_memory(),
        attention=attention,
    )


def _given(case: Case) -> dict[str, float]:
    """Return the free parameters that the case gives."""
    return {name: v for name, v in case.parameters.items() if name not in THRESHOLDS}


def _summary(case: Case, workshop: Workshop, strategy: Strategy, seed: int) -> Values:
    """Simulate trials and summarise them."""
    observer, limit = Observer(workshop.attention, strategy), case.time_limit
    tally = simulate(
        case.task, observer, case.n_trials, seed, time_limit=limit, threads=1, keep=False
    )
    return tally.summary(case.costs).row()


def _memory() -> int | None:
    """Return the bytes a solution may take on a Dask worker, or None elsewhere."""
    distributed = sys.modules.get("distributed")
    try:
        limit = distributed.get_worker().memory_manager.memory_limit if distributed else None
    except ValueError:
        return None
    return int(MEMORY_SHARE * limit) if limit else None
