"""The researcher's routes: progress, response times, export, deletion.

Every route of the router asks for the token, before anything else of a request is looked at.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from popout.drawing.plain import plain
from popout.task.faults import did_you_mean
from popout.web.http.explorer import visitor_of
from popout.web.http.guards import Rate
from popout.web.http.lab import stranger, token_of, written
from popout.web.http.openapi import described
from popout.web.http.refusals import RefusalError
from popout.web.lab.export import Format, export
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.overview import progress_of, response_times

PREFIX = "/api/v1/researcher"
OBJECT = {"type": "object"}


def researcher_routes(laboratory: Laboratory) -> APIRouter:
    """Return the researcher's routes."""
    guessing = Rate(per_second=1.0, burst=20)

    async def only_researchers(request: Request) -> None:
        token = token_of(request)
        if not token or not await asyncio.to_thread(laboratory.is_researcher, token):
            guessing.check(visitor_of(request))
            raise stranger()

    router = APIRouter(prefix=PREFIX, tags=["researcher"], dependencies=[Depends(only_researchers)])

    @router.get("/progress", openapi_extra=described("Who takes part.", OBJECT, token=True))
    async def progress() -> Any:
        return JSONResponse(plain(await asyncio.to_thread(progress_of, laboratory)))

    @router.get(
        "/response-times", openapi_extra=described("Response times so far.", OBJECT, token=True)
    )
    async def times() -> Any:
        return JSONResponse(plain(await asyncio.to_thread(response_times, laboratory)))

    @router.get(
        "/export/{form}",
        openapi_extra=described("Every trial.", None, media="application/octet-stream", token=True),
    )
    async def export_trials(form: str) -> Response:
        names = [str(name) for name in Format]
        if form not in names:
            remedy = did_you_mean(form, names, "choose one")
            raise RefusalError(404, f"one of {', '.join(names)}", "another", remedy)
        chosen = Format(form)
        try:
            content = await asyncio.to_thread(export, laboratory, chosen)
        except ImportError:
            remedy = "pip install popout[parquet] on the server, or take csv"
            raise RefusalError(409, "pyarrow, which writes Parquet", "none", remedy) from None
        named = {"content-disposition": f'attachment; filename="{chosen.file}"'}
        return Response(content, media_type=chosen.media, headers=named)

    @router.delete(
        "/participants/{session}",
        status_code=204,
        openapi_extra=described("Delete a participant.", None, status=204, token=True),
    )
    async def delete(session: str) -> Response:
        if not await written(laboratory.delete(session)):
            raise RefusalError(404, "a participant who is there", "another", "reload the list")
        await asyncio.to_thread(laboratory.empty_log)
        return Response(status_code=204)

    return router
