"""Ctrl-C that waits for imports, and work on a cluster that can be taken up again.

A `KeyboardInterrupt` in the midst of an import can be lost in Python's import system, which goes on
with half a module; what follows is a traceback about something else. Loading the libraries takes
long enough for this to happen. So the interrupt waits until no import is under way.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

AGAIN = 0.02
"""Seconds until the next look whether the import is over."""


@contextmanager
def interrupts_after_imports() -> Iterator[None]:
    """Let SIGINT raise `KeyboardInterrupt` between imports only, while the context is open.

    Where the program has a handler of its own, or signals cannot be handled, nothing changes.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        and hasattr(signal, "setitimer")
    )
    if not ours:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def resumable(again: str) -> Iterator[None]:
    """Say how to go on where work on a cluster ends early, by Ctrl-C or with the cluster.

    Parameters
    ----------
    again : str
        What is kept, and what takes it up again.
    """
    from popout.analysis.sweep.cluster import ClusterLostError

    try:
        yield
    except KeyboardInterrupt:
        # The cluster may still be closing in its own thread; what it says is of no use now.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        click.echo(again, err=True)
        raise
    except ClusterLostError as error:
        raise click.ClickException(f"{error}. {again}") from error


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _importing(frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, AGAIN)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
