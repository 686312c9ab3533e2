"""The JSON Schema (2020-12) of task files, made from the descriptions themselves.

Editors check and complete a TOML file by its schema while it is typed. Names, defaults and what is
required come from the signatures of the descriptions, the words from their docstrings; a table here
says what numbers each field takes. The schema knows the shape of a file. What fields mean to each
other (priors that sum to one, one drift per location) the descriptions check when it is read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any

from popout.task.costs import Costs
from popout.task.fields import BLANK, MOST_LOCATIONS
from popout.task.toml import OBSERVATIONS, TASKS

__all__ = ["DIALECT", "costs_schema", "kind_schemas", "object_schema", "task_schema"]

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def array_of(items: Schema, **more: Any) -> Schema:
    """Return the schema of a list with at least one item."""
    return {"type": "array", "items": items, "minItems": 1, **more}


NUMBER: Schema = {"type": "number"}
POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}
SENSIBLE: Schema = {"type": "number", "minimum": 1e-9, "maximum": 1e9}
PROBABILITY: Schema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
DISTRIBUTION = array_of({"type": "number", "minimum": 0, "maximum": 1})
LABEL: Schema = {"anyOf": [NUMBER, {"const": BLANK}]}

FIELDS: dict[str, Schema] = {
    "n_locations": {"type": "integer", "minimum": 1, "maximum": MOST_LOCATIONS},
    "dt": SENSIBLE,
    "prior": PROBABILITY,
    "location_prior": DISTRIBUTION,
    "target_prior": DISTRIBUTION,
    "distractor_prior": DISTRIBUTION,
    "item_prior": DISTRIBUTION,
    "mixture_prior": DISTRIBUTION,
    "count_prior": DISTRIBUTION,
    "mixtures": array_of(DISTRIBUTION),
    "orientations": array_of(LABEL, uniqueItems=True),
    "counts": array_of({"type": "integer", "minimum": 1}, uniqueItems=True),
    "observation": {"$ref": "#/$defs/observation"},
    "SearchTask.drift": {"anyOf": [SENSIBLE, array_of(SENSIBLE)]},
    "GaussianWalk.drift": {"anyOf": [array_of(NUMBER), array_of(array_of(NUMBER))]},
    "PoissonSpikes.rate": array_of(array_of(POSITIVE)),
    "Costs.time": {"anyOf": [POSITIVE, array_of(POSITIVE, minItems=2, maxItems=2)]},
    "Costs.miss": POSITIVE,
    "Costs.false_alarm": POSITIVE,
}
"""What each field takes, by its name or, where two share one, by that of its description too."""


def task_schema() -> Schema:
    """Return the schema of task files.

    Examples
    --------
    >>> from popout.task.schema import task_schema
    >>> schema = task_schema()
    >>> [kind["$ref"] for kind in schema["oneOf"]][:2]
    ['#/$defs/search', '#/$defs/discrimination']
    >>> schema["$defs"]["search"]["properties"]["drift"]["description"]
    'Drift rate mu in 1/s, one for all locations or one each: +mu at a target, -mu at a distractor.'
    """
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:task",
        "title": "A search task, as popout reads it from TOML",
        "type": "object",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in TASKS],
        "$defs": {**kind_schemas(["costs"]), "costs": costs_schema()},
    }


def kind_schemas(also: Iterable[str] = (), complete: bool = True) -> dict[str, Schema]:
    """Return the definitions of every kind of task and of observation.

    Parameters
    ----------
    also : iterable of str
        Further keys at the top of the file; each is a definition.
    complete : bool
        Whether all that a task needs must be there.
    """
    extra = {name: {"$ref": f"#/$defs/{name}"} for name in also}
    tasks = {kind: object_schema(cls, kind, extra, complete) for kind, cls in TASKS.items()}
    if complete:
        # One drift for all locations says nothing about how many there are.
        drifts = {"properties": {"drift": {"type": "array"}}}
        tasks["search"]["required"].append("drift")
        tasks["search"]["anyOf"] = [{"required": ["n_locations"]}, drifts]
    walks = {
        kind: object_schema(cls, kind, complete=complete) for kind, cls in OBSERVATIONS.items()
    }
    either = {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in walks]}
    return {**tasks, **walks, "observation": either}


def costs_schema(complete: bool = True) -> Schema:
    """Return the definition of the table `[costs]`."""
    return object_schema(Costs, complete=complete)


def object_schema(
    cls: type, kind: str = "", extra: Mapping[str, Schema] | None = None, complete: bool = True
) -> Schema:
    """Return the schema of the table that one description is read from."""
    parameters = inspect.signature(cls).parameters
    words = _words(cls)
    properties: Schema = {"kind": {"const": kind}} if kind else {}
    for name, parameter in parameters.items():
        field = dict(FIELDS.get(f"{cls.__name__}.{name}") or FIELDS[name])
        if name in words:
            field["description"] = words[name]
        if parameter.default not in (parameter.empty, None):
            field["default"] = parameter.default
        properties[name] = field
    needed = [name for name, p in parameters.items() if p.default is p.empty]
    return {
        "type": "object",
        "description": (inspect.getdoc(cls) or "").split("\n")[0],
        "properties": {**properties, **(extra or {})},
        "required": [*(["kind"] if kind else []), *(needed if complete else [])],
        "additionalProperties": False,
    }


def _words(cls: type) -> dict[str, str]:
    """Return the first sentence about each parameter in the docstring."""
    section = (inspect.getdoc(cls) or "").partition("Parameters\n----------\n")[2]
    section = section.partition("\n\n")[0]
    found = {}
    for names, text in re.findall(
        r"^(\w[\w, ]*) : .*\n((?:    .*(?:\n|$))+)", section, re.MULTILINE
    ):
        sentence = re.match(r".*?[.;](?= |$)|.*", " ".join(text.split()))
        for name in names.split(", "):
            found[name] = sentence[0].rstrip(";.") + "." if sentence else ""
    return found
