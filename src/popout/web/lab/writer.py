"""One thread that writes, and many requests in one commit.

A durable commit waits for the disk, some milliseconds. Requests that come in the meantime are
written together in the next one, so the number of trials a second is not bound by the number of
commits. A request is answered after the commit that holds its trials, never before. A request that
fails is rolled back alone, to a savepoint.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy.engine import Connection, Engine

log = logging.getLogger("popout.web")
T = TypeVar("T")
Piece = tuple[Callable[[Connection], Any], "Future[Any]"]
MOST = 500
"""Pieces of one commit."""
WAITING = 10_000
"""Pieces that may wait; beyond, the disk is too slow and requests are refused."""


class WriterFullError(Exception):
    """More waits to be written than the disk can take."""


class Writer:
    """Writes in a thread of its own.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pieces: queue.Queue[Piece | None] = queue.Queue(WAITING)
        self.commits = 0
        self._thread = threading.Thread(target=self._run, name="popout-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Callable[[Connection], T]) -> Future[T]:
        """Write something; the result is there when it is on the disk.

        Parameters
        ----------
        write : callable
            Given a connection within a transaction.
        """
        future: Future[T] = Future()
        try:
            self._pieces.put_nowait((write, future))
        except queue.Full:
            raise WriterFullError from None
        return future

    def close(self) -> None:
        """Write what waits, and end; a second time nothing happens."""
        if self._thread.is_alive():
            self._pieces.put(None)
            self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            pieces = [self._pieces.get()]
            while pieces[-1] is not None and len(pieces) < MOST and not self._pieces.empty():
                pieces.append(self._pieces.get())
            is_open = pieces[-1] is not None
            self._write([piece for piece in pieces if piece is not None])

    def _write(self, pieces: list[Piece]) -> None:
        """Write some pieces in one commit, and then say so."""
        done: list[tuple[Future[Any], Any]] = []
        try:
            with self._engine.begin() as connection:
                for write, future in pieces:
                    with _failing_alone(connection, future), connection.begin_nested():
                        done.append((future, write(connection)))
        except Exception as error:  # nothing of this commit is on the disk
            log.error("Nothing could be stored, %d requests were refused: %s", len(pieces), error)
            for _, future in pieces:
                if not future.done():
                    future.set_exception(error)
            return
        self.commits += 1
        for future, result in done:
            future.set_result(result)


@contextmanager
def _failing_alone(connection: Connection, future: Future[Any]) -> Iterator[None]:
    """Tell a piece why it failed; others go on, unless the connection is lost."""
    try:
        yield
    except Exception as error:
        if connection.invalidated:
            raise
        future.set_exception(error)
