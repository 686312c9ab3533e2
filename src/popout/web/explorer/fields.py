"""The form of the explorer, described: every field with its bounds, unit and words."""

from __future__ import annotations

import inspect
from typing import Any

from popout.drawing.plain import plain
from popout.policies.names import STRATEGIES
from popout.task import Costs, Task
from popout.task.declared import Declared
from popout.web.explorer.question import QUESTIONS
from popout.web.explorer.settings import MOST_LOCATIONS, STOPPING

ATTENTION = ("parallel", "guided", "serial", "optimal")


def fields_of(described: type[Declared]) -> list[dict[str, Any]]:
    """Return the fields of a description, for a page to make a form of.

    Examples
    --------
    >>> [field["name"] for field in fields_of(Costs)]
    ['time', 'miss', 'false_alarm']
    >>> fields_of(Costs)[1]["default"], fields_of(Costs)[1]["schema"]["exclusiveMinimum"]
    (1.0, 0.0)
    """
    return [
        {
            "name": name,
            "words": field.words,
            "remedy": field.remedy,
            "unit": field.unit,
            "required": field.is_required,
            "default": None if field.is_required else plain(field.default),
            "schema": field.kind.schema(),
        }
        for name, field in described.declared.items()
    ]


def form() -> dict[str, Any]:
    """Return everything a visitor may choose."""
    return {
        "tasks": {
            kind: {"words": _first_line(cls), "fields": fields_of(cls)}
            for kind, cls in Task.kinds.items()
        },
        "costs": fields_of(Costs),
        "questions": {
            name: {"words": question.words, "fields": fields_of(question.settings)}
            for name, question in QUESTIONS.items()
        },
        "strategies": list(STRATEGIES),
        "stopping": list(STOPPING),
        "attention": list(ATTENTION),
        "most_locations": MOST_LOCATIONS,
    }


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or "").split("\n")[0]
