r"""A file of trials, taken apart into columns: encodings, separators, and numbers as written.

Text is UTF-8 with or without a byte-order mark, UTF-16 with one, or Windows-1252 if it is neither.
The separator is the one of tab, semicolon, comma and bar (or blanks, if none of them works) that
cuts the first lines into the same number of fields, and into the most. Quoted fields, Windows and
old Mac line ends, ``sep=;`` on the first line and comment lines that begin with ``#`` are known.
Parquet files need pyarrow. Rows come from the module `csv` and not from pandas: it keeps the number
of the line, so that every line that is too short or too long is named, and names that stand twice.

Experiment programs write the same thing in many ways: ``0.512`` and ``0,512``, ``1`` and ``1.0``,
``NA`` and nothing at all. A `Column` keeps the words and settles these once. A lone minus stands
for nothing, unless the column has a plus as well. A comma within a number is a decimal comma,
unless every number that has one could be written with commas between thousands (``1,024``) while
others have none (``512``).
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.task import InputError
from popout.task.faults import Fault, show

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
ENCODINGS = {"utf-8-sig": "UTF-8", "cp1252": "Windows-1252"}
LARGEST = 2**30
"""Bytes of a file, at most."""
SAMPLE = 200
"""Lines that the separator is found from."""
SHOWN = 5
"""Bad lines that are named."""
MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "nan", "-nan", "null", "nil", "none", "missing", ".", "-", "--", "?"}
    | {"<na>", "nat", "inf", "-inf", "+inf", "infinity", "-infinity"}
)
"""Words, in lower case, that stand for nothing."""
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
COMMA = re.compile(r"[+-]?\d*,\d*([eE][+-]?\d+)?")
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
"""Hyphens, dashes and the minus of mathematics, to the one on the keyboard."""


def letters(text: str) -> str:
    """Return a word in lower case, without anything but letters and digits.

    Examples
    --------
    >>> letters("Target_Present?"), letters("set size")
    ('targetpresent', 'setsize')
    """
    return "".join(each for each in text.casefold() if each.isalnum())


def code_word(text: str) -> str:
    """Return a code without what nobody means: case, blanks, hyphens within; signs stay.

    Examples
    --------
    >>> code_word("Target-Absent"), code_word("T+"), code_word("T (-)"), code_word("\u22121")
    ('targetabsent', 't+', 't-', '-1')
    """
    text = unicodedata.normalize("NFKC", text).casefold().translate(DASHES)
    signed = "".join(each for each in text if each.isalnum() or each in "+-")
    return re.sub(r"(?<=\w)[+-]+(?=\w)", "", signed) or text


def natural_order(words: Iterable[str]) -> list[str]:
    """Return words in the order that people expect: numbers by size, then the rest by name.

    Examples
    --------
    >>> natural_order(["10", "2", "ck", "Ag"])
    ['2', '10', 'Ag', 'ck']
    """

    def key(word: str) -> tuple[Any, ...]:
        parts = re.split(r"(\d+)", word.casefold())
        return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)

    return sorted(words, key=key)


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its name, and what each row says.

    Parameters
    ----------
    name : str
    words : ndarray of str, shape (n,)
        As written, without blanks around.

    Examples
    --------
    >>> column = Column("RT", np.array(["0,512", "0,734", "NA"], dtype=object))
    >>> column.numbers
    array([0.512, 0.734,   nan])
    >>> column.is_numeric, column.decimal_comma, column.values
    (True, True, ('0,512', '0,734'))
    """

    name: str
    words: NDArray[np.object_]

    @classmethod
    def of(cls, name: str, values: pd.Series) -> Column:
        """Return a column of a frame: numbers as one writes them, missing values as nothing."""
        missing = values.isna().to_numpy()
        if pd.api.types.is_float_dtype(values.dtype):
            whole = values.to_numpy(np.float64, na_value=np.nan).tolist()
            words = np.array([f"{x:.0f}" if x.is_integer() else repr(x) for x in whole], object)
        else:
            words = np.array([str(value).strip() for value in values], dtype=object)
        words[missing] = ""
        return cls(name, words)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.words)

    @cached_property
    def _factors(self) -> tuple[NDArray[np.intp], list[str]]:
        """Number of the word in each row, and the words, each once, as everybody would write it."""
        where, written = pd.factorize(self.words)
        plain = [plain_word(str(word)) for word in written]
        again, words = pd.factorize(np.array(plain, dtype=object))
        return np.asarray(again)[where] if plain else where, [str(word) for word in words]

    @cached_property
    def all_values(self) -> tuple[str, ...]:
        """The words that occur, those for nothing among them, in natural order."""
        return tuple(natural_order(word for word in self._factors[1] if word))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The words that occur, missing ones left out, in natural order."""
        nothing = MISSING - {"-"} if "+" in self.all_values else MISSING
        return tuple(word for word in self.all_values if word.casefold() not in nothing)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each of the values occurs."""
        where, words = self._factors
        number = np.bincount(where, minlength=len(words))
        return {w: int(n) for w, n in zip(words, number, strict=True) if w in set(self.values)}

    def matched(self, meaning: dict[str, int], otherwise: int) -> NDArray[np.int64]:
        """Return what each row means, given what the values mean."""
        where, words = self._factors
        table = np.array([meaning.get(word, otherwise) for word in words], dtype=np.int64)
        return table[where] if words else np.zeros(0, np.int64)

    @cached_property
    def labels(self) -> NDArray[np.object_]:
        """The words as everybody would write them, ``1`` for ``1.0``; empty where missing."""
        where, words = self._factors
        return np.where(self.missing, "", np.array(words, object)[where]) if words else self.words

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where there is nothing."""
        return np.asarray(self.matched(dict.fromkeys(self.values, 0), 1) == 1)

    @cached_property
    def _commas(self) -> tuple[bool, bool]:
        """Whether commas are decimal, and whether they separate thousands."""
        with_comma = [word for word in self._factors[1] if "," in word]
        if not with_comma:
            return False, False
        if all(THOUSANDS.fullmatch(word) for word in with_comma):
            others = [w for w in self.values if "," not in w]
            if others:
                return False, True
        return all(COMMA.fullmatch(word) for word in with_comma), False

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers are written with a decimal comma."""
        return self._commas[0]

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, NaN where there is none or it is not finite."""
        where, words = self._factors
        decimal, thousands = self._commas
        if decimal or thousands:
            words = [word.replace(",", "." if decimal else "") for word in words]
        number = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(float)
        return np.where(np.isfinite(number), number, np.nan)[where] if words else np.zeros(0)

    @property
    def is_numeric(self) -> bool:
        """Whether most of what is there is a number."""
        there = ~self.missing
        return bool(there.any()) and bool(np.isfinite(self.numbers[there]).mean() > 0.5)


def plain_word(word: str) -> str:
    """Return a word as everybody would write it: a whole number without plus, point and dash.

    Examples
    --------
    >>> plain_word("+1.0"), plain_word("\u22121"), plain_word("+")
    ('1', '-1', '+')
    """
    number = re.fullmatch(r"([+-]?\d{1,15})(\.0*)?", word.translate(DASHES))
    return number[1].lstrip("+") if number else word


@dataclass(frozen=True, eq=False)
class DataFile:
    """Columns, and what they were read from.

    Attributes
    ----------
    name : str
        Of the file, without its folder.
    columns : tuple of Column
    form : str
        Format, separator and encoding, in words.
    sha256 : str
        Of the file; empty for a frame.
    """

    name: str
    columns: tuple[Column, ...]
    form: str
    sha256: str = ""

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
    return DataFile(name, tuple(columns), form)


def read_file(path: str | Path) -> DataFile:
    """Read a file of trials.

    Raises
    ------
    InputError
        If there is no such file, or it is no table.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a pipe could keep us waiting without end
            got = "a folder" if path.is_dir() else "no ordinary file"
            raise _fault(str(path), "a file of trials", got, "name the file itself")
        if (size := path.stat().st_size) > LARGEST:
            got = f"{size / 2**30:.3g} GiB"
            raise _fault(str(path), "a file of at most 1 GiB", got, "split it by observer")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise _fault(str(path), "a file of trials", why, "check the path") from error
    read = _parquet if content[:4] == b"PAR1" else _text
    return replace(read(path.name, content), sha256=hashlib.sha256(content).hexdigest())


def _parquet(name: str, content: bytes) -> DataFile:
    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError as error:
        expected, remedy = "CSV, or pyarrow to read Parquet", "pip install 'popout[parquet]'"
        raise _fault(name, expected, "no pyarrow", remedy) from error
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
    (line, header), *rows = _rows(name, body, separator, first)
    while not header[-1] and all(len(row) < len(header) or not row[-1] for _, row in rows):
        # A separator at the end of every line makes a column of nothing.
        header = header[:-1]
        rows = [(k, row[: len(header)] if len(row) == len(header) + 1 else row) for k, row in rows]
    _check_names(name, header, line)
    if not rows:
        raise _fault(name, "trials below the names", "no rows", "check what was exported")
    _check_lengths(name, len(header), rows)
    table = np.array([row for _, row in rows], dtype=object)
    columns = [Column(each, table[:, k]) for k, each in enumerate(header)]
    form = f"text, {encoding}, separated by {SEPARATORS.get(separator, repr(separator))}"
    return DataFile(name, tuple(columns), form)


def _decoded(name: str, content: bytes) -> tuple[str, str]:
    if content[:2] == b"PK":
        remedy = "save the sheet as CSV"
        raise _fault(name, "CSV, TSV or Parquet", "a spreadsheet or an archive", remedy)
    marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding, words in {"utf-16": "UTF-16"}.items() if marked else ENCODINGS.items():
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, words
    raise _fault(name, "text", "bytes that are none", "export the trials as CSV in UTF-8")


def _separator(lines: list[str]) -> str:
    """Return what cuts the first lines into the same number of fields; empty if nothing does."""
    sample = [line for line in lines[:SAMPLE] if line.strip()]
    possible = {}
    for separator in [*SEPARATORS][:-1]:
        lengths = [len(row) for row in csv.reader(sample, delimiter=separator) if row]
        same = Counter(lengths[1:] or lengths).most_common(1)[0][0]
        # Names and trials agree, but for a separator at the end of one of them.
        if lengths[0] > 1 and abs(lengths[0] - same) <= 1:
            possible[separator] = (lengths.count(same) / len(lengths), same)
    if possible:
        most = max(share for share, _ in possible.values())
        good = [separator for separator, (share, _) in possible.items() if share > most - 0.1]
        return max(good, key=lambda separator: possible[separator][1])
    counts = {len(line.split()) for line in sample}
    return " " if len(counts) == 1 and counts.pop() > 1 else ""


def _rows(name: str, lines: list[str], separator: str, skipped: int) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, with the number of their line in the file."""
    if separator == " ":
        return [(skipped + k, line.split()) for k, line in enumerate(lines, 1) if line.strip()]
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    try:
        rows = [(skipped + reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        line = skipped + reader.line_num
        raise _fault(name, "quotes in pairs", f"{error}", "repair the line", line) from error
    return [(line, row) for line, row in rows if any(row)]


def _check_names(name: str, header: list[str], line: int | None) -> None:
    """Refuse columns without a name or with the name of another; name those of row numbers."""
    if not header[0]:  # spreadsheets and pandas leave the column of row numbers without a name
        header[0] = "(row)"
    wrong = []
    if unnamed := header.count(""):
        remedy = "name them in the first line"
        wrong.append(("a name for every column", f"{unnamed} without", remedy))
    if twice := [each for each, n in Counter(header).items() if each and n > 1]:
        wrong.append(("names that differ", f"{show(twice[0])} twice", "rename one of the columns"))
    numbers = [each for each in header if each.replace(",", ".").replace(".", "", 1).isdecimal()]
    if len(numbers) > len(header) / 2:
        got = f"numbers ({', '.join(header[:4])[:40]}, ...)"
        remedy = "add a line of names, e.g. observer,set_size,target,response,rt"
        wrong.append(("names of the columns in the first line", got, remedy))
    if wrong:
        raise InputError([fault for each in wrong for fault in _fault(name, *each, line).faults])


def _check_lengths(name: str, n: int, rows: list[tuple[int, list[str]]]) -> None:
    wrong = [(line, len(row)) for line, row in rows if len(row) != n]
    expected, remedy = f"{n} fields, as many as names", "repair the line"
    faults = [
        Fault(expected=expected, got=f"{m}", remedy=remedy, file=name, line=line)
        for line, m in wrong[:SHOWN]
    ]
    if len(wrong) > SHOWN:
        faults.append(Fault(text=f"and {len(wrong) - SHOWN} more lines like these", file=name))
    if faults:
        raise InputError(faults)


def _fault(name: str, expected: str, got: str, remedy: str, line: int | None = None) -> InputError:
    return InputError([Fault(expected=expected, got=got, remedy=remedy, file=name, line=line)])
