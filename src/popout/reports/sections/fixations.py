"""Section: what the eyes do, as scanpaths of trials under the best observer and in numbers.

Panels: two trials of each class, the discs as large as the fixations last, shaded by the posterior
probability of presence after them. The table has means for every rule, with standard errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.style import panel, styled
from popout.policies.stopping import Action
from popout.progress import Progress
from popout.reports.cells import SECONDS, labelled
from popout.reports.page import Table
from popout.reports.sections.gaze_displays import DEGREES, height_of, layout
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, with_error
from popout.simulation.scanpath_picture import ANSWERS, draw_fixations, shaded

CLASSES = ("absent", "present")
EXAMPLES, MOST = 2, 12
"""Trials of each class that are shown, and fixations of a trial, at most."""
COLUMNS = {"x": DEGREES, "y": DEGREES, "duration": SECONDS, "probability": {}}
MEANS = {
    "fixations": "fixations, {}",
    "refixations": "at places seen before, {}",
}


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return scanpaths, padded with NaN, and the means of every rule."""
    entries = study.contest(progress).entries
    runs: list[Any] = [each.trials for each in entries]
    trials, rows = runs[0], [run.fixations.row() for run in runs]
    paths = np.full((len(CLASSES), EXAMPLES, MOST, len(COLUMNS)), np.nan)
    ended = {name: np.full(paths.shape[:2], -1.0) for name in ("target", "response", "rt")}
    for row, kind in enumerate(CLASSES):
        looked = (trials.present == (kind == "present")) & (trials.steps > 0)
        for k, index in enumerate(np.flatnonzero(looked)[:EXAMPLES]):
            path = shaded(trials, int(index))[list(COLUMNS)].to_numpy(np.float64)[:MOST]
            paths[row, k, : len(path)] = path
            for name, values in ended.items():
                values[row, k] = getattr(trials, name)[index]
    cell = ("class", "example")
    return labelled(
        {
            **layout(study.task),
            **{
                name: ((*cell, "fixation"), paths[..., k], about)
                for k, (name, about) in enumerate(COLUMNS.items())
            },
            **{name: (cell, values) for name, values in ended.items()},
            **{f"mean_{name}": (("strategy",), [r[name] for r in rows]) for name in rows[0]},
        },
        {"class": CLASSES, "strategy": [each.name for each in entries]},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the scanpaths."""
    figure = Figure(figsize=(10.4, height_of(data, 2.6)), layout="constrained")
    axes = figure.subplots(1, len(CLASSES) * EXAMPLES)
    items, places = data["item"].to_numpy(), data["place"].to_numpy()
    cells = [(kind, k) for kind in CLASSES for k in range(EXAMPLES)]
    for ax, letter, (kind, k) in zip(axes, "abcd", cells, strict=True):
        trial = data.sel({"class": kind}).isel(example=k)
        path = pd.DataFrame({name: trial[name].to_numpy() for name in COLUMNS}).dropna()
        drawn = draw_fixations(ax, items, places, path, int(trial["target"]))
        panel(ax, letter, _title(trial, kind) if len(path) else "no trial with a fixation")
    figure.colorbar(drawn, ax=list(axes), label="P(present) afterwards")
    return figure


def _title(trial: xr.Dataset, kind: str) -> str:
    return f'{kind}: "{ANSWERS[Action(int(trial["response"]))]}", {float(trial["rt"]):.2f} s'


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what is drawn and what the best observer does."""
    best = data.isel(strategy=0)
    name = str(best["strategy"].item())
    who = "the exact optimum" if name == "optimal" else name
    absent, present = (float(best[f"mean_fixations_{kind}"]) for kind in CLASSES)
    lasting = ""
    if "mean_fixation_duration" in data:
        lasting = f" They last {fixed(1e3 * float(best['mean_fixation_duration']))} ms on average."
    return (
        f"Trials of {who}: items (squares; a ring around the target), fixations in order, the "
        "larger the longer, shaded by the probability of presence after them.",
        f"It makes {fixed(absent)} fixations without a target and {fixed(present)} with one; the "
        f"first lands {fixed(float(best['mean_first_from_centre']), 2)} degrees from the middle of "
        f"the items.{lasting}",
    )


def tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return the means of every rule."""
    measures = {
        f"{what}_{kind}": words.format(kind) for what, words in MEANS.items() for kind in CLASSES
    }
    measures["first_from_centre"] = "first, from the middle (degrees)"
    if "mean_fixation_duration" in data:
        measures["fixation_duration"] = "duration (s)"
    rows = []
    for name in data["strategy"].to_numpy():
        row = data.sel(strategy=name)
        pairs = ((float(row[f"mean_{m}"]), float(row[f"mean_{m}_se"])) for m in measures)
        rows.append(
            (str(name), *(with_error(*pair) if pair[1] else fixed(pair[0]) for pair in pairs))
        )
    return (Table(("gaze", *measures.values()), tuple(rows), title="Fixations in a trial"),)


FIXATIONS = StudyPart("fixations", "Fixations", compute, 1.0, draw, describe, tables=tables)
