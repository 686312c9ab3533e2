"""A TOML file as read: its values, the line of each, and faults that name both.

Every fault of a file is one line, ``task.toml:3: SearchTask.drift: expected ..., got ...; ...``,
and all of them come in one `InputError`, in the order of the file. A fault of a value has the line
of its key, a missing key the line of its table.

What only files need is loaded with the first one: tasks are made without.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from popout.task.faults import Fault, Faults, InputError, Path, did_you_mean, show

if TYPE_CHECKING:
    from pathlib import Path as File


LARGEST = 2**20
"""Bytes of the largest file that is read. A task or a sweep fits in a few thousand."""


@dataclass(frozen=True)
class Document:
    r"""The content of a TOML file, with the line of each key.

    Parameters
    ----------
    values : dict
        As `tomllib` returns them.
    lines : dict
        From path to line, see `locate`.
    name : str
        The file as the user named it; empty for text that came from no file.
    text : str
        The document itself.

    Examples
    --------
    >>> from popout.task.document import Document
    >>> document = Document.parse('kind = "search"\ndrift = [8.0, 3.0]', "task.toml")
    >>> document.values["drift"]
    [8.0, 3.0]
    >>> document.line(("drift", 1))
    2
    """

    values: dict[str, Any]
    lines: dict[Path, int] = field(repr=False)
    name: str = ""
    text: str = field(default="", repr=False)

    @classmethod
    def load(cls, path: str | File) -> Document:
        """Read a file.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        InputError
            If there is no such file, or it is not a TOML file in UTF-8.
        """
        from pathlib import Path as File

        return cls.parse(_read(File(path)), str(path))

    @classmethod
    def parse(cls, text: str, name: str = "") -> Document:
        """Take the text of a document.

        Parameters
        ----------
        text : str
        name : str
            What to call it in messages, usually the file.

        Raises
        ------
        InputError
            If the text is not TOML; the message has the line.
        """
        import tomllib

        try:
            return cls(tomllib.loads(text), locate(text), name, text)
        except RecursionError:
            reason, line, got = "it is nested too deeply", None, text
        except ValueError as error:  # TOMLDecodeError, or an integer too long for Python
            reason, line = _position(str(error), text)
            got = text.split("\n")[line - 1].strip() if line else text
        subject = "" if name or line else "document"
        raise InputError(
            [Fault(subject, (), "valid TOML", show(got), reason, file=name, line=line)]
        )

    def value(self, path: Path) -> Any:
        """Return what is at a path."""
        value: Any = self.values
        for part in path:
            value = value[part]
        return value

    def line(self, path: Path = ()) -> int:
        """Return the line of a key, or of the nearest table that is there.

        The document as a whole has the line of its `kind`, if it names one, or the first.
        """
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines[path] if path else self.lines.get(("kind",), 1)


class DocumentFaults(Faults):
    r"""Collect the faults of a document, each with its line.

    Parameters
    ----------
    document : Document

    Examples
    --------
    >>> from popout.task.document import Document, DocumentFaults
    >>> document = Document.parse("drfit = 4.0\nspeed = 3", "task.toml")
    >>> faults = DocumentFaults(document)
    >>> faults.unknown_keys("Task", (), ["drift", "dt"])
    >>> print(*faults.lines, sep="\n")
    task.toml:1: Task.drfit: expected one of drift, dt, got 'drfit'; did you mean drift?
    task.toml:2: Task.speed: expected one of drift, dt, got 'speed'; rename or drop it
    """

    def __init__(self, document: Document) -> None:
        super().__init__("")
        self.document = document

    def at(self, path: Path, what: str, expected: str, got: object, remedy: str) -> None:
        """Record a fault of the key at a path.

        Parameters
        ----------
        path : tuple
            Keys, and positions in arrays, from the top of the document.
        what : str
            The field as the user knows it, e.g. ``grid.drift``.
        expected, got, remedy
            As for `Faults.add`.
        """
        self.record(Fault(what, (), expected, show(got), remedy, table=path))

    def add(self, where: str | Path, expected: str, got: object, remedy: str) -> None:
        """Record a fault of the document as a whole."""
        self.record(Fault(str(where), (), expected, show(got), remedy))

    def absorb(self, error: InputError, table: Path = ()) -> None:
        """Take over the faults of the object that the table at a path describes."""
        for fault in error.faults:
            self.record(replace(fault, table=(*table, *fault.table)))

    def unknown_keys(self, what: str, path: Path, known: Iterable[str]) -> None:
        """Record every key of the table at a path that is not a known one."""
        names = list(known)
        for key in self.document.value(path):
            if key not in names:
                remedy = did_you_mean(key, names, "rename or drop it")
                expected = f"one of {', '.join(names)}"
                self.record(Fault(what, (key,), expected, show(key), remedy, table=path))

    def raise_if_any(self) -> None:
        """Raise `InputError` with every fault in the order of the document, if there is one."""
        if self.faults:
            raise InputError(sorted(self.faults, key=lambda fault: fault.line or 0))

    def record(self, fault: Fault, place: Path | None = None) -> None:
        """Record a fault with its line; values that came from no text have none.

        Parameters
        ----------
        fault : Fault
        place : tuple, optional
            Where it stands in the document, if not where its path says.
        """
        where = (*fault.table, *fault.path) if place is None else place
        line = self.document.line(where) if self.document.name or self.document.text else None
        self.faults.append(replace(fault, file=self.document.name, line=line))


def _position(message: str, text: str) -> tuple[str, int | None]:
    """Split the message of `tomllib` into the reason and the line."""
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if match:
        return f"{match[1]}, column {match[3]}", int(match[2])
    if message.endswith("(at end of document)"):
        return message, len(text.rstrip().split("\n"))
    return message, None


def _read(path: File) -> str:
    """Return the text of a file, or say why it cannot be a TOML file."""

    def refuse(expected: str, got: str, remedy: str, line: int | None = None) -> InputError:
        return InputError([Fault("", (), expected, got, remedy, file=str(path), line=line)])

    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise refuse("a TOML file", "a folder", "name a file in it")
        if not stat.S_ISREG(info.st_mode):  # a pipe could keep us waiting forever
            raise refuse("a TOML file", "no ordinary file", "copy the content into one")
        if info.st_size > LARGEST:
            size = f"{info.st_size / 2**20:.3g} MiB"
            raise refuse("a TOML file of at most 1 MiB", size, "check the path")
        data = path.read_bytes()
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte in it
        reason = getattr(error, "strerror", None) or str(error)
        raise refuse(
            "a TOML file that can be read", "none", f"check the path ({reason})"
        ) from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise refuse("a file in UTF-8", "UTF-16", "save it as UTF-8")
    try:
        # Some editors put a byte order mark before UTF-8 text; it says nothing and is dropped.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        got = repr(data[error.start : error.start + 8])
        raise refuse("a file in UTF-8", got, "save it as UTF-8", line) from error


def locate(text: str) -> dict[Path, int]:
    r"""Return the line, from 1, of every key and table of a TOML document.

    `tomllib` returns values without positions. A document is a sequence of statements, each of one
    line or more, and `tomllib` takes each of them by itself: what it finds in one stands on the
    line where that begins.

    Parameters
    ----------
    text : str
        A document that `tomllib.loads` accepts.

    Returns
    -------
    dict
        From path to line. Keys are strings, numbers of tables in an array of them integers. A table
        has the line on which it is first named; members of an array have that of its key.

    Examples
    --------
    >>> from popout.task.document import locate
    >>> lines = locate('drift = [\n  8.0,\n  3.0]\n[costs]\ntime = 0.2')
    >>> lines["drift",], lines["costs", "time"]
    (1, 5)
    """
    import tomllib

    lines: dict[Path, int] = {}
    lengths: dict[Path, int] = {}  # of the arrays of tables met so far
    table: Path = ()
    statement, first = "", 1
    for number, row in enumerate(text.split("\n"), 1):
        statement += row + "\n"
        if number > first and not re.search(r"[\]}\"']", row):
            continue  # an array or a string goes on
        try:
            values = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.lstrip().startswith("["):
            table = _named_table(values, lengths, lines, first)
        else:
            _note_keys(values, table, lines, first)
        statement, first = "", number + 1
    return lines


def _named_table(values: Any, lengths: dict[Path, int], lines: dict[Path, int], line: int) -> Path:
    """Note the tables that a heading names, and return the path of the last."""
    path: Path = ()
    while values:
        ((key, values),) = values.items()
        path = (*path, key)
        lines.setdefault(path, line)
        if isinstance(values, list):  # one more table of an array
            lengths[path] = lengths.get(path, 0) + 1
            values = {}
        if path in lengths:
            path = (*path, lengths[path] - 1)
            lines.setdefault(path, line)
    return path


def _note_keys(values: dict[str, Any], table: Path, lines: dict[Path, int], line: int) -> None:
    for key, value in values.items():
        path = (*table, key)
        lines.setdefault(path, line)
        if isinstance(value, dict):
            _note_keys(value, path, lines, line)
