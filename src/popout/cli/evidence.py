"""``popout evidence TASK.toml``: how well the displays of a task can be read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

import popout as po
from popout.cli.options import (
    json_option,
    number_option,
    seed_option,
    threads_option,
    trials_option,
)
from popout.cli.output import write_card, write_json, write_table
from popout.cli.progress import progress


@click.command(
    "evidence",
    epilog="""\b
Examples:
  popout evidence examples/tasks/homogeneous.toml
  popout evidence TASK.toml --trials 20000 --seconds 0.2 --json""",
)
@click.argument("task_file", metavar="TASK.toml", type=click.Path(path_type=Path))
@trials_option(10_000, "Displays to draw.", most=10**8)  # whose readings are kept
@number_option("--seconds", "seconds", "0.5", "Observation time of each.", 0.5)
@seed_option
@threads_option
@json_option
def command(task_file: Path, trials: int, seconds: float, seed: int, as_json: bool) -> None:
    """Draw displays from a task and see how well they can be read.

    Prints how the accuracy of the best answer, the confidence in it and the localisation of the
    target grow with observation time, and whether the posterior is calibrated: whether a target is
    there on 80 % of the displays on which it says 80 %. --json has the posterior and its
    calibration in full.

    For a scene whose number of items is unknown it also prints the bias of the paper's treatment:
    its log likelihood ratio minus the exact one, on the same observations.
    """
    task = po.load_task(task_file)
    with progress("drawing displays") as update:
        result = po.reliability(task, trials, seconds, seed, progress=update)
    is_scene = bool(task.displays().counts)
    bias = po.scene_complexity_bias(task, trials, seconds, seed) if is_scene else None
    if as_json:
        asked = {"trials": trials, "seconds": seconds, "seed": seed}
        scene = {} if bias is None else {"scene_bias": asdict(bias)}
        write_json({**asked, **result.as_dict(), **scene})
        return
    write_card(result.card())
    if bias is not None:
        _show_bias(bias)


def _show_bias(bias: po.SceneBias) -> None:
    means = {
        "target absent": bias.absent,
        "target present": bias.present,
        "towards zero": bias.towards_zero,
        "information lost": bias.information_lost,
        **{f"M_d = {n}": mean for n, mean in zip(bias.counts, bias.by_count, strict=True)},
    }
    click.echo()
    write_table(
        f"S(paper) - S(exact) after {bias.duration:g} s",
        ("displays", "mean (nats)", "s.e."),
        [(name, mean.value, mean.se) for name, mean in means.items()],
        note="towards zero: positive if the paper's ratio is conservative.",
    )
