"""The report of `fit_observers`: one page, and the same as data beside it.

``report.html`` is self-contained. Beside it lie ``report.json`` (every number), pictures, and
tables: ``models`` (observer and model), ``parameters`` (observer, model and parameter) and
``cells`` (observer, set size and class: the trials and what the best model predicts);
``conditions`` and ``contrasts`` where parameters vary, ``population`` and ``people`` where there is
a population. They are Parquet where pyarrow is installed and CSV where it is not.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from popout.drawing.representation import count, listing
from popout.drawing.style import picture, styled
from popout.people.fitting.conditions import NOTE as CANDIDATES_NOTE
from popout.people.fitting.conditions import ConditionFits, effect_words
from popout.people.fitting.fit_job import MADE_BY, FitPlan, ModelFit
from popout.people.fitting.fit_pictures import (
    draw_distributions,
    draw_fit,
    draw_observers,
    fit_caption,
    side_by_side,
)
from popout.people.fitting.fitted_population import FittedPopulation
from popout.people.fitting.group_pictures import draw_check, draw_conditions
from popout.people.fitting.observer_fits import (
    INDEX,
    FittedObservers,
    ObserverFits,
    best_counts,
    distance_words,
)
from popout.people.reading.description import ALL, TrialsDescription
from popout.people.reading.observed import ObservedTrials
from popout.people.reading.trial_pictures import draw_errors, draw_means
from popout.reports.page import Block, Picture, Section, Table, Text
from popout.reports.publish import write_report
from popout.reports.store import write_whole
from popout.reports.words import fixed

METHOD = (
    "Each model gives the density of an answer at a time, in every cell of set size and class, and "
    "is fitted by maximum likelihood to the trials of one observer. What could have been observed "
    "has probability one: answers within the window that was kept and, where there is a time "
    "limit, no answer by then. Log likelihoods are of densities per second, so that all models "
    "compare. Those of search rest on simulated tables of "
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
CHECKED = (
    "Each dot is a cell of one observer: set size, class and, if parameters vary, condition; what "
    "the observer did, with one standard error, against what the observer's parameters predict, "
    "given the population. On the line, the two are the same."
)
FEW_TRIALS = 40
"""Trials of a cell below which the reader is warned."""


def write_fit_report(folder: Path, fits: FittedObservers, plan: FitPlan) -> Path:
    """Write page, numbers, tables and pictures; return the path of the page."""
    trials = fits.data
    description = trials.describe()
    tables = {"models": fits.to_pandas(), "parameters": fits.parameters(), "cells": fits.cells()}
    if (effects := fits.effects) is not None:
        tables |= {"conditions": effects.to_pandas(), "contrasts": effects.contrasts()}
    if (population := fits.population) is not None:
        tables |= {"population": population.to_pandas(), "people": population.people()}
    files = [write_table(folder, name, table) for name, table in tables.items()]
    observers = [*fits.observers.values()]
    return write_report(
        folder,
        MADE_BY,
        title=f"Observers of {trials.reading.file}",
        preset=plan,
        seed=plan.seed,
        results=(),
        seconds=fits.seconds,
        summary=_summary(fits),
        sections=[
            _data_section(folder, trials, description, fits.notes),
            _observers_section(folder, fits, files),
            *([] if effects is None else [_conditions_section(folder, effects)]),
            *([] if population is None else [_population_section(folder, population)]),
            *(_observer_section(folder, own, description) for own in observers),
            _models_section(observers),
            _undetermined_section(observers),
        ],
        numbers={
            "plan": asdict(plan),
            "data": trials.as_dict(),
            "description": description.as_dict(),
            "observers": [own.as_dict() for own in observers],
            "conditions": None if effects is None else effects.as_dict(),
            "population": None if population is None else population.as_dict(),
        },
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


def _summary(fits: FittedObservers) -> tuple[str, ...]:
    """Say what was fitted and what came out, in two paragraphs."""
    trials, observers = fits.data, fits.observers.values()
    what = f"{count(trials.n_trials, 'trial')} of {count(len(trials), 'observer')}"
    first = f"{what}, set sizes {listing([str(M) for M in trials.set_sizes])}."
    words = listing([f"{name} ({n})" for name, n in best_counts(observers).items()])
    second = f"Best model of search by AIC, with the number of observers: {words}." if words else ""
    over = [own.below_yardstick for own in observers if own.below_yardstick is not None]
    if over:
        better, what = sum(value > 0 for value in over), count(len(over), "observer")
        second += f" It has a better AIC than one ex-Gaussian per cell in {better} of {what}."
    failed = f"{count(fits.n_failed, 'fit')} failed; see the observers." if fits.n_failed else ""
    verdict = "" if fits.effects is None else _sign(fits.effects.verdict)
    rules = "" if fits.rules is None else f"Stopping rules: {_sign(fits.rules.verdict)}"
    return tuple(filter(None, (first, second, verdict, rules, failed)))


def as_picture(folder: Path, name: str, title: str, figure: Figure, caption: str) -> Picture:
    """Write a picture beside the page, as vectors and for print; return it for the page."""
    made = {f"{name}.{kind}": picture(figure, kind) for kind in ("svg", "png")}
    for file, content in made.items():
        write_whole(folder / file, content)
    return Picture(name, title, (caption,), made[f"{name}.svg"], "svg", tuple(made))


def _data_section(
    folder: Path, trials: ObservedTrials, description: TrialsDescription, notes: tuple[str, ...]
) -> Section:
    """Say what was read and dropped, and show the data before any model."""
    reasons = [str(reason) for reason in trials.dropped.columns]
    rows = []
    for group, some in trials.groups.items():
        dropped = trials.dropped_of(*group)
        counts = (len(some), *(dropped.get(why, 0) for why in reasons))
        rows.append((*filter(None, group), *map(str, counts)))
    split = ["condition"] if trials.conditions else []
    who = "mean over observers, thin lines are observers" if len(trials) > 1 else "the observer"
    caption = f"Mean correct response times and error rates ({who}); bars are one standard error."
    headings, slopes = description.slope_rows()
    note = f"Slopes in ms/item with standard errors; errors in %. {ALL}: mean over observers."
    note += description.ratio_note
    if split:
        note += " Differences of conditions are within observers, over those who have both."
    names, figure = ("observer", *split, "trials", *reasons), _described(description)
    once = "Each dropped trial is counted once, under the first reason that holds."
    blocks: list[Block] = [
        *([Text(notes)] if notes else []),
        Table(("", ""), tuple(trials.reading.facts()), title="How the file was read"),
        Table(names, tuple(rows), title="What was kept and dropped", note=once),
        as_picture(folder, "description", "Response times and errors", figure, caption),
        Table(tuple(headings), _signs(slopes), title="Slopes and errors", note=note),
    ]
    return Section("data", "The data", tuple(blocks))


def _signs(rows: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the words of a card as a page writes them."""
    return tuple(tuple(map(_sign, row)) for row in rows)


def _sign(words: str) -> str:
    return words.replace("+-", "±")


@styled
def _described(description: TrialsDescription) -> Figure:
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    draw_means(description, axes[0])
    draw_errors(description, axes[1])
    return figure


def _observers_section(folder: Path, fits: FittedObservers, files: list[str]) -> Section:
    headings, rows = fits.summary_rows()
    who = headings.index("trials")
    index = headings.index(INDEX[0]) if INDEX[0] in headings else len(headings)
    parts = [(who, index), (index, len(headings))]  # two tables, for the width of a page
    parts = [(start, stop) for start, stop in parts if start < stop]
    blocks: list[Block] = []
    for start, stop in parts:
        names, *own = (tuple([*row[:who], *row[start:stop]]) for row in (headings, *rows))
        note = fits.summary_note if (start, stop) == parts[-1] else ""
        blocks.append(Table(names, tuple(own), note=note))
    observers = [*fits.observers.values()]
    if panels := side_by_side(observers):
        caption = " ".join(f"({k}) {each.caption}" for k, each in zip("abc", panels, strict=False))
        figure = draw_observers(observers)
        blocks.append(as_picture(folder, "observers", "All observers", figure, caption))
    if fits.others_failed:
        blocks.append(Table(("fit", "why it failed"), tuple(fits.others_failed.items())))
    blocks.append(Text((f"The same as tables: {listing(files)}.",)))
    return Section("observers", "Observers side by side", tuple(blocks))


def _conditions_section(folder: Path, effects: ConditionFits) -> Section:
    """Show what a condition changes: candidates, contrasts, and one figure."""
    what = " x ".join(effects.columns)
    headings, rows = effects.rows()
    caption = (
        "(a) How much better held-out trials are predicted, or by how much AIC is lower, than if "
        "nothing varied: sums over observers with 95 % intervals over people; dots are observers, "
        "times their number. Each further panel: a parameter at each level, observer by observer, "
        "from its own candidate; the title gives the contrast with its 95 % interval."
    )
    contrasts = []
    for row in effects.contrasts().to_dict("records"):
        numbers = (row[name] for name in ("scale", "value", "low", "high"))
        apart = f"{row['condition']} against {row['against']}"
        words = (row["candidate"], row["parameter"], apart, effect_words(*numbers), str(row["n"]))
        contrasts.append(words)
    note = (
        "Means over people of differences within observers, with 95 % intervals; ratios (x) where "
        "ratios matter, g/(1 + g) for guidance. n: observers whose trials determine both."
    )
    names = ("what varies", "parameter", "levels", "contrast", "n")
    blocks: list[Block] = [
        Text((_sign(effects.verdict), f"Model: {effects.model}.")),
        Table(tuple(headings), _signs(rows), title="What varies", note=CANDIDATES_NOTE),
        as_picture(folder, "conditions", f"What {what} changes", draw_conditions(effects), caption),
        Table(names, tuple(contrasts), title="Contrasts", note=note),
    ]
    return Section("conditions", f"What does {what} change?", tuple(blocks))


def _population_section(folder: Path, population: FittedPopulation) -> Section:
    """Show the population: means, spreads, contrasts, observers shrunken and separate."""
    headings, rows = population.rows()
    caption = (
        "Each panel is a parameter. Open: separate estimates; filled, with 95 % intervals: "
        "observers given the population. The line is the mean of the population, the bar its 95 % "
        "interval, and the band holds the middle 68 % of observers."
    )
    note = (
        "mean: the median observer. sd: between observers, in unbounded coordinates (the logit of "
        "the place between the bounds). R-hat "
        f"{population.r_hat:.3f}, {population.n_independent:.0f} independent draws at least. "
    )
    blocks: list[Block] = [
        Text((f"Model: {population.model.label}.", *filter(None, (population.warning,)))),
        Table(tuple(headings), tuple(map(tuple, rows)), title="Population", note=note),
        as_picture(folder, "population", "Population", population.plot(), caption),
        as_picture(folder, "check", "Predictive check", draw_check(population), CHECKED),
    ]
    if contrasts := population.contrast_rows():
        names = ("parameter", "levels", "contrast")
        words = "Of the median observer, with 95 % intervals of the posterior."
        own = tuple(map(tuple, contrasts))
        blocks.append(Table(names, own, title="Contrasts of the population", note=words))
    return Section("population", "The population", tuple(blocks))


def _observer_section(folder: Path, own: ObserverFits, description: TrialsDescription) -> Section:
    """One observer: data over model, parameters, distance from optimal."""
    name, label = f"observer-{_safe(own.observer)}", own.observer
    blocks: list[Block] = []
    if own.failed:
        blocks.append(Table(("model", "why it failed"), tuple(own.failed.items())))
    if own.no_answer:
        words = f"{count(own.no_answer, 'trial')} without an answer."
        blocks.append(Text((words,)))
    cells = description.of(own.observer)
    if (fewest := int(cells["trials"].min())) < FEW_TRIALS:
        words = f"Few trials: {fewest} in the smallest cell. Intervals are rough, and models with "
        blocks.append(Text((f"{words}many parameters fit anything.",)))
    if own.best is not None:
        title, caption = f"Observer {label}: data over model", fit_caption(own)
        blocks.append(as_picture(folder, f"{name}-fit", title, draw_fit(own, cells), caption))
        caption = (
            "Response times by set size and class: correct answers upwards, errors downwards and "
            "ten times enlarged; lines are the model"
        )
        both = own.yardstick is not None and own.yardstick is not own.best
        caption += " and, dotted, one ex-Gaussian per cell." if both else "."
        title = f"Observer {label}: distributions"
        figure = draw_distributions(own)
        blocks.append(as_picture(folder, f"{name}-times", title, figure, caption))
        quoted = dict.fromkeys(filter(None, (own.best, own.judged)))
        blocks += map(_parameters, quoted)
        if own.judged is not None:
            blocks.append(_indices(own))
    return Section(name, f"Observer {label}", tuple(blocks))


def _safe(observer: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in observer)


def _parameters(fit: ModelFit) -> Table:
    """Return the parameters with their intervals; those that are not determined without."""
    rows, fitted = [], fit.fitted
    for parameter in fitted.model.parameters:
        interval = fitted.errors[parameter.name]
        shown = ("not determined", interval.why)
        if interval.determined:
            numbers = (fitted.estimates[parameter.name], interval.low, interval.high)
            value, low, high = ("serial" if x == float("inf") else fixed(x) for x in numbers)
            shown = (f"{value} {parameter.unit}".strip(), f"{low} to {high}")
        rows.append((parameter.name, *shown, parameter.words))
    noise = fitted.log_likelihood_error
    error = f" ± {noise:.1f} (Monte-Carlo error)" if noise else ""
    note = f"Log likelihood {fitted.log_likelihood:.1f}{error}, "
    note += f"AIC {fit.aic:.1f}, BIC {fitted.bic:.1f}."
    headings = ("parameter", "estimate", "95 % interval", "what it is")
    return Table(headings, tuple(rows), title=f"Parameters: {fitted.model.label}", note=note)


def _indices(own: ObserverFits) -> Table:
    """Return the distance from optimal under every model with free thresholds."""
    rows = []
    for fit in sorted(own.models, key=lambda fit: fit.aic):
        if (index := fit.index) is not None:
            floors = (index.wasted_floor, index.excess_floor)
            floor = ("-" if value is None else fixed(value, 2) for value in floors)
            rows.append((*distance_words(index), f"{fixed(index.implied_time_cost)} /s", *floor))
    measures = ("wasted (ms)", "excess risk (%)", "implied cost of time")
    headings = ("model", *measures, "floor (ms)", "floor (%)")
    note = (
        "Best model first. Floor: what truly ideal observers of this design show; a distance near "
        "it means nothing. It is computed when asked for (--floor)."
    )
    return Table(headings, tuple(rows), title="Distance from optimal", note=note)


def _models_section(observers: Sequence[ObserverFits]) -> Section:
    """Every fit in one table."""
    rows = []
    for own in observers:
        fits = sorted(own.models, key=lambda fit: fit.aic)
        for fit in fits:
            fitted, crossed = fit.fitted, fit.cross_validated
            both = (fitted.log_likelihood, fitted.log_likelihood_error)
            words = [f"{number:z.1f}" for number in (*both, fit.aic - fits[0].aic, fitted.bic)]
            words += ["-" if crossed is None else f"{crossed:z.1f}", f"{fitted.seconds:.0f}"]
            rows.append((own.observer, fit.name, str(fitted.n_parameters), *words))
    criteria = ("log likelihood", "Monte-Carlo error", "AIC over the least", "BIC")
    headings = ("observer", "model", "parameters", *criteria, "left-out trials", "seconds")
    note = "Left-out trials: log likelihood of blocks predicted from the others (--folds)."
    return Section("models", "Comparison of models", (Table(headings, tuple(rows), note=note),))


def _undetermined_section(observers: Sequence[ObserverFits]) -> Section:
    """List what the data do not determine, in the models that are quoted."""
    rows = []
    for own in observers:
        for fit in dict.fromkeys(filter(None, (own.best, own.judged))):
            words = {each.name: each.words for each in fit.fitted.model.parameters}
            who = (own.observer, fit.name)
            rows += [(*who, name, words[name], why) for name, why in fit.undetermined.items()]
    headings = ("observer", "model", "parameter", "what it is", "why")
    note = "Best models, and those whose index is quoted."
    block: Block = Table(headings, tuple(rows), note=note)
    if not rows:
        block = Text(("Every parameter of the models above is determined by the trials.",))
    return Section("undetermined", "What is not determined", (block,))
