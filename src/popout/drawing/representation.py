"""How an object shows itself: a card with a title, a few facts and a small table.

One card gives the text of a terminal and the HTML of a notebook, so the two never disagree. The
HTML is a table with headings of its own, everything escaped, without colours, scripts or anything
fetched from elsewhere: light and dark notebooks show it in their own look.

A number with an error is shown to two digits of the error, ``0.0440 +- 0.0012``; HTML prints the
sign properly. Nothing here loads matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from popout.drawing.table import cell, table, wrapped

SMALL = 1e-3
"""Numbers below this, that are known well enough, are shown with an exponent."""


@dataclass(frozen=True)
class Card:
    """What an object says about itself.

    Parameters
    ----------
    title : str
    facts : sequence of (str, object)
        Name and value, one line each.
    headings : sequence of str
        Of the table; the first column names the rows.
    rows : sequence of sequences
        Cells: text, or numbers that are shown to four significant digits.
    note : str
        A sentence below.
    keys : int
        How many columns, from the left, say what a row is. They are repeated where the table is too
        wide for a terminal.

    Examples
    --------
    >>> card = Card("Two answers", [("seed", "1")], ["", "errors"], [["absent", "0.01"]])
    >>> print(card.text())
    Two answers
      seed  1
              errors
      absent    0.01
    >>> card.html().count("<table>")
    2
    """

    title: str
    facts: Sequence[tuple[str, object]] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    note: str = ""
    keys: int = 1

    def text(self, width: float = math.inf) -> str:
        """Return aligned lines, of a width if that can be.

        Parameters
        ----------
        width : float
            Of the terminal, in characters.
        """
        parts = [*wrapped(self.title, width)]
        if self.facts:
            parts.append(table(("", ""), self.facts, width, left=2))
        if self.rows:
            parts.append(table(self.headings, self.rows, width, self.keys))
        if self.note:
            parts += wrapped(self.note, width, "  ")
        return "\n".join(parts)

    def html(self) -> str:
        """Return tables for a notebook."""
        space = "padding:0.1em 0.6em;white-space:nowrap"
        left, right = (f"style='text-align:{side};{space}'" for side in ("left", "right"))
        parts = [f"<figcaption><strong>{_escaped(self.title)}</strong></figcaption>"]
        if self.facts:
            facts = "".join(
                f"<tr><th scope='row' {left}>{_escaped(name)}</th>"
                f"<td {left}>{_escaped(value)}</td></tr>"
                for name, value in self.facts
            )
            parts.append(f"<table><tbody>{facts}</tbody></table>")
        if self.rows:
            first, *others = self.headings
            head = f"<th scope='col' {left}>{_escaped(first)}</th>"
            head += "".join(f"<th scope='col' {right}>{_escaped(name)}</th>" for name in others)
            body = "".join(
                f"<tr><th scope='row' {left}>{_escaped(first)}</th>"
                + "".join(f"<td {right}>{_escaped(cell)}</td>" for cell in others)
                + "</tr>"
                for first, *others in self.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        if self.note:
            parts.append(f"<small>{_escaped(self.note)}</small>")
        return f"<figure style='margin:0.5em 0;overflow-x:auto'>{''.join(parts)}</figure>"


class HasCard:
    """A result with one rendering: `str` prints its card, a notebook shows it as HTML.

    `as_dict` returns the same numbers for programs.

    Examples
    --------
    >>> class Coin(HasCard):
    ...     def card(self):
    ...         return Card("Coin", [("P(heads)", "0.5")])
    >>> print(Coin())
    Coin
      P(heads)  0.5
    """

    def card(self) -> Card:
        """Return what the object says about itself."""
        return Card(type(self).__name__)

    def as_dict(self) -> dict[str, Any]:
        """Return the same as names and plain values: what ``--json`` prints.

        The public fields of a dataclass, unless the class says otherwise.
        """
        from popout.drawing.plain import plain

        names = (field.name for field in fields(cast(Any, self)) if not field.name.startswith("_"))
        values: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        return values

    def __str__(self) -> str:
        """Return the card as text."""
        return self.card().text()

    def _repr_html_(self) -> str:
        """Return the card as HTML."""
        return self.card().html()


def with_error(value: float, error: float, digits: int = 2, small: float = SMALL) -> str:
    """Show a value to a few digits of its error.

    Parameters
    ----------
    value, error : float
    digits : int
        Of the error.
    small : float
        Below this both are written with an exponent.

    Examples
    --------
    >>> with_error(0.0439801, 0.00012), with_error(4.21e-5, 3.9e-6), with_error(-1e-9, 0.05)
    ('0.04398 +- 0.00012', '4.21e-05 +- 3.9e-06', '0.000 +- 0.050')
    """
    if error == 0:
        return f"{value:.6g}"
    if not (math.isfinite(value) and math.isfinite(error)):
        known = f"{value:.4g}" if math.isfinite(value) else "unknown"
        return f"{known} +- unknown"
    shown = float(f"{error:.{digits - 1}e}")
    last = math.floor(math.log10(shown)) + 1 - digits  # as shown: 0.0998 has those of 0.10
    if max(abs(value), error) >= small and last > -11:
        decimals = max(0, -last)
        shown = round(value, decimals) + 0.0  # without the sign of a zero
        return f"{shown:.{decimals}f} +- {error:.{decimals}f}"
    size = math.floor(math.log10(abs(value))) if value else last + digits - 1
    return f"{value:.{max(0, size - last)}e} +- {error:.{digits - 1}e}"


def count(n: int, noun: str) -> str:
    """Count things.

    Examples
    --------
    >>> count(1, "location"), count(20000, "trial")
    ('1 location', '20000 trials')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def duration(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> [duration(s) for s in (0.4, 12, 75, 3 * 3600 + 240, 3e5)]
    ['1 s', '12 s', '1 min 15 s', '3 h 4 min', '3 d 11 h']
    """
    whole = max(1, round(seconds))
    for big, small, size, parts in (
        ("d", "h", 86400, 24),
        ("h", "min", 3600, 60),
        ("min", "s", 60, 60),
    ):
        if whole >= size:
            rest = whole % size * parts // size
            return f"{whole // size} {big} {rest} {small}" if rest else f"{whole // size} {big}"
    return f"{whole} s"


def elapsed(seconds: float) -> str:
    """Write how long something took: two digits below ten seconds, whole seconds above.

    Examples
    --------
    >>> [elapsed(s) for s in (0.0123, 0.349, 9.96, 204.1)]
    ['0.012 s', '0.35 s', '10 s', '3 min 24 s']
    """
    return f"{seconds:.2g} s" if seconds < 10.0 else duration(seconds)


def listed(values: Sequence[float], most: int = 8, digits: int = 6) -> str:
    """Show numbers with commas, the middle left out where there are many.

    Examples
    --------
    >>> listed((8.0, 3.0)), listed(range(100), most=4)
    ('8, 3', '0, 1, ..., 99')
    """
    shown = [f"{value:.{digits}g}" for value in values]
    if len(shown) > most:
        shown = [*shown[: most - 2], "...", shown[-1]]
    return ", ".join(shown)


def listing(items: Sequence[str], last: str = "and") -> str:
    """Return the items with commas and an "and".

    Examples
    --------
    >>> listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def _escaped(value: object) -> str:
    from html import escape  # of no use on the command line

    return escape(cell(value)).replace("+-", "±")
