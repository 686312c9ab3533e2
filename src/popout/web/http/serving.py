"""`popout serve`: all routes together, and one server from its address to its end."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from popout import __version__
from popout.experiment import load_design
from popout.experiment.entry import LINK
from popout.task import Fault, InputError
from popout.web.explorer.desk import Desk
from popout.web.explorer.worker import ProcessWorker
from popout.web.http import explorer_routes, lab_routes
from popout.web.http.connections import IDLE, PatientProtocol
from popout.web.http.guards import KnownHosts, Rate, SafeHeaders
from popout.web.http.lab_routes import ARRIVALS
from popout.web.http.pages import STATIC, add_pages, require_pages
from popout.web.http.refusals import HANDLERS, REFUSED
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.storage import database_url, open_database

GRACE = 2
"""Seconds that requests have to end after Ctrl-C."""


def make_app(
    desk: Desk,
    *laboratories: Laboratory,
    static: Path = STATIC,
    arrivals: int = ARRIVALS,
    names: Collection[str] = (),
) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    desk : Desk
        Started and closed with the application.
    *laboratories : Laboratory
        Experiments; closed with the application.
    static : Path
        Where the built pages are.
    arrivals : int
        Sessions that one address may begin in a minute.
    names : collection of str
        That visitors call this server by, beside its addresses.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await desk.start()
        try:
            yield
        finally:
            await desk.close()
            for laboratory in laboratories:
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
    app.state.desk = desk
    app.state.laboratories = {laboratory.design.name: laboratory for laboratory in laboratories}
    app.state.beginning = Rate(arrivals / 60.0, arrivals)
    app.state.clock, app.state.buckets = time.monotonic, {}  # of `guards.Rate`
    app.add_middleware(KnownHosts, names=names)
    app.add_middleware(SafeHeaders)
    if laboratories:  # first: routes are tried in order, and trials come most often
        app.include_router(lab_routes.participants)
        app.include_router(lab_routes.researcher)
    app.include_router(explorer_routes.router)
    add_pages(app, static)

    @app.get("/api/v1/health")
    async def health() -> dict[str, str | int | bool]:
        """Return whether it runs."""
        ready = {"workers": desk.ready, "experiment": bool(laboratories)}
        return {"status": "ok", "version": __version__, **ready}

    return app


def serve(
    say: Callable[[dict[str, str]], None],
    *,
    experiment: Sequence[Path] = (),
    data: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    new_token: bool = False,
    workers: int | None = None,
    arrivals: int = ARRIVALS,
    name: Sequence[str] = (),
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    say : callable
        Told the addresses by name, and the researcher's token when it is made.
    experiment : sequence of Path
        Design files, each of another study.
    data : str, optional
        Folder or address of a database.
    host : str
    port : int
        0 for any that is free.
    open_browser : bool
    new_token : bool
        Whether the researcher gets another token.
    workers : int, optional
        Processes that compute for the explorer; as many as cores, two to four, when left out. With
        none the explorer answers nothing.
    arrivals : int
        Sessions that one address may begin in a minute.
    name : sequence of str
        Names that visitors call this server by, beside its addresses.
    """
    if strange := [each for each in name if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}", each)]:
        remedy = "give e.g. lab.example.org, without https:// and port"
        raise InputError([Fault("--name", (), "the name of a host", repr(strange[0]), remedy)])
    designs = [load_design(path) for path in experiment]
    if len({design.name for design in designs}) < len(designs):
        got = ", ".join(design.name for design in designs)
        remedy = "give each design a name of its own, study = "
        raise InputError([Fault("--experiment", (), "studies of different names", got, remedy)])
    if not designs and (data is not None or new_token):
        raise InputError(
            [Fault("--experiment", (), "a design", "none", "name the file whose data these are")]
        )
    listener = _listen(host, port)
    address = _address(listener, host)
    addresses = {"explorer": f"{address}/"}
    if host not in ("127.0.0.1", "::1", "localhost"):
        where = f"http://{_outer_address() if host in ('0.0.0.0', '::') else host}"
        addresses["outside"] = f"{where}:{listener.getsockname()[1]}/"
    laboratories: list[Laboratory] = []
    with listener:
        require_pages()
        if designs:
            url = database_url(data or f"{experiment[0].stem}-data")
            engine = open_database(url)
            for design in designs:
                writer = laboratories[0].writer if laboratories else None
                laboratories.append(Laboratory(design, engine, writer))
            token = laboratories[0].make_key(renew=new_token).result()
            for k, design in enumerate(designs):
                study = f"?study={quote(design.name)}" if k else ""
                secret = f"{'&' if study else '?'}{LINK}=..." if design.entry.secret else ""
                addresses[f"lab {k + 1}" if k else "lab"] = f"{address}/lab{study}{secret}"
            addresses["researcher"] = f"{address}/researcher"
            addresses["data"] = url.render_as_string(hide_password=True)
            addresses |= {} if token is None else {"token": token}
        say(addresses)
        # Two at least: one stays free for small questions.
        usual = max(2, min(os.cpu_count() or 1, 4))
        desk = Desk(ProcessWorker, usual if workers is None else workers)
        config = uvicorn.Config(
            make_app(desk, *laboratories, arrivals=arrivals, names=[host, *name]),
            http=PatientProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=IDLE,
            limit_concurrency=2000,
        )
        if open_browser:
            page = "/researcher" if laboratories else "/"
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


def _outer_address() -> str:
    """Return the address of this machine, as others in its network see it; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:  # a machine without a network
            return socket.gethostname()


def _address(listener: socket.socket, host: str) -> str:
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    return f"http://{shown}:{port}"
