r"""With eye movements: how long to fixate, where the observer is free to choose.

Three items on a line, 1.25 :math:`e_0` apart, cost of time 0.2/s. Panels: (a) mean duration of the
optimum's fixations against the time that a saccade takes, for several rates of information; (b) the
information that such a fixation brings at the point of gaze, :math:`\Lambda` times the duration,
against the information that a saccade misses.

The optimum is solved; durations are means over trials of it, with standard errors. The last
fixation of a trial, which the answer ends, counts as one.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.style import SHADES, log_axis, panel, styled
from popout.exact import solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress
from popout.reports.cells import SECONDS, Variables, labelled, over
from popout.reports.words import fixed
from popout.simulation import simulate
from popout.task import Costs, GazeTask

ITEMS, FALLOFF, COST = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)), 0.8, 0.2
RTOL = 1e-2
TRIALS = 20_000
UNITS = {"saccade": SECONDS, "rate": {"units": "1/s"}}


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks, and means of durations and numbers of fixations."""
    gaze = preset.gaze
    axes = {"rate": gaze.rates, "saccade": gaze.saccades}
    noise = fresh_seed(seed, Purpose.STUDY_SCORE)

    def cell(rate: float, saccade: float) -> Variables:
        task = GazeTask(
            ITEMS, information=rate, falloff=FALLOFF, fixation="free", step=gaze.step,
            saccade=saccade,
        )  # fmt: skip
        best = solve(task, Costs(time=COST), RTOL)
        eyes = simulate(task, best.observer, TRIALS, noise).fixations
        duration, se = eyes.mean_duration
        return {
            "risk": best.risk,
            "risk_error": best.risk_error,
            "duration": ((), duration, SECONDS),
            "duration_se": ((), se, SECONDS),
            "fixations": float(eyes.number.mean()),
        }

    points = {name: xr.Variable(name, list(at), UNITS[name]) for name, at in axes.items()}
    return labelled(over(axes, cell, progress), points, {"step": gaze.step, "time_cost": COST})


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw durations in seconds, and in units of information."""
    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel(left, "a", "how long fixations last")
    panel(right, "b", "in units of information")
    saccade = data["saccade"].to_numpy()
    for number, rate in enumerate(data["rate"].to_numpy()):
        at = data.sel(rate=rate)
        look = {"color": SHADES[number % len(SHADES)], "marker": "o", "capsize": 2}
        duration, se = at["duration"].to_numpy(), at["duration_se"].to_numpy()
        left.errorbar(1e3 * saccade, 1e3 * duration, 1e3 * se, label=f"Λ = {rate:g}/s", **look)
        right.errorbar(rate * saccade, rate * duration, rate * se, **look)
    log_axis(left, 1e3 * saccade)
    left.set(xlabel="saccade (ms)", ylabel="mean fixation (ms)", ylim=(0.0, None))
    log_axis(right, np.unique(np.outer(data["rate"], saccade).round(6)), digits=2)
    right.set(
        xlabel="missed by a saccade, $\\Lambda s$", ylabel="brought by a fixation, $\\Lambda D$"
    )
    right.set_ylim(0.0, None)
    left.legend()
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say how durations go with saccades and information."""
    duration = 1e3 * data["duration"]
    slow, quick = duration.isel(saccade=-1), duration.isel(saccade=0)
    s = 1e3 * data["saccade"].to_numpy()
    parts = [
        f"from {fixed(float(quick.sel(rate=rate)))} to {fixed(float(slow.sel(rate=rate)))} ms at "
        f"Λ = {rate:g}/s"
        for rate in data["rate"].to_numpy()
    ]
    return (
        "Three items on a line; the observer chooses every "
        f"{1e3 * data.attrs['step']:g} ms whether gaze stays or moves.",
        f"(a) From saccades of {s[0]:g} ms to such of {s[-1]:g} ms mean durations of the optimum "
        f"go {', '.join(parts)}. (b) The same in units of information. Bars: one standard error.",
        "Where saccades cost so much that gaze hardly moves, a fixation lasts as long as the "
        f"trial: they run from {fixed(float(data['fixations'].max()))} fixations a trial to "
        f"{fixed(float(data['fixations'].min()))}.",
    )


FIXATION_DURATIONS = PaperPart(
    "fixation-durations", "With eye movements: how long to fixate", compute, 4.0, draw, describe
)
