"""Section: displays drawn from the task, with and without a target.

Some tasks say how fast evidence comes in, not what the items look like; their bars are drawn
upright (target) and tilted (distractor) for illustration.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.reliability import example_displays
from popout.drawing.display_picture import draw_display
from popout.drawing.representation import listing
from popout.drawing.style import styled
from popout.progress import Progress
from popout.reports.cells import labelled
from popout.reports.study import Study, StudyPart

EXAMPLES = 4
CLASSES = ("present", "absent")
DRAWN = 64
"""Displays to choose from, so that those shown differ in mixture or set size where they can."""


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return displays of either class; NaN is a blank location, target -1 is none."""
    task = study.task
    shape = (len(CLASSES), EXAMPLES)
    tilt, target = np.full((*shape, task.n_locations), np.nan), np.full(shape, -1)
    for k, kind in enumerate(CLASSES):
        tilt[k], target[k] = example_displays(task, EXAMPLES, study.seed, kind, drawn=DRAWN)
    return labelled(
        {
            "tilt": (("class", "example", "location"), tilt, {"units": "degrees"}),
            "target": (("class", "example"), target),
        },
        {"class": CLASSES},
        {"illustration": int(task.is_illustrated)},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw a row of displays for each class."""
    figure = Figure(figsize=(9.6, 5.0), layout="constrained")
    axes = figure.subplots(len(CLASSES), data.sizes["example"])
    for row, kind in enumerate(CLASSES):
        for k in range(data.sizes["example"]):
            example = data.sel({"class": kind}).isel(example=k)
            draw_display(axes[row, k], example["tilt"].to_numpy(), int(example["target"]))
        axes[row, 0].set_ylabel(f"target {kind}")
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the displays show."""
    M = data.sizes["location"]
    places = "1 location" if M == 1 else f"{M} locations"
    words = f"Displays with {places} drawn from the task; the target is coloured for the reader."
    if data.attrs["illustration"]:
        return (words, "The task gives drift rates, not orientations: the tilts are illustration.")
    tilts = data["tilt"].to_numpy()
    seen = [f"{value:g}°" for value in np.unique(tilts[np.isfinite(tilts)])]
    items = np.unique(np.isfinite(tilts).sum(axis=-1))
    counts = listing([str(int(n)) for n in items], "or")
    many = "item" if list(items) == [1] else "items"
    return (words, f"Those shown hold {counts} {many}, at {listing(seen)}.")


DISPLAYS = StudyPart("displays", "Displays", compute, 1.0, draw, describe)
