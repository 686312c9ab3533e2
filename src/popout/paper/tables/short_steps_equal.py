"""Risk against set size with steps shorter than the paper's 10 ms (beside Figure 5).

At drift 12/s a step of 10 ms is a third of the response time, so that much of what the strategies
do is overshoot. The figure's computation (`popout.paper.figures.homogeneous_risk`) is repeated with
steps of a millisecond and less, at fewer set sizes, with fewer trials and without lower bounds; the
variables are those of the figure, with the step as one more dimension.
"""

from __future__ import annotations

from dataclasses import replace

import xarray as xr

from popout.paper.figures.homogeneous_risk import at_step
from popout.paper.preset import Preset
from popout.progress import Progress, stretch

TITLE = "Risk against set size with short steps"
EFFORT = 15.0

SCORE_SHARE, TUNE_SHARE = 5, 5
"""One in this many of the preset's trials: a trial has ten times as many steps."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the data of the figure for every short step."""
    fewer = replace(
        preset,
        set_sizes=preset.short_sizes,
        exact_sizes=preset.short_sizes[:1],
        score_trials=preset.score_trials // SCORE_SHARE,
        tune_trials=preset.tune_trials // TUNE_SHARE,
    )
    steps = preset.short_steps
    return xr.concat(
        [
            at_step(
                dt,
                fewer,
                seed,
                stretch(progress, k / len(steps), (k + 1) / len(steps)),
                bounded=False,
            )
            for k, dt in enumerate(steps)
        ],
        xr.DataArray(list(steps), dims="dt", attrs={"units": "s"}, name="dt"),
    )
