"""The JSON Schema (2020-12) of task files, made from the declarations of the fields.

Editors check and complete a TOML file by its schema while it is typed. The schema knows the shape
of a file. What fields mean to each other (priors that sum to one, one drift per location) the
descriptions check when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from popout.task.base import Task
from popout.task.costs import Costs
from popout.task.kinds import Schema
from popout.task.observation import Observation

DIALECT = "https://json-schema.org/draft/2020-12/schema"


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
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in Task.kinds],
        "$defs": {**kind_schemas(["costs"]), "costs": Costs.schema()},
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
    tasks = {kind: cls.schema(extra, complete) for kind, cls in Task.kinds.items()}
    laws = {kind: cls.schema(complete=complete) for kind, cls in Observation.kinds.items()}
    either = {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in laws]}
    return {**tasks, **laws, "observation": either}
