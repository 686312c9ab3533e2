"""`popout serve`: all routes together, and one server from its address to its end."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from popout import __version__
from popout.experiment import load_design
from popout.task import Fault, InputError
from popout.web.explorer.desk import Desk
from popout.web.explorer.worker import ProcessWorker
from popout.web.http import explorer_routes, lab_routes
from popout.web.http.guards import SafeHeaders
from popout.web.http.pages import STATIC, add_pages, require_pages
from popout.web.http.refusals import HANDLERS, REFUSED
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.storage import database_url, open_database

GRACE = 2
"""Seconds that requests have to end after Ctrl-C."""


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


def serve(
    say: Callable[[dict[str, str]], None],
    *,
    experiment: Path | None = None,
    data: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    new_token: bool = False,
    workers: int | None = None,
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    say : callable
        Told the addresses by name, and the researcher's token when it is made.
    experiment : Path, optional
        A design file.
    data : str, optional
        Folder or address of a database.
    host : str
    port : int
        0 for any that is free.
    open_browser : bool
    new_token : bool
        Whether the researcher gets another token.
    workers : int, optional
        Processes that compute for the explorer; as many as cores, at most four, when left out. With
        none the explorer answers nothing.
    """
    design = None if experiment is None else load_design(experiment)
    if design is None and (data is not None or new_token):
        raise InputError(
            [Fault("--experiment", (), "a design", "none", "name the file whose data these are")]
        )
    listener = _listen(host, port)
    address = _address(listener, host)
    addresses = {"explorer": f"{address}/"}
    laboratory = None
    with listener:
        require_pages()
        if design is not None:
            assert experiment is not None
            url = database_url(data or f"{experiment.stem}-data")
            laboratory = Laboratory(design, open_database(url))
            token = laboratory.make_key(renew=new_token).result()
            addresses |= {"lab": f"{address}/lab", "researcher": f"{address}/researcher"}
            addresses["data"] = url.render_as_string(hide_password=True)
            addresses |= {} if token is None else {"token": token}
        say(addresses)
        usual = min(os.cpu_count() or 1, 4)
        desk = Desk(ProcessWorker, usual if workers is None else workers)
        config = uvicorn.Config(
            make_app(desk, laboratory),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=30,
            limit_concurrency=2000,
        )
        if open_browser:
            page = "/researcher" if laboratory is not None else "/"
            threading.Timer(1.0, webbrowser.open, [address + page]).start()
        with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises at its end
            uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """Take the address, or say why that cannot be."""
    if not host.strip():
        remedy = "leave --host out, or give 0.0.0.0 for every address of this machine"
        raise InputError([Fault("--host", (), "an address", repr(host), remedy)])
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        remedy = f"choose another --port or --host ({reason})"
        got = f"{host}:{port}"
        raise InputError([Fault("address", (), "one that is free", got, remedy)]) from None
    # Connections inherit it. Without it the second half of an answer waits until the browser has
    # acknowledged the first, which it is in no hurry to do: 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _address(listener: socket.socket, host: str) -> str:
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    return f"http://{shown}:{port}"
