"""What has been computed: an append-only file beside the store, the one source of truth.

``STORE.journal/points`` has one line for each unit of work::

    0badc0de {"points": [[index, seconds, message, value, ...], ...]}

A line is a checksum (CRC-32, eight digits), a blank and JSON; it is appended in one piece and
forced to the disk before the unit counts as done. The first line says which sweep it is and names
the values. A line that is torn, because the writer was killed, or damaged has a wrong checksum; it
is passed over and its points are computed again. A point that occurs twice (a failed one that was
retried) is known by its last line.

Only one process writes: it holds a lock on the file that the system releases when the process ends,
however it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from popout._version import __version__
from popout.analysis.sweep.point import Outcome
from popout.task import InputError
from popout.task.faults import unwritable


def journal_folder(store: Path) -> Path:
    """Return where the journal of a store is.

    Examples
    --------
    >>> journal_folder(Path("out/risk.zarr")).name
    'risk.zarr.journal'
    """
    return store.with_name(f"{store.name}.journal")


class Journal:
    """The journal of one store, held by this process alone until it is closed.

    Parameters
    ----------
    store : Path
        The journal lies beside it.
    sha256 : str
        Identity of the sweep. A journal of another sweep or version of `popout` is refused.
    variables : sequence of str
        Names of the values of a point, in the order of the lines.

    Raises
    ------
    InputError
        If the folder cannot be written, another process holds the journal, or it belongs to
        another sweep.
    """

    def __init__(self, store: Path, sha256: str, variables: Sequence[str]) -> None:
        self.store, self.folder, self.variables = store, journal_folder(store), tuple(variables)
        self.path = self.folder / "points"
        self.is_new = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise unwritable(store, error) from error
        try:
            self._lock()
            self._check_or_start(sha256)
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock; one process at a time is up to the user
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"out: expected a store that nobody writes, got {self.store}, which another "
                "process is writing; wait for it or stop it, then run this again"
            ) from None

    def _check_or_start(self, sha256: str) -> None:
        """Compare the first line of a journal that was begun, or write that of a new one."""
        first = next(self._lines(), None)
        if first is None:
            self._file.truncate(0)
            header = {"sha256": sha256, "variables": self.variables, "version": __version__}
            self._write(header)
        elif first.get("sha256") != sha256:
            raise InputError(
                f"out: expected a new folder or the store of this sweep, got {self.store}, which "
                "belongs to another sweep; name another with --out, or delete it and its journal"
            )
        elif first.get("version") != __version__:
            raise InputError(
                f"out: expected a store begun by popout {__version__}, got one by "
                f"{first.get('version')}; finish it with that version, or name another with --out"
            )
        else:
            self._file.write(b"\n")  # should the last line be torn, the next one is on its own

    def append(self, outcomes: Sequence[Outcome]) -> None:
        """Add the points of a unit; when this returns they are on the disk."""
        rows = [
            [o.index, round(o.seconds, 6), o.message, *map(o.values.get, self.variables)]
            for o in outcomes
        ]
        self._write({"points": rows})

    def outcomes(self) -> Iterator[Outcome]:
        """Yield every point in the order of the lines; the last word on a point counts."""
        for line in self._lines():
            for index, seconds, message, *row in line.get("points", ()):
                pairs = zip(self.variables, row, strict=True)
                known = {name: value for name, value in pairs if value is not None}
                yield Outcome(index, seconds, known, message)

    def close(self) -> None:
        """Release the lock."""
        self._file.close()

    def discard(self) -> None:
        """Remove the journal."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Yield the content of each line whose checksum is right."""
        with self.path.open("rb") as file:
            for line in file:
                checksum, _, text = line.partition(b" ")
                if line.endswith(b"\n") and checksum == b"%08x" % zlib.crc32(text[:-1]):
                    yield json.loads(text)

    def _write(self, content: Any) -> None:
        text = json.dumps(content, separators=(",", ":")).encode()
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        end = self._file.seek(0, os.SEEK_END)
        try:
            while line:  # a part is written where the disk is full
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            os.ftruncate(self._file.fileno(), end)
            raise unwritable(self.folder, error) from error
