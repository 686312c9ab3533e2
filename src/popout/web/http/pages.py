"""The pages, and the scripts, styles and fonts that belong to them.

They are built from ``web/`` into the folder ``static`` beside this package, and are part of a
wheel. In a checkout that was not built, a page says so.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, Response

from popout.web.http.refusals import RefusalError

STATIC = Path(__file__).parents[1] / "static"
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>popout</title>
<p>The pages are not built. With Node: <code>cd web; npm ci; npm run build</code>. The interface
for programs is at <code>/api/v1/openapi.json</code>.</p></html>"""


def page_routes(has_experiment: bool, static: Path = STATIC) -> APIRouter:
    """Return the routes of the pages.

    Parameters
    ----------
    has_experiment : bool
        Whether there are pages of the laboratory.
    static : Path
        Where the built pages are.
    """
    router = APIRouter(include_in_schema=False)
    pages = {"/": "explorer.html"}
    if has_experiment:
        pages |= {"/lab": "laboratory.html", "/researcher": "researcher.html"}
    for address, name in pages.items():
        router.add_api_route(address, _page(static / name), methods=["GET", "HEAD"])
    files = {path.relative_to(static).as_posix(): path for path in _files(static)}

    @router.get("/static/{name:path}")
    async def static_file(name: str) -> Response:
        if name not in files:
            raise RefusalError(404, "a file of the pages", "another name", "reload the page")
        # Names of builds carry a hash of their content or change with the version.
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return FileResponse(files[name], media_type=kind, headers={"cache-control": "no-cache"})

    return router


def _files(static: Path) -> list[Path]:
    return [path for path in static.rglob("*") if path.is_file()] if static.is_dir() else []


def _page(path: Path) -> Callable[[], Awaitable[Response]]:
    async def page() -> Response:
        if path.is_file():
            return FileResponse(path, media_type="text/html; charset=utf-8")
        return HTMLResponse(NOT_BUILT)

    return page
