"""Sections: attention compared on the same displays, and on smaller and larger ones.

Thresholds are tuned for each policy. Over set sizes the slopes of response times are told, in ms
per item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.compare import compare
from popout.analysis.comparison import Comparison, with_slopes
from popout.analysis.comparison_pictures import draw_comparison
from popout.analysis.tune import MAX_EXACT
from popout.drawing.style import panel, styled
from popout.policies.vocabulary import ATTENTION
from popout.progress import Progress
from popout.reports.page import Table
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, percent, with_error
from popout.task import Task
from popout.task.look import Shares

SHARE, TUNE_SHARE = 5, 10
"""Every 5th or 10th of the effort's trials is used: a guided step costs every location."""
NUMBERS = (
    "risk",
    "risk_se",
    "excess",
    "excess_se",
    "undecided",
    *(
        f"{what}_{side}{end}"
        for what in ("error_rate", "mean_rt")
        for side in ("absent", "present")
        for end in ("", "_se")
    ),
)
FACTORS = (0.5, 1.0, 2.0)
"""Set sizes, in units of the task's own."""
LEAST = 4
"""Smallest set that is doubled and halved; smaller tasks start from it."""
SLOPES = tuple(f"rt_slope_{side}{end}" for side in ("absent", "present") for end in ("", "_se"))


def _compared(
    study: Study, tasks: Task | Sequence[Task], n_trials: int, progress: Progress
) -> Comparison:
    """Compare ways to share out information, with SPRT-opt tuned for each."""
    return compare(
        tasks,
        study.costs,
        "sprt-opt",
        attention=ATTENTION,
        n_trials=max(1000, n_trials),
        tune_trials=max(1000, study.effort.tune_trials // TUNE_SHARE),
        seed=study.seed,
        progress=progress,
    )


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return risks, excesses, errors and response times."""
    few = sum(p > 0 for p in study.task.location_prior) <= MAX_EXACT
    table = _compared(study, study.task, study.effort.score_trials // SHARE, progress)
    return xr.Dataset(
        {name: (("strategy",), table[name].to_numpy(np.float64)) for name in NUMBERS},
        coords={"strategy": ("strategy", table["attention"].tolist())},
        attrs={
            "solved": int(few),
            "optimal_risk": float(table["risk"].iloc[0] - table["excess"].iloc[0]) if few else 0.0,
            "why_not": "" if few else "The joint optimum is solved up to three locations.",
            "reference": "the joint optimum" if few else table["reference"].iloc[0],
            "stopping": table["strategy"].iloc[0],
            "trials": int(table["trials"].iloc[0]),
        },
    )


def compute_set_sizes(study: Study, progress: Progress) -> xr.Dataset:
    """Return errors, response times and slopes of each policy and set size."""
    look = study.task.look
    assert isinstance(look, Shares)
    task: Any = study.task  # of a kind that has a visibility
    seen = float(np.dot(task.location_prior, look.visibility))
    base = max(task.n_locations, LEAST)
    sizes = sorted({round(factor * base) for factor in FACTORS})
    tasks = [
        replace(task, n_locations=M, visibility=seen, location_prior=(1.0 / M,) * M) for M in sizes
    ]
    table = _compared(study, tasks, study.effort.score_trials // (2 * SHARE), progress)
    names = table["attention"].unique().tolist()
    shape, cell = (len(sizes), len(names)), ("set_size", "strategy")
    data = {name: (cell, table[name].to_numpy(np.float64).reshape(shape)) for name in NUMBERS}
    slopes = {name: (("strategy",), table[name].to_numpy()[: len(names)]) for name in SLOPES}
    return xr.Dataset(
        data | slopes,
        coords={"set_size": ("set_size", sizes), "strategy": ("strategy", names)},
        attrs={"visibility": seen, "stopping": table["strategy"].iloc[0], "reference": "the best"},
    )


@styled
def draw(data: xr.Dataset, panels: tuple[str, ...] = ("excess", "rt", "errors")) -> Figure:
    """Draw excess risk, response times and errors, side by side or over set sizes."""
    frame = data[list(NUMBERS)].to_dataframe().reset_index()
    frame = frame.rename(columns={"strategy": "attention", "set_size": "locations"})
    rest = {"strategy": data.attrs["stopping"], "reference": data.attrs["reference"]}
    cells = {"time_cost": 0.0} | ({} if "locations" in frame else {"locations": 0})
    table = with_slopes(Comparison(frame.assign(**rest, **cells)))
    figure = Figure(figsize=(6.0 + 1.2 * len(panels), 3.5), layout="constrained")
    for ax, letter, what in zip(figure.subplots(1, len(panels)), "abc", panels, strict=False):
        draw_comparison(table, ax, what)
        panel(ax, letter)
    return figure


def summary(data: xr.Dataset) -> tuple[str, ...]:
    """Say who does best, and what the others lose."""
    return (f"{_best(data)} {_losses(data)}",)


def _best(data: xr.Dataset) -> str:
    best = data.isel(strategy=int(data["risk"].to_numpy().argmin()))
    risk = with_error(float(best["risk"]), float(best["risk_se"]))
    return (
        f"Of three ways to share out information, with {data.attrs['stopping']} tuned for each, "
        f"{best['strategy'].item()} attention risks least: {risk}."
    )


def _losses(data: xr.Dataset) -> str:
    least = float(data["risk"].min())
    lost = [
        f"{name} {percent(float(data['excess'].sel(strategy=name)) / least)}"
        for name in data["strategy"].to_numpy()
    ]
    return f"Excess over {data.attrs['reference']}, in terms of that risk: {', '.join(lost)}."


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say who does best, what the others lose, and how long they take."""
    return (
        _best(data),
        f"(a) {_losses(data)}",
        "(b) Mean response times and (c) errors, target absent (open) and present (filled); "
        f"{data.attrs['trials']} trials each. The slowest answer without a target takes "
        f"{fixed(float(data['mean_rt_absent'].max()))} s on average.",
    )


def describe_set_sizes(data: xr.Dataset) -> tuple[str, ...]:
    """Say which set sizes there are."""
    return (
        "The same information and costs on displays of other sizes, every location with a "
        f"visibility of {data.attrs['visibility']:.3g} and as likely as any other. (a) Mean "
        "response times and (b) errors, target absent (open) and present (filled).",
    )


def tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return the slopes."""
    rows = []
    for name in data["strategy"].to_numpy():
        policy = data.sel(strategy=name)
        slopes = [
            with_error(float(policy[f"rt_slope_{side}"]), float(policy[f"rt_slope_{side}_se"]))
            for side in ("absent", "present")
        ]
        ratio = float(policy["rt_slope_absent"] / policy["rt_slope_present"])
        rows.append((str(name), *slopes, f"{ratio:.2f}"))
    heads = ("attention", "absent (ms/item)", "present (ms/item)", "ratio")
    return (Table(heads, tuple(rows), title="Slopes of the mean response time"),)


ATTENTION_COMPARED = StudyPart(
    "strategies", "Attention compared", compute, 15.0, draw, describe, summary=summary
)
SET_SIZE = StudyPart(
    "set-size",
    "Set size",
    compute_set_sizes,
    effort=25.0,
    draw=partial(draw, panels=("rt", "errors")),
    describe=describe_set_sizes,
    tables=tables,
)
