"""Where a result comes from: versions, machine and date.

Nothing here names a person or a computer: the processor, its cores, the memory and the system are
what run times depend on.
"""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from popout._version import __version__

__all__ = ["machine", "now", "versions"]

PACKAGES = ("numpy", "scipy", "numba", "xarray", "pandas", "matplotlib", "jinja2")


def versions() -> dict[str, str]:
    """Return the versions of popout, of Python and of what the numbers and pictures come from.

    Examples
    --------
    >>> list(versions())[:3]
    ['popout', 'python', 'numpy']
    """
    found = {"popout": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # installed in a way that left no record
            found[name] = "unknown"
    return found


def machine() -> dict[str, str]:
    """Return processor, cores, memory and system, in words.

    Examples
    --------
    >>> sorted(machine())
    ['cores', 'memory', 'processor', 'system']
    """
    return {
        "processor": _processor(),
        "cores": str(_cores()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}".strip(),
    }


def now() -> str:
    """Return the date and time, UTC, to the minute.

    Examples
    --------
    >>> now().endswith("UTC")
    True
    """
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _processor() -> str:
    """Return the model of the processor, or its family where the system does not tell."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{total / 2**30:.0f} GiB"
