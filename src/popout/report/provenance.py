"""Where a result comes from: versions, machine, date and run times, as data and as tables.

Nothing here names a person or a computer: the processor, its cores, the memory and the system are
what run times depend on.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from popout._version import __version__
from popout.report.page import Table

if TYPE_CHECKING:
    from popout.report.runner import PartResult

COMPUTING = ("numpy", "scipy", "numba")
SHOWING = ("xarray", "pandas", "matplotlib", "jinja2")


def library_versions(names: tuple[str, ...] = COMPUTING) -> dict[str, str]:
    """Return the versions of libraries: those that compute, unless others are named.

    Examples
    --------
    >>> list(library_versions())
    ['numpy', 'scipy', 'numba']
    """
    numbers = {}
    for name in names:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:  # installed in a way that left no record
            numbers[name] = "unknown"
    return numbers


def versions() -> dict[str, str]:
    """Return the versions of popout, of Python and of what the numbers and pictures come from.

    Examples
    --------
    >>> list(versions())[:3]
    ['popout', 'python', 'numpy']
    """
    found = {"popout": __version__, "python": platform.python_version()}
    return found | library_versions((*COMPUTING, *SHOWING))


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


def run_record(results: Sequence[PartResult], seconds: float) -> dict[str, Any]:
    """Return what is not the same for two runs with one seed, for a JSON file.

    Examples
    --------
    >>> list(run_record([], 1.0))
    ['date', 'versions', 'machine', 'seconds', 'parts']
    """
    return {
        "date": now(),
        "versions": versions(),
        "machine": machine(),
        "seconds": seconds,
        "parts": [
            {
                "name": result.name,
                "seconds": result.seconds,
                "kept": result.from_store,
                "other_versions": result.other_versions,
            }
            for result in results
        ],
    }


def run_tables(
    seed: int, results: Sequence[PartResult], seconds: float, preset: Mapping[str, object]
) -> tuple[Table, Table, Table]:
    """Return tables of the run, of its times and of its preset.

    Parameters
    ----------
    seed : int
    results : sequence of PartResult
    seconds : float
        Of the whole run.
    preset : mapping
        With a name.
    """
    run = (
        ("seed", str(seed)),
        ("date", now()),
        *machine().items(),
        ("versions", ", ".join(f"{name} {number}" for name, number in versions().items())),
    )
    times = [(result.part.title, result.origin, f"{result.seconds:.1f} s") for result in results]
    effort = tuple(
        (name.replace("_", " "), ", ".join(map(str, v)) if isinstance(v, tuple) else f"{v}")
        for name, v in preset.items()
    )
    note = "kept: the data were there from an earlier run, and were only drawn again."
    return (
        Table(("", ""), run, title="Run"),
        Table(
            ("part", "data", "time"),
            (*times, ("whole run", "", f"{seconds:.1f} s")),
            title="Run time",
            note=note,
        ),
        Table(("", ""), effort, title=f"Preset {preset['name']}"),
    )


def foot(data: str) -> str:
    """Return the last line of a page, which names the file with its numbers."""
    return (
        f"Made by popout {__version__}. The numbers of this page are in {data} and, with names and "
        "units, in the NetCDF files beside it."
    )


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
