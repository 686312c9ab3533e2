"""Section: the same information on smaller and larger displays: slopes in ms per item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.compare import compare
from popout.analysis.comparison import Comparison, with_slopes
from popout.analysis.joint_compare import ATTENTION
from popout.analysis.pictures import draw_comparison
from popout.drawing.style import panel, styled
from popout.progress import Progress
from popout.reports.page import Table
from popout.reports.sections.attention_compared import NUMBERS, SHARE, TUNE_SHARE
from popout.reports.study import Study, StudyPart
from popout.reports.words import with_error
from popout.task.look import Shares

FACTORS = (0.5, 1.0, 2.0)
"""Set sizes, in units of the task's own."""
LEAST = 4
"""Smallest set that is doubled and halved; smaller tasks start from it."""
SLOPES = tuple(f"rt_slope_{side}{end}" for side in ("absent", "present") for end in ("", "_se"))


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return errors, response times and slopes of each policy and set size."""
    look, effort = study.task.look, study.effort
    assert isinstance(look, Shares)
    task: Any = study.task  # of a kind that has a visibility
    seen = float(np.dot(task.location_prior, look.visibility))
    base = max(task.n_locations, LEAST)
    sizes = sorted({round(factor * base) for factor in FACTORS})
    tasks = [
        replace(task, n_locations=M, visibility=seen, location_prior=(1.0 / M,) * M) for M in sizes
    ]
    table = compare(
        tasks,
        study.costs,
        "sprt-opt",
        attention=ATTENTION,
        n_trials=max(1000, effort.score_trials // (2 * SHARE)),
        tune_trials=max(1000, effort.tune_trials // TUNE_SHARE),
        seed=study.seed,
        progress=progress,
    )
    names = table["attention"].unique().tolist()
    shape, cell = (len(sizes), len(names)), ("set_size", "strategy")
    data = {name: (cell, table[name].to_numpy(np.float64).reshape(shape)) for name in NUMBERS}
    slopes = {name: (("strategy",), table[name].to_numpy()[: len(names)]) for name in SLOPES}
    return xr.Dataset(
        data | slopes,
        coords={"set_size": ("set_size", sizes), "strategy": ("strategy", names)},
        attrs={"visibility": seen, "stopping": table["strategy"].iloc[0]},
    )


def _table(data: xr.Dataset) -> Comparison:
    frame = data[list(NUMBERS)].to_dataframe().reset_index()
    frame = frame.rename(columns={"strategy": "attention", "set_size": "locations"})
    rest = {"strategy": data.attrs["stopping"], "time_cost": 0.0, "reference": "the best"}
    return with_slopes(Comparison(frame.assign(**rest)))


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw response times and errors over set size."""
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, letter, what in zip(axes, "ab", ("rt", "errors"), strict=True):
        draw_comparison(_table(data), ax, what)
        panel(ax, letter)
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what was varied."""
    return (
        "The same information and costs on displays of other sizes, every location with a "
        f"visibility of {data.attrs['visibility']:.3g} and as likely as any other. (a) Mean "
        "response times and (b) errors, target absent (open) and present (filled).",
    )


def tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return the slopes."""
    rows = []
    for name in data["strategy"].to_numpy():
        one = data.sel(strategy=name)
        slopes = [
            with_error(float(one[f"rt_slope_{side}"]), float(one[f"rt_slope_{side}_se"]))
            for side in ("absent", "present")
        ]
        ratio = float(one["rt_slope_absent"] / one["rt_slope_present"])
        rows.append((str(name), *slopes, f"{ratio:.2f}"))
    heads = ("attention", "absent (ms/item)", "present (ms/item)", "ratio")
    return (Table(heads, tuple(rows), title="Slopes of the mean response time"),)


SET_SIZE = StudyPart(
    "set-size", "Set size", compute, effort=25.0, draw=draw, describe=describe, tables=tables
)
