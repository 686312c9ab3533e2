"""Ctrl-C that is heard, and work on a cluster that can be taken up again.

A `KeyboardInterrupt` in the midst of an import can be lost in Python's import system, which goes on
with half a module; what follows is a traceback about something else. One in a finaliser, or in what
LLVM calls back when it has compiled a kernel, is printed and forgotten; one just after LLVM took
over a module leaves two owners, and the program ends in a crash. Loading the libraries and
compiling take long enough for all of this to happen. So the interrupt waits until it can be heard.
"""

from __future__ import annotations

import logging
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

AGAIN = 0.02
"""Seconds until the next look whether an interrupt would be heard."""
DEAF_FILES = re.compile(r"^<frozen importlib|[/\\](llvmlite[/\\].*|weakref\.py|_weakrefset\.py)$")
DEAF_NAMES = frozenset({"__del__", "on_disposal", "_on_type_disposal"})
"""Files and functions (two of Numba) in which an error is lost, or does harm."""


@contextmanager
def interrupts_are_heard() -> Iterator[None]:
    """Let SIGINT raise `KeyboardInterrupt` only where nobody swallows it, while this is open.

    Where the program has a handler of its own, or signals cannot be handled, nothing changes.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        and sys.platform != "win32"
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
    from popout.analysis.cluster import ClusterLostError

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
    if not _deaf(frame):
        raise KeyboardInterrupt
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN)


def _deaf(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_name in DEAF_NAMES or DEAF_FILES.search(code.co_filename):
            return True
        frame = frame.f_back
    return False
