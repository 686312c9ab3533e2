"""The desk: takes questions, hands them to workers, keeps limits, remembers answers.

A question says beforehand, roughly, how many seconds it takes (`Question.work`). The first worker
takes small ones alone, wherever there is another for the rest, and small ones come first at every
worker: whatever big ones somebody asks, a small one waits for small ones only. What was taken for
small and is not gives way as soon as another waits, and is asked again as a big one. Time counts
from when a question comes, not from when it is taken up.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from popout.task import Fault, InputError
from popout.web.explorer.questions import Question
from popout.web.explorer.worker import Ending, Happened, Message, ProcessWorker

LESS = "ask for less: fewer locations or trials, a larger rtol or dt"


@dataclass(frozen=True)
class Limits:
    """What the desk takes on.

    Attributes
    ----------
    seconds : float
        That an answer may take, the wait for a worker included.
    small : float
        Seconds that a small question takes at most.
    most : float
        Seconds of work, as it is estimated, that a question may take.
    work : float
        Seconds of work that a visitor may have under way before another big question.
    per_visitor, in_all : int
        Questions under way, waiting or at work. A visitor may be a class behind one address.
    grace : float
        Seconds that a question has, when it is dropped, before its worker is killed.
    cache : int
        Bytes of answers that are remembered.
    """

    seconds: float = 120.0
    small: float = 4.0
    most: float = 120.0
    work: float = 60.0
    per_visitor: int = 32
    in_all: int = 128
    grace: float = 1.0
    cache: int = 64 * 2**20


class BusyError(Exception):
    """There is too much under way.

    Attributes
    ----------
    everybody : bool
        Whether of everybody together, not of this visitor.
    most : str
        What may be under way.
    """

    def __init__(self, everybody: bool, most: str) -> None:
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
    work : float
        Seconds that it takes, roughly.
    asked : float
        When.
    ending : Ending or None
        How it went.
    """

    question: Question
    visitor: str
    work: float = 0.0
    asked: float = field(default_factory=time.monotonic)
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
    since: float = 0.0
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
            self._seats.append(self._new_seat())
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

    def _new_seat(self) -> _Seat:
        seat = _Seat(self._make_worker())
        loop = asyncio.get_running_loop()

        def heard(message: Message) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._heard, seat, message)

        seat.worker.start(heard)
        return seat

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
        InputError
            If it is too much work.
        """
        job = Job(question, visitor, question.work)
        if question in self._answers:
            self._answers.move_to_end(question)
            job.ends(Ending(self._answers[question]))
            return job
        limits, under_way = self.limits, self._under_way()
        if job.work > limits.most:
            expected, got = f"work of some {limits.most:g} seconds", f"some {job.work:.0f}"
            raise InputError([Fault("", (), expected, got, LESS)])
        own = [each for each in under_way if each.visitor == visitor]
        if len(own) >= limits.per_visitor:
            raise BusyError(False, f"{limits.per_visitor} questions")
        if len(under_way) >= limits.in_all:
            raise BusyError(True, f"{limits.in_all} questions")
        if job.work > limits.small and sum(each.work for each in own) > limits.work:
            raise BusyError(False, f"{limits.work:g} seconds of work")
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
        for _ in range(len(self._waiting)):
            free = [seat for seat in self._seats if seat.is_ready and seat.job is None]
            for_big = (
                free if len(self._seats) == 1 else [s for s in free if s not in self._seats[:1]]
            )
            can = [job for job in self._waiting if (free if self._is_small(job) else for_big)]
            if not can:
                return
            busy = Counter(seat.job.visitor for seat in self._seats if seat.job is not None)
            job = min(can, key=lambda job: (not self._is_small(job), busy[job.visitor]))
            self._waiting.remove(job)
            observer = job.question.observer
            seats = free if self._is_small(job) else for_big
            # One that has made this observer may still hold it.
            seat = next((seat for seat in seats if observer in seat.recent), seats[0])
            seat.recent = [observer, *(old for old in seat.recent if old != observer)][:8]
            seat.job, seat.since = job, time.monotonic()
            seat.stop_by = job.asked + self.limits.seconds
            seat.worker.work(job.question)

    def _is_small(self, job: Job) -> bool:
        return job.work <= self.limits.small

    def _give_way(self, seat: _Seat, job: Job) -> None:
        """Put a question back that takes longer than it said; its worker is free in a moment."""
        job.work = self.limits.most
        self._waiting.append(job)
        seat.worker.work(None)
        seat.job, seat.is_ready = None, False
        seat.stop_by = time.monotonic() + self.limits.grace

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
        """Kill a worker and start another in its place; its question fails."""
        if seat.job is not None:
            seat.job.ends(Ending(faults=(Fault("", (), expected, got, LESS),)))
        asyncio.get_running_loop().run_in_executor(None, seat.worker.kill)
        self._seats[self._seats.index(seat)] = self._new_seat()
        self._hand_out()

    async def _keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            self.tidy(time.monotonic())

    def tidy(self, now: float) -> None:
        """Replace workers that take too long, and end questions that have waited too long."""
        for seat in list(self._seats):
            if now > seat.stop_by:
                expected = f"work of at most {self.limits.seconds:g} seconds"
                self._replace(seat, expected, "more than that")
        for job in [job for job in self._waiting if now > job.asked + self.limits.seconds]:
            self._waiting.remove(job)
            expected = f"an answer within {self.limits.seconds:g} seconds"
            got, remedy = "a server with more to do", "ask again later, or for less"
            job.ends(Ending(faults=(Fault("", (), expected, got, remedy),)))
        small_ones_wait = any(map(self._is_small, self._waiting))
        for seat in self._seats[:1] if small_ones_wait else []:
            late = seat.job if now > seat.since + self.limits.small else None
            if late is not None and late.ending is None:
                self._give_way(seat, late)
