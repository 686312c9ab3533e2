"""The report of `fit_observers`: one page, and the same as data beside it.

``report.html`` is self-contained. Beside it lie ``report.json`` (every number), pictures, and three
tables: ``models`` (observer and model), ``parameters`` (observer, model and parameter) and
``cells`` (observer, set size and class: the trials and what the best model predicts), as Parquet
where pyarrow is installed and as CSV where it is not.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.figure import Figure

from popout.drawing.representation import count, listing
from popout.drawing.style import picture, styled
from popout.people.description import ALL, TrialsDescription
from popout.people.fit_job import FitRecord
from popout.people.fit_pictures import draw_distributions, draw_fit, draw_observers
from popout.people.fitted_conditions import (
    Key,
    best_counts,
    best_words,
    condition_differences,
    condition_means,
    condition_rows,
    conditions_dict,
    conditions_of,
)
from popout.people.fitted_observers import (
    SUMMARY_NOTE,
    ObserverFits,
    cell_table,
    model_table,
    parameter_table,
    summary_rows,
)
from popout.people.observed import ObservedTrials
from popout.people.pictures import FEWEST, draw_errors, draw_means
from popout.reports.page import Block, Picture, Section, Table, Text
from popout.reports.publish import write_report
from popout.reports.store import write_whole
from popout.reports.words import fixed

if TYPE_CHECKING:
    from popout.people.observers import FitPlan

METHOD = (
    "Each model gives the density of an answer at a time, in every cell of set size and class, and "
    "is fitted by maximum likelihood to the trials of one observer. Targets are taken to be on "
    "half of the displays, and misses and false alarms to cost the same. Log likelihoods are of "
    "densities per second, so that all models compare. Those of search rest on simulated tables of "
    "first passages; the Monte-Carlo error that follows is given, and smaller differences mean "
    "nothing.",
    "Intervals are 95 %, from the curvature of the log likelihood. A parameter whose interval "
    "covers more than half of what was searched is not determined by the data; it is listed as "
    "such and its value is not given.",
    "Distance from optimal: the observer's information is taken as fitted, and the thresholds are "
    "compared with the best ones. Time wasted is measured at the observer's own error rate; excess "
    "risk at the cost of time that makes the observer look best. Slips, lapses and non-decision "
    "time are no decisions. An index depends on its model; quote both together.",
)


FEW_TRIALS = 40
"""Trials of a cell below which the reader is warned."""


def write_fit_report(
    folder: Path,
    trials: ObservedTrials,
    fits: Mapping[Key, ObserverFits],
    plan: FitPlan,
    seconds: float,
) -> Path:
    """Write page, numbers, tables and pictures; return the path of the page."""
    description = trials.describe()
    tables = {
        "models": model_table(fits),
        "parameters": parameter_table(fits),
        "cells": cell_table(fits, trials),
    }
    if conditions_of(fits):
        tables["conditions"] = condition_means(fits)
        tables["differences"] = condition_differences(fits)
    files = [write_table(folder, name, table) for name, table in tables.items()]
    sections = [
        _data_section(folder, trials, description),
        _observers_section(folder, fits, files),
        *(_observer_section(folder, one, description) for one in fits.values()),
        _models_section(fits),
        _undetermined_section(fits),
    ]
    numbers = {
        "data": trials.as_dict(),
        "description": description.as_dict(),
        "observers": [one.as_dict() for one in fits.values()],
        **conditions_dict(fits),
    }
    return write_report(
        folder,
        title=f"Observers of {trials.reading.file}",
        preset=plan,
        seed=plan.seed,
        results=(),
        seconds=seconds,
        summary=_summary(trials, fits),
        sections=sections,
        numbers=numbers,
        method=METHOD,
    )


def write_table(folder: Path, name: str, table: pd.DataFrame) -> str:
    """Write a table as Parquet, or as CSV without pyarrow; return the name of the file."""
    stream = io.BytesIO()
    try:
        table.to_parquet(stream, index=False)
        file = f"{name}.parquet"
    except ImportError:
        stream = io.BytesIO(table.to_csv(index=False).encode())
        file = f"{name}.csv"
    write_whole(folder / file, stream.getvalue())
    return file


def _summary(trials: ObservedTrials, fits: Mapping[Key, ObserverFits]) -> tuple[str, ...]:
    """Say what was fitted and what came out, in two paragraphs."""
    known = trials.reading.known
    what = f"{count(trials.n_trials, 'trial')} of {count(len(trials), 'observer')}"
    first = f"{what}, set sizes {listing([str(M) for M in trials.set_sizes])}"
    first += f" ({known.name}; cite {known.citation})." if known else "."
    words = listing([f"{name} ({n})" for name, n in best_counts(fits.values()).items()])
    if conditions_of(fits):
        words = "; ".join(f"{name}: {best}" for name, best in best_words(fits).items())
    second = f"Best model of search by AIC, with the number of observers: {words}." if words else ""
    over = [one.below_yardstick for one in fits.values() if one.below_yardstick is not None]
    if over:
        better = sum(value > 0 for value in over)
        second += f" It has a better AIC than one ex-Gaussian per cell in {better} of " + (
            f"{len(over)} fits." if conditions_of(fits) else f"{count(len(over), 'observer')}."
        )
    failed = sum(len(one.failed) for one in fits.values())
    third = f"{count(failed, 'fit')} failed; see the observers." if failed else ""
    return tuple(filter(None, (first, trials.base_rate.note, second, third)))


def _picture(
    folder: Path, name: str, title: str, figure: Figure, caption: tuple[str, ...]
) -> Picture:
    """Write a picture beside the page, as vectors and for print; return it for the page."""
    made = {f"{name}.{kind}": picture(figure, kind) for kind in ("svg", "png")}
    for file, content in made.items():
        write_whole(folder / file, content)
    return Picture(name, title, caption, made[f"{name}.svg"], "svg", tuple(made))


def _data_section(folder: Path, trials: ObservedTrials, description: TrialsDescription) -> Section:
    """Say what was read and dropped, and show the data before any model."""
    reasons = [str(reason) for reason in trials.dropped.columns]
    rows = tuple(
        (
            *filter(None, group),
            str(len(one)),
            *(str(trials.dropped_of(*group).get(why, 0)) for why in reasons),
        )
        for group, one in trials.groups.items()
    )
    split = ["condition"] if trials.conditions else []
    blocks: list[Block] = [
        Table(("", ""), tuple(trials.reading.facts()), title="How the file was read"),
        Table(
            ("observer", *split, "trials", *reasons),
            rows,
            title="What was kept and dropped",
            note="Each dropped trial is counted once, under the first reason that holds.",
        ),
    ]
    if trials.notes:
        blocks.insert(0, Text(trials.notes))
    who = "mean over observers, thin lines are observers" if len(trials) > 1 else "the observer"
    blocks.append(
        _picture(
            folder,
            "description",
            "Response times and errors",
            _described(description),
            (f"Mean correct response times and error rates ({who}); bars are one standard error.",),
        )
    )
    headings, slopes = description.slope_rows()
    note = f"Slopes in ms/item with standard errors; errors in %. {ALL}: mean over observers."
    if split:
        note += " Differences of conditions are within observers, over those who have both."
    lines = tuple(map(_signs, slopes))
    blocks.append(Table(tuple(headings), lines, title="Slopes and errors", note=note))
    return Section("data", "The data", tuple(blocks))


def _signs(row: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a card as a page writes them."""
    return tuple(each.replace("+-", "±") for each in row)


@styled
def _described(description: TrialsDescription) -> Figure:
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    draw_means(description, axes[0])
    draw_errors(description, axes[1])
    return figure


def _observers_section(folder: Path, fits: Mapping[Key, ObserverFits], files: list[str]) -> Section:
    headings, rows = summary_rows(fits)
    who, index = headings.index("trials"), headings.index("index under")
    blocks: list[Block] = [  # two tables, for the width of a page
        Table(
            (*headings[:who], *headings[start:stop]),
            tuple((*row[:who], *row[start:stop]) for row in rows),
            note=note,
        )
        for start, stop, note in ((who, index, ""), (index, None, SUMMARY_NOTE))
    ]
    if conditions := conditions_of(fits):
        best = tuple(best_words(fits).items())
        blocks.append(Table(("condition", "best model of search by AIC"), best))
        note = (
            "Means over observers and, between two conditions, of differences within observers, "
            "with standard errors over the observers whose trials determine the quantity (n). The "
            "model has the least AIC of all observers and conditions together, for distances from "
            "optimal the least of those with free thresholds."
        )
        compared = tuple(map(_signs, condition_rows(fits)))
        names = ("model", "quantity", "condition", "mean", "n")
        blocks.append(Table(names, compared, title="Conditions compared", note=note))
    if any(one.best for one in fits.values()):
        caption = (
            "(a) AIC of every model over the least of the observer. (b) Guidance of attention with "
            "its 95 % interval, from the best model that fits it. (c) Time wasted by the "
            "thresholds, with its 95 % interval; a tick is what truly ideal observers show, where "
            "that was computed.",
        )
        for k, (name, some) in enumerate((conditions or {"": [*fits.values()]}).items(), 1):
            title = f"All observers, {name}" if name else "All observers"
            file = f"observers-{k}-{_safe(name)}" if name else "observers"
            figure = draw_observers({one.observer: one for one in some})
            blocks.append(_picture(folder, file, title, figure, caption))
    blocks.append(Text((f"The same as tables: {listing(files)}.",)))
    return Section("observers", "Observers side by side", tuple(blocks))


def _observer_section(folder: Path, one: ObserverFits, description: TrialsDescription) -> Section:
    """One observer: data over model, parameters, distance from optimal."""
    name, label = f"observer-{_safe(one.group.label)}", one.group.label
    blocks: list[Block] = []
    if one.failed:
        blocks.append(Table(("model", "why it failed"), tuple(one.failed.items())))
    if one.no_answer:
        words = f"{count(one.no_answer, 'trial')} without an answer are left out of the fits."
        blocks.append(Text((words,)))
    cells = description.of(*one.group)
    if (fewest := int(cells["trials"].min())) < FEW_TRIALS:
        words = f"Few trials: {fewest} in the smallest cell. Intervals are rough, and models with "
        blocks.append(Text((f"{words}many parameters fit anything.",)))
    if one.best is not None:
        caption = (
            "(a) Mean correct response times and (b) errors, with one standard error; lines are "
            "the model. (c) The best that the observer's information allows, and the observer. "
            "(d, e) Quantiles (10, 30, 50, 70, 90 %) of correct response times and, open and "
            f"dashed, the median of errors where there are {FEWEST} or more. "
            "(f) AIC over the least.",
        )
        title = f"Observer {label}: data over model"
        blocks.append(_picture(folder, f"{name}-fit", title, draw_fit(one, cells), caption))
        caption = (
            "Response times by set size and class: correct answers upwards, errors downwards and "
            "ten times enlarged; lines are the model and, dotted, one ex-Gaussian per cell.",
        )
        title = f"Observer {label}: distributions"
        figure = draw_distributions(one)
        blocks.append(_picture(folder, f"{name}-times", title, figure, caption))
        blocks.append(_parameters(one.best))
        if one.judged is not None and one.judged.index is not None:
            if one.judged is not one.best:
                blocks.append(_parameters(one.judged))
            blocks.append(_indices(one))
    return Section(name, f"Observer {label}", tuple(blocks))


def _safe(observer: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in observer)


def _parameters(record: FitRecord) -> Table:
    """Return the parameters with their intervals; those that are not determined without."""
    rows = []
    for name, each in record.fitted["parameters"].items():
        if each["determined"]:
            value, low, high = (_value(each[key]) for key in ("value", "low", "high"))
            shown = (f"{value} {each['unit']}".strip(), f"{low} to {high}")
        else:
            shown = ("not determined", record.why_not_determined.get(name, ""))
        rows.append((name, *shown, str(each["words"])))
    fitted = record.fitted
    noise = fitted["log_likelihood_error"]
    error = f" ± {noise:.1f} (Monte-Carlo error)" if noise else ""
    note = (
        f"Log likelihood {fitted['log_likelihood']:.1f}{error}, "
        f"AIC {record.aic:.1f}, BIC {fitted['bic']:.1f}."
    )
    headings = ("parameter", "estimate", "95 % interval", "what it is")
    return Table(headings, tuple(rows), title=f"Parameters: {fitted['label']}", note=note)


def _value(value: float | None) -> str:
    return "serial" if value is None else fixed(value)


def _indices(one: ObserverFits) -> Table:
    """Return the distance from optimal under every model with free thresholds."""
    rows = []
    for record in sorted(one.records, key=lambda record: record.aic):
        if (index := record.index) is not None:
            rows.append(
                (
                    str(index["model"]),
                    *(_between(index, name) for name in ("wasted", "excess")),
                    f"{fixed(index['implied_time_cost'])} /s",
                    *(_floor(index[f"{name}_floor"]) for name in ("wasted", "excess")),
                )
            )
    measures = ("wasted (ms)", "excess risk (%)", "implied cost of time")
    headings = ("model", *measures, "floor (ms)", "floor (%)")
    note = (
        "Best model first. Floor: what truly ideal observers of this design show; a distance near "
        "it means nothing. It is computed when asked for (--floor)."
    )
    return Table(headings, tuple(rows), title="Distance from optimal", note=note)


def _between(index: Mapping[str, Any], name: str) -> str:
    value = index["wasted_ms" if name == "wasted" else "excess_percent"]
    low, high = index[f"{name}_interval"]
    return f"{fixed(value, 2)} ({fixed(low, 2)} to {fixed(high, 2)})"


def _floor(value: float | None) -> str:
    return "-" if value is None else fixed(value, 2)


def _models_section(fits: Mapping[Key, ObserverFits]) -> Section:
    """Every fit in one table."""
    rows = []
    for one in fits.values():
        least = min((record.aic for record in one.records), default=0.0)
        for record in sorted(one.records, key=lambda record: record.aic):
            fitted = record.fitted
            crossed = fitted["cross_validated"]
            rows.append(
                (
                    one.group.label,
                    record.model,
                    str(fitted["n_parameters"]),
                    f"{fitted['log_likelihood']:.1f}",
                    f"{fitted['log_likelihood_error']:.1f}",
                    f"{record.aic - least:.1f}",
                    f"{fitted['bic']:.1f}",
                    "-" if crossed is None else f"{crossed:.1f}",
                    f"{fitted['seconds']:.0f}",
                )
            )
    criteria = ("log likelihood", "Monte-Carlo error", "AIC over the least", "BIC")
    headings = ("observer", "model", "parameters", *criteria, "left-out trials", "seconds")
    note = (
        "Left-out trials: log likelihood of blocks that were predicted from the others (--folds)."
    )
    return Section("models", "Comparison of models", (Table(headings, tuple(rows), note=note),))


def _undetermined_section(fits: Mapping[Key, ObserverFits]) -> Section:
    """List what the data do not determine, in the models that are quoted."""
    rows = []
    for one in fits.values():
        quoted = {id(record): record for record in (one.best, one.judged) if record is not None}
        for record in quoted.values():
            words = record.fitted["parameters"]
            rows += [
                (one.group.label, record.model, name, str(words[name]["words"]), why)
                for name, why in record.why_not_determined.items()
            ]
    if not rows:
        text = "Every parameter of the models above is determined by the trials."
        return Section("undetermined", "What is not determined", (Text((text,)),))
    headings = ("observer", "model", "parameter", "what it is", "why")
    note = "Best models, and those whose index is quoted."
    table = Table(headings, tuple(rows), note=note)
    return Section("undetermined", "What is not determined", (table,))
