"""A progress bar on stderr, silent when stderr is not a terminal.

stdout belongs to the result, so that ``popout solve ... --json | jq .risk`` works while the bar is
shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Update", "progress"]


class Update(Protocol):
    """Tell the bar how far the work is."""

    def __call__(self, completed: float | None = None, detail: str = "") -> None:
        """Report the amount done, in units of the bar's total, and a few words beside it."""


@contextmanager
def progress(description: str, total: float | None = None) -> Iterator[Update]:
    """Show a bar while the work runs.

    Parameters
    ----------
    description : str
        What is being done, in a word or two.
    total : float, optional
        The amount of work. Without it the bar pulses.

    Yields
    ------
    update : Update
        Call ``update(completed, detail)`` as often as you like; the bar redraws at its own pace.

    Examples
    --------
    >>> from popout.cli.progress import progress
    >>> with progress("sampling", total=3) as update:
    ...     for step in range(3):
    ...         update(step + 1, detail=f"residual {10.0**-step:.0e}")
    """
    if not sys.stderr.isatty():
        yield lambda completed=None, detail="": None
        return

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(description, total=total, detail="")

        def update(completed: float | None = None, detail: str = "") -> None:
            bars.update(bar, completed=completed, detail=detail)

        yield update
