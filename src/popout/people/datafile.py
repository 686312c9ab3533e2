r"""A file of trials, taken apart into columns: separators, encodings, line ends.

Text is UTF-8 with or without a byte-order mark, UTF-16 with one, or Windows-1252 if it is neither.
The separator is the one of tab, semicolon, comma and bar (or blanks, if none of them works) that
cuts the first lines into the same number of fields, and into the most. Quoted fields, Windows and
old Mac line ends, ``sep=;`` on the first line and comment lines that begin with ``#`` are known.
Parquet files need pyarrow.
"""

from __future__ import annotations

import csv
import hashlib
import io
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from popout.people.column import Column
from popout.task import InputError
from popout.task.faults import Fault, show

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
SAMPLE = 200
"""Lines that the separator is found from."""
BINARY = {
    b"PK\x03\x04": ("a spreadsheet or an archive", "save the sheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet", "save the sheet as CSV"),
    b"\x1f\x8b": ("a compressed file", "unpack it"),
    b"$FL2": ("an SPSS file", "save it as CSV"),
    b"$FL3": ("an SPSS file", "save it as CSV"),
    b"MATLAB": ("a MATLAB file", "save the table as CSV"),
    b"\x89HDF": ("an HDF5 or MATLAB file", "save the table as CSV"),
    b"%PDF": ("a PDF", "ask its authors for the trials"),
    b"RDX": ("an R workspace", "write.csv the data frame"),
    b"<!DO": ("a web page", "download the data themselves"),
    b"<htm": ("a web page", "download the data themselves"),
}
"""First bytes of files that are sometimes mistaken for data."""
LARGEST = 2**30
"""Bytes of a file, at most."""
SHOWN = 5
"""Bad lines that are named."""


@dataclass(frozen=True, eq=False)
class DataFile:
    """Columns, and what they were read from.

    Attributes
    ----------
    name : str
        Of the file, without its folder.
    columns : tuple of Column
    sha256 : str
        Of the file; empty for a frame.
    form : str
        Format, separator and encoding, in words.
    """

    name: str
    columns: tuple[Column, ...]
    sha256: str
    form: str

    @property
    def n_rows(self) -> int:
        """Rows."""
        return len(self.columns[0])

    def column(self, name: str) -> Column | None:
        """Return the column of that name, or None."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)


def from_frame(frame: pd.DataFrame, name: str = "frame", form: str = "a frame") -> DataFile:
    """Return the columns of a frame; a named index counts.

    Examples
    --------
    >>> from_frame(pd.DataFrame({"RT": [512.0, 734.5]})).columns[0].words.tolist()
    ['512', '734.5']
    """
    if any(frame.index.names):
        frame = frame.reset_index()
    names = [str(each).strip() for each in frame.columns]
    _check_names(name, names, None)
    if frame.empty:
        raise _fault(name, "trials, one a row", "no rows", "check what was exported")
    columns = [Column.of(each, frame.iloc[:, k]) for k, each in enumerate(names)]
    return DataFile(name, tuple(columns), "", form)


def read_file(path: str | Path) -> DataFile:
    """Read a file of trials.

    Raises
    ------
    InputError
        If there is no such file, or it is no table.
    """
    path = Path(path)
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):  # a pipe could keep us waiting for ever
            got = "a folder" if stat.S_ISDIR(info.st_mode) else "no ordinary file"
            raise _fault(str(path), "a file of trials", got, "name the file itself")
        if info.st_size > LARGEST:
            size = f"{info.st_size / 2**30:.3g} GiB"
            raise _fault(str(path), "a file of at most 1 GiB", size, "split it by observer")
        content = path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise _fault(str(path), "a file of trials", why, "check the path") from error
    except InputError:
        raise
    except ValueError as error:  # a NUL in the name
        raise _fault(str(path), "the name of a file", str(error), "check the path") from error
    sha256 = hashlib.sha256(content).hexdigest()
    made = (_parquet if content[:4] == b"PAR1" else _text)(path.name, content)
    return DataFile(made.name, made.columns, sha256, made.form)


def _parquet(name: str, content: bytes) -> DataFile:
    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError as error:
        raise _fault(
            name, "CSV, or pyarrow to read Parquet", "no pyarrow", "pip install 'popout[parquet]'"
        ) from error
    except Exception as error:  # pyarrow raises whatever it meets first
        words = str(error).split("\n")[0][:80]
        raise _fault(name, "a whole Parquet file", words, "write it again") from error
    return from_frame(frame, name, "Parquet")


def _text(name: str, content: bytes) -> DataFile:
    text, encoding = _decoded(name, content)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, separator = 0, ""
    if lines[0].casefold().startswith("sep=") and len(lines[0]) == 5:
        first, separator = 1, lines[0][4]
    while first < len(lines) and (not lines[first].strip() or lines[first].startswith("#")):
        first += 1
    body = lines[first:]
    if not any(line.strip() for line in body):
        raise _fault(name, "a table of trials", "an empty file", "check what was exported")
    separator = separator or _separator(body)
    if not separator:
        got = f"one column, {body[0][:40]!r}"
        remedy = "separate the columns by commas, semicolons or tabs"
        raise _fault(name, "several columns", got, remedy)
    numbered = _rows(name, body, separator, first)
    header, rows = [cell.strip() for cell in numbered[0][1]], numbered[1:]
    while header and not header[-1] and all(len(r) <= len(header) for _, r in rows):
        # A separator at the end of every line makes a column of nothing.
        if any(len(r) == len(header) and r[-1].strip() for _, r in rows):
            break
        header = header[:-1]
        rows = [(k, r[: len(header)]) for k, r in rows]
    _check_names(name, header, numbered[0][0])
    if not rows:
        raise _fault(name, "trials below the names", "no rows", "check what was exported")
    _check_lengths(name, len(header), rows)
    table = np.array([row for _, row in rows], dtype=object)
    columns = [
        Column(each, np.array([cell.strip() for cell in table[:, k]], dtype=object))
        for k, each in enumerate(header)
    ]
    how = SEPARATORS.get(separator, "blanks" if separator == " " else repr(separator))
    form = f"text, {encoding}, separated by {how}"
    return DataFile(name, tuple(columns), "", form)


def _decoded(name: str, content: bytes) -> tuple[str, str]:
    for start, (got, remedy) in BINARY.items():
        if content[: len(start)].lower() == start.lower():
            raise _fault(name, "CSV, TSV or Parquet", got, remedy)
    marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        shown = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252"}
        return text, shown[encoding]
    raise _fault(name, "text", "bytes that are none", "export the trials as CSV in UTF-8")


def _separator(lines: list[str]) -> str:
    """Return what cuts the first lines into the same number of fields; empty if nothing does."""
    sample = [line for line in lines[:SAMPLE] if line.strip()]
    found = {}
    for separator in SEPARATORS:
        lengths = [len(row) for row in csv.reader(sample, delimiter=separator) if row]
        same = Counter(lengths[1:] or lengths).most_common(1)[0][0]
        # Names and trials agree, but for a separator at the end of one of them.
        if lengths[0] > 1 and abs(lengths[0] - same) <= 1:
            found[separator] = (lengths.count(same) / len(lengths), same)
    if found:
        most = max(share for share, _ in found.values())
        return max((k for k in found if found[k][0] > most - 0.1), key=lambda k: found[k][1])
    counts = {len(line.split()) for line in sample}
    return " " if len(counts) == 1 and counts.pop() > 1 else ""


def _rows(name: str, lines: list[str], separator: str, skipped: int) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, with the number of their line in the file."""
    if separator == " ":
        return [(skipped + k + 1, line.split()) for k, line in enumerate(lines) if line.strip()]
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    rows = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((skipped + reader.line_num, row))
    except csv.Error as error:
        line = skipped + reader.line_num
        raise _fault(name, "quotes in pairs", f"{error}", "repair the line", line) from error
    return rows


def _check_names(name: str, header: list[str], line: int | None) -> None:
    faults = []

    def add(expected: str, got: str, remedy: str) -> None:
        faults.append(_one(name, expected, got, remedy, line))

    unnamed = sum(not each for each in header)
    if unnamed:
        # Spreadsheets and pandas leave the column of row numbers without a name.
        if unnamed > 1 or header[0]:
            add("a name for every column", f"{unnamed} without", "name them in the first line")
        else:
            header[0] = "(row)"
    twice = [each for each, n in Counter(header).items() if each and n > 1]
    if twice:
        add("names that differ", f"{show(twice[0])} twice", "rename one of the columns")
    numbers = [each for each in header if each.replace(",", ".").replace(".", "", 1).isdecimal()]
    if len(numbers) > len(header) / 2:
        add(
            "names of the columns in the first line",
            f"numbers ({', '.join(header[:4])[:40]}, ...)",
            "add a line of names, e.g. observer,set_size,target,response,rt",
        )
    if faults:
        raise InputError(faults)


def _check_lengths(name: str, n: int, rows: list[tuple[int, list[str]]]) -> None:
    wrong = [(line, len(row)) for line, row in rows if len(row) != n]
    faults = [
        _one(name, f"{n} fields, as many as names", f"{m}", "repair the line", line)
        for line, m in wrong[:SHOWN]
    ]
    if len(wrong) > SHOWN:
        faults.append(Fault(text=f"and {len(wrong) - SHOWN} more lines like these", file=name))
    if faults:
        raise InputError(faults)


def _one(name: str, expected: str, got: str, remedy: str, line: int | None = None) -> Fault:
    return Fault(expected=expected, got=got, remedy=remedy, file=name, line=line)


def _fault(name: str, expected: str, got: str, remedy: str, line: int | None = None) -> InputError:
    return InputError([_one(name, expected, got, remedy, line)])
