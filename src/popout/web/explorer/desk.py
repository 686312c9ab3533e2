"""The desk: takes questions, hands them to workers, keeps limits, remembers answers."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from popout.task import Fault
from popout.web.explorer.questions import Question
from popout.web.explorer.worker import Ending, Happened, Message, ProcessWorker


@dataclass(frozen=True)
class Limits:
    """What the desk takes on.

    Attributes
    ----------
    seconds : float
        That an answer may take.
    per_visitor, in_all : int
        Questions under way, waiting or at work.
    grace : float
        Seconds that a question has, when it is dropped, before its worker is killed.
    cache : int
        Bytes of answers that are remembered.
    """

    seconds: float = 300.0
    per_visitor: int = 8
    in_all: int = 64
    grace: float = 1.0
    cache: int = 64 * 2**20


class BusyError(Exception):
    """There is too much under way.

    Attributes
    ----------
    everybody : bool
        Whether of everybody together, not of this visitor.
    most : int
        Questions that may be under way.
    """

    def __init__(self, everybody: bool, most: int) -> None:
        super().__init__("too much is under way")
        self.everybody, self.most = everybody, most


@dataclass(eq=False)
class Job:
    """A question that a visitor waits for.

    Attributes
    ----------
    question : Question
    visitor : str
        Who asked.
    share : float
        Of the work that is done; NaN while that is unknown.
    words : str
        What is being done.
    ending : Ending or None
        How it went.
    """

    question: Question
    visitor: str
    share: float = math.nan
    words: str = ""
    ending: Ending | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def moves(self, share: float, words: str) -> None:
        """Tell whoever waits how far it is."""
        self.share, self.words = share, words
        self._changed.set()

    def ends(self, ending: Ending) -> None:
        """Tell whoever waits how it went; the first ending stays."""
        self.ending = self.ending or ending
        self._changed.set()

    async def changed(self, seconds: float) -> None:
        """Wait until something has changed, or some seconds have passed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()


@dataclass(eq=False)
class _Seat:
    """A place for a worker, and what is on it."""

    worker: ProcessWorker
    is_ready: bool = False
    job: Job | None = None
    stop_by: float = math.inf
    recent: list[object] = field(default_factory=list)


class Desk:
    """Takes questions and hands them to workers.

    Parameters
    ----------
    make_worker : callable
        Makes a worker that is not started yet.
    n_workers : int
        With none, nothing is computed.
    limits : Limits
    """

    def __init__(
        self,
        make_worker: Callable[[], ProcessWorker],
        n_workers: int = 2,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._make_worker = make_worker
        self.n_workers = n_workers
        self._seats: list[_Seat] = []
        self._waiting: list[Job] = []
        self._answers: OrderedDict[Question, bytes] = OrderedDict()
        self._tidying: asyncio.Task[None] | None = None

    # -- from start to end ----------------------------------------------------------------------

    async def start(self) -> None:
        """Start the workers; they are ready some seconds later."""
        for _ in range(self.n_workers):
            self._take_seat()
        self._tidying = asyncio.create_task(self._keep_tidy())

    async def close(self) -> None:
        """Kill the workers and drop all work."""
        if self._tidying is not None:
            self._tidying.cancel()
        jobs, seats, self._seats = self._under_way(), self._seats, []
        for job in jobs:
            job.ends(Ending())
        for seat in seats:
            await asyncio.to_thread(seat.worker.kill)

    @property
    def ready(self) -> int:
        """How many workers are ready."""
        return sum(seat.is_ready for seat in self._seats)

    def _take_seat(self) -> None:
        seat = _Seat(self._make_worker())
        self._seats.append(seat)
        loop = asyncio.get_running_loop()

        def heard(message: Message) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._heard, seat, message)

        seat.worker.start(heard)

    def _under_way(self) -> list[Job]:
        """Return what somebody waits for."""
        at_work = [seat.job for seat in self._seats if seat.job is not None]
        return [*self._waiting, *(job for job in at_work if job.ending is None)]

    # -- questions come in ------------------------------------------------------------------------

    def submit(self, question: Question, visitor: str) -> Job:
        """Take a question; one that was asked before is answered at once.

        Parameters
        ----------
        question : Question
        visitor : str
            Who asks.

        Raises
        ------
        BusyError
            If this visitor, or everybody together, has too much under way.
        """
        job = Job(question, visitor)
        if question in self._answers:
            self._answers.move_to_end(question)
            job.ends(Ending(self._answers[question]))
            return job
        visitors = [each.visitor for each in self._under_way()]
        if visitors.count(visitor) >= self.limits.per_visitor:
            raise BusyError(False, self.limits.per_visitor)
        if len(visitors) >= self.limits.in_all:
            raise BusyError(True, self.limits.in_all)
        self._waiting.append(job)
        self._hand_out()
        return job

    def drop(self, job: Job) -> None:
        """Stop working on a question; nothing happens to one that is answered."""
        job.ends(Ending())
        if job in self._waiting:
            self._waiting.remove(job)
        for seat in self._seats:
            if seat.job is job:
                seat.worker.work(None)
                seat.stop_by = time.monotonic() + self.limits.grace

    # -- and are handed out -----------------------------------------------------------------------

    def _hand_out(self) -> None:
        """Give free workers something to do."""
        while self._waiting:
            free = [seat for seat in self._seats if seat.is_ready and seat.job is None]
            if not free:
                return
            busy = Counter(seat.job.visitor for seat in self._seats if seat.job is not None)
            job = min(self._waiting, key=lambda job: busy[job.visitor])  # the first of these
            self._waiting.remove(job)
            observer = job.question.observer
            # One that has made this observer may still hold it.
            seat = next((seat for seat in free if observer in seat.recent), free[0])
            seat.recent = [observer, *(old for old in seat.recent if old != observer)][:8]
            seat.job, seat.stop_by = job, time.monotonic() + self.limits.seconds
            seat.worker.work(job.question)

    def _heard(self, seat: _Seat, message: Message) -> None:
        """Take note of what a worker says."""
        happened, content = message
        if seat not in self._seats:
            return
        job = seat.job
        if happened is Happened.GONE:
            self._replace(seat, "work that a worker survives", "one that died of it")
        elif happened is Happened.PROGRESS:
            if job is not None:
                job.moves(*content)
        else:
            seat.is_ready, seat.job, seat.stop_by = True, None, math.inf
            if job is not None:
                job.ends(content)
                self._remember(job.question, content.answer)
            self._hand_out()

    def _remember(self, question: Question, answer: bytes) -> None:
        if answer:
            self._answers[question] = answer
        size = sum(map(len, self._answers.values()))
        while size > self.limits.cache and self._answers:
            size -= len(self._answers.popitem(last=False)[1])

    def _replace(self, seat: _Seat, expected: str, got: str) -> None:
        """Kill a worker and start another; its question fails."""
        self._seats.remove(seat)
        if seat.job is not None:
            remedy = "ask for less: fewer locations or trials, a larger rtol or dt"
            seat.job.ends(Ending(faults=(Fault("", (), expected, got, remedy),)))
        asyncio.get_running_loop().run_in_executor(None, seat.worker.kill)
        self._take_seat()

    async def _keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            self.tidy(time.monotonic())

    def tidy(self, now: float) -> None:
        """Replace workers that take too long."""
        for seat in list(self._seats):
            if now > seat.stop_by:
                expected = f"work of at most {self.limits.seconds:g} seconds"
                self._replace(seat, expected, "more than that")
