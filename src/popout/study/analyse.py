"""`analyse`: the whole analysis of one task, as a page with pictures and data beside it.

See `popout.report.runner` for what a section leaves in the folder. Sections whose data are there
already are only drawn, so an interrupted or repeated run continues.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.representation import Card, HasCard, with_error
from popout.policies.stopping.strategy import name_of
from popout.progress import Progress
from popout.report.files import writable_folder
from popout.report.part import parts_in
from popout.report.publish import section_of, write_report
from popout.report.runner import PartResult, run_parts
from popout.study.assignment import Assignment
from popout.study.description import task_section
from popout.study.effort import Effort, effort_of
from popout.study.study import Study
from popout.task import Costs, Faults, LimitedSearchTask, Task, task_to_toml

SECTIONS = parts_in("popout.study.sections")
"""The sections, in the order in which they are made and shown."""
LIMITED = (SECTIONS[0], *parts_in("popout.study.limited"))
"""Those of a task with limited information."""
MEASURES = {
    "risk": "risk",
    "risk_se": "s.e.",
    "excess": "excess",
    "excess_se": "s.e.",
    "undecided": "",
}
"""Of every strategy, with the heading of those that the card shows."""
SIDES = ("absent", "present")


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(HasCard):
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
    What `analyse` returns, in one line:

    >>> import popout as po
    >>> best = {"strategies": [{"label": "optimal", "risk": 0.0439, "risk_se": 2e-4}]}
    >>> po.Analysis("results/report.html", {}, best, computed=("risks",), seconds=8.0)
    Analysis(results/report.html: optimal risks 0.04390 +- 0.00020, 0 sections, 8 s)
    """

    report: str
    sections: dict[str, xr.Dataset]
    numbers: dict[str, Any]
    computed: tuple[str, ...]
    seconds: float

    def __repr__(self) -> str:
        """Say where the report is, and the main result."""
        best = self.numbers["strategies"][0]
        risk = with_error(best["risk"], best["risk_se"])
        return (
            f"Analysis({self.report}: {best['label']} risks {risk}, "
            f"{len(self.sections)} sections, {self.seconds:.0f} s)"
        )

    def card(self) -> Card:
        """Return the strategies compared, and where the report is."""
        shown = [key for key, heading in MEASURES.items() if heading]
        return Card(
            f"{self.numbers['name']}: strategies on common trials",
            [("report", self.report)],
            ["strategy", *(MEASURES[key] for key in shown), *(f"RT {side}" for side in SIDES)],
            [
                [
                    row["label"],
                    *(f"{row[key]:.4g}" for key in shown),
                    *(f"{row['mean_rt'][side]:.4g}" for side in SIDES),
                ]
                for row in self.numbers["strategies"]
            ],
            " ".join(
                [
                    f"excess: over {self.numbers['reference']}. RT in seconds.",
                    *filter(None, [self.numbers["bound"]]),
                    *self.numbers["notes"],
                ]
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {"report": self.report, **self.numbers, "seconds": self.seconds}


def analyse(
    task: Task,
    costs: Costs,
    out: str | Path,
    *,
    name: str = "task",
    preset: str | Effort = "quick",
    trials: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Analysis:
    """Analyse a task and write a report on it.

    Parameters
    ----------
    task : Task
        Any kind; of one with limited information the report compares ways to look.
    costs : Costs
    out : path
        Folder for the page, the pictures and the data; made if need be.
    name : str
        Of the task, for the title.
    preset : {"quick", "thorough"} or Effort
    trials : int, optional
        Trials on which strategies are scored, instead of the preset's.
    seed : int
    progress : Progress, optional
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
    limited = isinstance(task, LimitedSearchTask) and task.search is None
    if not isinstance(costs, Costs):
        faults.add("costs", "Costs", costs, "give the cost of time, e.g. Costs(time=0.2)")
    faults.integer("seed", seed, "choose any number from 0", at_most=2**63 - 1)
    faults.raise_if_any()
    effort = effort_of(preset, trials).enough_for(task.prior)
    assignment = Assignment(task, costs, effort, seed)
    folder = writable_folder(Path(out))
    toml = task_to_toml(task, costs)
    study, results = Study(assignment), []
    for result in run_parts(
        LIMITED if limited else SECTIONS,
        (study,),
        folder,
        parameters={"task": toml, "effort": asdict(effort)},
        seed=seed,
        progress=progress,
    ):
        study.data[result.name] = result.data
        results.append(result)
    numbers = _numbers(study, name, toml)
    seconds = time.perf_counter() - began
    path = _write(study, results, numbers, seconds, folder)
    computed = tuple(result.name for result in results if not result.from_store)
    return Analysis(str(path), study.data, numbers, computed, seconds)


def _numbers(study: Study, name: str, toml: str) -> dict[str, Any]:
    """Return the main results."""
    strategies, assignment = study.data["strategies"], study.assignment
    rows = [
        {
            "strategy": name_of(str(label)),
            "label": str(label),
            **{key: float(strategies[key].sel(strategy=label)) for key in MEASURES},
            **{
                what: {
                    side: float(strategies[f"{what}_{side}"].sel(strategy=label)) for side in SIDES
                }
                for what in ("error_rate", "mean_rt")
            },
        }
        for label in strategies["strategy"].to_numpy()
    ]
    solved = bool(strategies.attrs["solved"])
    return {
        "name": name,
        "task": toml,
        "seed": assignment.seed,
        "effort": asdict(assignment.effort),
        "solved": solved,
        "why_not_solved": strategies.attrs["why_not"],
        "notes": strategies.attrs.get("notes", "").splitlines(),
        "optimal_risk": strategies.attrs.get("optimal_risk", rows[0]["risk"]) if solved else None,
        "guess_risk": assignment.guess_risk,
        "reference": strategies.attrs["reference"],
        "bound": strategies.attrs.get("bound", ""),
        "strategies": rows,
    }


def _write(
    study: Study,
    results: Sequence[PartResult],
    numbers: dict[str, Any],
    seconds: float,
    folder: Path,
) -> Path:
    """Write the report."""
    assignment = study.assignment
    (strategies,) = (result for result in results if result.name == "strategies")
    risk, excess = strategies.part.caption(strategies.data)[:2]
    method = (
        "Strategies are tuned on other trials than those they are scored on, and all are scored on "
        "the same displays and noise. Risk is the prior average of errors and time."
    )
    if "evidence" in study.data:
        method += (
            " Where thresholds are tuned on stored evidence, a trial lasts "
            f"{assignment.horizon:.3g} s at most, by which time looking has cost about as much as "
            "guessing at once, or as long as there is memory for; then the better answer is given."
        )
    return write_report(
        folder,
        title=f"Analysis of {numbers['name']}",
        preset=assignment.effort,
        seed=assignment.seed,
        results=results,
        seconds=seconds,
        summary=(
            assignment.task.describe()[0],
            f"{risk} {excess.removeprefix('(a) ')}",
            *numbers["notes"],
        ),
        sections=[task_section(assignment, numbers["task"]), *map(section_of, results)],
        numbers={**numbers, "sections": study.data},
        method=(method,),
    )
