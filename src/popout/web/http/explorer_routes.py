"""The routes of the explorer: a question has an answer, or events on the way to its answer."""

import json
import math
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response, StreamingResponse

from popout.task import Fault
from popout.web.explorer.desk import BusyError, Desk, Job
from popout.web.explorer.questions import QUESTIONS, Question
from popout.web.http.guards import CheckedRoute, Rate, visitor_of
from popout.web.http.refusals import RefusalError, refusal_response

LISTEN_EVERY = 0.05
"""Seconds between looks at whether the visitor is still there."""
TELL_EVERY = 1.0
"""Seconds between two events at the latest; one that cannot be sent says that nobody listens."""
ASKING = [Depends(Rate(per_second=50.0, burst=200).check_visitor)]
EVENTS = "text/event-stream"
STOPPED = Fault("", (), "an answer", "a server that is being stopped", "try again later")

router = APIRouter(prefix="/api/v1", tags=["explorer"], route_class=CheckedRoute)


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


ServedDesk = Annotated[Desk, Depends(_desk)]


def _add_question(kind: type[Question]) -> None:
    async def ask(request: Request, desk: ServedDesk, question: kind) -> Response:  # type: ignore[valid-type]
        job = _submit(desk, question, visitor_of(request))
        if EVENTS in request.headers.get("accept", ""):
            return StreamingResponse(_events(desk, job), media_type=EVENTS)
        return await _answer(request, desk, job)

    words = (kind.__doc__ or "").strip()
    asking = router.post(
        f"/{kind.name}", operation_id=kind.name, summary=words, dependencies=ASKING
    )
    asking(ask)


for _kind in QUESTIONS.values():
    _add_question(_kind)


def _submit(desk: Desk, question: Question, visitor: str) -> Job:
    if desk.n_workers == 0:
        remedy = "ask a server that was started with workers"
        raise RefusalError(503, "a server that computes", "one that does not", remedy)
    try:
        return desk.submit(question, visitor)
    except BusyError as busy:
        status, expected = 503 if busy.everybody else 429, f"at most {busy.most} under way"
        remedy, headers = "wait for an answer, or drop a question", {"Retry-After": "2"}
        raise RefusalError(status, expected, "one more", remedy, headers) from None


async def _answer(request: Request, desk: Desk, job: Job) -> Response:
    """Return the answer when it is there, unless the visitor goes away."""
    try:
        while job.ending is None and not await request.is_disconnected():
            await job.changed(LISTEN_EVERY)
    finally:
        desk.drop(job)
    ending = job.ending
    assert ending is not None
    if ending.answer:
        return Response(ending.answer, media_type="application/json")
    status = 500 if ending.is_broken else 422 if ending.faults else 503
    return refusal_response(status, ending.faults or [STOPPED])


async def _events(desk: Desk, job: Job) -> AsyncIterator[bytes]:
    """Tell how far it is until it is over; whoever stops listening drops the question."""
    try:
        while job.ending is None:
            share = job.share if math.isfinite(job.share) else None
            yield _event("progress", json.dumps({"share": share, "words": job.words}).encode())
            await job.changed(TELL_EVERY)
        if job.ending.answer:
            yield _event("done", job.ending.answer)
        else:
            faults = refusal_response(422, job.ending.faults or [STOPPED])
            yield _event("failed", bytes(faults.body))
    finally:
        desk.drop(job)


def _event(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)
