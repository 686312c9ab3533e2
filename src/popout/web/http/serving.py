"""`popout serve`: one server from its address to its end."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import uvicorn

from popout.experiment import ExperimentDesign, load_design
from popout.task import Fault, InputError
from popout.web.explorer.desk import Desk
from popout.web.explorer.worker import ProcessWorker, calm_down, end_with
from popout.web.http.app import make_app
from popout.web.http.pages import require_pages
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.storage import database_url, open_database

GRACE = 2
"""Seconds that requests have to end after Ctrl-C."""


@dataclass(frozen=True)
class Serving:
    """What to serve, and where.

    Attributes
    ----------
    experiment : Path or None
        A design file.
    data : str or None
        Folder or address of a database.
    host : str
    port : int
        0 for any that is free.
    open_browser : bool
    new_token : bool
        Whether the researcher gets another token.
    workers : int or None
        Processes that compute for the explorer; as many as cores, at most four, when left out. With
        none the explorer answers nothing.
    """

    experiment: Path | None = None
    data: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    open_browser: bool = False
    new_token: bool = False
    workers: int | None = None


def serve(serving: Serving, say: Callable[[dict[str, str]], None]) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    serving : Serving
    say : callable
        Told the addresses by name, and the researcher's token when it is made.
    """
    design = None if serving.experiment is None else load_design(serving.experiment)
    if design is None and (serving.data is not None or serving.new_token):
        raise InputError(
            [Fault("--experiment", (), "a design", "none", "name the file whose data these are")]
        )
    listener = _listen(serving.host, serving.port)
    address = _address(listener, serving.host)
    told = {"explorer": f"{address}/"}
    laboratory = None
    with listener:
        require_pages()
        if design is not None:
            assert serving.experiment is not None
            data = serving.data or f"{serving.experiment.stem}-data"
            url = database_url(data)
            laboratory = Laboratory(design, open_database(url))
            token = laboratory.make_key(renew=serving.new_token)
            told |= {"lab": f"{address}/lab", "researcher": f"{address}/researcher"}
            told["data"] = url.render_as_string(hide_password=True)
            told |= {} if token is None else {"token": token}
        say(told)
        usual = min(os.cpu_count() or 1, 4)
        workers = usual if serving.workers is None else serving.workers
        ideal = IdealSearch(laboratory)
        app = make_app(Desk(ProcessWorker, workers), laboratory)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=30,
            limit_concurrency=2000,
        )
        if serving.open_browser:
            page = "/researcher" if laboratory is not None else "/"
            threading.Timer(1.0, webbrowser.open, [address + page]).start()
        try:
            with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises at its end
                uvicorn.Server(config).run(sockets=[listener])
        finally:
            ideal.close()


class IdealSearch:
    """Finds the ideal observer of the design that is served, unless it is stored already.

    It works in a process of its own while the server runs, and stores what it finds.

    Parameters
    ----------
    laboratory : Laboratory, optional
        Without one there is nothing to find.
    """

    def __init__(self, laboratory: Laboratory | None) -> None:
        self._process = None
        if laboratory is not None and laboratory.ideal() is None:
            context = get_context("spawn")
            self._pipe, other = context.Pipe()
            args = (other, laboratory.design)
            self._process = context.Process(target=_find_ideal, args=args, daemon=True)
            self._process.start()
            other.close()
            wait = threading.Thread(
                target=self._wait, args=(laboratory,), name="popout-ideal", daemon=True
            )
            wait.start()

    def _wait(self, laboratory: Laboratory) -> None:
        with contextlib.suppress(EOFError, OSError):
            laboratory.keep_ideal(self._pipe.recv()).result()

    @property
    def is_needed(self) -> bool:
        """Whether there was something to find."""
        return self._process is not None

    def close(self) -> None:
        """Stop looking."""
        if self._process is not None:
            self._process.kill()
            self._process.join()


def _find_ideal(pipe: Connection, design: ExperimentDesign) -> None:
    """Send the rows of the ideal observer; end when the server does."""
    calm_down(15)  # nobody waits for it before the first participant has finished
    os.environ["NUMBA_NUM_THREADS"] = "1"
    threading.Thread(target=end_with, args=(pipe,), daemon=True).start()
    from popout.experiment.observer import ideal_rows  # heavy, and of no use to the server itself

    pipe.send(ideal_rows(design))


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
