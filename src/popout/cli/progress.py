"""How far the work is, on stderr: a bar on a terminal, a line now and then elsewhere.

stdout belongs to the result, so that ``popout solve ... --json | jq .risk`` works while the bar is
shown. Where stderr is not a terminal (a log file, a batch job), long work writes a plain line every
`INTERVAL` seconds, and short work nothing.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Update", "progress", "words_for"]

INTERVAL = 10.0
"""Seconds between plain lines."""


class Update(Protocol):
    """Tell the bar how far the work is."""

    def __call__(self, completed: float | None = None, detail: str = "") -> None:
        """Report the amount done, in units of the bar's total, and a few words beside it."""


@contextmanager
def progress(description: str, total: float | None = None) -> Iterator[Update]:
    """Show how far the work is while it runs, and how much time is left.

    Parameters
    ----------
    description : str
        What is being done, in a word or two.
    total : float, optional
        The amount of work. Without it the bar pulses, and no time left is known.

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
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        with _plain_lines(description, total) as update:
            yield update
        return

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[detail]}"),
    )
    start = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(description, total=total, detail="", left="")

        def update(completed: float | None = None, detail: str = "") -> None:
            left = _left(completed, total, time.monotonic() - start)
            bars.update(bar, completed=completed, detail=detail, left=left)

        yield update


@contextmanager
def _plain_lines(description: str, total: float | None) -> Iterator[Update]:
    """Write a line every `INTERVAL` seconds, from a thread: some work reports nothing for long."""
    start = time.monotonic()
    done: float | None = None
    words = ""
    over = threading.Event()

    def update(completed: float | None = None, detail: str = "") -> None:
        nonlocal done, words
        done, words = completed, detail

    def write() -> None:
        while not over.wait(INTERVAL):
            passed = time.monotonic() - start
            share = f"{100 * done / total:.0f} %" if done is not None and total else ""
            parts = (share, f"{words_for(passed)} so far", _left(done, total, passed), words)
            print(f"{description}: {', '.join(filter(None, parts))}", file=sys.stderr, flush=True)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield update
    finally:
        over.set()
        writer.join()


def _left(completed: float | None, total: float | None, seconds: float) -> str:
    """Say how much time is left at the pace so far, once there is a pace."""
    if not completed or not total or completed >= total or seconds < 1.0:
        return ""
    return f"about {words_for(seconds * (total / completed - 1))} left"


def words_for(seconds: float) -> str:
    """Write a duration for people.

    Examples
    --------
    >>> [words_for(s) for s in (0.4, 12, 75, 3 * 3600 + 240, 3e5)]
    ['1 s', '12 s', '1 min 15 s', '3 h 4 min', '3 d 11 h']
    """
    whole = max(1, round(seconds))
    for big, small, size in (("d", "h", 86400), ("h", "min", 3600), ("min", "s", 60)):
        if whole >= size:
            rest = whole % size * {86400: 24, 3600: 60, 60: 60}[size] // size
            return f"{whole // size} {big} {rest} {small}" if rest else f"{whole // size} {big}"
    return f"{whole} s"
