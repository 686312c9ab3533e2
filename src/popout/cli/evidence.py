"""``popout evidence TASK.toml``: how well the displays of a task can be read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import popout as po
from popout.cli import options
from popout.cli.output import show, write_json
from popout.cli.progress import progress


@options.command
@options.file("task_file", "TASK.toml")
@options.trials("--trials n_trials", 10_000, "Displays to draw.", most=10**8)  # which are kept
@options.number("--seconds", "seconds", "0.5", "Observation time of each.", 0.5)
@options.common
def command(task_file: Path, as_json: bool, **how: Any) -> None:
    """Draw displays from a task and see how well they can be read.

    Prints how the accuracy of the best answer, the confidence in it and the localisation of the
    target grow with observation time, and whether the posterior is calibrated: whether a target is
    there on 80 % of the displays on which it says 80 %. --json has the posterior and its
    calibration in full.

    For a scene whose number of items is unknown it also prints the bias of the paper's treatment:
    its log likelihood ratio minus the exact one, on the same observations.

    Examples
    --------
    popout evidence examples/tasks/homogeneous.toml
    popout evidence TASK.toml --trials 20000 --seconds 0.2 --json
    """
    task = po.load_task(task_file)
    with progress("drawing displays") as update:
        result = po.reliability(task, progress=update, **how)
    is_scene = bool(task.displays().counts)
    bias = (
        po.scene_complexity_bias(task, how["n_trials"], how["seconds"], how["seed"])
        if is_scene
        else None
    )
    if as_json:
        asked = {"trials": how.pop("n_trials"), **how}
        scene = {} if bias is None else {"scene_bias": asdict(bias)}
        write_json({**asked, **result.as_dict(), **scene})
    else:
        show(result, False, *([] if bias is None else [str(bias)]))
