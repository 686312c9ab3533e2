"""All routes together."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from popout import __version__
from popout.web.explorer.desk import Desk
from popout.web.http import explorer_routes, lab_routes
from popout.web.http.guards import SafeHeaders
from popout.web.http.pages import STATIC, add_pages
from popout.web.http.refusals import HANDLERS, REFUSED
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
        summary="Ideal observers for visual search",
        version=__version__,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        exception_handlers=HANDLERS,
        responses=REFUSED,
    )
    app.state.desk, app.state.laboratory = desk, laboratory
    app.state.clock, app.state.buckets = time.monotonic, {}  # of `guards.Rate`
    app.add_middleware(SafeHeaders)
    if laboratory is not None:  # first: routes are tried in order, and trials come most often
        app.include_router(lab_routes.participants)
        app.include_router(lab_routes.researcher)
    app.include_router(explorer_routes.router)
    add_pages(app, static)

    @app.get("/api/v1/health")
    async def health() -> dict[str, str | int | bool]:
        """Return whether it runs."""
        ready = {"workers": desk.ready, "experiment": laboratory is not None}
        return {"status": "ok", "version": __version__, **ready}

    return app
