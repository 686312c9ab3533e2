"""The routes of the laboratory: a participant's session, and the researcher's view of all.

Every route of the researcher asks for the token, before anything else of a request is looked at.
What reads the database is no coroutine: such routes run in threads.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated, Any, TypeVar

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from popout.drawing.plain import plain
from popout.experiment import ExperimentDesign
from popout.experiment.trials import keys_of
from popout.task.faults import did_you_mean
from popout.web.http.guards import CheckedRoute, Rate, visitor_of
from popout.web.http.refusals import RefusalError
from popout.web.lab.export import MEDIA, Format, export
from popout.web.lab.laboratory import (
    Laboratory,
    NotAllowedError,
    Session,
    StrangerError,
    planned,
)
from popout.web.lab.overview import own_results, points_so_far, progress_of, response_times
from popout.web.lab.records import Arrival, Chosen, Pause, Screen, TrialRecords
from popout.web.lab.writer import WriterFullError

T = TypeVar("T")
ARRIVALS = 10
"""Sessions that one address may begin in a minute, at once or one after the other."""
SENDING = Rate(per_second=10.0, burst=60)
"""Of one session."""
ARRIVING = Rate(per_second=500.0, burst=3000)
"""Of one address, perhaps a whole laboratory's."""
OPENING = Rate(per_second=2.0, burst=40)
"""Of links that hold a secret, by one address."""
GUESSING = Rate(per_second=20.0, burst=400)
GUESSING_KEY = Rate(per_second=1.0, burst=20)


async def _laboratory(request: Request, study: str = "") -> Laboratory:
    """Return the study of a name, or the first; a session finds its own."""
    laboratories: dict[str, Laboratory] = request.app.state.laboratories
    name = study or next(iter(laboratories))
    if name not in laboratories:
        remedy = did_you_mean(name[:60], laboratories, "use the link that you were given")
        raise RefusalError(404, "a study that is served", "another", remedy)
    return laboratories[name]


async def _arriving(request: Request) -> None:
    """Refuse an address that begins too many sessions, in words that are not for developers."""
    state = request.app.state
    try:
        state.beginning.check(request, visitor_of(request))
    except RefusalError as busy:
        expected = f"at most {state.beginning.burst} new participants a minute from one address"
        remedy = "wait a moment: it goes on by itself"
        raise RefusalError(429, expected, "more", remedy, busy.headers, reason="busy") from None


Lab = Annotated[Laboratory, Depends(_laboratory)]
BEARER = HTTPBearer(auto_error=False, scheme_name="token")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]


def _stranger() -> RefusalError:
    headers = {"WWW-Authenticate": "Bearer"}
    return RefusalError(401, "a token that is right", "none, or another", "send yours", headers)


async def _token(request: Request, bearer: Bearer) -> str:
    if bearer is None or not bearer.credentials:
        GUESSING.check(request, visitor_of(request))
        raise _stranger()
    return bearer.credentials


async def _sender(request: Request, session: str) -> None:
    SENDING.check(request, session[:40])


Token = Annotated[str, Depends(_token)]
FROM_SESSION = [Depends(_sender)]


async def _written(future: Future[T]) -> T:
    """Wait until something is on the disk; what is not allowed becomes a refusal."""
    try:
        return await asyncio.wrap_future(future)
    except NotAllowedError as no:
        raise RefusalError(409, no.expected, no.got, no.remedy, **no.more) from None
    except StrangerError:
        raise _stranger() from None
    except (sa.exc.SQLAlchemyError, WriterFullError) as error:
        remedy = "send it again in a few seconds; nothing of it is stored"
        expected, got = "a database that can be written", type(error).__name__
        raise RefusalError(503, expected, got, remedy, {"Retry-After": "3"}) from error


# -- participants ---------------------------------------------------------------------------------

participants = APIRouter(
    prefix="/api/v1/lab",
    tags=["laboratory"],
    route_class=CheckedRoute,
    dependencies=[Depends(ARRIVING.check_visitor)],
)
OWN = "/sessions/{session}"


@participants.get("/design")
def show_design(request: Request, lab: Lab, key: str = "") -> Response:
    """Return what may be shown before consent; `key` is that of the link."""
    if key:  # right or wrong: whoever guesses must not see the difference any faster
        OPENING.check(request, visitor_of(request))
    return JSONResponse(plain({**public_design(lab.design), "door": lab.door(key)}))


@participants.post("/sessions", status_code=201, dependencies=[Depends(_arriving)])
async def begin_session(lab: Lab, arrival: Arrival) -> Response:
    """Begin a session."""
    session, token = await _written(lab.begin(arrival.parameters, arrival.key))
    begun = await asyncio.to_thread(_begun, lab, session)
    return JSONResponse({**begun, "points": 0.0, "token": token}, 201)


@participants.post(f"{OWN}/resume")
def resume_session(request: Request, lab: Lab, session: str, token: Token) -> Response:
    """Return a session as it stands."""
    try:
        known = lab.session(session, token)
        return JSONResponse({**_begun(lab, known), "points": points_so_far(lab, known)})
    except StrangerError:
        GUESSING.check(request, visitor_of(request))
        raise _stranger() from None


@participants.post(f"{OWN}/trials", dependencies=FROM_SESSION)
async def store_trials(lab: Lab, session: str, token: Token, records: TrialRecords) -> Response:
    """Store trials."""
    return JSONResponse({"stored": await _written(lab.store(session, token, records.trials))})


@participants.put(f"{OWN}/screen", status_code=204, dependencies=FROM_SESSION)
async def store_screen(lab: Lab, session: str, token: Token, screen: Screen) -> None:
    """Store what the screen is like."""
    await _written(lab.set_screen(session, token, screen))


@participants.post(f"{OWN}/finish", dependencies=FROM_SESSION)
async def finish_session(lab: Lab, session: str, token: Token) -> Response:
    """End a session."""
    ended = await _written(lab.finish(session, token))
    content = {
        "withheld": ended.withheld,
        "completion_code": None if ended.withheld else ended.design.completion_code or None,
        "redirect": None if ended.withheld else await asyncio.to_thread(lab.redirect, ended),
        **await asyncio.to_thread(own_results, lab, ended),
    }
    return JSONResponse(plain(content))


@participants.delete(OWN, status_code=204, dependencies=FROM_SESSION)
async def withdraw(lab: Lab, session: str, token: Token) -> None:
    """Delete everything about this participant, who has withdrawn."""
    await _written(lab.withdraw(session, token))
    await asyncio.to_thread(lab.empty_log)


def _begun(lab: Laboratory, session: Session) -> dict[str, Any]:
    """Return a session with its whole list, which takes some milliseconds to write."""
    return {
        "session": session.name,
        "number": session.number,
        "finished": session.finished is not None,
        "design": plain(public_design(session.design, session.number)),
        "stored": lab.stored(session),
        "trials": [trial.as_dict() for trial in planned(session.design, session.number)],
    }


SHOWN = ("title", "consent", "promise", "debriefing", "n_trials",
         "participant_parameter", "language", "words", "contact")  # fmt: skip
SHOWN_OF_BLOCK = ("name", "practice", "feedback", "words")


def public_design(design: ExperimentDesign, number: int | None = None) -> dict[str, Any]:
    """Return what the page of a participant needs of a design, with their own keys."""
    keys = keys_of(design, number)
    instructions = design.instructions
    for answer, key in keys.items():
        instructions = instructions.replace(
            f"{{{answer}_key}}", key.upper() if len(key) == 1 else key
        )
    layout = {"places": design.layout.n_places, "reach": design.layout.reach}
    return {
        **{name: getattr(design, name) for name in SHOWN},
        "instructions": instructions,
        "phones": design.entry.phones,
        "smallest_screen": design.entry.smallest_screen,
        "minutes": round(design.minutes, 1),
        "layout": {**design.layout.as_dict(), **layout},
        "timing": design.timing.as_dict(),
        "keys": keys,
        "blocks": [
            {
                **{name: getattr(block, name) for name in SHOWN_OF_BLOCK},
                "trials": block.n_shown,
                "costs": design.of_block(block, "costs").as_dict(),
                "points": design.block_points(block),
            }
            for block in design.blocks
        ],
    }


# -- the researcher -------------------------------------------------------------------------------


class ResearcherRoute(CheckedRoute):
    """A route for whoever has the token."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return what answers a request."""
        answer = super().get_route_handler()

        async def known(request: Request) -> Any:
            bearer = await BEARER(request)
            token = "" if bearer is None else bearer.credentials
            lab = await _laboratory(request)  # all of them have one token
            if not token or not await asyncio.to_thread(lab.is_researcher, token):
                GUESSING_KEY.check(request, visitor_of(request))
                raise _stranger()
            return await answer(request)

        return known


researcher = APIRouter(
    prefix="/api/v1/researcher",
    tags=["researcher"],
    route_class=ResearcherRoute,
    dependencies=[Depends(BEARER)],
)


@researcher.get("/progress")
def show_progress(request: Request, lab: Lab) -> Response:
    """Return who takes part, and how far they are."""
    return JSONResponse(plain({"studies": [*request.app.state.laboratories], **progress_of(lab)}))


@researcher.get("/response-times")
def show_times(lab: Lab) -> Response:
    """Return response times so far."""
    return JSONResponse(plain(response_times(lab)))


@researcher.get("/export/{form}")
def export_trials(lab: Lab, form: str) -> Response:
    """Return every trial in a file."""
    if form not in list(Format):
        expected = f"one of {', '.join(Format)}"
        raise RefusalError(404, expected, "another", did_you_mean(form, Format, "choose one"))
    chosen = Format(form)
    try:
        content = export(lab, chosen)
    except ImportError:
        remedy = "pip install popout[parquet] on the server, or take csv"
        raise RefusalError(409, "pyarrow, which writes Parquet", "none", remedy) from None
    headers = {"content-disposition": f'attachment; filename="{chosen.file}"'}
    return Response(content, media_type=MEDIA[chosen], headers=headers)


@researcher.put("/paused", status_code=204)
async def pause_study(lab: Lab, pause: Pause) -> None:
    """Let nobody new in, or let them in again."""
    await _written(lab.pause(pause.paused))


@researcher.post("/participants/release")
async def release_places(lab: Lab, chosen: Chosen) -> Response:
    """Give the places of participants to others; what they did stays."""
    return JSONResponse({"changed": await _written(lab.release(chosen.sessions))})


@researcher.post("/participants/accept")
async def accept_participants(lab: Lab, chosen: Chosen) -> Response:
    """Count participants who were too fast after all, and let them have their code."""
    return JSONResponse({"changed": await _written(lab.accept(chosen.sessions))})


@researcher.post("/participants/delete")
async def delete_participants(lab: Lab, chosen: Chosen) -> Response:
    """Delete participants, and every trial of theirs."""
    changed = await _written(lab.delete(chosen.sessions))
    await asyncio.to_thread(lab.empty_log)
    return JSONResponse({"changed": changed})
