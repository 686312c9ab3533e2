"""One point of a sweep: its task, its costs and its settings; and the schema of sweep files.

A setting is a declared field of `Settings`; checks, defaults and the JSON Schema follow from that.
In a sweep file every name may stand at the top, or in ``[grid]`` with a list of its values; what
one leaves out the other may give, so the schema requires nothing of the task but its kind. See
`popout.task.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from popout.analysis.making import check_wanted, strategy_names
from popout.policies.looking.names import named_attention
from popout.policies.stopping import RECIPES
from popout.policies.vocabulary import OPTIMAL
from popout.simulation.time_limit import limit_fault
from popout.task import Costs, Faults, InputError, Observation, SearchTask, Task
from popout.task.declared import Declared, Field, Stored, optional, required
from popout.task.document import Document, DocumentFaults
from popout.task.faults import NOTHING, as_float, did_you_mean
from popout.task.kinds import Choice, Flag, Integer, Number, Optional, Schema, Text, array_of
from popout.task.look import Gazes
from popout.task.toml import DIALECT, kind_schemas

THRESHOLDS = ("tau_minus", "tau_plus")
"""Parameters that every recipe takes: the thresholds of discrimination."""
PARAMETER: Schema = {"anyOf": [Number().schema(), array_of(Number().schema())]}
ATTENTION = Text(
    40,
    pattern=r"optimal|parallel|serial|(guided|map|elm|ideal)(:[0-9.eE+-]+)?"
    r"|random(:[0-9]+)?|stay:[0-9]+",
    expected="parallel, guided, guided:0.5, serial or optimal; of gazes map, elm, ideal, random, "
    "stay:1, or elm:0.2 where fixations are free",
)
BETWEEN = "choose a number in between"


class Result(StrEnum):
    """What is computed at a point."""

    EXACT = "exact"
    SIMULATED = "simulated"
    TUNED = "tuned"


def _whole(low: int, high: int) -> Integer:
    return Integer(low, high, expected=f"an integer from {low} to {high}")


class Settings(Declared):
    """What is neither task nor costs."""

    result: Stored[str] = required(
        Field(Choice(tuple(map(str, Result))), "What is computed.", "choose one")
    )
    strategy: Stored[str] = optional(
        Field(Choice(strategy_names()), "Name of a strategy.", "choose one", default=OPTIMAL)
    )
    attention: Stored[str | None] = optional(
        Field(
            Optional(ATTENTION),
            "Name of an attention policy, where information is limited.",
            "name one of them",
            default=None,
        )
    )
    n_trials: Stored[int] = optional(
        Field(_whole(2, 10**9), "Trials simulated at a point.", BETWEEN, default=100_000)
    )
    tune_trials: Stored[int] = optional(
        Field(
            _whole(1000, 10**8),  # `tune` takes no fewer
            "Trials per candidate while free parameters are tuned.",
            BETWEEN,
            default=100_000,
        )
    )
    rtol: Stored[float] = optional(
        Field(
            Number(above=0.0, below=1.0, expected="a positive number below 1"),
            "Relative accuracy of exact risks.",
            "give the relative accuracy of the risk, e.g. 1e-3",
            default=1e-3,
        )
    )
    rates: Stored[bool] = optional(
        Field(
            Flag(),
            "Whether error rates and response times of the optimum are wanted.",
            "say true or false",
            default=True,
        )
    )
    time_limit: Stored[float | None] = optional(
        Field(
            Optional(Number(above=0.0)),
            "Seconds until a trial counts as undecided.",
            "give seconds, or leave it out",
            "seconds",
            None,
        )
    )
    seed: Stored[int] = optional(
        Field(_whole(0, 2**63 - 1), "Seed of the noise.", BETWEEN, default=1)
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Refuse to tune what has nothing to tune."""
        if known["result"] == Result.TUNED and known["strategy"] == OPTIMAL:
            expected = f"one of {', '.join(RECIPES)} for tuned results"
            faults.add("strategy", expected, OPTIMAL, "name what is to be tuned")


DEFAULTS = {name: None if f.is_required else f.default for name, f in Settings.declared.items()}
KEYS = (*Settings.declared, "parameters", "costs", "grid")
"""What a sweep file holds at its top beside the task."""


@dataclass(frozen=True)
class Case:
    """Everything the numbers of one point depend on."""

    task: Task
    costs: Costs
    settings: Settings
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Case:
        """Make a case from tables within tables, as a sweep file has them.

        Examples
        --------
        >>> table = {"kind": "search", "n_locations": 2, "drift": 4.0, "costs": {"time": 0.2}}
        >>> Case.of({**table, "result": "exact"}).settings.strategy
        'optimal'
        """
        faults, tables = Faults(""), DocumentFaults(Document(dict(values), {}))
        task = Task.read(tables, also=KEYS)
        if "costs" not in values:
            tables.add("costs", "a table [costs]", NOTHING, "add [costs], time = ...")
        costs = Costs.read(tables, ("costs",)) if "costs" in values else None
        parameters, settings = values.get("parameters", {}), None
        given = {name: values.get(name, f.default) for name, f in Settings.declared.items()}
        try:
            settings = Settings(**given)
        except InputError as error:
            faults.faults += [replace(fault, subject="") for fault in error.faults]
        if settings is not None:
            _check_parameters(faults, parameters, settings)
            if task is not None:
                check_pair(faults, task, settings)
        if faults or tables or task is None or costs is None or settings is None:
            raise InputError([*faults.faults, *tables.faults])
        return cls(task, costs, settings, parameters)


def check_pair(faults: Faults, task: Task, settings: Settings) -> None:
    """Record a result, a strategy, an attention policy or a limit that the task does not admit.

    Examples
    --------
    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    >>> faults = Faults("")
    >>> check_pair(faults, task, Settings("exact", "sprt-opt"))
    >>> faults.faults[0].expected
    'simulated or tuned where there is no equivalent search'
    """
    result, attention = settings.result, settings.attention
    limited = task.look.is_chosen
    if attention is not None and not limited:
        remedy = "leave it out; attention is a choice where information is limited"
        expected = 'none unless kind is "limited-search" or "gaze-search"'
        faults.add("attention", expected, attention, remedy)
    elif limited and task.search is None and attention is None:
        example = "elm" if isinstance(task.look, Gazes) else "serial"
        expected, remedy = "the name of an attention policy", f"add attention, e.g. {example}"
        faults.add("attention", expected, attention, remedy)
    elif attention is None and result == Result.EXACT and task.equivalent is None:
        expected = "simulated or tuned where there is no equivalent search"
        faults.add("result", expected, result, f"nothing is exact, because {task.why_no_search}")
    else:
        check_wanted(faults, "strategy", [settings.strategy], [task])
        policy = None if attention is None else named_attention(attention, task, faults)
        if result == Result.EXACT and policy is not None and policy.settles > 0:
            expected = "a policy whose risk is exact, one that goes by the evidence alone"
            faults.add("attention", expected, attention, "ask for simulated or tuned results")
    limit = settings.time_limit
    expected, remedy = ("", "") if limit is None else limit_fault(limit, task.dt)
    if expected:
        faults.add("time_limit", expected, limit, remedy)


def _check_parameters(faults: Faults, values: Any, settings: Settings) -> None:
    """Check the parameters: those of the strategy, numbers, and all free ones or none."""
    if not isinstance(values, Mapping):
        faults.add("parameters", "a table", values, "write [parameters]")
        return
    strategy, is_recipe = settings.strategy, settings.strategy != OPTIMAL
    free = free_parameters(strategy) if is_recipe else ()
    known = (*THRESHOLDS, *free) if is_recipe else ()
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
        elif settings.result == Result.TUNED and name in free:
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


def sweep_schema() -> Schema:
    """Return the schema of sweep files.

    Examples
    --------
    >>> schema = sweep_schema()
    >>> schema["$defs"]["search"]["required"]
    ['kind', 'grid']
    >>> schema["$defs"]["search"]["properties"]["result"]["enum"]
    ['exact', 'simulated', 'tuned']
    """
    costs = Costs.schema(complete=False)
    parameters: Schema = {
        "type": "object",
        "description": "Parameters of the strategy; those left out are computed or tuned.",
        "additionalProperties": PARAMETER,
    }
    kinds = kind_schemas(["costs", "parameters"], complete=False)
    for kind in Task.kinds:
        task = kinds[kind]
        for name, setting in Settings.declared.items():
            task["properties"][name] = setting.schema()
        task["properties"]["grid"] = _grid(kind, kinds, costs)
        task["required"].append("grid")
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:sweep",
        "title": "A sweep over a grid of tasks, costs and strategies, as popout reads it from TOML",
        "type": "object",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in Task.kinds],
        "$defs": {**kinds, "costs": costs, "parameters": parameters},
    }


def _grid(kind: str, kinds: dict[str, Schema], costs: Schema) -> Schema:
    """Return the schema of ``[grid]``: a list of values for each name, tables for dotted ones."""
    fields = kinds[kind]["properties"]
    tables = {"costs": costs["properties"]}
    if "observation" in fields:
        tables["observation"] = {
            name: entry
            for observation in Observation.kinds
            for name, entry in kinds[observation]["properties"].items()
        }
    no_axes = ("kind", "parameters", "observation", "costs")
    axes = {name: _axis(entry) for name, entry in fields.items() if name not in no_axes}
    for table, entries in tables.items():
        parts = {name: _axis(entry) for name, entry in entries.items() if name != "kind"}
        axes[table] = {"type": "object", "properties": parts, "additionalProperties": False}
        axes |= {f"{table}.{name}": axis for name, axis in parts.items()}  # as a quoted key
    axes["parameters"] = {"type": "object", "additionalProperties": _axis(PARAMETER)}
    return {
        "type": "object",
        "description": "A list of values for each axis of the sweep.",
        "minProperties": 1,
        "properties": axes,
        "patternProperties": {r"^parameters\.": _axis(PARAMETER)},
        "additionalProperties": False,
    }


def _axis(entry: Schema) -> Schema:
    """Return the schema of the values of an axis, each of which an entry would take."""
    values = {key: part for key, part in entry.items() if key not in ("description", "default")}
    return array_of(values, uniqueItems=True)
