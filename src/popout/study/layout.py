"""The page on a task: what comes where."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import xarray as xr

from popout.report.page import Block, Page, Picture, Section, Text
from popout.report.provenance import Part, foot, now, run_tables, versions
from popout.study.description import task_section
from popout.study.problem import Problem
from popout.study.sections import section_module

__all__ = ["DATA", "ORDER", "PAGE", "Made", "page_of"]

PAGE, DATA = "report.html", "report.json"
ORDER = ("displays", "evidence", "boundary", "strategies", "cost", "response-times")
"""The order on the page."""


@dataclass(frozen=True, eq=False)
class Made:
    """A section that was made.

    Attributes
    ----------
    part : Part
    data : Dataset
    content : bytes
        Of the picture.
    suffix : {"svg", "png"}
    """

    part: Part
    data: xr.Dataset
    content: bytes
    suffix: str


def page_of(problem: Problem, made: list[Made], name: str, toml: str, seconds: float) -> Page:
    """Return the page.

    Parameters
    ----------
    problem : Problem
    made : list of Made
        Every section.
    name, toml : str
        Of the task, and the task itself as a file.
    seconds : float
        Of the whole run.
    """
    by_name = {one.part.name: one for one in made}
    sections = [task_section(problem, toml)]
    sections += [_section(by_name[each]) for each in ORDER]
    sections.append(_provenance(problem, made, seconds))
    effort = problem.effort
    return Page(
        title=f"Analysis of {name}",
        subtitle=f"popout {versions()['popout']} · preset {effort.name} · seed {problem.seed} · "
        f"{now()}",
        summary=(problem.task.describe()[0], _summary(by_name["strategies"].data)),
        sections=tuple(sections),
        foot=foot(DATA),
    )


def _summary(data: xr.Dataset) -> str:
    """Return the main result in two sentences."""
    module = section_module("strategies")
    risk, excess = module.describe(data)[:2]
    return f"{risk} {excess.removeprefix('(a) ')}"


def _section(one: Made) -> Section:
    module = section_module(one.part.name)
    caption = tuple(sentence for sentence in module.describe(one.data) if sentence)
    files = (f"{one.part.name}.nc", f"{one.part.name}.svg")
    blocks: list[Block] = []
    if one.part.name == "boundary" and one.data.attrs["why_not"]:
        blocks.append(Text((one.data.attrs["why_not"],)))
    blocks.append(Picture(one.part.name, module.TITLE, caption, one.content, one.suffix, files))
    make_tables = getattr(module, "tables", None)
    if make_tables is not None:
        blocks += make_tables(one.data)
    return Section(one.part.name, module.TITLE, tuple(blocks))


def _provenance(problem: Problem, made: list[Made], seconds: float) -> Section:
    horizon = problem.looks * problem.task.dt
    words = (
        "Strategies are tuned on other trials than those they are scored on, and all are scored on "
        "the same displays and noise. Risk is the prior average of errors and time. Where "
        f"thresholds are tuned on stored evidence, a trial lasts {horizon:.3g} s at most, by which "
        "time looking has cost about as much as guessing at once, or as long as there is memory "
        "for; then the better answer is given."
    )
    parts = [one.part for one in made]
    tables = run_tables(problem.seed, parts, seconds, asdict(problem.effort))
    return Section("provenance", "Where the numbers come from", (Text((words,)), *tables))
