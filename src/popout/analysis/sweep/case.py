"""One point of a sweep: its task, its costs and its settings.

Each setting is declared once, in `SETTINGS`; checks, defaults and the JSON Schema follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from popout.analysis.making import OPTIMAL, strategy_names
from popout.simulation.time_limit import limit_fault
from popout.strategies import RECIPES
from popout.task import Costs, Faults, SearchTask, Task
from popout.task.document import NOTHING
from popout.task.faults import as_float, as_int, did_you_mean
from popout.task.toml import OBSERVATIONS, TASKS

__all__ = [
    "DEFAULTS",
    "KEYS",
    "SETTINGS",
    "THRESHOLDS",
    "Case",
    "Result",
    "Setting",
    "free_parameters",
    "setting_faults",
]

THRESHOLDS = ("tau_minus", "tau_plus")
"""Parameters that every recipe takes: the thresholds of discrimination."""
DEFAULT_DT = SearchTask(n_locations=1, drift=1.0).dt

FaultParts = tuple[str, str, object, str]
"""A fault: name, what was expected, what came, what to do."""


class Result(StrEnum):
    """What is computed at a point."""

    EXACT = "exact"
    SIMULATED = "simulated"
    TUNED = "tuned"


@dataclass(frozen=True)
class Setting:
    """What a setting takes, and what it means.

    Attributes
    ----------
    schema : dict
        The values it takes, as JSON Schema: a choice, a bool, or a number within bounds.
    words : str
    remedy : str
        What to do about a value that is refused.
    default : object
        None where there is none.
    """

    schema: Mapping[str, Any]
    words: str
    remedy: str
    default: Any = None

    @property
    def expected(self) -> str:
        """The values it takes, in words."""
        names, top = self.schema.get("enum"), self.schema.get("exclusiveMaximum")
        if names:
            return f"one of {', '.join(names)}"
        if self.schema["type"] == "integer":
            return f"an integer from {self.schema['minimum']} to {self.schema['maximum']}"
        if self.schema["type"] == "boolean":
            return "true or false"
        return "a positive number" + (f" below {top}" if top else "")

    def accepts(self, value: Any) -> bool:
        """Whether it takes a value."""
        if "enum" in self.schema:
            return isinstance(value, str) and value in self.schema["enum"]
        if self.schema["type"] == "integer":
            whole = as_int(value)
            return whole is not None and self.schema["minimum"] <= whole <= self.schema["maximum"]
        if self.schema["type"] == "boolean":
            return isinstance(value, bool)
        number = as_float(value)
        return number is not None and 0.0 < number < self.schema.get("exclusiveMaximum", math.inf)


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


POSITIVE = {"type": "number", "exclusiveMinimum": 0}
BETWEEN = "choose a number in between"

SETTINGS = {
    "result": Setting({"enum": [*map(str, Result)]}, "What is computed.", "choose one"),
    "strategy": Setting(
        {"enum": [*strategy_names()]}, "Name of a strategy.", "choose one", OPTIMAL
    ),
    "n_trials": Setting(_whole(2, 10**9), "Trials simulated at a point.", BETWEEN, 100_000),
    "tune_trials": Setting(
        _whole(1000, 10**8),  # `tune` takes no fewer
        "Trials per candidate while free parameters are tuned.",
        BETWEEN,
        100_000,
    ),
    "rtol": Setting(
        {**POSITIVE, "exclusiveMaximum": 1},
        "Relative accuracy of exact risks.",
        "give the relative accuracy of the risk, e.g. 1e-3",
        1e-3,
    ),
    "rates": Setting(
        {"type": "boolean"},
        "Whether error rates and response times of the optimum are wanted.",
        "say true or false",
        True,
    ),
    "time_limit": Setting(
        POSITIVE, "Seconds until a trial counts as undecided.", "give seconds, or leave it out"
    ),
    "seed": Setting(_whole(0, 2**63 - 1), "Seed of the noise.", BETWEEN, 1),
}
"""What is neither task nor costs, by name."""

DEFAULTS = {name: setting.default for name, setting in SETTINGS.items()}
KEYS = (*SETTINGS, "parameters", "costs", "grid")
"""What a sweep file holds at its top beside the task."""


@dataclass(frozen=True)
class Case:
    """Everything the numbers of one point depend on; `SETTINGS` explains the settings."""

    task: Task
    costs: Costs
    result: Result
    strategy: str
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
        for fault in setting_faults(values):
            faults.add(*fault)
        faults.raise_if_any()
        task = _described({k: v for k, v in values.items() if k not in KEYS}, TASKS)
        settings = {name: values.get(name, default) for name, default in DEFAULTS.items()}
        settings["result"] = Result(settings["result"])
        return cls(
            task, Costs(**values["costs"]), parameters=values.get("parameters", {}), **settings
        )


def _described(table: Mapping[str, Any], kinds: Mapping[str, type]) -> Any:
    """Make the task or the observation that a table describes."""
    fields = {name: value for name, value in table.items() if name != "kind"}
    if "observation" in fields:
        fields["observation"] = _described(fields["observation"], OBSERVATIONS)
    return kinds[table["kind"]](**fields)


def setting_faults(values: Mapping[str, Any]) -> Iterator[FaultParts]:
    """Yield what is wrong with the settings and parameters of a point.

    Examples
    --------
    >>> point = {"kind": "search", "result": "tuned", "strategy": "sprt", "seed": -1}
    >>> list(setting_faults(point))[0][:3]
    ('seed', 'an integer from 0 to 9223372036854775807', -1)
    """
    good = {}
    for name, setting in SETTINGS.items():
        value = values.get(name, NOTHING if name == "result" else setting.default)
        if value is None or setting.accepts(value):
            good[name] = value
        else:
            remedy = did_you_mean(value, setting.schema.get("enum", ()), setting.remedy)
            yield name, setting.expected, value, remedy
    limit, dt = good.get("time_limit"), as_float(values.get("dt", DEFAULT_DT))
    if limit is not None and dt is not None and dt > 0:
        expected, remedy = limit_fault(limit, dt)
        if expected:
            yield "time_limit", expected, limit, remedy
    result, strategy = good.get("result"), good.get("strategy")
    if result and strategy:
        yield from _pair_faults(result, strategy, values.get("kind") == "search")
    if strategy:
        yield from _parameter_faults(values.get("parameters", {}), result, strategy)


def _pair_faults(result: str, strategy: str, is_search: bool) -> Iterator[FaultParts]:
    recipes = f"one of {', '.join(RECIPES)}"
    if result == Result.TUNED and strategy == OPTIMAL:
        yield "strategy", f"{recipes} for tuned results", strategy, "name what is to be tuned"
    if not is_search and result == Result.EXACT:
        expected = 'simulated or tuned unless kind is "search"'
        yield "result", expected, result, "the solver knows search alone"
    elif not is_search and strategy == OPTIMAL:
        expected = f'{recipes} unless kind is "search"'
        yield "strategy", expected, strategy, "the optimum is not known there"


def _parameter_faults(values: Any, result: str | None, strategy: str) -> Iterator[FaultParts]:
    """Check the parameters: those of the strategy, numbers, and all free ones or none."""
    if not isinstance(values, Mapping):
        yield "parameters", "a table", values, "write [parameters]"
        return
    free = () if strategy == OPTIMAL else free_parameters(strategy)
    known = () if strategy == OPTIMAL else (*THRESHOLDS, *free)
    for name, value in values.items():
        what = f"parameters.{name}"
        listed = name in THRESHOLDS and isinstance(value, list | tuple)
        numbers = [as_float(item) for item in (value if listed else (value,))]
        if name not in known:
            expected = f"one of {', '.join(known)} with {strategy}" if known else "no parameters"
            remedy = did_you_mean(name, known, f"{strategy} has no such parameter")
            yield what, expected, value, remedy
        elif not numbers or not all(n is not None and math.isfinite(n) for n in numbers):
            yield what, "a finite number", value, "give the value of the parameter"
        elif result == Result.TUNED and name in free:
            remedy = "leave it out, or ask for simulated results"
            yield what, "no value for what is tuned", value, remedy
    missing = [name for name in free if name not in values]
    if values and missing and len(missing) < len(free):
        remedy = f"add {', '.join(missing)}, or leave all out to have them tuned"
        yield "parameters", f"all of {', '.join(free)}", [*values], remedy


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
