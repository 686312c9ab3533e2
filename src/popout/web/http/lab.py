"""The routes of a participant: the design, a session, its trials, its end."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any, TypeVar

import sqlalchemy as sa
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from popout.drawing.plain import plain
from popout.experiment import ExperimentDesign
from popout.web.http.bodies import read_json
from popout.web.http.explorer import visitor_of
from popout.web.http.guards import Rate
from popout.web.http.openapi import described
from popout.web.http.refusals import RefusalError
from popout.web.lab.laboratory import (
    Laboratory,
    NotAllowedError,
    Session,
    StrangerError,
    planned,
)
from popout.web.lab.overview import own_results
from popout.web.lab.records import (
    Screen,
    arrival_schema,
    read_arrival,
    read_records,
    read_screen,
    records_schema,
)
from popout.web.lab.writer import WriterFullError

T = TypeVar("T")
LARGEST = 256 * 1024
"""Bytes of a body with trials."""
OBJECT = {"type": "object"}


def token_of(request: Request) -> str:
    """Return the bearer's token of a request; empty if there is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


async def written(future: Future[T]) -> T:
    """Wait until something is on the disk; what is not allowed becomes a refusal."""
    try:
        return await asyncio.wrap_future(future)
    except NotAllowedError as no:
        raise RefusalError(409, no.expected, no.got, no.remedy, **no.more) from None
    except StrangerError:
        raise stranger() from None
    except sa.exc.SQLAlchemyError as error:
        raise not_stored(str(error.__class__.__name__)) from error


def stranger() -> RefusalError:
    """Return the refusal of someone without the right token."""
    headers = {"WWW-Authenticate": "Bearer"}
    return RefusalError(401, "a token that is right", "none, or another", "send yours", headers)


def not_stored(got: str) -> RefusalError:
    """Return the refusal of something that could not be stored."""
    remedy = "send it again in a few seconds; nothing of it is stored"
    return RefusalError(503, "a database that can be written", got, remedy, {"Retry-After": "3"})


def public_design(design: ExperimentDesign) -> dict[str, Any]:
    """Return what a participant's page needs of a design."""
    layout = {**design.layout.as_dict(), "places": design.layout.n_places}
    found = {
        name: getattr(design, name)
        for name in ("title", "consent", "promise", "instructions", "debriefing", "n_trials")
    }
    return {
        **found,
        "minutes": round(design.minutes, 1),
        "participant_parameter": design.participant_parameter,
        "layout": {**layout, "reach": design.layout.reach},
        "timing": design.timing.as_dict(),
        "keys": {"present": design.present_key, "absent": design.absent_key},
        "blocks": [
            {
                "name": block.name,
                "practice": block.practice,
                "feedback": block.feedback,
                "words": block.words,
                "trials": block.trials,
                "costs": design.of_block(block, "costs").as_dict(),
                "points": design.block_points(block),
            }
            for block in design.blocks
        ],
    }


class Participants:
    """What participants may do."""

    def __init__(self, laboratory: Laboratory) -> None:
        self.laboratory = laboratory
        self.beginning = Rate(per_second=5.0, burst=300)
        self.sending = Rate(per_second=10.0, burst=60)
        self.guessing = Rate(per_second=20.0, burst=400)
        self.arriving = Rate(per_second=500.0, burst=3000)  # of one address, perhaps a whole lab's

    async def design(self) -> Response:
        """Return what may be shown before consent."""
        return JSONResponse(plain(public_design(self.laboratory.design)))

    async def begin(self, request: Request) -> Response:
        """Begin a session."""
        self.beginning.check(visitor_of(request))
        arrival = read_arrival(await read_json(request))
        session, token = await written(self._submit(self.laboratory.begin, arrival))
        return await asyncio.to_thread(self._answer, session, 201, token=token)

    async def resume(self, request: Request, session: str) -> Response:
        """Return a session as it stands."""
        found = await self._session(request, session)
        return await asyncio.to_thread(self._answer, found, 200)

    async def trials(self, request: Request, session: str) -> Response:
        """Store trials."""
        self.sending.check(session[:40])
        token = self._token(request)
        body = await read_json(request, LARGEST)
        store = self.laboratory.store
        stored = await written(self._submit(store, session, token, lambda n: read_records(body, n)))
        return JSONResponse({"stored": stored})

    async def screen(self, request: Request, session: str) -> Response:
        """Store what the screen is like."""
        self.sending.check(session[:40])
        token = self._token(request)
        screen = read_screen(await read_json(request))
        await written(self._submit(self.laboratory.set_screen, session, token, screen))
        return Response(status_code=204)

    async def finish(self, request: Request, session: str) -> Response:
        """End a session."""
        self.sending.check(session[:40])
        finish = self.laboratory.finish
        found = await written(self._submit(finish, session, self._token(request)))
        results = await asyncio.to_thread(own_results, self.laboratory, found)
        design = found.design
        content = {
            "completion_code": design.completion_code or None,
            "redirect": design.redirect or None,
            **results,
            "ideal": await asyncio.to_thread(self.laboratory.ideal, found.experiment),
        }
        return JSONResponse(plain(content))

    def _submit(self, write: Any, *given: Any) -> Any:
        try:
            return write(*given)
        except WriterFullError:
            raise not_stored("one that is behind") from None

    def _token(self, request: Request) -> str:
        self.arriving.check(visitor_of(request))
        token = token_of(request)
        if not token:
            self.guessing.check(visitor_of(request))
            raise stranger()
        return token

    async def _session(self, request: Request, name: str) -> Session:
        token = self._token(request)
        try:
            return await asyncio.to_thread(self.laboratory.session, name, token)
        except StrangerError:
            self.guessing.check(visitor_of(request))
            raise stranger() from None

    def _answer(self, session: Session, status: int, **more: str) -> Response:
        """Return a session with its whole list, which takes some milliseconds to write."""
        trials = planned(session.design, session.number)
        content = {
            "session": session.name,
            "number": session.number,
            "finished": session.finished is not None,
            "design": plain(public_design(session.design)),
            "stored": self.laboratory.stored(session),
            "trials": [trial.as_dict() for trial in trials],
            **more,
        }
        return JSONResponse(content, status)


def lab_routes(laboratory: Laboratory) -> APIRouter:
    """Return the routes of participants."""
    router = APIRouter(prefix="/api/v1/lab", tags=["laboratory"])
    do = Participants(laboratory)
    own = "/sessions/{session}"
    for method, path, act, extra in (
        ("GET", "/design", do.design, described("Before consent.", OBJECT)),
        (
            "POST",
            "/sessions",
            do.begin,
            described("Begin a session.", OBJECT, arrival_schema(), 201),
        ),
        ("POST", f"{own}/resume", do.resume, described("Go on.", OBJECT, token=True)),
        (
            "PUT",
            f"{own}/screen",
            do.screen,
            described("The screen.", None, Screen.schema(), 204, token=True),
        ),
        (
            "POST",
            f"{own}/trials",
            do.trials,
            described("Store trials.", OBJECT, records_schema(), token=True),
        ),
        ("POST", f"{own}/finish", do.finish, described("End it.", OBJECT, token=True)),
    ):
        status = next(iter(extra["responses"]))
        router.add_api_route(
            path, act, methods=[method], openapi_extra=extra, status_code=int(status)
        )
    return router
