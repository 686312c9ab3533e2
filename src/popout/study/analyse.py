"""`analyse`: the whole analysis of one task, as a page with pictures and data beside it.

The folder receives, for each section, ``NAME.nc`` and ``NAME.json`` (data and their record, see
`popout.report.store`), ``NAME.png`` and ``NAME.svg``; then ``report.json`` and ``report.html``.
Sections whose data are there already are only drawn, so an interrupted or repeated run continues.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.score import fresh_seed
from popout.drawing.style import picture
from popout.report.page import Block, Page, Picture, Section, Table, Text, write_page
from popout.report.plain import json_bytes
from popout.report.provenance import machine, now, versions
from popout.report.store import inputs_of, load, save, writable_folder, write_whole
from popout.report.words import with_error
from popout.study.contest import TUNING, Contest, hold
from popout.study.description import describe_task, task_section
from popout.study.paths import Paths, draw_paths
from popout.study.problem import Effort, Problem, effort_of
from popout.task import Costs, Faults, Task, task_to_toml

__all__ = ["SECTIONS", "Analysis", "Report", "Study", "Watch", "analyse"]

Report = Callable[[float, str], None]
"""Called with the share of a section's work that is done, and a few words."""
Watch = Callable[[str, float, str], None]
"""Called with the name of the section, the share of its work done and a few words."""

SECTIONS = {
    "displays": "popout.study.displays",
    "evidence": "popout.study.evidence",
    "strategies": "popout.study.strategies",
    "boundary": "popout.study.boundary",
    "response-times": "popout.study.response_times",
    "cost": "popout.study.cost",
}
"""Name of each section and its module, in the order in which they are computed."""
ORDER = ("displays", "evidence", "boundary", "strategies", "cost", "response-times")
"""The order on the page."""
KINDS = ("png", "svg")
PAGE, DATA = "report.html", "report.json"
MOST_SVG = 1_500_000
"""Bytes of a vector picture beyond which the page holds the other one."""


class SectionModule(Protocol):
    """What a section offers; some have tables as well."""

    TITLE: str

    def compute(self, study: Study, report: Report) -> xr.Dataset:
        """Return the numbers of the section."""

    def draw(self, data: xr.Dataset) -> Figure:
        """Return the picture of these numbers."""

    def describe(self, data: xr.Dataset) -> tuple[str, ...]:
        """Return the sentences under the picture."""


class Study:
    """A problem, and what several sections need of it, made when it is first asked for.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    data : dict of str to Dataset
        Of the sections that are done.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.data: dict[str, xr.Dataset] = {}
        self._contest: Contest | None = None

    @cached_property
    def paths(self) -> Paths:
        """Log posterior odds along trials, for the evidence and for tuning."""
        return draw_paths(self.problem, fresh_seed(self.problem.seed, TUNING))

    @property
    def scales(self) -> tuple[float, float]:
        """The scales of a-SPRT under the costs of the task, from the section on strategies."""
        found = self.data["strategies"]["parameter"]
        if "a-SPRT" not in found["strategy"]:
            return 1.0, 1.0  # not used: one location, or unknown distractors
        own = found.sel(strategy="a-SPRT")
        return float(own.sel(parameter_name="a_minus")), float(own.sel(parameter_name="a_plus"))

    def contest(self, report: Report) -> Contest:
        """Return the strategies, tuned and scored under the costs of the task."""
        if self._contest is None:
            self._contest = hold(self.problem, self.problem.costs, self.paths, report)
        return self._contest


@dataclass(frozen=True)
class Analysis:
    """What `analyse` made.

    Attributes
    ----------
    report : str
        Path of the page.
    sections : dict of str to Dataset
        The data of every section.
    numbers : dict
        The main results: the same as ``numbers`` of ``report.json``, without the data.
    computed : tuple of str
        Sections that were not there already.
    seconds : float

    Examples
    --------
    See `analyse`.
    """

    report: str
    sections: dict[str, xr.Dataset]
    numbers: dict[str, Any]
    computed: tuple[str, ...]
    seconds: float


def analyse(
    task: Task,
    costs: Costs,
    out: str | Path,
    *,
    name: str = "task",
    preset: str | Effort = "quick",
    trials: int | None = None,
    seed: int = 1,
    watch: Watch | None = None,
) -> Analysis:
    """Analyse a task and write a report on it.

    Parameters
    ----------
    task : SearchTask, DiscriminationTask, MixtureSearchTask or SceneSearchTask
    costs : Costs
    out : path
        Folder for the page, the pictures and the data; made if need be.
    name : str
        Of the task, for the title.
    preset : {"quick", "thorough"} or Effort
    trials : int, optional
        Trials on which strategies are scored, instead of the preset's.
    seed : int
    watch : callable, optional
        Told how far the work is.

    Returns
    -------
    Analysis

    Raises
    ------
    InputError
        If an argument is bad or the folder takes no files; nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=1, drift=4.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = analyse(task, Costs(time=0.5), folder, trials=1000)
    ...     found.report.endswith("report.html"), found.numbers["solved"]
    (True, True)
    """
    began = time.perf_counter()
    faults = Faults("analyse")
    if not isinstance(task, Task):
        faults.add("task", "a task", task, "build a SearchTask or one of its kin, or load one")
    if not isinstance(costs, Costs):
        faults.add("costs", "Costs", costs, "give the cost of time, e.g. Costs(time=0.2)")
    faults.integer("seed", seed, "choose any number from 0", at_most=2**63 - 1)
    faults.raise_if_any()
    problem = Problem(task, costs, effort_of(preset, trials), seed)
    folder = writable_folder(Path(out))
    study = Study(problem)
    made = [_make(section, study, folder, watch) for section in SECTIONS]
    data = {one.name: one.data for one in made}
    toml = task_to_toml(task, costs)
    numbers = _numbers(problem, data, name, toml)
    seconds = time.perf_counter() - began
    content = {
        "numbers": {**numbers, "sections": data},
        "run": {
            "date": now(),
            "versions": versions(),
            "machine": machine(),
            "seconds": seconds,
            "parts": [{"name": m.name, "seconds": m.seconds, "kept": m.kept} for m in made],
        },
    }
    write_whole(folder / DATA, json_bytes(content))
    page = _page(problem, made, name, toml, seconds)
    path = write_page(page, folder / PAGE)
    fresh = tuple(one.name for one in made if not one.kept)
    return Analysis(str(path), data, numbers, fresh, seconds)


@dataclass(frozen=True)
class _Made:
    name: str
    data: xr.Dataset
    content: bytes
    suffix: str
    kept: bool
    seconds: float


def _make(name: str, study: Study, folder: Path, watch: Watch | None) -> _Made:
    def report(share: float, words: str) -> None:
        if watch is not None:
            watch(name, share, words)

    start = time.perf_counter()
    module = _module(name)
    problem = study.problem
    parameters = {
        "task": task_to_toml(problem.task, problem.costs),
        "effort": asdict(problem.effort),
        "source": _source_hash(),
    }
    inputs = inputs_of(name, parameters, problem.seed)
    report(0.0, "")
    stored = load(folder, inputs)
    data = stored
    if data is None:
        data = save(folder, inputs, module.compute(study, report))
    study.data[name] = data
    report(1.0, "drawing")
    figure = module.draw(data)
    pictures = {kind: picture(figure, kind) for kind in KINDS}
    for kind, content in pictures.items():
        write_whole(folder / f"{name}.{kind}", content)
    suffix = "svg" if len(pictures["svg"]) <= MOST_SVG else "png"
    seconds = time.perf_counter() - start
    return _Made(name, data, pictures[suffix], suffix, stored is not None, seconds)


def _module(name: str) -> SectionModule:
    return cast(SectionModule, import_module(SECTIONS[name]))


def _source_hash() -> str:
    """Return a hash of this layer, which the store does not count among those that compute."""
    total = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()


def _numbers(problem: Problem, data: dict[str, xr.Dataset], name: str, toml: str) -> dict[str, Any]:
    """Return the main results."""
    found = data["strategies"]
    rows = [
        {
            "strategy": str(one),
            **{
                key: float(found[key].sel(strategy=one))
                for key in (
                    *("risk", "risk_se", "excess", "excess_se"),
                    *("error_rate_absent", "error_rate_present"),
                    *("mean_rt_absent", "mean_rt_present", "undecided"),
                )
            },
        }
        for one in found["strategy"].to_numpy()
    ]
    solved = bool(found.attrs["solved"])
    return {
        "name": name,
        "task": toml,
        "seed": problem.seed,
        "effort": asdict(problem.effort),
        "solved": solved,
        "why_not_solved": found.attrs["why_not"],
        "optimal_risk": rows[0]["risk"] if solved else None,
        "guess_risk": problem.guess_risk,
        "reference": found.attrs["reference"],
        "strategies": rows,
    }


def _page(problem: Problem, made: list[_Made], name: str, toml: str, seconds: float) -> Page:
    by_name = {one.name: one for one in made}
    sections = [task_section(problem, toml)]
    sections += [_section(by_name[each]) for each in ORDER]
    sections.append(_provenance(problem, made, seconds))
    effort = problem.effort
    return Page(
        title=f"Analysis of {name}",
        subtitle=f"popout {versions()['popout']} · preset {effort.name} · seed {problem.seed} · "
        f"{now()}",
        summary=(describe_task(problem.task)[0], _summary(by_name["strategies"].data)),
        sections=tuple(sections),
        foot=f"Made by popout {versions()['popout']}. The numbers of this page are in {DATA} and, "
        "with names and units, in the NetCDF files beside it.",
    )


def _summary(data: xr.Dataset) -> str:
    """Return the main result in two sentences."""
    module = _module("strategies")
    risk, excess = module.describe(data)[:2]
    return f"{risk} {excess.removeprefix('(a) ')}"


def _section(one: _Made) -> Section:
    module = _module(one.name)
    caption = tuple(sentence for sentence in module.describe(one.data) if sentence)
    files = (f"{one.name}.nc", f"{one.name}.svg")
    blocks: list[Block] = []
    if one.name == "boundary" and one.data.attrs["why_not"]:
        blocks.append(Text((one.data.attrs["why_not"],)))
    blocks.append(Picture(one.name, module.TITLE, caption, one.content, one.suffix, files))
    make_tables = getattr(module, "tables", None)
    if make_tables is not None:
        blocks += make_tables(one.data)
    return Section(one.name, module.TITLE, tuple(blocks))


def _provenance(problem: Problem, made: list[_Made], seconds: float) -> Section:
    times = tuple(
        (_module(one.name).TITLE, "kept" if one.kept else "computed", f"{one.seconds:.1f} s")
        for one in made
    )
    effort = tuple(
        (key.replace("_", " "), ", ".join(map(str, v)) if isinstance(v, tuple) else f"{v}")
        for key, v in asdict(problem.effort).items()
    )
    horizon = problem.looks * problem.task.dt
    risk = with_error(problem.guess_risk, 0.0)
    return Section(
        "provenance",
        "Where the numbers come from",
        (
            Text(
                (
                    "Strategies are tuned on other trials than those they are scored on, and all "
                    "are scored on the same displays and noise. Risk is the prior average of "
                    "errors and time. Where thresholds are tuned on stored evidence, a trial lasts "
                    f"{horizon:.3g} s at most, by which time looking has cost about as much as "
                    f"guessing ({risk}), or as memory allows; then the better answer is given.",
                )
            ),
            Table(
                ("", ""),
                (
                    ("seed", str(problem.seed)),
                    ("date", now()),
                    *machine().items(),
                    ("versions", ", ".join(f"{k} {v}" for k, v in versions().items())),
                ),
                title="Run",
            ),
            Table(
                ("part", "data", "time"),
                (*times, ("whole run", "", f"{seconds:.1f} s")),
                title="Run time",
                note="kept: the data were there from an earlier run, and were only drawn again.",
            ),
            Table(("", ""), effort, title=f"Preset {problem.effort.name}"),
        ),
    )
