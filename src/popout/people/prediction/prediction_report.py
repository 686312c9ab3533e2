"""The report of `predict_observers`: one page, and the same as data beside it.

``report.html`` is self-contained. Beside it lie ``report.json`` (every number), pictures, and the
tables ``cells`` (observer, situation, set size and class) and, with data, ``scores`` (observer).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from popout.drawing.representation import count, listing
from popout.people.fitting.candidate_fits import apart
from popout.people.fitting.fit_report import as_picture, write_table
from popout.people.prediction.held_against import SCORES
from popout.people.prediction.predict_observers import MADE_BY, PredictPlan
from popout.people.prediction.predicted_observers import (
    NOTE,
    SCORES_NOTE,
    PredictedObservers,
)
from popout.people.prediction.prediction_pictures import draw_cells, draw_group
from popout.reports.page import Block, Section, Table, Text
from popout.reports.publish import write_report

METHOD = (
    "Nothing is fitted to predict: information, guidance, non-decision time and the cost of time "
    "are those of the fit, and thresholds are those of least risk for what is at stake in the "
    "other experiment. Kept thresholds are those of least risk where the observer was fitted.",
    "Intervals are 95 %, from parameters drawn from what the fit leaves possible. They hold "
    "expected means and rates; trials scatter around these.",
)
COMPARED = (
    "Log scores are mean log densities of the new trials. What is refitted, and the yardstick (one "
    "ex-Gaussian per cell), are cross-validated: a trial is scored by parameters fitted to the "
    "other parts. The share of the ideal shift is fitted to the new trials, all else as predicted: "
    "log thresholds lie that far on the way from kept to ideal."
)
KEPT = "thin dotted lines have thresholds kept as they were."
LINES = f"Lines are predicted, with 95 % intervals as bands; {KEPT}"


def write_prediction_report(folder: Path, predicted: PredictedObservers, plan: PredictPlan) -> Path:
    """Write page, numbers, tables and pictures; return the path of the page."""
    tables = {"cells": predicted.to_pandas()}
    if predicted.is_compared:
        tables["scores"] = predicted.scores()
    files = [write_table(folder, name, table) for name, table in tables.items()]
    data = "" if predicted.against is None else predicted.against.reading.file
    title = f"Predicted observers of {data}" if data else "Observers in another experiment"
    numbers = {k: v for k, v in predicted.as_dict().items() if k not in ("seconds", "report")}
    return write_report(
        folder,
        MADE_BY,
        title=title,
        preset=plan,
        seed=plan.seed,
        results=(),
        seconds=predicted.seconds,
        summary=summary_of(predicted),
        sections=[
            *([_data_section(predicted)] if predicted.there else []),
            *([_scores_section(predicted)] if predicted.is_compared else []),
            _group_section(folder, predicted),
            _cells_section(folder, predicted, files),
        ],
        numbers=numbers,
        method=(*METHOD, *([COMPARED] if predicted.is_compared else [])),
    )


def summary_of(predicted: PredictedObservers) -> tuple[str, ...]:
    """Say what was predicted and how it fares."""
    names = sorted({own.model for own in predicted.observers.values()})
    words = listing(names)
    who = count(len(predicted.observers), "observer")
    first = f"{who} of {Path(predicted.fits).name}, in another experiment; models: {words}."
    said = [first]
    if (group := predicted.group) and predicted.is_compared:
        gain, se = -group["kept"]["value"], group["kept"]["se"]
        size = f"{gain:+z.3f} ± {se:.3f} nats per trial"
        mean = f"mean over {count(len(predicted.scores()), 'observer')} and its standard error"
        table = predicted.scores()
        if apart(np.sign(gain) * (table["predicted"] - table["kept"]).to_numpy()):
            verb = "better" if gain > 0.0 else "worse"
            text = f"Ideal thresholds predict {verb} than thresholds kept: {size} ({mean})."
        else:
            text = "It is not certain whether ideal thresholds predict better than thresholds "
            text += f"kept: {size} ({mean}; its 95 % interval holds zero)."
        if (share := group.get("share")) is not None:
            ends = f"{share['low']:z.2f} to {share['high']:z.2f}"
            text += (
                f" Share of the ideal shift that people realise: {share['value']:z.2f} ({ends})."
            )
        said.append(text)
    if predicted.failed:
        said.append(f"{count(len(predicted.failed), 'observer')} failed; see below.")
    return tuple(said)


def _data_section(predicted: PredictedObservers) -> Section:
    return Section("experiment", "The other experiment", (Table(("", ""), tuple(predicted.there)),))


def _scores_section(predicted: PredictedObservers) -> Section:
    headings, rows = predicted.score_rows()
    written = tuple(tuple(word.replace("+-", "±") for word in row) for row in rows)
    table = Table(tuple(headings), written, note=SCORES_NOTE)
    return Section("scores", f"Log scores: {listing([*SCORES])}", (table,))


def _group_section(folder: Path, predicted: PredictedObservers) -> Section:
    caption = f"(a, b) Means over observers: lines are predicted; {KEPT}"
    if predicted.is_compared:
        group = predicted.group
        errors = ", with standard errors over observers" if group else ""
        mean = ", diamonds their mean with its standard error" if group else ""
        band = "; the band is that of the mean over people" if "share" in group else ""
        caption += (
            f" Points are observed{errors}. (c) Log scores less that of the prediction: dots are "
            f"observers{mean}. (d) The share of the ideal shift that each observer realises, with "
            f"its 95 % interval{band}."
        )
    drawn = as_picture(folder, "group", "All observers", draw_group(predicted), caption)
    blocks: list[Block] = [Text(tuple(predicted.all_notes)), drawn]
    return Section("group", "All observers", tuple(blocks if predicted.all_notes else blocks[1:]))


def _cells_section(folder: Path, predicted: PredictedObservers, files: list[str]) -> Section:
    """Every observer: response times, errors, and the same as a table."""
    caption = f"{LINES} Points are observed." if predicted.is_compared else LINES
    blocks: list[Block] = []
    titles = {"mean_rt": "Response times", "error_rate": "False alarms and misses"}
    for name, title in titles.items():
        blocks.append(as_picture(folder, name, title, draw_cells(predicted, name), caption))
    headings, rows = predicted.cell_rows()
    seen = " After the slash: observed." if predicted.is_compared else ""
    blocks.append(Table(tuple(headings), tuple(map(tuple, rows)), note=f"{NOTE}{seen}"))
    if predicted.failed:
        blocks.append(Table(("observer", "why it failed"), tuple(predicted.failed.items())))
    blocks.append(Text((f"The same as tables: {listing(files)}.",)))
    return Section("cells", "Each observer", tuple(blocks))
