"""Refusals: a status and faults in the shape of every other fault of `popout`.

FastAPI checks requests against their models. What it finds becomes faults here, beside those that
tasks, costs and designs find themselves.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException as AnyHTTPException

from popout.task import Fault, InputError
from popout.task.faults import NOTHING, Path, show

log = logging.getLogger("popout.web")

SHOWN = 100
"""Faults of one request that are answered; a file may have more."""
EXPECTED = {
    "missing": "a value",
    "extra_forbidden": "no field of this name",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
    "tuple_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object, as Content-Type: application/json",
}
"""By type of an error of pydantic, which has words of its own for the rest."""
SEE = "see /api/v1/openapi.json"


class FaultAnswer(BaseModel):
    """A fault, as it is answered."""

    path: list[str | int]
    expected: str
    got: str
    remedy: str
    message: str


class RefusalAnswer(BaseModel):
    """The answer to a request that is not granted."""

    faults: list[FaultAnswer]


REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": RefusalAnswer}
    for status in (400, 401, 404, 409, 413, 415, 421, 422, 429, 503)
}
"""For the description of the routes."""


class RefusalError(HTTPException):
    """A request that is not granted.

    Parameters
    ----------
    status : int
    expected, got, remedy : str
        As of a `Fault`.
    headers : mapping of str to str
    more : mapping
        Further content of the answer.
    """

    def __init__(
        self,
        status: int,
        expected: str,
        got: str,
        remedy: str,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(status, expected, dict(headers or {}))
        self.fault = Fault("", (), expected, got, remedy)
        self.more = more


def refusal_response(
    status: int, faults: Iterable[Fault], headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the answer to a request that is not granted."""
    content = {"faults": [fault.as_dict() for fault in faults][:SHOWN], **more}
    return JSONResponse(content, status, headers=headers)


def faults_of(errors: Iterable[Mapping[str, Any]], table: Path = ()) -> Iterator[Fault]:
    """Yield the faults that errors of pydantic stand for.

    Parameters
    ----------
    errors : iterable of mapping
        As `pydantic.ValidationError.errors` returns them.
    table : tuple
        Where the input stands in a larger one.

    Examples
    --------
    >>> error = {"type": "less_than_equal", "loc": ("rtol",), "input": 7, "ctx": {"le": 0.1}}
    >>> print(*faults_of([error]))
    rtol: expected at most 0.1, got 7; see /api/v1/openapi.json
    """
    for error in errors:
        place, context = (*table, *error["loc"]), error.get("ctx", {})
        cause, kind = context.get("error"), error["type"]
        if isinstance(cause, InputError):
            for fault in cause.faults:
                if fault.subject:
                    yield replace(fault, table=(*place, *fault.table))
                else:
                    yield replace(fault, path=(*place, *fault.path))
        elif isinstance(cause, ValidationError):
            yield from faults_of(cause.errors(), place)
        else:
            words = EXPECTED.get(kind, "").format(**context)
            expected = words or error["msg"].removeprefix("Input should be ")
            got = show(NOTHING if kind == "missing" else error["input"])
            yield Fault("", place, expected, got, SEE)


async def _refused(request: Request, error: AnyHTTPException) -> JSONResponse:
    if isinstance(error, RefusalError):
        return refusal_response(error.status_code, [error.fault], error.headers, **error.more)
    words = {404: "an address that exists", 405: "a method that the address takes"}
    expected = words.get(error.status_code, f"a request ({error.detail})")
    fault = Fault("", (), expected, f"{request.method} {request.url.path}"[:200], SEE)
    return refusal_response(error.status_code, [fault], error.headers)


async def _faulty(request: Request, error: InputError) -> JSONResponse:
    return refusal_response(422, error.faults)


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    errors = [{**wrong, "loc": wrong["loc"][1:]} for wrong in error.errors()]
    return refusal_response(422, faults_of(errors))


async def _broken(request: Request, error: Exception) -> JSONResponse:
    log.exception("%s %s broke", request.method, request.url.path, exc_info=error)
    remedy = "try again; if it stays, tell whoever runs the server"
    return refusal_response(500, [Fault("", (), "an answer", "an error", remedy)])


HANDLERS: dict[Any, Any] = {
    AnyHTTPException: _refused,
    InputError: _faulty,
    RequestValidationError: _invalid,
    Exception: _broken,
}
"""What is answered to each kind of error."""
