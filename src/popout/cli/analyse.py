"""``popout analyse TASK.toml``: the whole analysis of a task, as a report."""

from __future__ import annotations

import os
from pathlib import Path

import click

from popout.cli.options import (
    PerClassCost,
    json_option,
    number_option,
    preset_option,
    seed_option,
    threads_option,
)
from popout.cli.output import write_json
from popout.cli.progress import progress
from popout.cli.quantities import PerClass, Whole


@click.command(
    "analyse",
    epilog="""\b
Examples:
  popout analyse examples/tasks/homogeneous.toml --out results/homogeneous
  popout analyse TASK.toml --time-cost 0.5 --trials 20000 --out results --json""",
)
@click.argument("task_file", metavar="TASK.toml", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for the page, the pictures and the data.",
)
@preset_option("quick", "thorough")
@click.option(
    "--trials",
    type=Whole(at_most=10**9),
    default=None,
    help="Trials on which strategies are scored, instead of the preset's; at least 1000.",
)
@click.option(
    "--time-cost",
    type=PerClass(),
    default=None,
    help="Risk per second, instead of the file's; each class its own as in present=0.1:absent=0.2.",
)
@number_option("--miss", "number", "1", "Cost of a miss, instead of the file's.")
@number_option("--false-alarm", "number", "1", "Cost of a false alarm, instead of the file's.")
@seed_option
@threads_option
@json_option
def command(
    task_file: Path,
    out: Path,
    preset: str,
    trials: int | None,
    time_cost: PerClassCost | None,
    miss: float | None,
    false_alarm: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Analyse a task of your own and write a report on it.

    The page (report.html) shows displays, the evidence over time, when to stop, strategies
    compared, the risk against the cost of time, and response times; the exact optimum is among them
    where it can be solved. Data and pictures lie beside it. Costs come from the file's [costs] or
    from the options. A repeated or interrupted run continues where it was.
    """
    # The matrices are small: a pool of BLAS threads gains nothing and contends with other work.
    # BLAS reads this once, when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.reports.analyse import analyse, read_task_and_costs

    time = (time_cost,) if isinstance(time_cost, float) else time_cost
    task, costs = read_task_and_costs(task_file, time=time, miss=miss, false_alarm=false_alarm)
    with progress("analysing") as update:
        report = analyse(
            task,
            costs,
            out,
            name=task_file.stem,
            preset=preset,
            trials=trials,
            seed=seed,
            progress=update,
        )
    write_json(report) if as_json else click.echo(str(report))
