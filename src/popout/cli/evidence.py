"""``popout evidence TASK.toml``: how well the displays of a task can be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import popout as po
from popout.cli.options import json_option, seed_option, threads_option
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress

if TYPE_CHECKING:
    from popout.analysis.reliability import Reliability


@click.command("evidence")
@click.argument("task_file", metavar="TASK.toml", type=click.Path(path_type=Path))
@click.option("--trials", type=int, default=10_000, show_default=True, help="Displays to draw.")
@click.option(
    "--seconds", type=float, default=0.5, show_default=True, help="Observation time of each."
)
@seed_option
@threads_option
@json_option
def command(task_file: Path, trials: int, seconds: float, seed: int, as_json: bool) -> None:
    """Draw displays from a task and see how well they can be read.

    Prints how the posterior of presence, the accuracy of the best answer and the localisation of
    the target grow with observation time, and whether the posterior is calibrated: whether a target
    is there on 80 % of the displays on which it says 80 %.
    """
    task = po.load_task(task_file)
    with progress("drawing displays", total=trials) as update:
        found = po.reliability(task, trials, seconds, seed, progress=update)
    result = {
        "trials": trials,
        "seconds": seconds,
        "seed": seed,
        "over_time": found.over_time.to_dict("records"),
        "calibration": found.calibration.to_dict("records"),
    }
    if as_json:
        write_json(result)
    else:
        _show(found, trials)


def _show(found: Reliability, trials: int) -> None:
    write_table(
        f"P(target) on {trials} displays, by observation time",
        ("time (s)", "P if present", "P if absent", "accuracy", "s.e.", "confidence", "located"),
        found.over_time.itertuples(index=False),
        note="confidence: accuracy as the observer expects it. located: targets found in place.",
    )
    write_table(
        "Calibration of the posterior at the last time",
        ("P from", "to", "displays", "predicted", "observed", "s.e.", "z"),
        found.calibration.itertuples(index=False),
        note="z: (observed - predicted) / s.e.; a calibrated posterior rarely leaves -3 to 3.",
    )
