"""`analyse`: the whole analysis of one task, as a page with pictures and data beside it.

See `popout.reports.part` for what a section leaves in the folder. Sections whose data are there
already are only drawn, so an interrupted or repeated run continues.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.representation import Card, HasCard, with_error
from popout.policies.stopping.strategy import name_of
from popout.progress import Progress
from popout.reports.page import Code, Section, Table, Text
from popout.reports.part import PartResult, run_parts
from popout.reports.publish import check_no_other_report, section_of, write_report
from popout.reports.sections.attention_compared import ATTENTION_COMPARED, SET_SIZE
from popout.reports.sections.cost_of_time import COST
from popout.reports.sections.evidence_over_time import EVIDENCE
from popout.reports.sections.example_displays import DISPLAYS
from popout.reports.sections.fixations import FIXATIONS
from popout.reports.sections.gaze_and_stopping import GAZE_AND_STOPPING
from popout.reports.sections.gaze_displays import GAZE_DISPLAYS
from popout.reports.sections.looking_and_stopping import WHERE_TO_LOOK
from popout.reports.sections.response_times import RESPONSE_TIMES
from popout.reports.sections.strategies_compared import STRATEGIES, notes_of
from popout.reports.sections.when_to_stop import BOUNDARY
from popout.reports.store import writable_folder
from popout.reports.study import Effort, Study, StudyPart, effort_of
from popout.reports.words import cost_words, fixed
from popout.task import Costs, Faults, Task, task_to_toml
from popout.task.document import Document, DocumentFaults
from popout.task.look import Gazes
from popout.task.task import check_static

MADE_BY = "popout analyse"
SECTIONS = (DISPLAYS, EVIDENCE, BOUNDARY, STRATEGIES, COST, RESPONSE_TIMES)
"""The sections, in the order in which they are made and shown."""
LOOKING_SECTIONS = (DISPLAYS, WHERE_TO_LOOK, ATTENTION_COMPARED, SET_SIZE)
"""Those where the observer shares out information among the locations."""
GAZE_SECTIONS = (
    GAZE_DISPLAYS,
    GAZE_AND_STOPPING,
    replace(STRATEGIES, title="Rules for gaze compared"),
    FIXATIONS,
    COST,
    RESPONSE_TIMES,
)
"""Those where the observer moves its eyes."""
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
        Any kind; of one with limited information or gaze the report compares ways to look.
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
    ...     analysis = analyse(task, Costs(time=0.5), folder, trials=1000)
    ...     analysis.report.endswith("report.html"), analysis.numbers["solved"]
    (True, True)
    """
    began = time.perf_counter()
    faults = Faults("analyse")
    if not isinstance(task, Task):
        faults.add("task", "a task", task, "build a SearchTask or one of its kin, or load one")
    else:
        check_static(faults, task)
    if not isinstance(costs, Costs):
        faults.add("costs", "Costs", costs, "give the cost of time, e.g. Costs(time=0.2)")
    faults.integer("seed", seed, "choose any number from 0", at_most=2**63 - 1)
    check_no_other_report(Path(out), MADE_BY, faults)
    faults.raise_if_any()
    effort = effort_of(preset, trials).enough_for(task.prior)
    folder = writable_folder(Path(out))
    toml = task_to_toml(task, costs)
    study, results = Study(task, costs, effort, seed), []
    for result in run_parts(
        sections_for(task),
        lambda compute, tell: compute(study, tell),
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


def sections_for(task: Task) -> tuple[StudyPart, ...]:
    """Return the sections of the report on a task.

    Examples
    --------
    >>> from popout.task import GazeTask, SearchTask
    >>> [part.name for part in sections_for(SearchTask(n_locations=2, drift=4.0))][:3]
    ['displays', 'evidence', 'boundary']
    >>> task = GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    >>> [part.name for part in sections_for(task)][:4]
    ['displays', 'where-to-look', 'strategies', 'fixations']
    """
    if not task.look.is_chosen or task.search is not None:
        return SECTIONS
    return GAZE_SECTIONS if isinstance(task.look, Gazes) else LOOKING_SECTIONS


def _numbers(study: Study, name: str, toml: str) -> dict[str, Any]:
    """Return the main results."""
    strategies = study.data["strategies"]
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
        "seed": study.seed,
        "effort": asdict(study.effort),
        "solved": solved,
        "why_not_solved": strategies.attrs["why_not"],
        "notes": list(notes_of(strategies)),
        "optimal_risk": strategies.attrs.get("optimal_risk", rows[0]["risk"]) if solved else None,
        "guess_risk": study.guess_risk,
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
    method = (
        "Strategies are tuned on other trials than those they are scored on, and all are scored on "
        "the same displays and noise. Risk is the prior average of errors and time."
    )
    if "evidence" in study.data:
        method += (
            " Where thresholds are tuned on stored evidence, a trial lasts "
            f"{study.horizon:.3g} s at most, by which time looking has cost about as much as "
            "guessing at once, or as long as there is memory for; then the better answer is given."
        )
    return write_report(
        folder,
        MADE_BY,
        title=f"Analysis of {numbers['name']}",
        preset=study.effort,
        seed=study.seed,
        results=results,
        seconds=seconds,
        summary=(
            study.task.describe()[0],
            *(words for result in results for words in result.part.summary(result.data)),
        ),
        sections=[_task_section(study, numbers["task"]), *map(section_of, results)],
        numbers={**numbers, "sections": study.data},
        method=(method,),
    )


def _task_section(study: Study, toml: str) -> Section:
    """Return the part of the page that says what was analysed."""
    task, costs = study.task, study.costs
    rows = [
        ("locations", str(task.n_locations)),
        ("probability of a target", f"{task.prior:g}"),
        ("time step", f"{1000 * task.dt:g} ms"),
        ("cost of time", cost_words(costs.time_absent, costs.time_present)),
        ("cost of a miss, of a false alarm", f"{costs.miss:g}, {costs.false_alarm:g}"),
        ("risk of guessing at once", fixed(study.guess_risk)),
    ]
    words = list(task.describe())
    if study.search is not None and task.search is not task:
        drift = study.search.drifts[0]
        words.append(
            "With one target and one distractor orientation this is search with drift "
            f"±{drift:.4g} per second, and is solved as such."
        )
    if len(study.places) < task.n_locations:
        words.append("Locations that never hold the target tell nothing and are left out below.")
    return Section(
        "task",
        "The task",
        (
            Text((" ".join(words),)),
            Table(("", ""), tuple(rows)),
            Code(_compact(toml), title="As a task file, defaults included"),
        ),
    )


def _compact(toml: str) -> str:
    """Put every array on one line."""
    joined = re.sub(r"\n[ \t]+", " ", toml)
    return re.sub(r",?\s*\n?\]", "]", joined.replace("[ ", "[")).strip()


def read_task_and_costs(
    path: Path,
    *,
    time: Sequence[float] | None = None,
    miss: float | None = None,
    false_alarm: float | None = None,
) -> tuple[Task, Costs]:
    r"""Read a task and its costs.

    Parameters
    ----------
    path : Path
        Of a TOML file, see `popout.load_task`.
    time : sequence of float, optional
        Risk per second; two numbers are target absent, target present.
    miss, false_alarm : float, optional
        What is given replaces the entry of the file's ``[costs]``.

    Returns
    -------
    task, costs : Task, Costs

    Raises
    ------
    InputError
        With every fault of the file, or of the costs, or if there are none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "task.toml"
    ...     _ = path.write_text('kind = "search"\nn_locations = 2\ndrift = 4.0')
    ...     read_task_and_costs(path, time=(0.2,))[1]
    Costs(time=0.2, miss=1.0, false_alarm=1.0)
    """
    document = Document.load(path)
    pair = None if time is None else time[0] if len(time) == 1 else tuple(time)
    options = {"time": pair, "miss": miss, "false_alarm": false_alarm}
    given = {key: value for key, value in options.items() if value is not None}
    table = document.values.get("costs", {})
    if isinstance(table, dict) and "costs" in document.values:  # it may leave out what is given
        values = {**document.values, "costs": {**given, **table}}
        document = replace(document, values=values)
    faults = DocumentFaults(document)
    task = Task.read(faults, also=["costs"])
    if "costs" in document.values:
        Costs.read(faults, ("costs",))
    faults.raise_if_any()
    assert task is not None
    table = {**table, **given}
    if "time" not in table:
        missing = Faults("")
        expected = "a cost of time in the file's [costs] or with --time-cost"
        missing.add("costs.time", expected, None, "add [costs] with time = 0.2, say")
        missing.raise_if_any()
    return task, Costs(**table)
