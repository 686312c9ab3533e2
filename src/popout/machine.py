"""The memory of this machine, asked in the same way on Linux, macOS and Windows."""

from __future__ import annotations


def total_memory() -> int:
    """Return the memory of this machine, in bytes.

    Examples
    --------
    >>> 0 < free_memory() < total_memory()
    True
    """
    import psutil

    return int(psutil.virtual_memory().total)


def free_memory() -> int:
    """Return the memory that can be had without swapping, in bytes."""
    import psutil

    return int(psutil.virtual_memory().available)
