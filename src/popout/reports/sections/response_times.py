"""Section: response times by class and answer.

Panels: (a, b) the distributions of correct answers and of errors under the best strategy, each with
an area of one; (c) the cumulative share of correct answers and (d) of errors under every strategy,
by class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.drawing.style import ABSENT, DASHES, PRESENT, key, look_of, panel, styled
from popout.policies.stopping import Action
from popout.progress import Progress
from popout.reports.cells import SECONDS, Variables, labelled, over
from popout.reports.page import Table
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, sentence

CLASSES = ("absent", "present")
ANSWERS = ("correct", "error")
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
BINS = 100
LAST, WIDER = 0.995, 2.0
"""The axis ends at this quantile of the slowest strategy, or at a multiple of that of the best."""
FEWEST = 20
"""Answers of a kind below which their quantiles are not given."""


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return counts and quantiles by strategy, class and answer."""
    runs = {entry.name: entry.trials for entry in study.contest(progress).entries}
    dt = study.task.dt
    ends = [float(np.quantile(trials.rt, LAST)) for trials in runs.values()]
    end = max(min(max(ends), WIDER * ends[0]), 10 * dt)
    width = max(1, round(end / dt / BINS))
    # A bin begins with a time that can occur; half a step keeps these off the edges.
    edges = np.arange(int(end / dt / width) + 2) * width * dt

    def cell(name: str, kind: str, answer: str) -> Variables:
        trials = runs[name]
        decided = trials.response != Action.WAIT
        right = trials.correct if answer == "correct" else ~trials.correct & decided
        times = trials.rt[(trials.present == (kind == "present")) & right]
        known = {
            "count": (("bin",), np.histogram(times, edges - dt / 2)[0]),
            "answers": times.size,
            "quantile": (("probability",), np.full(len(QUANTILES), np.nan), SECONDS),
            "mean": ((), np.nan, SECONDS),
        }
        if times.size >= FEWEST:
            q = np.quantile(times, QUANTILES, method="averaged_inverted_cdf")
            known["quantile"] = (("probability",), q, SECONDS)
            known["mean"] = ((), times.mean(), SECONDS)
        return known

    axes = {"strategy": runs, "class": CLASSES, "answer": ANSWERS}
    total = [[float((~run.present).sum()), float(run.present.sum())] for run in runs.values()]
    middles = xr.Variable("bin", (edges[1:] + edges[:-1]) / 2, SECONDS)
    return labelled(
        {**over(axes, cell), "trials": (("strategy", "class"), total)},
        axes | {"bin": middles, "probability": QUANTILES},
        {"bin_width": width * dt, "step": dt},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw distributions and cumulative shares."""
    figure = Figure(figsize=(10.0, 6.2), layout="constrained")
    axes = figure.subplots(2, 2)
    best = str(data["strategy"].to_numpy()[0])
    for ax, kind, colour, letter in zip(axes[0], CLASSES, (ABSENT, PRESENT), "ab", strict=True):
        panel(ax, letter, f"{look_of(best).label}, target {kind}")
        _shapes(ax, data.sel({"strategy": best, "class": kind}), colour, data.attrs["bin_width"])
    for ax, answer, letter in zip(axes[1], ANSWERS, "cd", strict=True):
        panel(ax, letter, f"cumulative: {'correct answers' if answer == 'correct' else 'errors'}")
        _cumulative(ax, data.sel(answer=answer), data.attrs["bin_width"])
    names = [str(name) for name in data["strategy"].to_numpy()]
    handles = [key(**look_of(name, k).line(linestyle="-")) for k, name in enumerate(names)]
    handles += [key(f"target {kind}", linestyle=dash) for kind, dash in DASHES.items()]
    axes[1, 0].legend(handles=handles, loc="lower right")
    return figure


def _shapes(ax: Axes, shown: xr.Dataset, colour: str, width: float) -> None:
    """Draw the distributions of correct answers and of errors, each with an area of one."""
    total = max(float(shown["trials"]), 1.0)
    for answer in ANSWERS:
        count = shown["count"].sel(answer=answer).to_numpy()
        number = float(shown["answers"].sel(answer=answer))
        words = f"{'correct' if answer == 'correct' else 'errors'}: {100 * number / total:.3g} %"
        if number < FEWEST:
            ax.plot([], [], " ", label=words)
            continue
        # Few answers are counted in broader bins, some ten to each.
        occupied = int((shown["count"].sum("answer") > 0).sum())
        merge = int(np.clip(np.ceil(10 * occupied / number), 1, 6))
        first = int(np.argmax(count > 0))
        count = np.add.reduceat(count[first:], np.arange(0, count.size - first, merge))
        edges = float(shown["bin"][first]) - width / 2 + width * merge * np.arange(count.size + 1)
        density = count / (number * width * merge)
        look: dict[str, Any] = {"fill": True, "color": colour, "alpha": 0.75}
        if answer == "error":
            look = {"fill": False, "edgecolor": "0.15", "linewidth": 1.2}
        ax.stairs(density, edges, label=words, **look)
    seen = np.flatnonzero(shown["count"].sum("answer").to_numpy())
    end = float(shown["bin"][seen[-1]]) + 2 * width if seen.size else None
    ax.set(xlabel="response time (s)", ylabel="density (1/s)", xlim=(0, end), ylim=(0, None))
    ax.legend(loc="best")


def _cumulative(ax: Axes, data: xr.Dataset, width: float) -> None:
    """Draw the cumulative share of trials; solid with a target, dotted without."""
    for number, name in enumerate(data["strategy"].to_numpy()):
        look = look_of(str(name), number)
        for kind, dash in DASHES.items():
            curve = data.sel({"strategy": name, "class": kind})
            share = 100 * curve["count"].cumsum("bin") / curve["trials"]
            line = look.line(linestyle=dash, linewidth=1.2 if look.width < 2 else 3.0)
            # All of a bin have answered at its last step, and nobody between two steps.
            last = data["bin"] + width / 2 - data.attrs["step"]
            ax.plot(last, share, drawstyle="steps-post", **line)
    ax.set(xlabel="response time (s)", ylabel="trials of the class (%)", ylim=(0, None))


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say whether errors are faster or slower, and how skewed the distributions are."""
    best = str(data["strategy"].to_numpy()[0])
    times = data.sel(strategy=best)
    parts, skew = [], []
    for kind in CLASSES:
        right, wrong = (float(times["mean"].sel({"class": kind, "answer": a})) for a in ANSWERS)
        what = "misses" if kind == "present" else "false alarms"
        if np.isfinite(wrong) and not np.isfinite(right):
            parts.append(f"{what} take {fixed(wrong)} s on average")
        elif np.isfinite(wrong):
            way = "slower" if wrong > right else "faster"
            parts.append(
                f"{what} take {fixed(wrong)} s on average, {fixed(abs(wrong - right))} s {way} "
                "than correct answers"
            )
        else:
            parts.append(f"there are too few {what} for their times")
        q = times["quantile"].sel({"class": kind, "answer": "correct"}).to_numpy()
        spread = f"10 to 90 %: {fixed(q[0])} to {fixed(q[4])} s"
        few = f"not given for target {kind} (fewer than {FEWEST} of them)"
        skew.append(f"{fixed(q[2])} s ({kind}, {spread})" if np.isfinite(q[2]) else few)
    return (
        f"(a, b) Median of correct answers under {'the optimum' if best == 'optimal' else best}: "
        f"{' and '.join(skew)}. {sentence(parts[0])}; {parts[1]}.",
        "(c, d) Cumulative shares of the trials of a class, under every strategy; answers after "
        "the end of the axis, or at the time limit, are missing from the curves.",
    )


def tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return the quantiles that modellers fit."""
    rows = []
    for name in data["strategy"].to_numpy():
        if name == "fixed time":
            continue
        for kind in CLASSES:
            for answer in ANSWERS:
                cell = data.sel({"strategy": name, "class": kind, "answer": answer})
                q = cell["quantile"].to_numpy()
                if not np.isfinite(q).all():
                    continue
                share = 100 * float(cell["answers"]) / max(float(cell["trials"]), 1.0)
                words = f"{name}, target {kind}, {answer}"
                rows.append((words, f"{share:.3g}", *(f"{v:.3f}" for v in q)))
    columns = ("answers", "share (%)", *(f"{100 * p:g} %" for p in QUANTILES))
    note = f"Not given for fewer than {FEWEST} answers."
    return (Table(columns, tuple(rows), title="Quantiles of response time (s)", note=note),)


RESPONSE_TIMES = StudyPart(
    "response-times", "Response times", compute, 1.0, draw, describe, tables=tables
)
