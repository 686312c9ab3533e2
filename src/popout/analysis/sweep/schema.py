"""The JSON Schema (2020-12) of sweep files: a task file with settings, parameters and a grid.

Every name may stand at the top, or in ``[grid]`` with a list of its values; what one leaves out the
other may give, so nothing of the task is required but its kind. See `popout.task.toml`.
"""

from __future__ import annotations

from popout.analysis.sweep.case import SETTINGS
from popout.task import Costs, Observation, Task
from popout.task.kinds import Number, Schema, array_of
from popout.task.toml import DIALECT, kind_schemas

PARAMETER: Schema = {"anyOf": [Number().schema(), array_of(Number().schema())]}


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
    parameters: Schema = {
        "type": "object",
        "description": "Parameters of the strategy; those left out are computed or tuned.",
        "additionalProperties": PARAMETER,
    }
    kinds = kind_schemas(["costs", "parameters"], complete=False)
    for kind in Task.kinds:
        task = kinds[kind]
        for name, setting in SETTINGS.items():
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
