"""What to write instead of a line that cannot be read: looked up only when one was typed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import click

LIMITED = ("--information", "--attention", "--visibility")
"""Options of a search in which attention divides a limited rate of information."""
LIMITED_COMMANDS = "`popout solve`, `simulate` and `compare` take --information"


def hint(error: click.UsageError, words: Sequence[str]) -> click.UsageError:
    """Return the error, or a better one where it is known what was meant.

    Parameters
    ----------
    error : click.UsageError
    words : sequence of str
        What was typed, from the command on.
    """
    command = None if error.ctx is None else error.ctx.command
    limited = getattr(command, "limited", None)
    better = None
    if isinstance(error, click.NoSuchOption) and error.option_name in LIMITED:
        name = error.option_name
        if limited is not None:
            better = f"{name} goes with a limited rate of information: write e.g. --information 60 "
            better += "in place of --drift"
        else:
            better = f"`popout {words[0]}` has no {name}: it takes --drift. {LIMITED_COMMANDS}"
    elif isinstance(error, click.MissingParameter) and limited is not None:
        if error.param is not None and error.param.name == "drift":
            better = "Missing option '--drift', or '--information' in its place: what a location "
            better += "tells in a second, or what attention divides among all of them"
    elif several := _separate_numbers(words):
        said = error.format_message().rstrip(".")
        better = f"{said}; numbers of one option are joined by commas, write {several}"
    return error if better is None else click.UsageError(better, error.ctx)


def _separate_numbers(words: Sequence[str]) -> str:
    """Return an option that several numbers follow as it should be written; empty if none is."""
    for at, word in enumerate(words):
        numbers = list(takewhile(_is_number, words[at + 1 :]))
        if word.startswith("--") and len(numbers) > 1:
            return f"{word} {','.join(number.rstrip(',') for number in numbers)}"
    return ""


def _is_number(word: str) -> bool:
    try:
        float(word.rstrip(","))
    except ValueError:
        return False
    return True
