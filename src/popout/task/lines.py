"""Where each key of a TOML document stands.

`tomllib` returns values without positions, so a fault of a value cannot say its line. `locate`
walks over the text of a document that `tomllib` accepts and returns the line of every key, table
and array element by its path, e.g. ``("costs", "time", 1)``. It need not judge the text, only
find its way: strings of four kinds, dotted and quoted keys, ``[tables]``, ``[[arrays of tables]]``,
inline tables, arrays over several lines, comments.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from popout.task.faults import Path

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")  # numbers, booleans, dates (which may hold a space)
_STRINGS = {
    '"""': re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL),
    "'''": re.compile(r"'''.*?'{3,5}", re.DOTALL),
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    "'": re.compile(r"'[^'\n]*'"),
}
_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([btnfr"\\]))')
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def locate(text: str) -> dict[Path, int]:
    r"""Return the line, from 1, of every key, table and array element of a TOML document.

    Parameters
    ----------
    text : str
        A document that `tomllib.loads` accepts.

    Returns
    -------
    dict
        From path to line. Keys are strings, positions in arrays integers. A table has the line
        on which it is first named, a value that of its key, an array element its own.

    Examples
    --------
    >>> from popout.task.lines import locate
    >>> lines = locate('drift = [\n  8.0,\n  3.0]\n[costs]\ntime = 0.2')
    >>> lines["drift",], lines["drift", 1], lines["costs", "time"]
    (1, 3, 5)
    """
    return _Walk(text.replace("\r\n", "\n")).lines


class _Walk:
    """One pass over a document; `lines` fills on the way."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.lines: dict[Path, int] = {}
        self.lengths: dict[Path, int] = {}  # of the arrays of tables met so far
        table: Path = ()
        while self._skip_blank() < len(text):
            if self._take("["):
                table = self._header()
            else:
                self._key_and_value(table)

    # -- statements -----------------------------------------------------------------------------

    def _header(self) -> Path:
        """Walk over the rest of ``[a.b]`` or ``[[a.b]]`` and return the path of its table."""
        many = self._take("[")
        line = self._line()
        parts = self._key()
        path: Path = ()
        for part in parts[:-1]:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self.lengths:  # a part of the last table of an array of them
                path = (*path, self.lengths[path] - 1)
        path = (*path, parts[-1])
        self.lines.setdefault(path, line)
        if many:
            count = self.lengths.get(path, 0)
            self.lengths[path] = count + 1
            path = (*path, count)
            self.lines[path] = line
        self._skip_blank()
        self.at += 2 if many else 1  # the closing brackets
        return path

    def _key_and_value(self, table: Path) -> None:
        line = self._line()
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self._skip_blank()
        self.at += 1  # the equals sign
        self._skip_blank()
        self._value(path)

    # -- keys and values ------------------------------------------------------------------------

    def _key(self) -> list[str]:
        """Walk over a key and return its dotted parts."""
        parts = []
        while True:
            self._skip_blank()
            quote = self.text[self.at]
            if quote in "\"'":
                part = self._match(_STRINGS[quote])[1:-1]
                parts.append(_ESCAPE.sub(_unescape, part) if quote == '"' else part)
            else:
                parts.append(self._match(_BARE))
            self._skip_blank()
            if not self._take("."):
                return parts

    def _value(self, path: Path) -> None:
        for opening, pattern in _STRINGS.items():
            if self.text.startswith(opening, self.at):
                self._match(pattern)
                return
        if self._take("["):
            index = 0
            while self._skip_blank() < len(self.text) and not self._take("]"):
                self.lines[*path, index] = self._line()
                self._value((*path, index))
                index += 1
                self._skip_blank()
                self._take(",")
        elif self._take("{"):
            while self._skip_blank() < len(self.text) and not self._take("}"):
                self._key_and_value(path)
                self._skip_blank()
                self._take(",")
        else:
            self._match(_SCALAR)

    # -- text -----------------------------------------------------------------------------------

    def _line(self) -> int:
        return bisect_right(self.starts, self.at)

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:  # not TOML: the caller has not asked tomllib first
            raise ValueError(f"no TOML at line {self._line()}")
        self.at = match.end()
        return match[0]

    def _skip_blank(self) -> int:
        self._match(_BLANK)
        return self.at

    def _take(self, token: str) -> bool:
        found = self.text.startswith(token, self.at)
        self.at += len(token) if found else 0
        return found


def _unescape(match: re.Match[str]) -> str:
    short, long, letter = match.groups()
    return _ESCAPED[letter] if letter else chr(int(short or long, 16))
