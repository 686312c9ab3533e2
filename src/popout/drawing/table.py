"""Tables of text that fit a terminal.

The first columns say what a row is and stand to the left, the others to the right. Where a table is
too wide, headings break at spaces, then text does, and then the columns are shown in several
blocks, each with the first ones repeated. Numbers are never cut, nor parted from their errors.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence

INDENT, GAP = "  ", "  "
ERROR, NO_BREAK = " +- ", "\x00"
"""Between a number and its error; what stands for a space at which no line may end."""


def cell(value: object) -> str:
    """Write one value: numbers to four significant digits, nothing for None.

    Examples
    --------
    >>> cell(0.0440123), cell(20000), cell("SPRT"), cell(None)
    ('0.04401', '20000', 'SPRT', '')
    """
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def wrapped(text: str, width: float = math.inf, indent: str = "") -> list[str]:
    """Break a text at spaces into lines of a width; a word longer than that stays whole.

    A number and its error are one word.

    Examples
    --------
    >>> wrapped("a note that is long", 10)
    ['a note', 'that is', 'long']
    >>> wrapped("risk 0.044 +- 0.001", 10)
    ['risk', '0.044 +- 0.001']
    """
    if width == math.inf:
        return [indent + text]
    lines = textwrap.wrap(
        _bound(text),
        int(width),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(NO_BREAK, " ") for line in lines]


def _bound(text: str) -> str:
    """Tie numbers to their errors."""
    return text.replace(ERROR, ERROR.replace(" ", NO_BREAK))


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    width: float = math.inf,
    keys: int = 1,
    left: int = 1,
) -> str:
    """Return a table as text.

    Parameters
    ----------
    headings : sequence of str
        Left out where all are empty.
    rows : iterable of sequences
        One sequence of cells for each row.
    width : float
        Of the terminal, in characters.
    keys : int
        How many columns, from the left, are repeated in each block of a table that is too wide.
    left : int
        How many columns, from the left, are aligned to the left.

    Examples
    --------
    >>> print(table(("strategy", "risk"), [("SPRT", 0.0440123), ("Hardmax", 0.04405)]))
      strategy     risk
      SPRT      0.04401
      Hardmax   0.04405
    """
    lines = [[cell(value) for value in row] for row in rows]
    if any(headings):
        lines.insert(0, list(headings))
    if not lines:
        return ""
    blocks = _widths(lines, width, keys, int(any(headings)))
    return "\n\n".join("\n".join(_block(lines, widths, left)) for widths in blocks)


def _widths(
    lines: list[list[str]], width: float, keys: int, n_headings: int
) -> Iterator[dict[int, int]]:
    """Yield the columns of each block with their widths."""
    columns = list(zip(*lines, strict=True))
    natural = dict(enumerate(_longest(texts) for texts in columns))
    body = [_longest(texts[n_headings:]) for texts in columns]
    words = [_longest(_bound(" ".join(texts)).split(" ")) for texts in columns]
    groups = [list(natural)]
    if _total(words) > width:  # not even with every text broken
        groups = [list(natural)[:keys]]
        for at in list(natural)[keys:]:
            if _total(words[k] for k in (*groups[-1], at)) > width and len(groups[-1]) > keys:
                groups.append(list(natural)[:keys])
            groups[-1].append(at)
    for group in groups:
        widths = {at: natural[at] for at in group}
        while _total(widths.values()) > width:
            loose = [at for at in group if widths[at] > words[at]]
            if not loose:  # numbers alone are wider than the terminal: let them run on
                break
            headings = [at for at in loose if widths[at] > body[at]]
            widths[max(headings or loose, key=widths.__getitem__)] -= 1
        yield widths


def _block(lines: list[list[str]], widths: dict[int, int], left: int) -> Iterator[str]:
    for line in lines:
        parts = {at: wrapped(line[at], width) for at, width in widths.items()}
        for number in range(max(1, *(len(part) for part in parts.values()))):
            cells = []
            for at, part in parts.items():
                text = part[number] if number < len(part) else ""
                cells.append(text.ljust(widths[at]) if at < left else text.rjust(widths[at]))
            yield (INDENT + GAP.join(cells)).rstrip()


def _total(widths: Iterable[int]) -> int:
    each = list(widths)
    return len(INDENT) + sum(each) + len(GAP) * (len(each) - 1)


def _longest(texts: Iterable[str]) -> int:
    return max((len(text) for text in texts), default=1) or 1
