"""Servers inside the test's own process, with a worker that is a thread."""

import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from popout.experiment import Block, ExperimentDesign
from popout.experiment.design import Timing
from popout.web.explorer.desk import Desk
from popout.web.explorer.worker import DroppedError, Happened, compute
from popout.web.http.serving import make_app
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.storage import database_url, open_database

from .postgres import postgres_server

ROOT = Path(__file__).parents[2]


class ThreadWorker:
    """A worker that computes in a thread: the same protocol, no time to start up."""

    def __init__(self, compute=compute):
        self.compute = compute

    def start(self, listener):
        self.listener = listener
        listener((Happened.READY, None))

    def work(self, question):
        if question is None:
            self.dropped.set()
            return
        dropped = self.dropped = threading.Event()

        def progress(share, words):
            if dropped.is_set():
                raise DroppedError
            self.listener((Happened.PROGRESS, (share, words)))

        def run():
            self.listener((Happened.OVER, self.compute(question, progress)))

        threading.Thread(target=run, daemon=True).start()

    def kill(self):
        pass


@pytest.fixture
def design():
    blocks = [Block("Practice", 4, practice=True), Block("Main", 12)]
    texts = ("I agree.", "We store answers.", "Search.")
    timing = Timing(fixation=0.0, feedback=0.0, pause=0.0)  # or tests would be too fast for it
    return ExperimentDesign(
        "Search", [2, 4], [0], [30], *texts, blocks, completion_code="DONE", participants=50,
        timing=timing,
    )  # fmt: skip


@pytest.fixture
def laboratory(design, tmp_path):
    laboratory = Laboratory(design, open_database(database_url(tmp_path / "data")))
    yield laboratory
    laboratory.close()  # again, perhaps, after the server that it was of


@pytest.fixture
def desk():
    return Desk(ThreadWorker, 1)


@contextmanager
def served(app, **settings):
    """Serve an application from a thread of this process; yield a client of it."""
    listener = socket.create_server(("127.0.0.1", 0))
    usual = {"log_level": "critical", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(app, **{**usual, **settings}))
    server.install_signal_handlers = lambda: None
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx.Client(base_url=base, timeout=60.0) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="session")
def client():
    """A client of the explorer, for all tests that leave nothing behind."""
    with served(make_app(Desk(ThreadWorker, 1))) as client:
        yield client


@pytest.fixture
def lab_app(desk, laboratory):
    return make_app(desk, laboratory, arrivals=10_000)


@pytest.fixture
def lab_client(lab_app):
    with served(lab_app) as client:
        yield client


@pytest.fixture(scope="session")
def postgres():
    """Return the address of a database of PostgreSQL."""
    with postgres_server() as address:
        yield address
