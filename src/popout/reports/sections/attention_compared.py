"""Section: attention compared, on the same displays, with thresholds tuned for each policy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.compare import compare
from popout.analysis.comparison import Comparison
from popout.analysis.joint_compare import ATTENTION
from popout.analysis.pictures import draw_comparison
from popout.analysis.tune import MAX_EXACT
from popout.drawing.style import panel, styled
from popout.progress import Progress
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, percent, with_error

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


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return risks, excesses, errors and response times."""
    task, effort = study.task, study.effort
    few = sum(p > 0 for p in task.location_prior) <= MAX_EXACT
    table = compare(
        task,
        study.costs,
        "sprt-opt",
        attention=ATTENTION,
        n_trials=max(1000, effort.score_trials // SHARE),
        tune_trials=max(1000, effort.tune_trials // TUNE_SHARE),
        seed=study.seed,
        progress=progress,
    )
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


def as_table(data: xr.Dataset, **cell: object) -> Comparison:
    """Return the numbers as `compare` returned them, as far as a picture needs them."""
    frame = data[list(NUMBERS)].to_dataframe().reset_index()
    frame = frame.rename(columns={"strategy": "attention"}).assign(strategy=data.attrs["stopping"])
    usual = {"locations": 0, "time_cost": 0.0, "reference": data.attrs["reference"]}
    return Comparison(pd.DataFrame(frame).assign(**{**usual, **cell}))


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw excess risk, response times and errors."""
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplots(1, 3)
    for ax, letter, what in zip(axes, "abc", ("excess", "rt", "errors"), strict=True):
        draw_comparison(as_table(data), ax, what)
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


ATTENTION_COMPARED = StudyPart(
    "strategies",
    "Attention compared",
    compute,
    effort=15.0,
    draw=draw,
    describe=describe,
    summary=summary,
)
