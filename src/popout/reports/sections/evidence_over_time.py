r"""Section: the log likelihood ratio of presence over time, and how well it can be read.

Panels: (a) quantiles of :math:`S(t)` by class, with a few trials; (b) the area under the ROC curve
of :math:`S(t)` (the probability that a display with a target has the higher ratio), the accuracy of
the best answer after that time and how often the most probable location is the right one; (c) the
calibration of the posterior at the end (see `popout.analysis.reliability`).
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.analysis.reliability import reliability
from popout.drawing.style import ABSENT, PRESENT, panel, styled
from popout.progress import Progress
from popout.reports.cells import NATS, SECONDS, labelled
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, percent

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
CLASSES = ("absent", "present")
SHOWN = 4
POINTS, TIMES = 120, 16
"""Looks at which quantiles are taken, and at which displays are read."""
FEWEST = 50
"""Displays with a target from which the share of targets located is told."""
CERTAIN = 0.99
"""The evidence is followed until the best answer is right so often, or to the horizon."""


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return quantiles, examples, and the readings of an observer who is stopped at each time."""
    paths = study.paths
    task, dt = study.task, study.task.dt
    present = paths.present
    right = (paths.odds > 0) == present[:, None]
    absent_right, present_right = (right[of_class].mean(axis=0) for of_class in _by(present))
    accuracy = (1 - task.prior) * absent_right + task.prior * present_right
    # Where a class is rare, saying the other is as often right without looking.
    sure = np.flatnonzero(accuracy >= max(CERTAIN, (1 + accuracy[0]) / 2))
    last = int(min(max(1.25 * sure[0] if sure.size else paths.odds.shape[1], 8), study.looks))
    looks = np.unique(np.linspace(0, last, min(last, POINTS) + 1).round().astype(int))
    S = paths.odds[:, : last + 1].astype(np.float64) - task.log_prior_odds
    quantile = [np.quantile(S[of_class][:, looks], QUANTILES, axis=0) for of_class in _by(present)]
    examples = [S[np.flatnonzero(of_class)[:SHOWN]][:, looks] for of_class in _by(present)]
    progress(0.5, "reading displays")
    n = _displays(study, last)
    readings = reliability(task, n, last * dt, study.seed, n_times=min(last, TIMES))
    over, bins = readings.over_time, readings.calibration
    if n * task.prior < FEWEST:
        over["location_accuracy"] = np.nan
    read = ("accuracy", "accuracy_se", "location_accuracy")
    counted = {"predicted": "predicted", "observed": "observed", "observed_se": "se"}
    return labelled(
        {
            "S": (("class", "quantile", "time"), quantile, NATS),
            "example": (("class", "trial", "time"), examples, NATS),
            "auc": (("time",), [_auc(S[:, k], present) for k in looks]),
            **{name: (("reading",), over[name].to_numpy()) for name in read},
            "reading_time": (("reading",), over["time"].to_numpy(), SECONDS),
            **{name: (("bin",), bins[key].to_numpy()) for name, key in counted.items()},
            "bin_trials": (("bin",), bins["trials"].to_numpy().astype(float)),
        },
        {"time": looks * dt, "class": CLASSES, "quantile": QUANTILES},
        {"trials": n, "locations": task.n_locations},
    )


def _displays(study: Study, looks: int) -> int:
    """Return how many displays are read: as many as there are paths, more where a class is rare."""
    rare = min(study.task.prior, 1 - study.task.prior)
    room = study.effort.numbers // (looks * study.width)
    return max(study.path_trials, min(math.ceil(FEWEST / rare), room))


def _by(present: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return ~present, present


def _auc(S: NDArray[np.float64], present: NDArray[np.bool_]) -> float:
    """Return the probability that a trial with a target has the higher S; ties count half."""
    n1, n0 = int(present.sum()), int((~present).sum())
    if not n1 or not n0:
        return float("nan")
    from scipy.stats import rankdata  # slow to import

    rank = rankdata(S)
    return float((rank[present].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the three panels."""
    figure = Figure(figsize=(10.0, 3.6), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(1.35, 1.0, 0.9))
    panel(axes[0], "a", "log likelihood ratio of presence")
    for kind, colour in zip(CLASSES, (ABSENT, PRESENT), strict=True):
        _fan(axes[0], data.sel({"class": kind}), colour, f"target {kind}")
    axes[0].axhline(0, color="0.6", linewidth=0.8)
    axes[0].set(xlabel="time (s)", ylabel="$S(t)$ (nats)")
    axes[0].legend(title="median, 50 % and 90 %", loc="upper left")
    panel(axes[1], "b", "if stopped at this time")
    axes[1].plot(data["time"], data["auc"], color="0.1", label="area under ROC curve")
    readings = data["reading_time"]
    axes[1].plot(readings, data["accuracy"], color="#0072B2", linestyle="--", label="accuracy")
    if _located(data):
        look = {"color": "#E69F00", "linestyle": ":", "linewidth": 2.0}
        axes[1].plot(readings, data["location_accuracy"], label="target located", **look)
    axes[1].set(xlabel="time (s)", ylabel="probability", ylim=(None, 1.02), xlim=(0, None))
    axes[1].legend(loc="lower right")
    panel(axes[2], "c", "calibration at the end")
    axes[2].plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    look = {"fmt": "o", "color": "0.1", "capsize": 2}
    share, se = data["observed"], data["observed_se"]
    within = [np.minimum(se, share), np.minimum(se, 1 - share)]  # a share is from 0 to 1
    axes[2].errorbar(data["predicted"], share, within, **look)
    axes[2].set(xlabel="posterior of presence", ylabel="share with a target", aspect="equal")
    return figure


def _located(data: xr.Dataset) -> bool:
    """Whether it is known how often the target is found where it is."""
    return data.attrs["locations"] > 1 and bool(np.isfinite(data["location_accuracy"]).all())


def _fan(ax: Axes, of_class: xr.Dataset, colour: str, label: str) -> None:
    """Draw quantiles as shades around the median, and single trials as thin lines."""
    t, S = of_class["time"], of_class["S"].to_numpy()
    ax.fill_between(t, S[0], S[4], color=colour, alpha=0.18, linewidth=0)
    ax.fill_between(t, S[1], S[3], color=colour, alpha=0.32, linewidth=0)
    ax.plot(t, of_class["example"].T, color=colour, linewidth=0.6)
    ax.plot(t, S[2], color=colour, linewidth=2.4, label=label)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say how the evidence grows and whether the posterior is calibrated."""
    t, auc = data["time"].to_numpy(), data["auc"].to_numpy()
    middle = {kind: float(data["S"].sel({"class": kind, "quantile": 0.5})[-1]) for kind in CLASSES}
    enough = np.flatnonzero(auc >= 0.9)
    reached = f"reaches 0.9 after {fixed(t[enough[0]], 2)} s" if enough.size else "stays below 0.9"
    z = ((data["observed"] - data["predicted"]) / data["observed_se"]).to_numpy()
    z = z[np.isfinite(z)]
    far = int((np.abs(z) > 3).sum())
    sentences = [
        f"(a) After {fixed(t[-1], 2)} s the median log likelihood ratio is "
        f"{fixed(middle['absent'], 2)} nats without and {fixed(middle['present'], 2)} nats with a "
        "target.",
        f"(b) The area under the ROC curve {reached} and ends at {auc[-1]:.3f}; an observer "
        f"stopped then is right on {percent(float(data['accuracy'][-1]), 3)} of displays"
        + (
            f" and locates {percent(float(data['location_accuracy'][-1]), 3)} of targets."
            if _located(data)
            else "."
        ),
        f"(c) Of {z.size} bins of the posterior {far or 'none'} "
        f"{'is' if far <= 1 else 'are'} more than 3 standard errors from the share of displays "
        f"with a target ({data.attrs['trials']} displays).",
    ]
    return tuple(sentences)


EVIDENCE = StudyPart("evidence", "Evidence", compute, 4.0, draw, describe)
