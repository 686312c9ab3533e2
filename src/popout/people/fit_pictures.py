r"""Pictures of fits: the trials of an observer over what the best model predicts.

Points are trials, with one standard error; lines are the model. Quantiles of response times stand
over set size: error rates of search lie so close together, and to 0, that an axis of probabilities,
as in quantile-probability plots, would crowd all columns at its ends. Axes of response times are
the same for all set sizes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.drawing.style import GREY, dot, key, log_axis, panel, styled
from popout.people.description import CLASSES, QUANTILES
from popout.people.fit_job import YARDSTICK, FitRecord
from popout.people.fitted_conditions import Key
from popout.people.fitted_observers import ObserverFits, guidance_fit
from popout.people.pictures import COLOURS, DARK, MARKERS, draw_quantiles
from popout.people.prediction import Prediction

ENLARGED = 10
"""How much larger than correct answers errors are drawn in distributions."""
MOST_OBSERVERS = 40


@styled
def draw_fit(one: ObserverFits, cells: pd.DataFrame) -> Figure:
    """Draw means, errors, the frontier, quantiles and the comparison of models of one observer.

    Parameters
    ----------
    one : ObserverFits
    cells : DataFrame
        Of the observer; see `TrialsDescription`.
    """
    assert one.best is not None
    figure = Figure(figsize=(11.0, 6.4), layout="constrained")
    axes = figure.subplots(2, 3)
    predicted = one.best.prediction
    panel(axes[0, 0], "a", "mean correct response times")
    _over_sizes(axes[0, 0], cells, "mean_rt", predicted.mean_rt(), predicted, 1.0)
    axes[0, 0].set(ylabel="response time (s)", ylim=(0, None))
    panel(axes[0, 1], "b", "false alarms and misses")
    _over_sizes(axes[0, 1], cells, "error_rate", predicted.error_rate, predicted, 100.0)
    axes[0, 1].set(ylabel="errors (%)", ylim=(0, None))
    panel(axes[0, 2], "c", "speed and accuracy")
    _frontier(axes[0, 2], one.judged)
    for k, kind in enumerate(CLASSES):
        panel(axes[1, k], "de"[k], f"quantiles of response times, target {kind}")
        draw_quantiles(predicted, one.trials, axes[1, k], QUANTILES, [kind])
        axes[1, k].get_legend().remove()
    top = max(ax.dataLim.y1 for ax in axes[1, :2])
    for ax in axes[1, :2]:
        ax.set_ylim(0, 1.05 * top)
    panel(axes[1, 2], "f", "models")
    _criteria(axes[1, 2], one)
    handles = [dot(f"target {kind}", color=COLOURS[kind], marker=MARKERS[kind]) for kind in CLASSES]
    handles += [
        dot("errors", color=GREY, markerfacecolor="white"),
        key(f"model: {one.best.fitted['label']}"),
        key("its errors", linestyle="--"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    return figure


def _over_sizes(
    ax: Axes,
    cells: pd.DataFrame,
    name: str,
    values: NDArray[np.float64],
    predicted: Prediction,
    factor: float,
) -> None:
    """Draw a measure against set size: points with one standard error, lines for the model."""
    for k, kind in enumerate(CLASSES):
        own = cells[cells["target"] == kind]
        ax.errorbar(
            own["set_size"],
            factor * own[name],
            yerr=factor * own[f"{name}_se"],
            color=COLOURS[kind],
            marker=MARKERS[kind],
            linestyle="",
            clip_on=False,  # no errors is a point on the axis
        )
        ax.plot(predicted.set_sizes, factor * values[:, k], color=DARK[kind])
    ax.set(xlabel="set size", xticks=predicted.set_sizes)


def _frontier(ax: Axes, judged: FitRecord | None) -> None:
    """Draw the frontier of the observer and where the observer is."""
    if judged is None or judged.index is None:
        words = "needs a model with free thresholds"
        ax.text(0.5, 0.5, words, ha="center", va="center", transform=ax.transAxes, color=GREY)
        ax.set_axis_off()
        return
    data = judged.data
    error, time = 100 * data["frontier_error"].to_numpy(), 1000 * data["frontier_time"].to_numpy()
    at, spent = 100 * data.attrs["observer_errors"], 1000 * data.attrs["observer_time"]
    ax.plot(error, time, color="0.2", label="best possible")
    ax.plot([at], [spent], "D", color="#D55E00", label="observer")
    best = spent - judged.index["wasted_ms"]
    ax.plot([at, at], [best, spent], ":", color="#D55E00")
    log_axis(ax, (0.01, 0.1, 1, 10))
    ax.set(
        xlabel="errors of decisions (%)",
        ylabel="mean decision time (ms)",
        xlim=(min(at / 5, 0.2), 50.0),
        ylim=(0, max(1.6 * spent, 1.0)),
    )
    ax.legend(loc="upper right", title=f"{judged.index['model']}", title_fontsize=8)


def _criteria(ax: Axes, one: ObserverFits) -> None:
    """Draw the AIC of every model over the least."""
    records = sorted(one.records, key=lambda record: -record.aic)
    least = min(record.aic for record in records)
    value = [record.aic - least for record in records]
    colours = [GREY if record.model == YARDSTICK else "#0072B2" for record in records]
    ax.barh(range(len(records)), value, color=colours, height=0.6)
    for y, x in enumerate(value):
        ax.annotate(
            f"{x:.0f}", (x, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7.5
        )
    ax.set_yticks(range(len(records)), [record.model for record in records])
    ax.set(xlabel="AIC over the least", xlim=(0, max(1.15 * max(value), 1.0)))


@styled
def draw_distributions(one: ObserverFits) -> Figure:
    """Draw response times of every cell over the densities of the best model and the yardstick."""
    assert one.best is not None
    predicted, trials = one.best.prediction, one.trials
    n = len(predicted.set_sizes)
    figure = Figure(figsize=(max(2.6 * n, 5.0), 4.8), layout="constrained")
    axes = figure.subplots(2, n, squeeze=False, sharex=True, sharey="row")
    end = 1.1 * float(np.quantile(trials.rt, 0.995))
    for k, kind in enumerate(CLASSES):
        for i, M in enumerate(predicted.set_sizes):
            ax = axes[k, i]
            here = (trials.columns["set_size"] == M) & (trials.present == bool(k))
            _distribution(ax, trials.rt[here], trials.correct[here], kind, end)
            for record, look in _lines(one, kind):
                _densities(ax, record.prediction, i, k, look)
            ax.axhline(0, color="0.3", linewidth=0.6)
            ax.set_title(f"{M} items, {kind}", loc="left")
            ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
            ax.locator_params(axis="x", nbins=4)
            if k == 1:
                ax.set_xlabel("response time (s)")
        axes[k, 0].set_ylabel("density (1/s)")
    drawn, words = axes[0, 0].get_legend_handles_labels()
    figure.legend(drawn, words, loc="outside upper left", ncols=2)
    return figure


def _lines(one: ObserverFits, kind: str) -> list[tuple[FitRecord, dict[str, object]]]:
    """Return the fits to draw, and how."""
    assert one.best is not None
    found = []
    if one.yardstick is not None and one.yardstick is not one.best:
        look = {"color": GREY, "linestyle": ":", "linewidth": 1.2, "label": "ex-Gaussian"}
        found.append((one.yardstick, look))
    name = one.best.fitted["label"]
    found.append((one.best, {"color": DARK[kind], "linewidth": 1.4, "label": name}))
    return found


def _distribution(
    ax: Axes, rt: NDArray[np.float64], correct: NDArray[np.bool_], kind: str, end: float
) -> None:
    """Draw correct answers upwards and errors downwards, enlarged."""
    bins = int(np.clip(2 * np.sqrt(rt.size), 24, 60))
    edges = np.linspace(0, end, bins + 1)
    for some, sign in ((rt[correct], 1), (rt[~correct], -ENLARGED)):
        density = np.histogram(some, edges)[0] / max(rt.size, 1) / np.diff(edges)
        ax.stairs(sign * density, edges, fill=True, color=COLOURS[kind], alpha=0.6)
    ax.set_xlim(0, end)


def _densities(ax: Axes, predicted: Prediction, i: int, k: int, look: Mapping[str, object]) -> None:
    right, wrong = predicted.density[i, k, k], predicted.density[i, k, 1 - k]
    ax.plot(predicted.times, right, **look)  # type: ignore[arg-type]
    without = {key: value for key, value in look.items() if key != "label"}
    ax.plot(predicted.times, -ENLARGED * wrong, **without)  # type: ignore[arg-type]


@styled
def draw_observers(fits: Mapping[Key, ObserverFits]) -> Figure:
    """Draw all observers: models compared, guidance, and the distance from optimal."""
    some = [one for one in fits.values() if one.best is not None][:MOST_OBSERVERS]
    figure = Figure(figsize=(11.5, 1.6 + 0.28 * len(some)), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True, width_ratios=[1.5, 1, 1])
    names = list(dict.fromkeys(record.model for one in some for record in one.records))
    panel(axes[0], "a", "AIC over the least")
    _compared(axes[0], some, names)
    panel(axes[1], "b", "guidance g of attention")
    _guidance(axes[1], some)
    panel(axes[2], "c", "time wasted in decisions")
    _wasted(axes[2], some)
    axes[0].set_yticks(range(len(some)), [one.group.label for one in some])
    axes[0].set_ylabel("observer")
    axes[0].set_ylim(len(some) - 0.5, -0.5)
    return figure


def _compared(ax: Axes, some: list[ObserverFits], names: list[str]) -> None:
    """Write the AIC of every model over the least, on a ground that is darker where it is worse."""
    table = np.full((len(some), len(names)), np.nan)
    for row, one in enumerate(some):
        for record in one.records:
            table[row, names.index(record.model)] = record.aic
    table -= np.nanmin(table, axis=1, keepdims=True)
    ax.imshow(np.log1p(table), cmap="Blues", aspect="auto", vmin=0, vmax=9)
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            colour = "white" if value > 300 else "0.1"
            words = {"ha": "center", "va": "center", "fontsize": 7, "color": colour}
            weight = "bold" if value == 0 else "normal"
            ax.text(column, row, f"{value:.0f}", weight=weight, **words)  # type: ignore[arg-type]
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right")
    ax.tick_params(length=0)


def _guidance(ax: Axes, some: list[ObserverFits]) -> None:
    """Draw guidance with its interval, on the axis g/(1 + g)."""
    marks = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
    ax.set_xticks([_share(g) for g in marks], [*(f"{g:g}" for g in marks[:-1]), "serial"])
    ax.set_xlim(-0.03, 1.03)
    for row, one in enumerate(some):
        record = guidance_fit(one)
        if record is None:
            continue
        g = record.fitted["parameters"]["guidance"]
        if not g["determined"]:
            ax.text(0.5, row, "not determined", ha="center", va="center", color=GREY, fontsize=7)
            continue
        low, best, high = (_share(g[name]) for name in ("low", "value", "high"))
        ax.plot([low, high], [row, row], color="#0072B2", linewidth=1.2)
        ax.plot([best], [row], "o", color="#0072B2")
    if not any(map(guidance_fit, some)):
        words = "no model with fitted g"
        ax.text(0.5, 0.5, words, ha="center", va="center", color=GREY, transform=ax.transAxes)
    ax.set_xlabel("0: all items at once; serial: one by one")


def _share(g: float | None) -> float:
    """Return the place of g on its axis; JSON has no infinity."""
    return 1.0 if g is None or np.isinf(g) else g / (1 + g)


def _wasted(ax: Axes, some: list[ObserverFits]) -> None:
    """Draw the wasted time with its interval, and the floor where it is known."""
    for row, one in enumerate(some):
        index = one.judged.index if one.judged else None
        if index is None:
            continue
        low, high = index["wasted_interval"]
        ax.plot([low, high], [row, row], color="#D55E00", linewidth=1.2)
        ax.plot([index["wasted_ms"]], [row], "D", color="#D55E00")
        if index["wasted_floor"] is not None:
            ax.plot([index["wasted_floor"]], [row], "|", color="0.2", markersize=9)
    ax.set(xlabel="ms a trial", xlim=(0, None))
