"""Where the arrays live: one code path through the Python array API standard.

The solver is written against the standard (array-api-compat), so NumPy, PyTorch (CPU or CUDA) and
CuPy run the same lines. NumPy is the default; the others are used where they are installed.
`array_api_strict`, which implements the standard and nothing else, keeps the code honest in the
tests.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.blas import ONE_THREAD, SMALL
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

    @property
    def on_gpu(self) -> bool:
        """Whether a graphics processor computes."""
        return self.name == "cupy" or "cuda" in str(self.device)

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
        """Multiply a matrix with one or each of several; small ones on one thread (`blas`).

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
        return int(os.sysconf("SC_AVPHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))

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
