"""The routes of the explorer: questions and jobs."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from popout.web.explorer.desk import BusyError, Desk
from popout.web.explorer.job import Job, State
from popout.web.explorer.questions import QUESTIONS, Order, Question
from popout.web.http.guards import CheckedRoute, Rate, visitor_of
from popout.web.http.refusals import FaultAnswer, RefusalError, refusal_response

LISTEN_EVERY = 0.05
"""Seconds between looks at whether the visitor is still there."""
ASKING = [Depends(Rate(per_second=50.0, burst=200).check_visitor)]
JSON = "application/json"

router = APIRouter(prefix="/api/v1", tags=["explorer"], route_class=CheckedRoute)


class JobAnswer(BaseModel):
    """A job, as it is answered."""

    id: str
    question: str
    state: State
    share: float | None
    words: str
    seconds: float
    seconds_left: float | None
    answer: Any
    faults: list[FaultAnswer] | None


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


ServedDesk = Annotated[Desk, Depends(_desk)]


def _add_question(kind: type[Question]) -> None:
    async def ask(request: Request, desk: ServedDesk, question: kind) -> Response:  # type: ignore[valid-type]
        return await _answer(request, desk, question)

    words = (kind.__doc__ or "").strip()
    asking = router.post(
        f"/{kind.name}", operation_id=kind.name, summary=words, dependencies=ASKING
    )
    asking(ask)


for _kind in QUESTIONS.values():
    _add_question(_kind)


async def _answer(request: Request, desk: Desk, question: Question) -> Response:
    """Answer a question at once, unless the visitor goes away."""
    known = desk.remembered(question)
    if known is not None:
        return Response(known, media_type=JSON)
    job = _submit(desk, question, request, desk.limits.quick)
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
        return Response(job.answer, media_type=JSON)
    if job.state is State.FAILED:
        return refusal_response(500 if job.is_broken else 422, job.faults)
    raise RefusalError(503, "an answer", "a server that is being stopped", "try again later")


def _submit(desk: Desk, question: Question, request: Request, limit: float | None = None) -> Job:
    if desk.n_workers == 0:
        remedy = "ask a server that was started with workers"
        raise RefusalError(503, "a server that computes", "one that does not", remedy)
    try:
        return desk.submit(question, visitor_of(request), limit)
    except BusyError as busy:
        expected = f"at most {busy.most} questions and jobs under way"
        status, remedy = 503 if busy.everybody else 429, "wait for an answer, or cancel something"
        raise RefusalError(status, expected, "one more", remedy, {"Retry-After": "2"}) from None


async def _job(id: str, desk: ServedDesk) -> Job:
    job = desk.find(id)
    if job is None:
        remedy = "a finished job is kept for a minute; ask again"
        raise RefusalError(404, "a job that is known", "another", remedy)
    return job


KnownJob = Annotated[Job, Depends(_job)]


@router.post("/jobs", status_code=202, dependencies=ASKING, responses={202: {"model": JobAnswer}})
async def make_job(request: Request, desk: ServedDesk, order: Order) -> Response:
    """Ask in a job."""
    return Response(_submit(desk, order.body, request).as_json(), 202, media_type=JSON)


@router.get("/jobs/{id}", responses={200: {"model": JobAnswer}})
async def see_job(job: KnownJob) -> Response:
    """Return a job as it stands."""
    return Response(job.as_json(), media_type=JSON)


@router.delete("/jobs/{id}", status_code=204)
async def cancel_job(job: KnownJob, desk: ServedDesk) -> None:
    """Cancel a job."""
    desk.cancel(job)


@router.get("/jobs/{id}/events", response_class=StreamingResponse)
async def watch_job(job: KnownJob) -> StreamingResponse:
    """Stream a job as it moves."""
    return StreamingResponse(_events(job), media_type="text/event-stream")


async def _events(job: Job) -> AsyncIterator[bytes]:
    async for state in job.changes():
        name = str(state) if state.is_over else "progress"
        yield b"event: %b\ndata: %b\n\n" % (name.encode(), job.as_json())
