"""What a command writes: JSON alone on stdout, or a table for people.

JSON has no NaN and no infinity; both become ``null``, so that any reader can parse the output.
NumPy scalars and arrays become numbers and lists.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

__all__ = ["plain", "write_json", "write_table"]


def plain(value: Any) -> Any:
    """Turn a result into the objects JSON knows.

    Parameters
    ----------
    value : object
        Scalars, strings, None, mappings, sequences, NumPy scalars and arrays, nested at will.

    Returns
    -------
    object
        Built of dict, list, str, int, float, bool and None.

    Examples
    --------
    >>> import numpy as np
    >>> from popout.cli.output import plain
    >>> plain({"risk": np.float64(0.25), "grid": np.array([3, 4]), "bound": float("inf")})
    {'risk': 0.25, 'grid': [3, 4], 'bound': None}
    """
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def write_json(result: Any) -> None:
    """Write one JSON document to stdout."""
    click.echo(json.dumps(plain(result), indent=2, allow_nan=False))


def write_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
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
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_header=any(columns))
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console = Console(highlight=False)
    # Numbers are never cut: a table wider than the terminal runs on.
    wide = console.options.update(max_width=10_000)
    needed = Measurement.get(console, wide, table).maximum
    console = Console(highlight=False, width=max(console.width, needed))
    console.print(title, style="bold", markup=False)
    console.print(table)
    if note:
        console.print(f"{note}\n", markup=False)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
