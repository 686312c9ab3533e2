"""The pages, and the scripts, styles and fonts that belong to them.

They are built from ``web/`` into the folder ``static`` beside this package, and are part of a
wheel. From a clone they are built while it is installed (``hatch_build.py``) if Node is there;
without them nothing is served, and `require_pages` says what to do.
"""

from __future__ import annotations

import json
import mimetypes
import shlex
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response

from popout.task import Fault, InputError
from popout.web.http.refusals import RefusalError

STATIC = Path(__file__).parents[1] / "static"
NAMES = ("explorer.html", "laboratory.html", "researcher.html")
BUILD = "cd {} && npm ci && npm run build"


def require_pages(static: Path = STATIC) -> None:
    """Refuse to go on without the pages, with the one command that makes them.

    Parameters
    ----------
    static : Path
        Where they should be.
    """
    if not all((static / name).is_file() for name in NAMES):
        remedy = f"with Node 20 or newer, run: {_command(static)}"
        raise InputError([Fault("pages", (), "those of the browser side", "none", remedy)])


def _command(static: Path) -> str:
    """Return the command that makes the pages of this installation."""
    web = static.parents[3] / "web"
    if (web / "package.json").is_file():  # popout runs from its sources: nothing to install anew
        return BUILD.format(shlex.quote(str(web)))
    install = f"{shlex.quote(sys.executable)} -m pip install --force-reinstall --no-deps"
    source = _source()
    web = Path(url2pathname(urlsplit(source).path), "web")
    if source.startswith("file:") and (web / "package.json").is_file():
        build, clone = BUILD.format(shlex.quote(str(web))), shlex.quote(str(web.parent))
        return f"{build} && {install} {clone}"
    # What pip keeps of a former installation has no pages either.
    return f"{install} --no-cache-dir {shlex.quote(source or 'popout')}"


def _source() -> str:
    """Return the address that popout was installed from, if it was no package index."""
    try:
        about = json.loads(distribution("popout").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return ""
    kind = about.get("vcs_info", {}).get("vcs")
    return f"{kind}+{about['url']}" if kind else str(about.get("url", ""))


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
    addresses = ("/", "/lab", "/researcher") if has_experiment else ("/",)
    for address, name in zip(addresses, NAMES, strict=False):
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
        if not path.is_file():
            raise RefusalError(404, "a page that is built", "none", "restart the server")
        return FileResponse(path, media_type="text/html; charset=utf-8")

    return page
