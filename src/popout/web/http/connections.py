"""Connections that say or take nothing: closed after a while, the oldest first where many wait.

A connection waits while its next request, head and body, is not there in full. Honest browsers send
a request at once: whoever has not after `PATIENCE` seconds is hung up on, and so is whoever does
not read the answer. Where more than `MOST_WAITING` wait, the one that has waited longest is hung up
on for each that comes: thousands of idle ones shut nobody out, and use no more files than a process
may open.
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds for the head and the body of a request."""
IDLE = 30
"""Seconds between two requests."""
MOST_WAITING = 400


class PatientProtocol(H11Protocol):
    """A connection that is closed when its request does not come, or nobody takes the answer."""

    patience, most_waiting = PATIENCE, MOST_WAITING
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request; where too many wait, the oldest makes room."""
        super().connection_made(cast(asyncio.Transport, transport))
        self._wait_for_request()
        if len(waiting := self._waiting()) > self.most_waiting:
            next(iter(waiting))._hang_up()

    def data_received(self, data: bytes) -> None:
        """Take what comes; a few bytes now and then are no request."""
        super().data_received(data)
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            self._wait_for_request()
        elif not self.flow.write_paused:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request, for as long as uvicorn says."""
        super().on_response_complete()
        self._waiting()[self] = None

    def pause_writing(self) -> None:
        """Wait until somebody reads."""
        super().pause_writing()
        self._start_timer()

    def resume_writing(self) -> None:
        """Go on with the answer."""
        super().resume_writing()
        self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._stop_waiting()

    def _waiting(self) -> dict[PatientProtocol, None]:
        """Return the connections of this server that wait, the oldest first."""
        waiting: dict[PatientProtocol, None] = self.app_state.setdefault("waiting", {})
        return waiting

    def _wait_for_request(self) -> None:
        self._waiting()[self] = None
        self._start_timer()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience, self._hang_up)

    def _stop_waiting(self) -> None:
        self._waiting().pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hang_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()
