"""Pictures of conditions and of populations.

Levels of a condition stand side by side, and a line joins the values of one observer: people are
the sample, and what counts is whether their lines go the same way. Scales are those on which a
parameter is searched, so that equal ratios are equally long where ratios matter, and guidance is
drawn as g/(1 + g).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter, NullLocator

from popout.drawing.style import GREY, dot, key, panel, styled
from popout.people.fitting.candidate_fits import mean_interval
from popout.people.fitting.conditions import (
    NOTHING,
    ConditionFits,
    effect_words,
)
from popout.people.fitting.fitted_population import FittedPopulation
from popout.people.models.conditioned import Conditioned
from popout.people.models.model import ModelParameter, Scale
from popout.people.models.prediction import Prediction
from popout.people.models.situation import counted_situations
from popout.people.reading.description import CLASSES, describe_trials
from popout.people.reading.trial_pictures import COLOURS, MARKERS

BLUE, ORANGE = "#0072B2", "#D55E00"
GROUPS = (ORANGE, "#009E73", "#CC79A7", "#E69F00")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_PANELS = 11
"""Of parameters that vary."""


@styled
def draw_conditions(effects: ConditionFits) -> Figure:
    """Draw how much better each candidate is, and the parameters that vary at each level."""
    shown = _varied(effects)[:MOST_PANELS]
    columns = min(4, 1 + len(shown))
    rows = -(-(1 + len(shown)) // columns)
    figure = Figure(figsize=(3.1 * columns + 0.8, 3.0 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    _gains(axes[0], effects)
    for k, (ax, (candidate, parameter)) in enumerate(zip(axes[1:], shown, strict=False), 1):
        _levels(ax, effects, candidate, parameter)
        panel(ax, LETTERS[k], parameter.name.replace("_", " "))
    for ax in axes[1 + len(shown) :]:
        ax.set_axis_off()
    return figure


def _varied(effects: ConditionFits) -> list[tuple[str, ModelParameter]]:
    """Return every parameter that varies, with the first candidate in which it does."""
    varied: dict[str, tuple[str, ModelParameter]] = {}
    for candidate, fit in next(iter(effects.fits.values())).items():
        model = fit.fitted.model
        if isinstance(model, Conditioned):
            for parameter in model.model.parameters:
                if parameter.name in model.vary:
                    varied.setdefault(parameter.name, (candidate, parameter))
    return [*varied.values()]


def _gains(ax: Axes, effects: ConditionFits) -> None:
    """Draw the gain of every candidate with its interval, and the observers."""
    names = [name for name in effects.candidates if name != NOTHING]
    n = len(effects.fits)
    for row, name in enumerate(names):
        gains = effects.gains(effects.measure, name)
        mean, low, high = mean_interval(gains)
        ax.plot(n * gains, np.full(n, row - 0.18), ".", color=GREY, markersize=4, alpha=0.7)
        colour = ORANGE if name == effects.best else BLUE
        ax.plot([n * low, n * high], [row, row], color=colour, linewidth=1.4)
        ax.plot([n * mean], [row], "o", color=colour)
    ax.axvline(0, color="0.3", linewidth=0.6)
    ax.set_yticks(range(len(names)), [name.replace(",", ",\n") for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    held = effects.measure == "held_out"
    ax.set_xscale("symlog", linthresh=10.0)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel("log units" if held else "AIC")
    panel(ax, "a", "held-out gain" if held else "AIC gain")


def _levels(ax: Axes, effects: ConditionFits, candidate: str, parameter: ModelParameter) -> None:
    """Draw a parameter at each of its levels, a line for each observer."""
    model = next(iter(effects.fits.values()))[candidate].fitted.model
    assert isinstance(model, Conditioned)
    names = model.level_names(parameter.name)
    for own in effects.fits.values():
        fitted = own[candidate].fitted
        known = [fitted.errors[name].determined for name in names]
        y = [_height(parameter, fitted.estimates[name]) for name in names]
        look: Any = {"color": GREY, "linewidth": 0.8, "marker": "o", "markersize": 3}
        ax.plot(range(len(names)), y, **look, alpha=0.8 if all(known) else 0.25)
    labels = [name.removeprefix(parameter.name).strip("[]").replace(", ", "\n") for name in names]
    ax.set_xticks(range(len(names)), labels)
    ax.set_xlim(-0.4, len(names) - 0.6)
    _axis(ax, parameter, "y")
    if len(names) == 2:
        rows = effects.contrasts().query("candidate == @candidate")
        (row,) = rows[rows["parameter"] == parameter.name].to_dict("records")
        words = effect_words(*(row[name] for name in ("scale", "value", "low", "high")))
        ax.set_xlabel(f"{row['condition']} / {row['against']}: {words}", fontsize=7.5)


def _height(parameter: ModelParameter, value: float) -> float:
    return parameter.to_unit(value) if parameter.scale is Scale.SHARE else value


def _axis(ax: Axes, parameter: ModelParameter, which: str) -> None:
    """Label an axis of a parameter, with the scale that it is searched on."""
    axis = ax.yaxis if which == "y" else ax.xaxis
    if parameter.scale is Scale.LOG:
        (ax.set_yscale if which == "y" else ax.set_xscale)("log")
        low, high = ax.get_ylim() if which == "y" else ax.get_xlim()
        if high < 10.0 * low:
            axis.set_major_locator(MaxNLocator(4))
            axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(NullFormatter())
    elif parameter.scale is Scale.SHARE:
        marks = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
        axis.set_ticks([parameter.to_unit(g) for g in marks])
        axis.set_ticklabels([*(f"{g:g}" for g in marks[:-1]), "serial"])
    axis.set_label_text(parameter.unit)


@styled
def draw_population(population: FittedPopulation) -> Figure:
    """Draw every parameter: observers shrunken and separate, over the population."""
    parameters = population.model.parameters
    level = population.hierarchy.level
    names = [population.observers[i] for i in np.argsort(level, kind="stable")]
    table = population.people().set_index("observer").loc[names]
    columns = min(4, len(parameters))
    rows = -(-len(parameters) // columns)
    n = len(names)
    figure = Figure(figsize=(2.9 * columns, rows * (1.2 + 0.14 * n)), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    means = population.to_pandas()
    for k, (ax, parameter) in enumerate(zip(axes, parameters, strict=False)):
        own = table[table["parameter"] == parameter.name]
        _bands(ax, means[means["parameter"] == parameter.name], parameter, np.bincount(level))
        places = range(n)
        ends = [[_height(parameter, v) for v in own[end]] for end in ("low", "high")]
        ax.hlines(places, *ends, color=BLUE, linewidth=1.1)
        ax.plot(
            [_height(parameter, v) for v in own["value"]], places, "o", color=BLUE, markersize=4
        )
        if "separate" in own:
            alone = [_height(parameter, v) for v in own["separate"]]
            look: Any = {"color": "0.25", "markerfacecolor": "none", "markersize": 4}
            ax.plot(alone, places, "o", **look, clip_on=False)
        _axis(ax, parameter, "x")
        ax.set_yticks(places, names if k % columns == 0 else [""] * n, fontsize=7)
        ax.set_ylim(n - 0.5, -0.5)
        panel(ax, LETTERS[k % 26], parameter.name.replace("_", " "))
    for ax in axes[len(parameters) :]:
        ax.set_axis_off()
    handles = [dot("given the population", color=BLUE)]
    for group, colour in zip(population.levels, GROUPS, strict=False):
        handles.append(key(f"population mean {group}".strip(), color=colour))
    handles.append(dot("separate", color="0.25", markerfacecolor="none"))
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    return figure


def _bands(ax: Axes, means: pd.DataFrame, parameter: ModelParameter, counts: Any) -> None:
    """Draw the mean of each group with its interval, and where most of its observers are."""
    edges = [0, *np.cumsum(counts)]
    for k, row in enumerate(means.to_dict("records")):
        colour = GROUPS[k % len(GROUPS)]
        rows = (edges[k] - 0.5, edges[k + 1] - 0.5)
        ends = ("observers_low", "observers_high", "low", "high", "mean")
        first, last, low, high, mean = (_height(parameter, row[name]) for name in ends)
        ax.fill_betweenx(rows, first, last, color=colour, alpha=0.2, linewidth=0)
        ax.vlines(mean, *rows, color=colour, linewidth=1.2)
        ax.hlines(rows[0] + 0.12, low, high, color=colour, linewidth=2.5)


@styled
def draw_check(population: FittedPopulation) -> Figure:
    """Draw means and error rates of every cell against what shrunken observers predict."""
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    seen: dict[str, list[tuple[float, float, float, str]]] = {"mean_rt": [], "error_rate": []}
    for likelihood, name in zip(
        population.hierarchy.likelihoods, population.observers, strict=True
    ):
        values, model = population.shrunken(name), population.model
        parts: list[Any] = [(likelihood, values, model)]
        if isinstance(model, Conditioned):
            cells = likelihood.parts  # type: ignore[attr-defined]
            parts = [(part, model.at(values, cell), model.model) for cell, _, part in cells]
        for part, own, base in parts:
            _compare(part, own, base, seen)
    for ax, (measure, points), letter in zip(axes, seen.items(), "ab", strict=True):
        factor = 1.0 if measure == "mean_rt" else 100.0
        for kind in CLASSES:
            some = np.array([p[:3] for p in points if p[3] == kind]).reshape(-1, 3) * factor
            look: Any = {"color": COLOURS[kind], "marker": MARKERS[kind], "linestyle": ""}
            ax.errorbar(
                *some[:, :2].T, some[:, 2], **look, markersize=3.5, elinewidth=0.7, alpha=0.8
            )
        ends = [0.0, max(ax.get_xlim()[1], ax.get_ylim()[1])]
        ax.plot(ends, ends, color="0.3", linewidth=0.8)
        ax.set(xlim=ends, ylim=ends)
        unit = "(s)" if measure == "mean_rt" else "(%)"
        what = "mean correct response time" if measure == "mean_rt" else "errors"
        ax.set(xlabel=f"predicted {unit}", ylabel=f"observed {unit}")
        panel(ax, letter, what)
    handles = [dot(f"target {kind}", color=COLOURS[kind], marker=MARKERS[kind]) for kind in CLASSES]
    figure.legend(handles=handles, loc="outside upper left", ncols=2)
    return figure


def _compare(
    likelihood: Any,
    values: dict[str, float],
    model: Any,
    seen: dict[str, list[tuple[float, float, float, str]]],
) -> None:
    """Add predicted and observed value, and its error, of every cell of some trials."""
    trials = likelihood.responses
    sizes = tuple(np.unique(trials.columns["set_size"]).tolist())
    about = (values, sizes, likelihood.tables)
    each = counted_situations(trials).items()
    predicted = Prediction.mixed({model.predict(*about, own): n for own, n in each})
    for row in describe_trials(trials).cells.to_dict("records"):
        at = sizes.index(row["set_size"]), CLASSES.index(row["target"])
        numbers = {"mean_rt": predicted.mean_rt()[at], "error_rate": predicted.error_rate[at]}
        for measure, expected in numbers.items():
            if np.isfinite(row[measure]):
                error = np.nan_to_num(row[f"{measure}_se"])
                seen[measure].append((float(expected), row[measure], error, row["target"]))
