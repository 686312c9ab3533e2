"""One piece of work: its state, its progress, and who waits for it."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum

from popout.task import Fault
from popout.web.explorer.questions import Question

CALM = 0.1
"""Seconds between two reports of progress to a listener."""


class State(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing happens any more."""
        return self in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(eq=False)
class Job:
    """One piece of work.

    Attributes
    ----------
    id : str
    question : Question
    visitor : str
        Who asked.
    limit : float
        Seconds it may run.
    state : State
    share : float
        Of the work that is done; NaN while that is unknown.
    words : str
    answer : bytes
        JSON.
    faults : tuple of Fault
    is_broken : bool
        Whether it failed through no fault of whoever asked.
    listeners : int
        How many stream it at present.
    """

    id: str
    question: Question
    visitor: str
    limit: float
    state: State = State.WAITING
    share: float = math.nan
    words: str = ""
    answer: bytes = b""
    faults: tuple[Fault, ...] = ()
    is_broken: bool = False
    listeners: int = 0
    seen: float = field(default_factory=time.monotonic)
    started: float | None = None
    ended: float | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def move(self, state: State | None = None) -> None:
        """Tell whoever waits that something has changed, perhaps the state."""
        now = time.monotonic()
        if state is State.RUNNING:
            self.started = now
        if state is not None:
            self.state = state
            self.ended = now if state.is_over else None
        self._changed.set()
        self._changed = asyncio.Event()

    def end(
        self,
        state: State,
        answer: bytes = b"",
        faults: tuple[Fault, ...] = (),
        is_broken: bool = False,
    ) -> None:
        """Note how it went, and tell whoever waits."""
        self.answer, self.faults, self.is_broken = answer, faults, is_broken
        self.move(state)

    async def over(self) -> None:
        """Wait until nothing happens any more."""
        while not self.state.is_over:
            await self._changed.wait()

    async def changes(self) -> AsyncIterator[State]:
        """Yield the state now, and again after every change until the job is over."""
        self.listeners += 1
        try:
            while True:
                changed = self._changed
                yield self.state
                if self.state.is_over:
                    return
                await changed.wait()
                if not self.state.is_over:
                    await asyncio.sleep(CALM)
        finally:
            self.listeners -= 1
            self.seen = time.monotonic()

    def as_json(self) -> bytes:
        """Return the job as the contract describes it; the answer is JSON already."""
        now = self.ended or time.monotonic()
        seconds = 0.0 if self.started is None else now - self.started
        known = self.share if math.isfinite(self.share) else None
        left = seconds * (1.0 - known) / known if known and not self.state.is_over else None
        content = {
            "id": self.id,
            "question": self.question.name,
            "state": str(self.state),
            "share": 1.0 if self.state is State.DONE else known,
            "words": self.words,
            "seconds": round(seconds, 3),
            "seconds_left": None if left is None else round(left, 1),
            "faults": [fault.as_dict() for fault in self.faults] or None,
        }
        return b'{"answer": %b, %b' % (self.answer or b"null", json.dumps(content)[1:].encode())
