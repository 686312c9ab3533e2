"""A worker: a process that computes answers one after another.

It is started afresh (not forked), compiles what it needs before it says that it is ready, and then
takes work from a pipe. Work is cancelled when it next reports progress; if it does not, the process
is killed. Its memory is bounded by the operating system, where that can be done: too large a
request ends as a fault of the request, not of the machine.

Messages to a worker are ``(id, question)`` and ``(id, None)``, which cancels. Messages from it are
tuples of an id, what happened (`Happened`) and its content.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any, Protocol

from popout.progress import Progress
from popout.task import Fault, InputError
from popout.web.explorer.questions import QUESTIONS, Question

Message = tuple[str, "Happened", Any]
Listener = Callable[[Message], None]
MEMORY = 2**30
"""Bytes a worker may take beyond what it needs to be ready."""
CALM = 0.05
"""Seconds between two reports of progress: a solver has one to tell every millisecond."""


class Happened(StrEnum):
    """What a worker reports."""

    READY = "ready"
    PROGRESS = "progress"
    ANSWER = "answer"
    FAULTS = "faults"
    CANCELLED = "cancelled"
    BROKEN = "broken"
    GONE = "gone"


class Worker(Protocol):
    """What the desk asks of a worker."""

    def start(self, listener: Listener) -> None:
        """Begin; the listener is called from another thread."""

    def work(self, job: str, question: Question) -> None:
        """Begin with a job."""

    def cancel(self, job: str) -> None:
        """Ask to stop."""

    def kill(self) -> None:
        """End it at once."""


class DroppedError(Exception):
    """Nobody wants the answer any more."""


def compute(question: Question, progress: Progress) -> tuple[Happened, Any]:
    """Compute an answer as JSON, or say why there is none.

    Parameters
    ----------
    question : Question
    progress : callable
        May raise `DroppedError`.

    Returns
    -------
    happened : Happened
    content : bytes or list of Fault or str
    """
    from popout.drawing.plain import plain
    from popout.exact import NotConvergedError

    try:
        content = json.dumps(plain(question.answer(progress)), allow_nan=False, ensure_ascii=False)
        return Happened.ANSWER, content.encode()
    except DroppedError:
        return Happened.CANCELLED, None
    except InputError as error:
        return Happened.FAULTS, list(error.faults)
    except NotConvergedError as error:
        fault = Fault("", ("task",), "a problem that can be solved", str(error), "ask for less")
        return Happened.FAULTS, [fault]
    except MemoryError:
        expected, remedy = "work that fits into memory", "ask for fewer locations or trials"
        return Happened.FAULTS, [Fault("", (), expected, "work that does not", remedy)]
    except Exception:
        return Happened.BROKEN, traceback.format_exc()


class ProcessWorker:
    """A worker in a process of its own.

    Parameters
    ----------
    threads : int
        Of the compiled kernels.
    warm : bool
        Whether it compiles what it will need before it is ready.
    """

    def __init__(self, threads: int = 1, warm: bool = True) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(
            target=_run, args=(other, threads, warm), name="popout-worker", daemon=True
        )
        self._other = other

    @property
    def pid(self) -> int | None:
        """Of the process."""
        return self._process.pid

    def start(self, listener: Listener) -> None:
        """Start the process, and a thread that passes its messages on."""
        self._process.start()
        self._other.close()

        def listen() -> None:
            try:
                while True:
                    listener(self._pipe.recv())
            except (EOFError, OSError):
                listener(("", Happened.GONE, None))

        threading.Thread(target=listen, name="popout-listener", daemon=True).start()

    def work(self, job: str, question: Question) -> None:
        """Send a job."""
        self._send((job, question))

    def cancel(self, job: str) -> None:
        """Ask the process to drop a job."""
        self._send((job, None))

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # it is gone, which the listener reports
            self._pipe.send(message)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()


def calm_down(niceness: int = 5) -> None:
    """Make this process one that disturbs no other, and is ended by the server alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if hasattr(os, "nice"):
        os.nice(niceness)


def end_with(pipe: Connection, take: Callable[[Any], None] = lambda message: None) -> None:
    """Take what comes from a pipe until it is closed; then the server is gone, and so are we."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            take(pipe.recv())
    os._exit(0)


def _run(pipe: Connection, threads: int, warm: bool) -> None:
    """Work until the pipe is closed."""
    calm_down()
    os.environ["NUMBA_NUM_THREADS"] = str(threads)
    jobs: queue.Queue[tuple[str, Question]] = queue.Queue()
    dropped: set[str] = set()

    def take(message: tuple[str, Question | None]) -> None:
        job, question = message
        if question is None:
            dropped.add(job)
        else:
            jobs.put((job, question))

    threading.Thread(target=end_with, args=(pipe, take), daemon=True).start()
    if warm:
        warm_up()
    limit_memory(MEMORY)
    pipe.send(("", Happened.READY, None))
    while True:
        job, question = jobs.get()
        happened, content = compute(question, _Reports(pipe, job, dropped))
        dropped.discard(job)
        pipe.send((job, happened, content))


class _Reports:
    """Progress of one job, told now and then; the job ends here when it is dropped."""

    def __init__(self, pipe: Connection, job: str, dropped: set[str]) -> None:
        self._pipe, self._job, self._dropped = pipe, job, dropped
        self._next = time.monotonic() + CALM

    def __call__(self, share: float, words: str) -> None:
        """Report, unless that was done a moment ago."""
        if self._job in self._dropped:
            raise DroppedError
        now = time.monotonic()
        if now >= self._next:
            self._next = now + CALM
            self._pipe.send((self._job, Happened.PROGRESS, (share, words)))


def limit_memory(more: int) -> None:
    """Bound the memory of this process to what it has and `more` bytes, where the system can."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def warm_up() -> None:
    """Compile and load what the usual questions need."""
    search = {"kind": "search", "n_locations": 2, "drift": 4.0, "dt": 0.02}
    limited = {"kind": "limited-search", "n_locations": 2, "information": 32.0, "dt": 0.02}
    few = {"trials": 200, "tune_trials": 1000}
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("boundary", {"task": search}),
        ("simulate", {"task": search, "trials": 200}),
        ("simulate", {"task": search, "strategy": "a-sprt", **few}),
        ("simulate", {"task": search, "strategy": "sprt-opt", **few}),
        ("example-trials", {"task": search}),
        ("boundary", {"task": limited}),
        ("simulate", {"task": limited, **few}),
    ]
    for name, body in bodies:
        question = QUESTIONS[name].model_validate({**body, "costs": {"time": 0.4}})
        compute(question, lambda share, words: None)
