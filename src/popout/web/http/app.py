"""All routes together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from popout import __version__
from popout.web.desk.desk import Desk
from popout.web.http.explorer import explorer_routes
from popout.web.http.guards import SafeHeaders
from popout.web.http.lab import lab_routes
from popout.web.http.openapi import add_description, described
from popout.web.http.pages import STATIC, page_routes
from popout.web.http.refusals import add_refusals
from popout.web.http.researcher import researcher_routes
from popout.web.lab.laboratory import Laboratory


def make_app(
    desk: Desk,
    laboratory: Laboratory | None = None,
    static: Path = STATIC,
) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    desk : Desk
        Started and closed with the application.
    laboratory : Laboratory, optional
        An experiment; closed with the application.
    static : Path
        Where the built pages are.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await desk.start()
        try:
            yield
        finally:
            await desk.close()
            if laboratory is not None:
                laboratory.close()

    app = FastAPI(
        title="popout",
        version=__version__,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    add_refusals(app)
    app.add_middleware(SafeHeaders)
    if laboratory is not None:  # first: routes are tried in order, and trials come most often
        app.include_router(lab_routes(laboratory))
        app.include_router(researcher_routes(laboratory))
    app.include_router(explorer_routes(desk))
    app.include_router(page_routes(laboratory is not None, static))

    @app.get("/api/v1/health", openapi_extra=described("Whether it runs.", {"type": "object"}))
    async def health() -> Any:
        ready = {"workers": desk.ready, "experiment": laboratory is not None}
        return JSONResponse({"status": "ok", "version": __version__, **ready})

    add_description(app)
    return app
