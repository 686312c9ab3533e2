"""Pictures of predictions: each observer small, over set size, and all of them together.

Lines are predicted, bands their 95 % intervals, thin dotted lines what thresholds that are kept
would do; points are observed, with one standard error. Colour and marker are the class; situations
differ in their dashes, and points of all but the first are hollow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.drawing.style import GREY, dot, key, panel, styled
from popout.people.fitting.fit_pictures import DARK, MOST_OBSERVERS
from popout.people.models.situation import Situation
from popout.people.prediction.held_against import SCORES
from popout.people.prediction.predicted_observers import PredictedObserver, PredictedObservers
from popout.people.reading.description import CLASSES
from popout.people.reading.trial_pictures import COLOURS, LINES, MARKERS

LABELS = {"mean_rt": "mean correct response time (s)", "error_rate": "errors (%)"}
FACTORS = {"mean_rt": 1.0, "error_rate": 100.0}
COLUMNS = 4


@styled
def draw_cells(predicted: PredictedObservers, name: str) -> Figure:
    """Draw a measure of every observer against set size.

    Parameters
    ----------
    predicted : PredictedObservers
    name : {"mean_rt", "error_rate"}
    """
    some = [*predicted.observers.values()][:MOST_OBSERVERS]
    columns = min(COLUMNS, max(len(some), 1))
    rows = -(-len(some) // columns) or 1
    figure = Figure(figsize=(2.7 * columns + 0.4, 2.2 * rows + 0.7), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    told = _told(predicted, some)
    for ax, own in zip(axes, some, strict=False):
        ax.set_title(own.observer, loc="left")
        for words, situation in _labelled(predicted, own):
            _lines(ax, own, situation, name, told.index(words))
    for ax in axes[len(some) :]:
        ax.set_axis_off()
    axes[0].set_ylim(0, None)
    figure.supxlabel("set size", fontsize=9)
    figure.supylabel(LABELS[name], fontsize=9)
    figure.legend(handles=_handles(predicted, told), loc="outside upper left", ncols=4)
    return figure


def _told(predicted: PredictedObservers, some: Sequence[PredictedObserver]) -> list[str]:
    """Return the words of all situations, each once."""
    return list(dict.fromkeys(w for own in some for w, _ in _labelled(predicted, own)))


def _labelled(predicted: PredictedObservers, own: PredictedObserver) -> list[tuple[str, Situation]]:
    return [(predicted.words(each), each) for each in own.situations]


def _lines(ax: Axes, own: PredictedObserver, situation: Situation, name: str, k: int) -> None:
    """Draw predicted, kept and observed in one situation."""
    factor = FACTORS[name]
    for kind in CLASSES:
        cells = own.of(situation, kind)
        x, ends = cells["set_size"], np.array(cells[f"{name}_interval"].tolist(), float)
        look: Any = {"color": DARK[kind], "linestyle": LINES[k % len(LINES)]}
        ax.fill_between(x, *(factor * ends.T), color=COLOURS[kind], alpha=0.3, linewidth=0)
        ax.plot(x, factor * cells[name], linewidth=1.3, **look)
        ax.plot(x, factor * cells[f"kept_{name}"], color=DARK[kind], linestyle=":", linewidth=0.8)
        if f"observed_{name}" in cells:
            se = factor * cells[f"observed_{name}_se"]
            y, fill = factor * cells[f"observed_{name}"], COLOURS[kind] if k == 0 else "white"
            points: Any = {"color": COLOURS[kind], "marker": MARKERS[kind], "linestyle": ""}
            ax.errorbar(x, y, se, markerfacecolor=fill, clip_on=False, **points)
    ax.set_xticks(sorted({*ax.get_xticks()[:0], *x}))


def _handles(predicted: PredictedObservers, told: Sequence[str]) -> list[Any]:
    """Return the entries of a legend."""
    handles = [key(f"target {kind}", color=DARK[kind]) for kind in CLASSES]
    if len(told) > 1:
        handles += [
            key(words, color=GREY, linestyle=LINES[k % len(LINES)]) for k, words in enumerate(told)
        ]
    handles.append(key("thresholds kept", color=GREY, linestyle=":", linewidth=0.8))
    if predicted.is_compared:
        handles.append(dot("observed", color=GREY, marker="o"))
    return handles


@styled
def draw_group(predicted: PredictedObservers) -> Figure:
    """Draw means over observers and, with data, scores over predicted and realised shares."""
    compared = predicted.is_compared
    figure = Figure(figsize=(11.5 if compared else 7.2, 3.8), layout="constrained")
    axes = figure.subplots(1, 4 if compared else 2, squeeze=False)[0]
    some = [*predicted.observers.values()]
    told = _told(predicted, some)
    for ax, name, letter in zip(axes, LABELS, "ab", strict=False):
        panel(ax, letter, "mean over observers")
        for k, words in enumerate(told):
            _means(ax, predicted, words, name, k)
        ax.set(xlabel="set size", ylabel=LABELS[name], ylim=(0, None))
        ax.set_xticks(sorted({row["set_size"] for own in some for row in own.cells}))
    if compared:
        panel(axes[2], "c", "log score over predicted")
        _gains(axes[2], predicted)
        panel(axes[3], "d", "share of the ideal shift")
        _shares(axes[3], predicted)
    figure.legend(handles=_handles(predicted, told), loc="outside upper left", ncols=6)
    return figure


def _means(ax: Axes, predicted: PredictedObservers, words: str, name: str, k: int) -> None:
    """Draw the mean over the observers of a situation; points with errors between them."""
    factor = FACTORS[name]
    for kind in CLASSES:
        tables = [
            own.of(situation, kind)
            for own in predicted.observers.values()
            for said, situation in _labelled(predicted, own)
            if said == words
        ]
        grouped = pd.concat(tables).groupby("set_size")
        look: Any = {"color": DARK[kind], "linestyle": LINES[k % len(LINES)]}
        mean = factor * grouped[name].mean()
        ax.plot(mean.index, mean, **look)
        kept = factor * grouped[f"kept_{name}"].mean()
        ax.plot(kept.index, kept, color=DARK[kind], linestyle=":", linewidth=0.8)
        if f"observed_{name}" in tables[0]:
            seen = grouped[f"observed_{name}"]
            se: Any = factor * seen.std(ddof=1) / np.sqrt(seen.count())
            points: Any = {"color": COLOURS[kind], "marker": MARKERS[kind], "linestyle": ""}
            fill = COLOURS[kind] if k == 0 else "white"
            ax.errorbar(mean.index, factor * seen.mean(), se, markerfacecolor=fill, **points)


def _gains(ax: Axes, predicted: PredictedObservers) -> None:
    """Draw what each score has over the predicted one: observers, their mean and its error."""
    table, others = predicted.scores(), SCORES[1:]
    for place, name in enumerate(others):
        gain = table[name] - table["predicted"]
        ax.plot(np.full(len(gain), place), gain, "o", color=GREY, alpha=0.5, markersize=3.5)
        if name in predicted.group:
            mean = predicted.group[name]
            ax.errorbar(place + 0.2, mean["value"], mean["se"], color="#0072B2", marker="D")
    ax.axhline(0, color="0.3", linewidth=0.6)
    ax.set_xticks(range(len(others)), others)
    ax.set(xlim=(-0.5, len(others) - 0.5), ylabel="nats per trial")


def _shares(ax: Axes, predicted: PredictedObservers) -> None:
    """Draw the share of each observer with its interval, and the mean."""
    table = predicted.scores()
    for row, own in enumerate(table.to_dict("records")):
        if own["share_determined"]:
            ax.plot([own["share_low"], own["share_high"]], [row, row], color="#0072B2", linewidth=1)
            ax.plot([own["share_value"]], [row], "o", color="#0072B2")
        else:
            ax.text(0.5, row, "not determined", ha="center", va="center", color=GREY, fontsize=7)
    if (mean := predicted.group.get("share")) is not None:
        ax.axvspan(mean["low"], mean["high"], color="#0072B2", alpha=0.15, linewidth=0)
        ax.axvline(mean["value"], color="#0072B2", linewidth=0.8)
    for place in (0.0, 1.0):
        ax.axvline(place, color="0.3", linewidth=0.6, linestyle="--")
    ax.set_yticks(range(len(table)), table["observer"])
    ax.set(ylim=(len(table) - 0.5, -0.5), xlabel="0: kept, 1: as predicted")
