"""From the results of a run to its page and the same as data.

``report.html`` holds pictures, captions and tables, and where it all comes from. ``report.json``
holds two things: ``numbers``, which are the same for two runs with one seed, and ``run`` (date,
machine, run times), which are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from popout._version import __version__
from popout.drawing.plain import json_bytes
from popout.report.files import write_whole
from popout.report.page import Block, Page, Picture, Section, Text, write_page
from popout.report.provenance import foot, now, run_record, run_tables
from popout.report.runner import PartResult

PAGE, DATA = "report.html", "report.json"
MOST_SVG = 1_500_000
"""Bytes of a vector picture beyond which the page holds the other one."""


def section_of(result: PartResult) -> Section:
    """Return the section of a part: what precedes the picture, the picture, and its tables."""
    part, data = result.part, result.data
    preface = part.preface(data)
    blocks: list[Block] = [Text(preface)] if preface else []
    if part.is_drawn:
        blocks.append(_picture(result))
    return Section(part.name, part.title, (*blocks, *part.tables(data)))


def _picture(result: PartResult) -> Picture:
    """Take the vector picture: it stays sharp on screen and in print."""
    part = result.part
    png, svg = result.pictures
    shown = svg if svg.stat().st_size <= MOST_SVG else png
    label = (f"in the paper: {part.paper_label}",) if part.paper_label else ()
    files = (*label, result.data_file.name, svg.name)
    caption = part.caption(result.data)
    content = shown.read_bytes()
    return Picture(part.name, part.title, caption, content, shown.suffix[1:], files)


def write_report(
    folder: Path,
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
    content = {"numbers": numbers, "run": run_record(results, seconds)}
    write_whole(folder / DATA, json_bytes(content))
    tables = run_tables(seed, results, seconds, asdict(preset))
    words = [Text(method)] if method else []
    origin = Section("provenance", "Where the numbers come from", (*words, *tables))
    page = Page(
        title=title,
        subtitle=f"popout {__version__} · preset {preset.name} · seed {seed} · {now()}",
        summary=summary,
        sections=(*sections, origin),
        foot=foot(DATA),
    )
    return write_page(page, folder / PAGE)
