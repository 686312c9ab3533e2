"""Refusals: a status and faults in the shape of every other fault of `popout`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from popout.task import Fault, InputError

log = logging.getLogger("popout.web")

SHOWN = 100
"""Faults of one request that are answered; a file may have more."""


class RefusalError(Exception):
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
        super().__init__(expected)
        self.status = status
        self.faults = (Fault("", (), expected, got, remedy),)
        self.headers = dict(headers or {})
        self.more = more


def refusal_response(
    status: int,
    faults: Iterable[Fault],
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    """Return the answer to a request that is not granted."""
    content = {"faults": [fault.as_dict() for fault in faults][:SHOWN], **more}
    return JSONResponse(content, status, headers=dict(headers or {}))


def add_refusals(app: FastAPI) -> None:
    """Answer every error in the same shape."""

    @app.exception_handler(RefusalError)
    async def refused(request: Request, error: RefusalError) -> JSONResponse:
        return refusal_response(error.status, error.faults, error.headers, **error.more)

    @app.exception_handler(InputError)
    async def faulty(request: Request, error: InputError) -> JSONResponse:
        return refusal_response(422, error.faults)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        words = {
            404: ("an address that exists", "see /api/v1/openapi.json"),
            405: ("a method that the address takes", "see /api/v1/openapi.json"),
        }
        expected, remedy = words.get(error.status_code, ("a request", str(error.detail)))
        fault = Fault("", (), expected, f"{request.method} {request.url.path}"[:200], remedy)
        return refusal_response(error.status_code, [fault], error.headers)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        log.exception("%s %s broke", request.method, request.url.path, exc_info=error)
        remedy = "try again; if it stays, tell whoever runs the server"
        return refusal_response(500, [Fault("", (), "an answer", "an error", remedy)])
