"""What a command writes: JSON alone on stdout, or a table for people.

JSON has no NaN and no infinity, see `popout.drawing.plain`.

A table fits the terminal (80 columns where there is none; ``COLUMNS`` overrides). Where it is too
wide, headings break at spaces, then text does, and then the columns are shown in several blocks,
each with the first ones repeated. Numbers are never cut.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from popout.drawing.plain import plain
from popout.drawing.representation import Card

__all__ = ["plain", "write_card", "write_json", "write_table"]

INDENT, GAP = "  ", "  "


def write_json(result: Any) -> None:
    """Write one JSON document to stdout."""
    click.echo(json.dumps(plain(result), indent=2, allow_nan=False))


def write_card(card: Card, keys: int = 1) -> None:
    """Write what a result says about itself; `keys` as in `write_table`.

    Examples
    --------
    >>> from popout.drawing.representation import Card
    >>> write_card(Card("Coin", [("P(heads)", "0.5")], note="It is fair."))
    Coin
      P(heads)  0.5
    <BLANKLINE>
    It is fair.
    """
    width = max(shutil.get_terminal_size().columns, 20)
    click.echo(_bold("\n".join(_wrap(card.title, width))))
    if card.facts:
        facts = [list(fact) for fact in card.facts]
        click.echo("\n".join(_blocks(("", ""), facts, width, 1)))
    if card.headings:
        rows = [list(row) for row in card.rows]
        click.echo("\n\n".join(_blocks(card.headings, rows, width, keys)))
    if card.note:
        click.echo("\n".join(["", *_wrap(card.note, width)]))


def write_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    note: str = "",
    keys: int = 1,
) -> None:
    """Write a table to stdout; numbers are shown to four significant digits.

    Parameters
    ----------
    title : str
        What the table shows.
    columns : sequence of str
        Headings. The first column is left-aligned, the others right-aligned.
    rows : iterable of sequences
        One sequence of cells for each row.
    note : str
        A sentence under the table, e.g. the meaning of a symbol.
    keys : int
        How many columns, from the left, say what a row is. They are repeated where a table is too
        wide for the terminal.

    Examples
    --------
    >>> from popout.cli.output import write_table
    >>> write_table("Risk", ("strategy", "risk"), [("SPRT", 0.0440123), ("Hardmax", 0.04405)])
    Risk
      strategy     risk
      -----------------
      SPRT      0.04401
      Hardmax   0.04405
    """
    cells = [[_cell(value) for value in row] for row in rows]
    write_card(Card(title, headings=columns, rows=cells, note=note), keys)


def _blocks(columns: Sequence[str], rows: list[list[str]], width: int, keys: int) -> Iterator[str]:
    """Yield the table, or parts of its columns that fit each."""
    count = len(columns)
    natural = [_longest([columns[at], *(row[at] for row in rows)]) for at in range(count)]
    whole = [
        max(_longest(columns[at].split()), _longest(r[at] for r in rows)) for at in range(count)
    ]
    words = [
        max(_longest(columns[at].split()), _longest(w for r in rows for w in r[at].split()))
        for at in range(count)
    ]
    everything = list(range(count))
    for widths in (natural, whole):
        if _total(widths) <= width:
            yield _block(columns, rows, everything, widths)
            return
    groups = [everything]
    if _total(words) > width:  # not even with every text broken
        groups = [everything[:keys]]
        for at in everything[keys:]:
            if _total([words[one] for one in (*groups[-1], at)]) > width and len(groups[-1]) > keys:
                groups.append(everything[:keys])
            groups[-1].append(at)
    for group in groups:
        widths = list(whole)
        while _total([widths[at] for at in group]) > width:
            loose = [at for at in group if widths[at] > words[at]]
            if not loose:  # numbers alone are wider than the terminal: let them run on
                break
            widths[max(loose, key=lambda at: widths[at])] -= 1
        yield _block(columns, rows, group, widths)


def _block(
    columns: Sequence[str], rows: list[list[str]], group: list[int], widths: Sequence[int]
) -> str:
    def lines(cells: Sequence[str]) -> Iterator[str]:
        parts = {at: _wrap(cells[at], widths[at]) or [""] for at in group}
        for number in range(max(len(part) for part in parts.values())):
            line = INDENT
            for at in group:
                text = parts[at][number] if number < len(parts[at]) else ""
                line += text.rjust(widths[at]) if at else text.ljust(widths[at])
                line += GAP
            yield line.rstrip()

    rule = INDENT + "-" * (_total([widths[at] for at in group]) - len(INDENT))
    head = [*lines(columns), rule] if any(columns) else []
    return "\n".join([*head, *(line for row in rows for line in lines(row))])


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _total(widths: Sequence[int]) -> int:
    return len(INDENT) + sum(widths) + len(GAP) * (len(widths) - 1)


def _longest(texts: Iterable[str]) -> int:
    return max((len(text) for text in texts), default=1) or 1


def _bold(text: str) -> str:
    """Make a heading bold on a terminal that shows it and a user who wants it."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return click.style(text, bold=True) if terminal and not refused else text


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
