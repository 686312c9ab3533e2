"""``popout analyse TASK.toml``: the whole analysis of a task of your own, as a report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from popout.cli import options
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import PerClass, Whole


@options.command
@options.file("task_file", "TASK.toml")
@options.folder("Folder for the page, the pictures and the data.", required=True)
@options.preset("quick", "thorough")
@options.option(
    "--trials",
    Whole(at_most=10**9),
    "Trials on which strategies are scored, instead of the preset's; at least 1000.",
)
@options.option(
    "--time-cost time",
    PerClass(),
    "Risk per second, instead of the file's; each class its own as in present=0.1:absent=0.2.",
)
@options.number("--miss", "number", "1", "Cost of a miss, instead of the file's.")
@options.number("--false-alarm", "number", "1", "Cost of a false alarm, instead of the file's.")
@options.common
def command(
    task_file: Path,
    time: float | tuple[float, float] | None,
    miss: float | None,
    false_alarm: float | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Analyse a task of your own and write a report on it.

    The page (report.html) shows displays, the evidence over time, when to stop, strategies
    compared, the risk against the cost of time, and response times; the exact optimum is among them
    where it can be solved. Data and pictures lie beside it. Costs come from the file's [costs] or
    from the options. A repeated or interrupted run continues where it was.

    Examples
    --------
    popout analyse examples/tasks/homogeneous.toml --out results/homogeneous
    popout analyse TASK.toml --time-cost 0.5 --trials 20000 --out results --json
    """
    # The matrices are small: a pool of BLAS threads gains nothing and contends with other work.
    # BLAS reads this once, when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.reports.analyse import analyse, read_task_and_costs

    times = (time,) if isinstance(time, float) else time
    task, costs = read_task_and_costs(task_file, time=times, miss=miss, false_alarm=false_alarm)
    with progress("analysing") as update:
        report = analyse(task, costs, name=task_file.stem, progress=update, **how)
    show(report, as_json)
