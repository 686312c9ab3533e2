"""One thread that writes, and many requests in one commit.

A durable commit waits for the disk, some milliseconds. Requests that come in the meantime are
written together in the next one, so the number of trials a second is not bound by the number of
commits. A request is answered after the commit that holds its trials, never before. A request that
fails is rolled back alone, to a savepoint.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from sqlalchemy.engine import Connection, Engine

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
            piece = self._pieces.get()
            pieces: list[Piece] = []
            while piece is not None:
                pieces.append(piece)
                if len(pieces) == MOST:
                    break
                try:
                    piece = self._pieces.get_nowait()
                except queue.Empty:
                    break
            is_open = piece is not None
            if pieces:
                self._write(pieces)

    def _write(self, pieces: list[Piece]) -> None:
        """Write some pieces in one commit, and then say so."""
        done: list[tuple[Future[Any], Any]] = []
        try:
            with self._engine.begin() as connection:
                for write, future in pieces:
                    try:
                        with connection.begin_nested():
                            done.append((future, write(connection)))
                    except Exception as error:
                        if connection.invalidated:
                            raise
                        future.set_exception(error)
        except Exception as error:  # nothing of this commit is on the disk
            for _, future in pieces:
                if not future.done():
                    future.set_exception(error)
            return
        self.commits += 1
        for future, result in done:
            future.set_result(result)
