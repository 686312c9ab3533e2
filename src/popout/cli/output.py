"""What a command writes: JSON alone on stdout, or a card for people.

JSON has no NaN and no infinity, see `popout.drawing.plain`. It holds what was asked: ``inputs`` are
the values of all arguments and options, by their names. A card fits the terminal (80 columns
where there is none; ``COLUMNS`` overrides), see `popout.drawing.table`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from popout.cli.quantities import PerClass
from popout.drawing.plain import plain
from popout.drawing.representation import Card


def show(result: Any, as_json: bool, *more: Card | str) -> None:
    """Write a result to stdout: the last line of a command.

    Parameters
    ----------
    result : HasCard, or anything with `card` and `as_dict`
    as_json : bool
        Its `as_dict` as JSON, instead of its card.
    *more : Card or str
        What people see besides.
    """
    if as_json:
        write_json(result.as_dict())
        return
    for part in (result.card(), *more):
        click.echo(part) if isinstance(part, str) else write_card(part)


def write_json(result: Any) -> None:
    """Write one JSON document to stdout: a result, or a list of them, each with its inputs."""
    content, asked = plain(result), _inputs()
    write_document(
        [row | asked for row in content] if isinstance(content, list) else content | asked
    )


def write_document(document: Any) -> None:
    """Write JSON to stdout as it is."""
    click.echo(json.dumps(document, indent=2, allow_nan=False))


def _inputs() -> dict[str, Any]:
    """Return the arguments and options of the command that runs, by their names."""
    ctx, inputs = click.get_current_context(silent=True), {}
    if ctx is None:
        return {}
    for param in ctx.command.params:
        value = ctx.params.get(str(param.name))
        if param.name in ctx.params and param.name != "as_json":
            if isinstance(param.type, PerClass):
                value = param.type.by_class(value)
            name = param.name if isinstance(param, click.Argument) else param.opts[0].lstrip("-")
            inputs[str(name).replace("-", "_")] = str(value) if isinstance(value, Path) else value
    return {"inputs": plain(inputs)}


def write_card(card: Card) -> None:
    """Write a card to stdout, its first line in bold on a terminal that shows it.

    Examples
    --------
    >>> from popout.cli.output import write_card
    >>> write_card(Card("Risk", headings=("strategy", "risk"), rows=[("SPRT", 0.0440123)]))
    Risk
      strategy     risk
      SPRT      0.04401
    """
    title, *lines = card.text(max(shutil.get_terminal_size().columns, 20)).split("\n")
    terminal = sys.stdout is not None and sys.stdout.isatty()
    if terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        title = click.style(title, bold=True)
    click.echo("\n".join([title, *lines]))
