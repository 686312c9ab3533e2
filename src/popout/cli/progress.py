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
from typing import TYPE_CHECKING

from popout.drawing.representation import duration
from popout.progress import UNKNOWN

if TYPE_CHECKING:
    from popout.progress import Progress

INTERVAL = 10.0
"""Seconds between plain lines."""


@contextmanager
def progress(description: str) -> Iterator[Progress]:
    """Show how far the work is while it runs, and how much time is left.

    Parameters
    ----------
    description : str
        What is being done, in a word or two.

    Yields
    ------
    update : Progress
        Call ``update(share, words)`` as often as you like; the bar redraws at its own pace. While
        the share is not known (NaN) the bar pulses.

    Examples
    --------
    >>> from popout.cli.progress import progress
    >>> with progress("sampling") as update:
    ...     for step in range(3):
    ...         update((step + 1) / 3, f"residual {10.0**-step:.0e}")
    """
    terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    with _bar(description) if terminal else _plain_lines(description) as update:
        yield update


@contextmanager
def _bar(description: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[words]}"),
    )
    start = time.monotonic()
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(description, total=None, words="")

        def update(share: float, words: str = "") -> None:
            known = share == share
            left = _time_left(share, time.monotonic() - start)
            bars.update(
                bar,
                total=1.0 if known else None,
                completed=share if known else 0.0,
                words="  ".join(filter(None, (left, words))),
            )

        yield update


@contextmanager
def _plain_lines(description: str) -> Iterator[Progress]:
    """Write a line every `INTERVAL` seconds, from a thread: some work reports nothing for long."""
    start = time.monotonic()
    latest = (UNKNOWN, "")
    over = threading.Event()

    def update(share: float, words: str = "") -> None:
        nonlocal latest
        latest = share, words

    def write() -> None:
        while not over.wait(INTERVAL):
            share, words = latest
            passed = time.monotonic() - start
            done = f"{100 * share:.0f} %" if share == share else ""
            parts = (done, f"{duration(passed)} so far", _time_left(share, passed), words)
            print(f"{description}: {', '.join(filter(None, parts))}", file=sys.stderr, flush=True)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield update
    finally:
        over.set()
        writer.join()


def _time_left(share: float, seconds: float) -> str:
    """Say how much time is left at the pace so far, once there is a pace."""
    if not 0.0 < share < 1.0 or seconds < 1.0:
        return ""
    return f"about {duration(seconds / share - seconds)} left"
