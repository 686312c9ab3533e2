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
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.plain import json_bytes
from popout.drawing.style import picture
from popout.report.page import write_page
from popout.report.provenance import Part, run_record
from popout.report.store import inputs_of, load, save, writable_folder, write_whole
from popout.study.effort import Effort, effort_of
from popout.study.layout import DATA, PAGE, Made, page_of
from popout.study.problem import Problem
from popout.study.sections import SECTIONS, Study, section_module
from popout.task import Costs, Faults, Task, task_to_toml

__all__ = ["Analysis", "Watch", "analyse"]

Watch = Callable[[str, float, str], None]
"""Called with the name of the section, the share of its work done and a few words."""

KINDS = ("png", "svg")
MOST_SVG = 1_500_000
"""Bytes of a vector picture beyond which the page holds the other one."""


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

    def __repr__(self) -> str:
        """Say where the report is, and the main result."""
        best = self.numbers["strategies"][0]
        return (
            f"Analysis({self.report}: {best['strategy']} risks {best['risk']:.4g}, "
            f"{len(self.sections)} sections, {self.seconds:.0f} s)"
        )


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
    effort = effort_of(preset, trials).enough_for(task.prior)
    problem = Problem(task, costs, effort, seed)
    folder = writable_folder(Path(out))
    study = Study(problem)
    made = [_make(section, study, folder, watch) for section in SECTIONS]
    data = {one.part.name: one.data for one in made}
    toml = task_to_toml(task, costs)
    numbers = _numbers(problem, data, name, toml)
    seconds = time.perf_counter() - began
    content = {
        "numbers": {**numbers, "sections": data},
        "run": run_record([one.part for one in made], seconds),
    }
    write_whole(folder / DATA, json_bytes(content))
    path = write_page(page_of(problem, made, name, toml, seconds), folder / PAGE)
    fresh = tuple(one.part.name for one in made if not one.part.kept)
    return Analysis(str(path), data, numbers, fresh, seconds)


def _make(name: str, study: Study, folder: Path, watch: Watch | None) -> Made:
    def report(share: float, words: str) -> None:
        if watch is not None:
            watch(name, share, words)

    start = time.perf_counter()
    module = section_module(name)
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
    part = Part(name, module.TITLE, stored is not None, time.perf_counter() - start)
    return Made(part, data, pictures[suffix], suffix)


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
