"""One thread for small matrix products.

A product of a 30 x 30 matrix is over before a second BLAS thread has woken up, and where another
process keeps the cores busy the first waits for the second: the solver's small products then take
twenty times as long. They are given one thread each; the number that the caller had chosen is put
back after each of them. One thread also makes the last bit of a small product the same on every
machine with the same cores, however many.
"""

from __future__ import annotations

import threading
from functools import cache
from types import TracebackType

from threadpoolctl import LibController, ThreadpoolController

SMALL = 1024
"""Products whose matrices have no more rows, or no more columns, are small."""


@cache
def _libraries() -> tuple[LibController, ...]:
    """Return the BLAS libraries that NumPy may use; looking for them takes milliseconds."""
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    own = [library for library in found if "numpy" in library.filepath]
    return tuple(own or found)


class OneThread:
    """While it is entered, BLAS uses one thread.

    The number of threads belongs to the process. Several Python threads may be inside at once: the
    first to enter sets it, and the last to leave puts it back.

    Examples
    --------
    >>> import numpy as np
    >>> with OneThread():
    ...     product = np.eye(30) @ np.ones((30, 2000))
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[tuple[LibController, int]] = []

    def __enter__(self) -> None:
        """Set one thread, unless that is done."""
        with self._lock:
            if self._inside == 0:
                threads = [(library, library.get_num_threads()) for library in _libraries()]
                self._before = [(library, n) for library, n in threads if n != 1]
                for library, _ in self._before:
                    _set(library, 1)
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put back what was, when the last one leaves."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for library, n in self._before:
                    _set(library, n)


def _set(library: LibController, threads: int) -> None:
    library.set_num_threads(threads)
    if library.internal_api == "openblas":
        # It listens to the Python thread that spoke first; here the next to speak may be another.
        library.clear_controlling_thread(force=True)


ONE_THREAD = OneThread()
