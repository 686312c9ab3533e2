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
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from popout._version import __version__
from popout.analysis.cluster import check_version
from popout.analysis.making import FinishedObserver, Workshop
from popout.analysis.sweep.case import THRESHOLDS, Case, Result
from popout.analysis.sweep.grid import Sweep
from popout.analysis.tune import MAX_EXACT
from popout.exact import evaluate
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.observer import Observer
from popout.policies.stopping import RECIPES, Strategy
from popout.policies.vocabulary import OPTIMAL
from popout.simulation import simulate
from popout.task import Task

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


def run_points(sweep: Sweep, indices: Sequence[int], version: str = __version__) -> list[Outcome]:
    """Compute some points; one that fails is recorded as such, and the others go on.

    Parameters
    ----------
    sweep : Sweep
    indices : sequence of int
        Numbers of the points.
    version : str
        Of the `popout` that asks; a worker with another would mix numbers of two versions.

    Examples
    --------
    >>> base = {"kind": "search", "n_locations": 1, "costs": {"time": 0.2}}
    >>> sweep = Sweep(base, axes={"drift": [2.0, 4.0]}, result="exact", rates=False)
    >>> [outcome] = run_points(sweep, [1])
    >>> outcome.index, round(outcome.values["risk"], 4)
    (1, 0.0381)
    """
    check_version(version)
    outcomes = []
    for index in indices:
        began, values, message = time.perf_counter(), {}, ""
        try:
            values = compute(sweep.case(index))
        except Exception as error:  # whatever it was
            message = f"{type(error).__name__}: {error}"
        outcomes.append(Outcome(index, time.perf_counter() - began, values, message))
    return outcomes


def point_seed(seed: int, task: Task) -> int:
    """Return the seed of a point's noise: 63 bits of the hash of the sweep's seed and the task.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> tasks = [SearchTask(n_locations=n, drift=4.0) for n in (2, 3)]
    >>> len({point_seed(seed, task) for seed in (1, 2) for task in tasks})
    4
    """
    fields = asdict(task)
    if fields.get("period", 0.0) is None:  # items that stay have the seed of their task, as ever
        del fields["period"]
    text = json.dumps([seed, type(task).__name__, fields], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def compute(case: Case) -> Values:
    """Return the numbers of a point, by name of the variable.

    Examples
    --------
    >>> table = {"kind": "search", "n_locations": 8, "drift": 4.0, "costs": {"time": 0.2}}
    >>> case = Case.of({**table, "result": "simulated", "strategy": "sprt", "n_trials": 10_000})
    >>> values = compute(case)
    >>> values["risk_se"] < 0.1 * values["risk"]
    True
    """
    seed = point_seed(case.settings.seed, case.task)
    values = {
        Result.EXACT: _exact,
        Result.SIMULATED: _simulated,
        Result.TUNED: _tuned,
    }[Result(case.settings.result)](case, seed)
    return {name: float(value) for name, value in values.items()} | {"point_seed": seed}


def _exact(case: Case, seed: int) -> Values:
    workshop = _workshop(case, fresh_seed(seed, Purpose.TUNING))
    if case.settings.strategy != OPTIMAL:
        made = workshop.make(case.settings.strategy, _given(case))
        return _evaluated(case, workshop, made.strategy) | made.row()
    solution = workshop.optimum
    values = {"risk": solution.risk, "risk_error": solution.risk_error}
    few = case.task.n_locations <= MAX_EXACT
    if case.settings.rates and few and solution.has_scales:  # one boundary, of presence
        values = _evaluated(case, workshop, solution.strategy) | values
    return values


def _simulated(case: Case, seed: int) -> Values:
    workshop = _workshop(case, fresh_seed(seed, Purpose.TUNING))
    made = workshop.make(case.settings.strategy, _given(case))
    return _scored(case, workshop, made.strategy, seed) | made.row()


def _tuned(case: Case, seed: int) -> Values:
    workshop = _workshop(case, seed)
    tuned = workshop.tune(RECIPES[case.settings.strategy])
    values = _scored(case, workshop, tuned.strategy, fresh_seed(seed, Purpose.SWEEP_SCORE))
    risk = {"risk": tuned.risk, "risk_se": tuned.risk_se, "converged": float(tuned.converged)}
    return values | FinishedObserver(workshop.policy, tuned.strategy, tuned).row() | risk


def _given(case: Case) -> dict[str, float]:
    """Return the free parameters that the case gives."""
    return {name: v for name, v in case.parameters.items() if name not in THRESHOLDS}


def _workshop(case: Case, seed: int) -> Workshop:
    lower, upper = (case.parameters.get(name) for name in THRESHOLDS)
    return Workshop(
        case.task,
        case.costs,
        (lower, upper),
        rtol=case.settings.rtol,
        n_trials=case.settings.tune_trials,
        seed=seed,
        threads=1,
        memory_limit=_memory(),
        attention=case.settings.attention,
    )


def _evaluated(case: Case, workshop: Workshop, strategy: Strategy) -> Values:
    """Evaluate a strategy on a grid."""
    observer = Observer(workshop.policy, strategy)
    return evaluate(case.task, observer, case.costs, case.settings.rtol).row()


def _scored(case: Case, workshop: Workshop, strategy: Strategy, seed: int) -> Values:
    """Simulate trials and summarise them."""
    observer, limit = Observer(workshop.policy, strategy), case.settings.time_limit
    tally = simulate(
        case.task, observer, case.settings.n_trials, seed, time_limit=limit, threads=1, keep=False
    )
    row: Values = tally.summary(case.costs).row()
    return row


def _memory() -> int | None:
    """Return the bytes a solution may take on a Dask worker, or None elsewhere."""
    distributed = sys.modules.get("distributed")
    try:
        limit = distributed.get_worker().memory_manager.memory_limit if distributed else None
    except ValueError:
        return None
    return int(MEMORY_SHARE * limit) if limit else None
