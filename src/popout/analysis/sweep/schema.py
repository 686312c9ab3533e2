"""The JSON Schema (2020-12) of sweep files: a task file with settings, parameters and a grid.

Every name may stand at the top, or in ``[grid]`` with a list of its values; what one leaves out the
other may give, so nothing of the task is required but its kind. See `popout.task.schema`.
"""

from __future__ import annotations

from typing import Any

from popout.analysis.named import STRATEGY_NAMES
from popout.analysis.sweep.case import SETTINGS, Result
from popout.task import Costs, Observation, Task
from popout.task.kinds import Number, Schema, array_of
from popout.task.schema import DIALECT, kind_schemas

__all__ = ["sweep_schema"]

TOLERANCE: Schema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}

SETTING_SCHEMAS: dict[str, Schema] = {
    "result": {"enum": [str(result) for result in Result], "description": "What is computed."},
    "strategy": {"enum": list(STRATEGY_NAMES), "description": "Name of a strategy."},
    "n_trials": {
        "type": "integer",
        "minimum": 2,
        "maximum": 10**9,
        "description": "Trials simulated at a point.",
    },
    "tune_trials": {
        "type": "integer",
        "minimum": 1000,
        "maximum": 10**8,
        "description": "Trials per candidate while free parameters are tuned.",
    },
    "rtol": {**TOLERANCE, "description": "Relative accuracy of exact risks."},
    "rates": {
        "type": "boolean",
        "description": "Whether error rates and response times of the optimum are wanted.",
    },
    "time_limit": {
        **Number(above=0.0).schema(),
        "description": "Seconds until a trial counts as undecided.",
    },
    "seed": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2**63 - 1,
        "description": "Seed of the noise.",
    },
}
"""What each setting takes; `case.SETTINGS` has their defaults."""


def sweep_schema() -> Schema:
    """Return the schema of sweep files.

    Examples
    --------
    >>> from popout.analysis.sweep.schema import sweep_schema
    >>> schema = sweep_schema()
    >>> schema["$defs"]["search"]["required"]
    ['kind', 'grid']
    >>> schema["$defs"]["search"]["properties"]["result"]["enum"]
    ['exact', 'simulated', 'tuned']
    """
    costs = Costs.schema(complete=False)
    value: Schema = {"anyOf": [Number().schema(), array_of(Number().schema())]}
    parameters: Schema = {
        "type": "object",
        "description": "Parameters of the strategy; those left out are computed or tuned.",
        "additionalProperties": value,
    }
    kinds = kind_schemas(["costs", "parameters"], complete=False)
    for kind in Task.kinds:
        task = kinds[kind]
        task["properties"] |= _settings()
        task["properties"]["grid"] = _grid(kind, kinds, costs, value)
        task["required"].append("grid")
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:sweep",
        "title": "A sweep over a grid of tasks, costs and strategies, as popout reads it from TOML",
        "type": "object",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in Task.kinds],
        "$defs": {**kinds, "costs": costs, "parameters": parameters},
    }


def _settings() -> dict[str, Any]:
    defaults = {name: {"default": value} for name, value in SETTINGS.items() if value is not None}
    return {name: {**one, **defaults.get(name, {})} for name, one in SETTING_SCHEMAS.items()}


def _grid(kind: str, kinds: dict[str, Schema], costs: Schema, value: Schema) -> Schema:
    """Return the schema of ``[grid]``: a list of values for each name, tables for dotted ones."""
    fields = {**kinds[kind]["properties"], **SETTING_SCHEMAS}
    tables = {"costs": costs["properties"]}
    if "observation" in fields:
        tables["observation"] = {
            name: one
            for part in Observation.kinds
            for name, one in kinds[part]["properties"].items()
        }
    axes = {
        name: _axis(one)
        for name, one in fields.items()
        if name not in ("kind", "parameters", "observation", "costs")
    }
    for table, entries in tables.items():
        parts = {name: _axis(one) for name, one in entries.items() if name != "kind"}
        axes[table] = {"type": "object", "properties": parts, "additionalProperties": False}
        axes |= {f"{table}.{name}": one for name, one in parts.items()}  # as a quoted key
    axes["parameters"] = {"type": "object", "additionalProperties": _axis(value)}
    return {
        "type": "object",
        "description": "A list of values for each axis of the sweep.",
        "minProperties": 1,
        "properties": axes,
        "patternProperties": {r"^parameters\.": _axis(value)},
        "additionalProperties": False,
    }


def _axis(one: Schema) -> Schema:
    bare = {key: entry for key, entry in one.items() if key not in ("description", "default")}
    return array_of(bare, uniqueItems=True)
