"""The routes of the explorer: the form, questions and jobs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from popout.task import Fault, InputError
from popout.task.faults import did_you_mean, show
from popout.web.desk.desk import BusyError, ClosedError, Desk
from popout.web.desk.job import Job, State
from popout.web.explorer.fields import form
from popout.web.explorer.question import QUESTIONS, Asked, Question, read_question
from popout.web.http.bodies import read_json
from popout.web.http.guards import Rate
from popout.web.http.openapi import JOB_SCHEMA, described, question_schema
from popout.web.http.refusals import RefusalError, refusal_response

LISTEN_EVERY = 0.05
"""Seconds between looks at whether the visitor is still there."""


def visitor_of(request: Request) -> str:
    """Return who asks, as far as one can see: the address."""
    return request.client.host if request.client else ""


def explorer_routes(desk: Desk, rate: Rate | None = None) -> APIRouter:
    """Return the routes of the explorer.

    Parameters
    ----------
    desk : Desk
    rate : Rate, optional
        How often a visitor may ask.
    """
    router = APIRouter(prefix="/api/v1", tags=["explorer"])
    asking = rate or Rate(per_second=50.0, burst=200)

    @router.get("/fields", openapi_extra=described("The form, described.", {"type": "object"}))
    async def fields() -> Any:
        return JSONResponse(form())

    for question in QUESTIONS.values():
        router.add_api_route(
            f"/{question.name}",
            _ask(desk, question, asking),
            methods=["POST"],
            operation_id=question.name,
            openapi_extra=described(question.words, {}, question_schema(question)),
        )
    _add_jobs(router, desk, asking)
    return router


def _ask(desk: Desk, question: Question, asking: Rate) -> Any:
    async def ask(request: Request) -> Response:
        asking.check(visitor_of(request))
        asked = read_question(question.name, await read_json(request))
        known = desk.remembered(asked)
        if known is not None:
            return Response(known, media_type="application/json")
        job = _submit(desk, asked, visitor_of(request), desk.limits.quick)
        try:
            over = asyncio.create_task(job.over())
            while not over.done():
                await asyncio.wait([over], timeout=LISTEN_EVERY)
                if await request.is_disconnected():
                    over.cancel()
                    break
                desk.find(job.id)
        finally:
            desk.forget(job)
        if job.state is State.DONE:
            return Response(job.answer, media_type="application/json")
        if job.state is State.FAILED:
            return refusal_response(500 if job.is_broken else 422, job.faults)
        raise RefusalError(503, "an answer", "a server that is being stopped", "try again later")

    return ask


def _submit(desk: Desk, asked: Asked, visitor: str, limit: float | None = None) -> Job:
    try:
        return desk.submit(asked, visitor, limit)
    except ClosedError:
        remedy = "ask a server that was started with workers"
        raise RefusalError(503, "a server that computes", "one that does not", remedy) from None
    except BusyError as busy:
        limits = desk.limits
        most = limits.in_all if busy.everybody else limits.per_visitor
        whose = "of all visitors" if busy.everybody else "of a visitor"
        raise RefusalError(
            503 if busy.everybody else 429,
            f"at most {most} questions and jobs {whose} under way",
            "one more",
            "wait for an answer, or cancel something",
            {"Retry-After": "2"},
        ) from None


def _read_job(body: Any) -> Asked:
    """Read what a job is to be."""
    if not isinstance(body, Mapping):
        remedy = 'write {"question": "compare", "body": {...}}'
        raise InputError([Fault("job", (), "an object", show(body), remedy)])
    name = body.get("question")
    faults = [
        Fault("job", (str(key),), "question or body", show(key), "drop it")
        for key in body
        if key not in ("question", "body")
    ]
    if not isinstance(name, str) or name not in QUESTIONS:
        expected = f"one of {', '.join(QUESTIONS)}"
        remedy = did_you_mean(name, QUESTIONS, "choose one")
        faults.append(Fault("job", ("question",), expected, show(name), remedy))
    if faults:
        raise InputError(faults)
    return read_question(str(name), body.get("body"), ("body",))


def _add_jobs(router: APIRouter, desk: Desk, asking: Rate) -> None:
    def found(id: str) -> Job:
        job = desk.find(id)
        if job is None:
            remedy = "a finished job is kept for a minute; ask again"
            raise RefusalError(404, "a job that is known", "another", remedy)
        return job

    body = {
        "type": "object",
        "properties": {"question": {"enum": list(QUESTIONS)}, "body": {"type": "object"}},
        "required": ["question", "body"],
        "additionalProperties": False,
    }

    @router.post(
        "/jobs", status_code=202, openapi_extra=described("Ask in a job.", JOB_SCHEMA, body, 202)
    )
    async def make_job(request: Request) -> Any:
        asking.check(visitor_of(request))
        asked = _read_job(await read_json(request))
        job = _submit(desk, asked, visitor_of(request))
        return JSONResponse(job.as_dict(), 202)

    @router.get("/jobs/{id}", openapi_extra=described("A job as it stands.", JOB_SCHEMA))
    async def see_job(id: str) -> Any:
        return JSONResponse(found(id).as_dict())

    @router.delete(
        "/jobs/{id}", status_code=204, openapi_extra=described("Cancel a job.", None, status=204)
    )
    async def drop_job(id: str) -> Response:
        desk.cancel(found(id))
        return Response(status_code=204)

    @router.get(
        "/jobs/{id}/events",
        openapi_extra=described("A job as it moves.", None, media="text/event-stream"),
    )
    async def stream_job(id: str) -> Response:
        return StreamingResponse(_events(found(id)), media_type="text/event-stream")


async def _events(job: Job) -> AsyncIterator[bytes]:
    async for state in job.changes():
        name = str(state) if state.is_over else "progress"
        yield f"event: {name}\ndata: {json.dumps(job.as_dict())}\n\n".encode()
