"""What has been computed: an append-only file beside the store, the one source of truth.

``STORE.journal/points`` has one line for each unit of work::

    0badc0de {"points": [[index, seconds, message, value, ...], ...]}

A line is a checksum (CRC-32, eight digits), a blank and JSON; it is appended in one piece and
forced to the disk before the unit counts as done. The first line says which sweep it is and names
the values. Whatever is killed, and whenever, at most the last line is torn; the next writer cuts it
off. A line whose checksum is wrong is passed over and its points are computed again. A point that
occurs twice (a failed one that was retried) is known by its last line.

Only one process writes: it holds a lock on ``STORE.journal/lock`` that the system releases when the
process ends, however it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from popout._version import __version__
from popout.analysis.sweep.point import Outcome
from popout.task import InputError

__all__ = ["Header", "Journal", "journal_folder", "refused"]


def journal_folder(store: Path) -> Path:
    """Return where the journal of a store is.

    Examples
    --------
    >>> journal_folder(Path("out/risk.zarr")).name
    'risk.zarr.journal'
    """
    return store.with_name(f"{store.name}.journal")


@dataclass(frozen=True)
class Header:
    """Which sweep a journal belongs to, and the order of the values in its lines."""

    sha256: str
    variables: tuple[str, ...]
    version: str = __version__


class Journal:
    """The journal of one store, held by this process alone.

    Parameters
    ----------
    store : Path
        The journal lies beside it.
    header : Header
        Of the sweep to be run. A journal of another sweep or version is refused.

    Raises
    ------
    InputError
        If the folder cannot be written, another process holds the journal, or it belongs to
        another sweep.
    """

    def __init__(self, store: Path, header: Header) -> None:
        self.folder = journal_folder(store)
        self.header = header
        self.is_new = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self.folder, store)
            self._file: BufferedRandom = _open(self.folder / "points")
        except OSError as error:
            raise refused(store, error) from error
        try:
            self._check_or_start(store)
        except BaseException:
            self.close()
            raise

    def _check_or_start(self, store: Path) -> None:
        """Cut a torn end off; write the header into an empty journal, or compare it."""
        lines = _good_lines(self._file)
        first = next(lines, None)
        self._file.seek(0)
        self._file.truncate(_end_of_last_line(self._file) if first else 0)
        if first is None:
            self._write(vars(self.header))
        elif first.get("sha256") != self.header.sha256:
            raise InputError(
                f"out: expected a new folder or the store of this sweep, got {store}, which "
                "belongs to another sweep; name another with --out, or delete it and its journal"
            )
        elif first.get("version") != self.header.version:
            raise InputError(
                f"out: expected a store begun by popout {self.header.version}, got one by "
                f"{first.get('version')}; finish it with that version, or name another with --out"
            )

    def append(self, outcomes: Sequence[Outcome]) -> None:
        """Add the points of a unit; when this returns they are on the disk."""
        names = self.header.variables
        rows = [
            [o.index, round(o.seconds, 6), o.message, *(o.values.get(name) for name in names)]
            for o in outcomes
        ]
        self._write({"points": rows})

    def outcomes(self) -> Iterator[Outcome]:
        """Yield every point in the order of the lines; the last word on a point counts."""
        names = self.header.variables
        with (self.folder / "points").open("rb") as file:
            for line in _good_lines(file):
                for index, seconds, message, *row in line.get("points", ()):
                    pairs = zip(names, row, strict=True)
                    known = {name: value for name, value in pairs if value is not None}
                    yield Outcome(index, seconds, known, message)

    def close(self) -> None:
        """Release the lock."""
        self._file.close()
        self._lock.close()

    def discard(self) -> None:
        """Remove a journal that this process made and wrote no point to."""
        self.close()
        if self.is_new:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Journal:
        """Hold the journal."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release it."""
        self.close()

    def _write(self, content: Any) -> None:
        text = json.dumps(content, separators=(",", ":")).encode()
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(b"%08x %s\n" % (zlib.crc32(text), text))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            os.ftruncate(self._file.fileno(), end)
            raise refused(self.folder, error) from error


def _open(path: Path) -> BufferedRandom:
    path.touch()
    return path.open("r+b")


def _good_lines(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the content of each line whose checksum is right."""
    for line in file:
        checksum, _, text = line.rstrip(b"\n").partition(b" ")
        if line.endswith(b"\n") and checksum == b"%08x" % zlib.crc32(text):
            yield json.loads(text)


def _end_of_last_line(file: IO[bytes]) -> int:
    """Return how many bytes of a file are whole lines."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - (1 << 16))
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _lock(folder: Path, store: Path) -> IO[str]:
    """Hold the lock of a journal, or say who does."""
    file = (folder / "lock").open("a+", encoding="utf-8")
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; there one process at a time is up to the user
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read() or "another process"
        file.close()
        raise InputError(
            f"out: expected a store that nobody writes, got {store}, held by {holder}; wait for "
            "it or stop it, then run this again"
        ) from None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    return file


def refused(store: Path, error: OSError) -> InputError:
    """Return what is said of a store that could not be written."""
    why = error.strerror or str(error)
    return InputError(
        f"out: expected a folder that takes files, got {store} ({why}); name another with --out"
    )
