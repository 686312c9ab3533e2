"""How far the work is, on stderr: a bar on a terminal, a line now and then elsewhere.

stdout belongs to the result, so that ``popout solve ... --json | jq .risk`` works while the bar is
shown. Where stderr is not a terminal (a log file, a batch job), long work writes a plain line every
`INTERVAL` seconds, and short work nothing.

How much time is left is said only where the work has shown that it can be told (`Pace`): parts of a
report, or of a fit, need not take equally long.
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
STEADY = 1.5
SPARSE = 1.02  # what is remembered of the past, by the ratio of two times


@contextmanager
def progress(description: str) -> Iterator[Progress]:
    """Show how far the work is while it runs, and how much time is left where that can be told.

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
    start, pace = time.monotonic(), Pace()
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(description, total=None, words="")

        def update(share: float, words: str = "") -> None:
            known, passed = share == share, time.monotonic() - start
            pace.note(share, passed)
            bars.update(
                bar,
                total=1.0 if known else None,
                completed=share if known else 0.0,
                words="  ".join(filter(None, (pace.left(share, passed), words))),
            )

        yield update


@contextmanager
def _plain_lines(description: str) -> Iterator[Progress]:
    """Write a line every `INTERVAL` seconds, from a thread: some work reports nothing for long."""
    start, pace = time.monotonic(), Pace()
    latest = (UNKNOWN, "")
    over = threading.Event()

    def update(share: float, words: str = "") -> None:
        nonlocal latest
        latest = share, words
        pace.note(share, time.monotonic() - start)

    def write() -> None:
        while not over.wait(INTERVAL):
            share, words = latest
            passed = time.monotonic() - start
            done = f"{100 * share:.0f} %" if share == share else ""
            parts = (done, f"{duration(passed)} so far", pace.left(share, passed), words)
            print(f"{description}: {', '.join(filter(None, parts))}", file=sys.stderr, flush=True)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield update
    finally:
        over.set()
        writer.join()


class Pace:
    """How much time is left, from the pace so far, once a forecast would have come true.

    At t seconds the share s is done, and the whole should take t / s. That is said where it would
    have been said after a quarter, a half and three quarters of this time, too, within a factor
    of `STEADY`.

    Examples
    --------
    >>> even, uneven = Pace(), Pace()
    >>> for second in range(1, 11):
    ...     even.note(second / 40, second)
    ...     uneven.note(0.02, second)
    >>> even.left(10 / 40, 10.0), uneven.left(0.02, 10.0)
    ('about 30 s left', '')
    """

    def __init__(self) -> None:
        self._past = [(0.0, 0.0)]

    def note(self, share: float, seconds: float) -> None:
        """Remember how much was done by then."""
        if share == share and seconds > SPARSE * self._past[-1][0]:
            self._past.append((seconds, share))

    def left(self, share: float, seconds: float) -> str:
        """Say how much time is left, or nothing where that cannot be told."""
        if not 0.0 < share < 1.0 or seconds < 1.0:
            return ""
        for part in (0.25, 0.5, 0.75):
            earlier = next(done for then, done in reversed(self._past) if then <= part * seconds)
            if not 1.0 / STEADY <= earlier / (part * share) <= STEADY:
                return ""
        return f"about {duration(seconds / share - seconds)} left"
