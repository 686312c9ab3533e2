"""From the results of a run to its page and the same as data.

``report.html`` holds pictures, captions and tables, and where it all comes from. ``report.json``
holds two things: ``numbers``, which are the same for two runs with one seed, and ``run`` (date,
machine, run times), which are not. Nothing names a person or a computer: the processor, its cores,
the memory and the system are what run times depend on.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from popout._version import __version__
from popout.analysis.cluster import default_workers
from popout.drawing.plain import json_bytes
from popout.machine import total_memory
from popout.reports.page import Block, Page, Picture, Section, Table, Text, write_page
from popout.reports.part import PartResult
from popout.reports.store import COMPUTING, library_versions, write_whole
from popout.task import Faults

PAGE, DATA = "report.html", "report.json"
SHOWING = ("xarray", "pandas", "matplotlib", "jinja2")
MOST_SVG = 1_500_000
"""Bytes of a vector picture beyond which the page holds the other one."""


def section_of(result: PartResult) -> Section:
    """Return the section of a part: what precedes the picture, the picture, and its tables."""
    part, data = result.part, result.data
    preface = tuple(filter(None, part.preface(data)))
    blocks: list[Block] = [Text(preface)] if preface else []
    if part.is_drawn:
        blocks.append(_picture(result))
    return Section(part.name, part.title, (*blocks, *part.tables(data)))


def _picture(result: PartResult) -> Picture:
    """Take the vector picture: it stays sharp on screen and in print."""
    part = result.part
    png, svg = result.pictures
    shown = svg if svg.stat().st_size <= MOST_SVG else png
    label = (f"in the paper: {part.label}",) if part.label else ()
    files = (*label, result.data_file.name, svg.name)
    caption = part.caption(result.data)
    content = shown.read_bytes()
    return Picture(part.name, part.title, caption, content, shown.suffix[1:], files)


def check_no_other_report(folder: Path, made_by: str, faults: Faults) -> None:
    """Refuse a folder that holds the report of another command, which would be written over.

    Parameters
    ----------
    folder : Path
    made_by : str
        The command that will write, such as ``popout fit``.
    faults : Faults
    """
    try:
        other = json.loads((folder / DATA).read_bytes())["run"]["made_by"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # no report, or none that says
    if other != made_by:
        expected = f"a folder without a report of {other}"
        faults.add("out", expected, str(folder), "name another folder")


def write_report(
    folder: Path,
    made_by: str,
    *,
    title: str,
    preset: Any,
    seed: int,
    results: Sequence[PartResult],
    seconds: float,
    summary: tuple[str, ...],
    sections: Sequence[Section],
    numbers: Mapping[str, Any],
    method: tuple[str, ...] = (),
) -> Path:
    """Write ``report.html`` and ``report.json``; return the path of the page.

    Parameters
    ----------
    folder : Path
    made_by : str
        The command, see `check_no_other_report`.
    title : str
    preset : dataclass
        With a name.
    seed : int
    results : sequence of PartResult
    seconds : float
        Of the whole run.
    summary : tuple of str
        Paragraphs under the title.
    sections : sequence of Section
        Of the page; that on provenance is added.
    numbers : mapping
        What two runs with one seed share.
    method : tuple of str
        Paragraphs that the section on provenance begins with.
    """
    content = {"numbers": numbers, "run": {"made_by": made_by, **run_record(results, seconds)}}
    write_whole(folder / DATA, json_bytes(content))
    tables = run_tables(seed, results, seconds, asdict(preset))
    words = [Text(method)] if method else []
    origin = Section("provenance", "Where the numbers come from", (*words, *tables))
    beside = " and, with names and units, in the NetCDF files beside it" if results else ""
    page = Page(
        title=title,
        subtitle=f"popout {__version__} · preset {preset.name} · seed {seed} · {now()}",
        summary=summary,
        sections=(*sections, origin),
        foot=f"Made by popout {__version__}. The numbers of this page are in {DATA}{beside}.",
    )
    return write_page(page, folder / PAGE)


def versions() -> dict[str, str]:
    """Return the versions of popout, of Python and of what the numbers and pictures come from.

    Examples
    --------
    >>> list(versions())[:3]
    ['popout', 'python', 'numpy']
    """
    ours = {"popout": __version__, "python": platform.python_version()}
    return ours | library_versions((*COMPUTING, *SHOWING))


def machine() -> dict[str, str]:
    """Return processor, cores, memory and system, in words.

    Examples
    --------
    >>> sorted(machine())
    ['cores', 'memory', 'processor', 'system']
    """
    return {
        "processor": _processor(),
        "cores": str(default_workers()),
        "memory": f"{total_memory() / 2**30:.0f} GiB",
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


def _processor() -> str:
    """Return the model of the processor, or its family where the system does not tell."""
    table = Path("/proc/cpuinfo")
    model = re.search(
        r"model name\s*: *(\S.*)", table.read_text(encoding="utf-8") if table.exists() else ""
    )
    return model[1].strip() if model else platform.processor() or platform.machine() or "unknown"
