"""A worker: a process that computes answers one after another.

It is started afresh (not forked), compiles what it needs before it says that it is ready, and then
takes work from a pipe. Work is cancelled when it next reports progress; if it does not, the process
is killed. Its memory is bounded by the operating system, where that can be done: too large a
request ends as a fault of the request, not of the machine.

Messages to a worker are a question, and None, which drops the one at work. Messages from it are
pairs of what happened (`Happened`) and its content.
"""

from __future__ import annotations

import contextlib
import json
import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any, Protocol

from popout.progress import Progress
from popout.task import Fault, InputError
from popout.web.explorer.questions import QUESTIONS

log = logging.getLogger("popout.web")
Message = tuple["Happened", Any]
Listener = Callable[[Message], None]
MEMORY = 2**30
CALM = 0.1
"""Seconds between two reports of progress: a solver has one to tell every millisecond."""


class Happened(StrEnum):
    """What a worker reports."""

    READY = "ready"
    PROGRESS = "progress"
    OVER = "over"
    GONE = "gone"


@dataclass(frozen=True)
class Ending:
    """How a question ended; without answer and faults it was dropped.

    Attributes
    ----------
    answer : bytes
        JSON.
    faults : tuple of Fault
    is_broken : bool
        Whether it failed through no fault of whoever asked.
    """

    answer: bytes = b""
    faults: tuple[Fault, ...] = ()
    is_broken: bool = False


class Answerable(Protocol):
    """What a worker can work on: a question, which is sent to its process."""

    def answer(self, progress: Progress) -> Any:
        """Compute the answer, which `plain` can turn into JSON."""


class DroppedError(Exception):
    """Nobody wants the answer any more."""


def compute(question: Answerable, progress: Progress) -> Ending:
    """Compute an answer as JSON, or say why there is none; what breaks is logged.

    Parameters
    ----------
    question : Answerable
    progress : callable
        May raise `DroppedError`.
    """
    from popout.drawing.plain import plain
    from popout.exact import NotConvergedError

    try:
        content = json.dumps(plain(question.answer(progress)), allow_nan=False, ensure_ascii=False)
        return Ending(content.encode())
    except DroppedError:
        return Ending()
    except InputError as error:
        return Ending(faults=error.faults)
    except NotConvergedError as error:
        fault = Fault("", ("task",), "a problem that can be solved", str(error), "ask for less")
    except MemoryError:
        remedy = "ask for fewer locations or trials"
        fault = Fault("", (), "work that fits into memory", "work that does not", remedy)
    except Exception:
        log.exception("The question %r broke", question)
        remedy = "tell the developers what you asked; this is a bug"
        return Ending(faults=(Fault("", (), "an answer", "none", remedy),), is_broken=True)
    return Ending(faults=(fault,))


class ProcessWorker:
    """A worker in a process of its own.

    Parameters
    ----------
    warm : bool
        Whether it compiles what it will need before it is ready.
    memory : int or None
        Bytes it may take beyond what it needs to be ready.
    """

    def __init__(self, warm: bool = True, memory: int | None = MEMORY) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self.process = context.Process(
            target=_run, args=(other, warm, memory), name="popout-worker", daemon=True
        )
        self._other = other

    def start(self, listener: Listener) -> None:
        """Start the process, and a thread that passes its messages on."""
        self.process.start()
        self._other.close()

        def listen() -> None:
            try:
                while True:
                    listener(self._pipe.recv())
            except (EOFError, OSError):
                listener((Happened.GONE, None))

        threading.Thread(target=listen, name="popout-listener", daemon=True).start()

    def work(self, question: Answerable | None) -> None:
        """Send a question; None drops the one at work."""
        with contextlib.suppress(OSError):  # it is gone, which the listener reports
            self._pipe.send(question)

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.join()


def _run(pipe: Connection, warm: bool, memory: int | None) -> None:
    """Work until the pipe is closed, and disturb no other process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"
    if hasattr(os, "nice"):
        os.nice(10)
    questions: queue.Queue[Answerable] = queue.Queue()
    dropped = threading.Event()

    def listen() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                question = pipe.recv()
                if question is None:
                    dropped.set()
                else:
                    dropped.clear()  # one that was over already
                    questions.put(question)
        os._exit(0)  # the server is gone

    threading.Thread(target=listen, daemon=True).start()
    if warm:
        warm_up()
    if memory is not None:
        limit_memory(memory)
    pipe.send((Happened.READY, None))
    while True:
        pipe.send((Happened.OVER, compute(questions.get(), _reports(pipe, dropped))))


def _reports(pipe: Connection, dropped: threading.Event) -> Progress:
    """Return what tells the progress now and then, and ends work that is dropped."""
    due = time.monotonic() + CALM

    def report(share: float, words: str) -> None:
        nonlocal due
        if dropped.is_set():
            raise DroppedError
        now = time.monotonic()
        if now >= due:
            due = now + CALM
            pipe.send((Happened.PROGRESS, (share, words)))

    return report


def limit_memory(more: int) -> None:
    """Bound the memory of this process to what it has and `more` bytes, where the system can."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def warm_up() -> None:
    """Compile and load what the usual questions need."""
    search = {"kind": "search", "n_locations": 2, "drift": 4.0, "dt": 0.02}
    limited = {"kind": "limited-search", "n_locations": 2, "information": 32.0, "dt": 0.02}
    items = [[0, 0], [1, 0]]
    looked_at = {"kind": "gaze-search", "items": items, "information": 32.0, "falloff": 1.0}
    few = {"trials": 200, "tune_trials": 1000}
    for name, body in (
        ("boundary", {"task": search}),
        ("simulate", {"task": search, "trials": 200}),
        ("simulate", {"task": search, "strategy": "a-sprt", **few}),
        ("simulate", {"task": search, "strategy": "sprt-opt", **few}),
        ("example-trials", {"task": search}),
        ("boundary", {"task": limited}),
        ("simulate", {"task": limited, **few}),
        ("solve", {"task": looked_at}),
        ("simulate", {"task": looked_at, "attention": "ideal", **few}),
    ):
        question = QUESTIONS[name].model_validate({**body, "costs": {"time": 0.4}})
        compute(question, lambda share, words: None)
