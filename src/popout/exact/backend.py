"""Where the arrays live: one code path through the Python array API standard.

The solver is written against the standard (array-api-compat), so NumPy, PyTorch (CPU or CUDA) and
CuPy run the same lines. NumPy is the default; the others are used where they are installed.
`array_api_strict`, which implements the standard and nothing else, keeps the code honest in the
tests.

**One thread for small matrix products.** A product of a 30 x 30 matrix is over before a second BLAS
thread has woken up, and where another process keeps the cores busy the first waits for the second:
the solver's small products then take twenty times as long. They are given one thread each; the
number that the caller had chosen is put back after each of them. One thread also makes the last bit
of a small product the same on every machine with the same cores, however many.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import LibController, ThreadpoolController

from popout.machine import free_memory
from popout.task import InputError

Array = Any
"""An array of whichever back end is in use."""

BACKENDS = {
    "numpy": "array_api_compat.numpy",
    "torch": "array_api_compat.torch",
    "cupy": "array_api_compat.cupy",
    "array_api_strict": "array_api_strict",
}
HOST = ("numpy", "array_api_strict")
"""Back ends whose products NumPy computes."""
SMALL = 1024
"""Products whose matrices have no more rows, or no more columns, are small."""


@cache
def _libraries() -> tuple[LibController, ...]:
    """Return the BLAS libraries that NumPy may use; looking for them takes milliseconds."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    own = [library for library in libraries if "numpy" in library.filepath]
    return tuple(own or libraries)


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


@dataclass(frozen=True)
class Backend:
    """A namespace of the array API standard and the device its arrays live on.

    Attributes
    ----------
    name : str
        A key of `BACKENDS`.
    xp : module
        The namespace.
    device : object
        What the namespace's constructors take; None for the default device.

    Examples
    --------
    >>> backend = get_backend("numpy")
    >>> backend.to_numpy(backend.asarray(np.arange(3.0)))
    array([0., 1., 2.])
    """

    name: str
    xp: Any
    device: Any = None

    @property
    def on_host(self) -> bool:
        """Whether NumPy computes, on the processor that runs Python."""
        return self.name in HOST

    def asarray(self, values: NDArray[Any]) -> Array:
        """Copy a NumPy array to the device."""
        writable = np.require(values, requirements=["C", "W"])  # PyTorch warns of anything else
        return self.xp.asarray(writable, device=self.device)

    def to_numpy(self, values: Array) -> NDArray[Any]:
        """Copy an array from the device."""
        if self.name == "torch":
            return np.asarray(values.cpu())
        if self.name == "cupy":
            return np.asarray(values.get())
        return np.asarray(values)

    def matmul(self, a: Array, b: Array) -> Array:
        """Multiply a matrix with one or each of several; small ones on one thread.

        Parameters
        ----------
        a : array of shape (m, k)
        b : array of shape (k, n) or (several, k, n)
        """
        if not self.on_host or min(*a.shape, *b.shape[-2:]) > SMALL:
            return self.xp.matmul(a, b)
        with ONE_THREAD:
            return self.xp.matmul(a, b)

    def free_bytes(self) -> int:
        """Memory that can still be allocated where the arrays live, in bytes."""
        if self.name == "torch" and "cuda" in str(self.device):
            return int(import_module("torch").cuda.mem_get_info(self.device)[0])
        if self.name == "cupy":
            return int(import_module("cupy").cuda.runtime.memGetInfo()[0])
        return free_memory()

    def synchronise(self) -> None:
        """Wait until the device has finished, so that a clock tells the truth."""
        if self.name == "torch" and "cuda" in str(self.device):
            import_module("torch").cuda.synchronize(self.device)
        elif self.name == "cupy":
            import_module("cupy").cuda.Stream.null.synchronize()

    def __str__(self) -> str:
        """Name the back end, and the device where one was chosen."""
        return self.name if self.device is None else f"{self.name} on {self.device}"


def get_backend(name: str = "numpy", device: Any = None) -> Backend:
    """Return the back end of that name.

    Parameters
    ----------
    name : {"numpy", "torch", "cupy", "array_api_strict"}
    device : object, optional
        For example ``"cuda"`` with PyTorch. The back end's own default when left out.

    Raises
    ------
    InputError
        If the name is unknown, the package is not installed, or the device is not there.

    Examples
    --------
    >>> str(get_backend())
    'numpy'
    """
    known = ", ".join(BACKENDS)
    if name not in BACKENDS:
        raise InputError(f"backend: expected one of {known}, got {name!r}; choose one of these")
    try:
        xp = import_module(BACKENDS[name])
    except ImportError:
        raise InputError(
            f"backend: expected an installed package, got {name!r}; "
            f"install {name} or choose backend 'numpy'"
        ) from None
    backend = Backend(name, xp, device)
    try:
        backend.asarray(np.zeros(1))
    except (RuntimeError, ValueError, TypeError, AssertionError) as error:
        raise InputError(
            f"device: expected a device of {name}, got {device!r} ({error}); "
            "leave it out or name another"
        ) from None
    return backend
