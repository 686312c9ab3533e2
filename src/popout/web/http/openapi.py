"""The description of the routes in OpenAPI 3.1, made from the declared fields.

JSON Schemas of tasks, costs and settings are those that `popout schema` writes; here they become
components, so that bodies refer to them.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from popout import __version__
from popout.task import Task
from popout.task.kinds import Schema
from popout.task.toml import task_schema
from popout.web.explorer.question import Question

FAULTS = {"$ref": "#/components/schemas/Faults"}
REFUSED = {
    "400": "The body is not JSON.",
    "401": "No token, or a wrong one.",
    "404": "There is no such thing.",
    "409": "Not now, or not any more.",
    "413": "The body is too large.",
    "422": "Faults in the input.",
    "429": "This visitor asks for too much.",
    "503": "All visitors together ask for too much.",
}
WORDS = ("subject", "expected", "got", "remedy", "message")
FAULT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "path": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        **{
            name: {"type": "string"} for name in ("subject", "expected", "got", "remedy", "message")
        },
        "file": {"type": ["string", "null"]},
        "line": {"type": ["integer", "null"]},
    },
    "required": ["path", "expected", "got", "remedy", "message"],
}
FAULTS_SCHEMA: Schema = {
    "type": "object",
    "properties": {"faults": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}},
    "required": ["faults"],
}
JOB_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "question": {"type": "string"},
        "state": {"enum": ["waiting", "running", "done", "failed", "cancelled"]},
        "share": {"type": ["number", "null"]},
        "words": {"type": "string"},
        "seconds": {"type": "number"},
        "seconds_left": {"type": ["number", "null"]},
        "answer": {},
        "faults": {"type": ["array", "null"]},
    },
    "required": ["id", "question", "state", "share", "words", "seconds", "answer", "faults"],
}


def described(
    words: str,
    answer: Schema | None,
    body: Schema | None = None,
    status: int = 200,
    media: str = "application/json",
    token: bool = False,
) -> dict[str, Any]:
    """Return what a route adds to its description.

    Parameters
    ----------
    words : str
    answer, body : dict, optional
        JSON Schemas.
    status : int
        Of an answer that grants what was asked.
    media : str
        Type of the answer.
    token : bool
        Whether it takes one.
    """
    content = (
        {media: {"schema": answer or {}}} if answer is not None or media[-4:] != "json" else {}
    )
    extra: dict[str, Any] = {
        "summary": words,
        "responses": {
            str(status): {"description": "Granted.", **({"content": content} if content else {})},
            **{
                code: {"description": text, "content": {"application/json": {"schema": FAULTS}}}
                for code, text in REFUSED.items()
            },
        },
    }
    if body is not None:
        extra["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": body}},
        }
    if token:
        extra["security"] = [{"token": []}]
    return extra


def question_schema(question: Question) -> Schema:
    """Return the JSON Schema of the body of a question."""
    kinds = [{"$ref": f"#/components/schemas/{kind}"} for kind in Task.kinds]
    parts = {"task": {"oneOf": kinds}, "costs": {"$ref": "#/components/schemas/costs"}}
    schema = question.settings.schema(parts)
    return {**schema, "required": [*schema["required"], "task", "costs"]}


def add_description(app: FastAPI) -> None:
    """Describe the routes of an application at ``/api/v1/openapi.json``."""
    made: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not made:
            made.update(_describe(app))
        return made

    app.openapi = openapi  # type: ignore[method-assign]


def _describe(app: FastAPI) -> dict[str, Any]:
    description = get_openapi(
        title="popout",
        version=__version__,
        openapi_version="3.1.0",
        summary="Ideal observers for visual search",
        routes=app.routes,
    )
    parts = description.setdefault("components", {})
    parts.setdefault("schemas", {})
    parts["schemas"] |= {
        **_moved(task_schema()["$defs"]),
        "Fault": FAULT_SCHEMA,
        "Faults": FAULTS_SCHEMA,
    }
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return description


def _moved(schema: Any) -> Any:
    """Return definitions with references to where they stand in the description."""
    if isinstance(schema, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/")
            if key == "$ref"
            else _moved(value)
            for key, value in schema.items()
        }
    return [_moved(item) for item in schema] if isinstance(schema, list) else schema
