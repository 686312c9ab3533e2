"""One point of a sweep: its task, its costs and its settings.

Each setting is declared once, in `SETTINGS`; checks, defaults and the JSON Schema follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from popout.analysis.making import check_wanted, strategy_names
from popout.policies.looking.names import named_attention
from popout.policies.names import OPTIMAL
from popout.policies.stopping import RECIPES
from popout.simulation.time_limit import limit_fault
from popout.task import Costs, Faults, LimitedSearchTask, SearchTask, Task
from popout.task.declared import Field
from popout.task.document import Document, DocumentFaults
from popout.task.faults import as_float, did_you_mean
from popout.task.kinds import Choice, Flag, Integer, Kind, Number, Schema, Spot
from popout.task.toml import build_costs, build_task

PAIR = ("result", "strategy", "attention")
"""Settings that not every task can have."""
THRESHOLDS = ("tau_minus", "tau_plus")
"""Parameters that every recipe takes: the thresholds of discrimination."""
DEFAULT_DT = SearchTask(n_locations=1, drift=1.0).dt


class Result(StrEnum):
    """What is computed at a point."""

    EXACT = "exact"
    SIMULATED = "simulated"
    TUNED = "tuned"


def _whole(low: int, high: int) -> Integer:
    return Integer(low, high, expected=f"an integer from {low} to {high}")


class AttentionName(Kind):
    """The name of an attention policy, as people type it: ``serial``, ``guided:0.5``."""

    def check(self, value: Any, spot: Spot) -> str | None:
        """Return the name."""
        faults = Faults("")
        if isinstance(value, str):
            named_attention(value, EXAMPLE, faults)
            if not faults.faults:
                return value
            spot.refuse(faults.faults[0].expected, value, faults.faults[0].remedy)
        else:
            spot.refuse("the name of an attention policy", value)
        return None

    def schema(self) -> Schema:
        """Return the names as a pattern."""
        return {"type": "string", "pattern": r"^(optimal|parallel|serial|guided(:[0-9.eE+-]+)?)$"}


EXAMPLE = LimitedSearchTask(n_locations=2, information=1.0)
BETWEEN = "choose a number in between"
SETTINGS = {
    "result": Field(Choice(tuple(map(str, Result))), "What is computed.", "choose one"),
    "strategy": Field(
        Choice(strategy_names()), "Name of a strategy.", "choose one", default=OPTIMAL
    ),
    "attention": Field(
        AttentionName(),
        "Name of an attention policy, where information is limited.",
        "choose from parallel, guided, guided:0.5, serial and optimal",
        default=None,
    ),
    "n_trials": Field(_whole(2, 10**9), "Trials simulated at a point.", BETWEEN, default=100_000),
    "tune_trials": Field(
        _whole(1000, 10**8),  # `tune` takes no fewer
        "Trials per candidate while free parameters are tuned.",
        BETWEEN,
        default=100_000,
    ),
    "rtol": Field(
        Number(above=0.0, below=1.0, expected="a positive number below 1"),
        "Relative accuracy of exact risks.",
        "give the relative accuracy of the risk, e.g. 1e-3",
        default=1e-3,
    ),
    "rates": Field(
        Flag(),
        "Whether error rates and response times of the optimum are wanted.",
        "say true or false",
        default=True,
    ),
    "time_limit": Field(
        Number(above=0.0),
        "Seconds until a trial counts as undecided.",
        "give seconds, or leave it out",
        unit="seconds",
        default=None,
    ),
    "seed": Field(_whole(0, 2**63 - 1), "Seed of the noise.", BETWEEN, default=1),
}
"""What is neither task nor costs, by name."""

DEFAULTS = {name: None if f.is_required else f.default for name, f in SETTINGS.items()}
KEYS = (*SETTINGS, "parameters", "costs", "grid")
"""What a sweep file holds at its top beside the task."""


@dataclass(frozen=True)
class Case:
    """Everything the numbers of one point depend on; `SETTINGS` explains the settings."""

    task: Task
    costs: Costs
    result: Result
    strategy: str
    attention: str | None
    n_trials: int
    tune_trials: int
    rtol: float
    rates: bool
    time_limit: float | None
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Case:
        """Make a case from tables within tables, as a sweep file has them.

        Examples
        --------
        >>> table = {"kind": "search", "n_locations": 2, "drift": 4.0, "costs": {"time": 0.2}}
        >>> Case.of({**table, "result": "exact"}).strategy
        'optimal'
        """
        faults = Faults("")
        check_settings(faults, values)
        faults.raise_if_any()
        tables = DocumentFaults(Document(dict(values), {}))
        task, costs = build_task(tables, also=KEYS), build_costs(tables)
        tables.raise_if_any()
        assert task is not None
        assert costs is not None
        settings = {name: values.get(name, default) for name, default in DEFAULTS.items()}
        settings["result"] = Result(settings["result"])
        check_pair(faults, task, *(settings[name] for name in PAIR))
        faults.raise_if_any()
        return cls(task, costs, parameters=values.get("parameters", {}), **settings)


def check_settings(faults: Faults, values: Mapping[str, Any]) -> None:
    """Record what is wrong with the settings and parameters of a point.

    Examples
    --------
    >>> faults = Faults("")
    >>> check_settings(faults, {"kind": "search", "result": "tuned", "strategy": "hardmx"})
    >>> faults.faults[0].path, faults.faults[0].remedy
    (('strategy',), 'did you mean hardmax?')
    """
    good = {}
    for name, setting in SETTINGS.items():
        value = values.get(name, setting.default)
        spot = Spot(faults, (name,), setting.remedy)
        good[name] = None if value is None else setting.kind.check(value, spot)
    limit, dt = good["time_limit"], as_float(values.get("dt", DEFAULT_DT))
    if limit is not None and dt is not None and dt > 0:
        expected, remedy = limit_fault(limit, dt)
        if expected:
            faults.add("time_limit", expected, limit, remedy)
    result, strategy = good["result"], good["strategy"]
    if result == Result.TUNED and strategy == OPTIMAL:
        expected = f"one of {', '.join(RECIPES)} for tuned results"
        faults.add("strategy", expected, strategy, "name what is to be tuned")
    if strategy:
        _check_parameters(faults, values.get("parameters", {}), result, strategy)


def check_pair(
    faults: Faults, task: Task, result: str, strategy: str, attention: str | None = None
) -> None:
    """Record a result, a strategy or an attention policy that there is none of for the task.

    Examples
    --------
    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    >>> faults = Faults("")
    >>> check_pair(faults, task, "exact", "sprt-opt")
    >>> faults.faults[0].expected
    'simulated or tuned where there is no equivalent search'
    """
    limited = isinstance(task, LimitedSearchTask)
    if attention is not None and not limited:
        remedy = "leave it out; attention is a choice where information is limited"
        faults.add("attention", 'none unless kind is "limited-search"', attention, remedy)
    elif limited and task.search is None and attention is None:
        remedy = "add attention, e.g. serial"
        faults.add("attention", "the name of an attention policy", attention, remedy)
    elif attention is not None:
        check_wanted(faults, "strategy", [strategy], [task])
    elif result == Result.EXACT and task.search is None:
        expected = "simulated or tuned where there is no equivalent search"
        faults.add("result", expected, result, f"nothing is exact, because {task.why_no_search}")
    else:
        check_wanted(faults, "strategy", [strategy], [task])


def _check_parameters(faults: Faults, values: Any, result: str | None, strategy: str) -> None:
    """Check the parameters: those of the strategy, numbers, and all free ones or none."""
    if not isinstance(values, Mapping):
        faults.add("parameters", "a table", values, "write [parameters]")
        return
    free = () if strategy == OPTIMAL else free_parameters(strategy)
    known = () if strategy == OPTIMAL else (*THRESHOLDS, *free)
    for name, value in values.items():
        where = ("parameters", name)
        listed = name in THRESHOLDS and isinstance(value, list | tuple)
        numbers = [as_float(item) for item in (value if listed else (value,))]
        if name not in known:
            expected = f"one of {', '.join(known)} with {strategy}" if known else "no parameters"
            remedy = did_you_mean(name, known, f"{strategy} has no such parameter")
            faults.add(where, expected, value, remedy)
        elif not numbers or not all(n is not None and math.isfinite(n) for n in numbers):
            faults.add(where, "a finite number", value, "give the value of the parameter")
        elif result == Result.TUNED and name in free:
            remedy = "leave it out, or ask for simulated results"
            faults.add(where, "no value for what is tuned", value, remedy)
    missing = [name for name in free if name not in values]
    if values and missing and len(missing) < len(free):
        remedy = f"add {', '.join(missing)}, or leave all out to have them tuned"
        faults.add("parameters", f"all of {', '.join(free)}", [*values], remedy)


@cache
def free_parameters(strategy: str) -> tuple[str, ...]:
    """Return the names of what may be tuned in a strategy.

    Examples
    --------
    >>> free_parameters("a-sprt")
    ('a_minus', 'a_plus')
    """
    example = SearchTask(n_locations=2, drift=4.0)
    return tuple(p.name for p in RECIPES[strategy].tunable(example, -3.0, 3.0).parameters)
