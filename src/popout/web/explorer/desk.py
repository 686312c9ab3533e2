"""The desk: takes work, hands it to workers, keeps limits, remembers answers."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from popout.task import Fault
from popout.web.explorer.job import Job, State
from popout.web.explorer.questions import Question
from popout.web.explorer.worker import Happened, Message, ProcessWorker


@dataclass(frozen=True)
class Limits:
    """What the desk takes on.

    Attributes
    ----------
    quick, job : float
        Seconds that a direct answer, or a job, may run.
    per_visitor, in_all : int
        Pieces of work under way, waiting or running.
    deserted : float
        Seconds after which a job that nobody asks about is cancelled.
    kept : float
        Seconds for which a finished job is kept.
    grace : float
        Seconds that a cancelled job has before its worker is killed.
    cache : int
        Bytes of answers that are remembered.
    """

    quick: float = 10.0
    job: float = 300.0
    per_visitor: int = 8
    in_all: int = 64
    deserted: float = 20.0
    kept: float = 60.0
    grace: float = 1.0
    cache: int = 64 * 2**20


class BusyError(Exception):
    """There is too much under way.

    Attributes
    ----------
    everybody : bool
        Whether of everybody together, not of this visitor.
    most : int
        Pieces of work that may be under way.
    """

    def __init__(self, everybody: bool, most: int) -> None:
        super().__init__("too much is under way")
        self.everybody, self.most = everybody, most


@dataclass(eq=False)
class _Seat:
    """A place for a worker, and what is on it."""

    worker: ProcessWorker
    is_ready: bool = False
    job: Job | None = None
    stop_by: float | None = None
    recent: list[object] = field(default_factory=list)


class Desk:
    """Takes work and hands it to workers.

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
        self._jobs: dict[str, Job] = {}
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
        seats, self._seats = self._seats, []
        for job in list(self._jobs.values()):
            if not job.state.is_over:
                job.move(State.CANCELLED)
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

    # -- work comes in ----------------------------------------------------------------------------

    def remembered(self, question: Question) -> bytes | None:
        """Return the answer to a question that was asked before, as JSON."""
        if question in self._answers:
            self._answers.move_to_end(question)
        return self._answers.get(question)

    def submit(self, question: Question, visitor: str, limit: float | None = None) -> Job:
        """Take a piece of work.

        Parameters
        ----------
        question : Question
        visitor : str
            Who asks.
        limit : float, optional
            Seconds it may run; those of a job when left out.

        Raises
        ------
        BusyError
            If this visitor, or everybody together, has too much under way.
        """
        under_way = [job.visitor for job in self._jobs.values() if not job.state.is_over]
        if under_way.count(visitor) >= self.limits.per_visitor:
            raise BusyError(False, self.limits.per_visitor)
        if len(under_way) >= self.limits.in_all:
            raise BusyError(True, self.limits.in_all)
        job = Job(secrets.token_urlsafe(12), question, visitor, limit or self.limits.job)
        self._jobs[job.id] = job
        answer = self.remembered(question)
        if answer is not None:
            job.end(State.DONE, answer)
        else:
            self._waiting.append(job)
            self._hand_out()
        return job

    def find(self, job: str) -> Job | None:
        """Return a job by its id; whoever asks is interested in it."""
        known = self._jobs.get(job)
        if known is not None:
            known.seen = time.monotonic()
        return known

    def forget(self, job: Job) -> None:
        """Drop a job and whatever is known of it: whoever asked has the answer, or is gone."""
        self.cancel(job)
        self._jobs.pop(job.id, None)

    def cancel(self, job: Job) -> None:
        """Stop working on a job."""
        if job.state.is_over:
            return
        if job in self._waiting:
            self._waiting.remove(job)
        for seat in self._seats:
            if seat.job is job:
                seat.worker.cancel(job.id)
                seat.stop_by = time.monotonic() + self.limits.grace
        job.move(State.CANCELLED)

    # -- and is handed out ------------------------------------------------------------------------

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
            seat.job, seat.stop_by = job, time.monotonic() + job.limit
            job.move(State.RUNNING)
            seat.worker.work(job.id, job.question)

    def _heard(self, seat: _Seat, message: Message) -> None:
        """Take note of what a worker says."""
        id, happened, content = message
        if seat not in self._seats:
            return
        if happened is Happened.GONE:
            self._replace(seat, "work that a worker survives", "one that died of it")
            return
        job = seat.job if seat.job is not None and seat.job.id == id else None
        if happened is Happened.PROGRESS:
            if job is not None and not job.state.is_over:
                job.share, job.words = content
                job.move()
            return
        if happened is Happened.READY:
            seat.is_ready = True
        if job is not None:
            seat.job = seat.stop_by = None
            if not job.state.is_over:
                job.end(**content)
                if job.answer:
                    self._remember(job.question, job.answer)
        self._hand_out()

    def _remember(self, question: Question, answer: bytes) -> None:
        self._answers[question] = answer
        size = sum(map(len, self._answers.values()))
        while size > self.limits.cache and self._answers:
            size -= len(self._answers.popitem(last=False)[1])

    def _replace(self, seat: _Seat, expected: str, got: str) -> None:
        """Kill a worker and start another; its job fails."""
        self._seats.remove(seat)
        job = seat.job
        if job is not None and not job.state.is_over:
            remedy = "ask for less: fewer locations or trials, a larger rtol or dt"
            if job.limit < self.limits.job:
                remedy += "; or make it a job"
            job.end(State.FAILED, faults=(Fault("", (), expected, got, remedy),))
        asyncio.get_running_loop().run_in_executor(None, seat.worker.kill)
        self._take_seat()

    # -- now and then -----------------------------------------------------------------------------

    async def _keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            self.tidy(time.monotonic())

    def tidy(self, now: float) -> None:
        """Kill what takes too long, cancel what nobody asks about, forget what is over."""
        for seat in list(self._seats):
            if seat.job is not None and seat.stop_by is not None and now > seat.stop_by:
                limit = seat.job.limit
                self._replace(seat, f"work of at most {limit:g} seconds", "more than that")
        for job in list(self._jobs.values()):
            if job.state.is_over:
                if job.ended is not None and now - job.ended > self.limits.kept:
                    self.forget(job)
            elif not job.listeners and now - job.seen > self.limits.deserted:
                self.cancel(job)
