"""The pages, and the scripts, styles and fonts that belong to them.

They are built from ``web/`` into the folder ``static`` beside this package, and are part of a
wheel. From a clone they are built while it is installed (``hatch_build.py``) if Node is there;
without them nothing is served, and `require_pages` says what to do.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

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


def add_pages(app: FastAPI, static: Path = STATIC) -> None:
    """Serve the pages and their files; those of the laboratory only with an experiment.

    Parameters
    ----------
    app : FastAPI
    static : Path
        Where the built pages are.
    """
    addresses = ("/", "/lab", "/researcher") if app.state.laboratories else ("/",)
    for address, name in zip(addresses, NAMES, strict=False):
        page = _page(static / name)
        app.add_api_route(address, page, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/static", StaticFiles(directory=static, check_dir=False))


def _page(path: Path) -> Callable[[], Awaitable[Response]]:
    async def page() -> Response:
        if not path.is_file():
            raise RefusalError(404, "a page that is built", "none", "restart the server")
        return FileResponse(path, media_type="text/html; charset=utf-8")

    return page
