r"""Pictures of fits: the trials of an observer over what the best model predicts.

Points are trials, with one standard error; lines are the model. Quantiles of response times stand
over set size: error rates of search lie so close together, and to 0, that an axis of probabilities,
as in quantile-probability plots, would crowd all columns at its ends. Axes of response times are
the same for all set sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.drawing.representation import count
from popout.drawing.style import GREY, axes_for, dot, key, log_axis, panel, styled
from popout.people.fitting.fit_job import YARDSTICK, ModelFit
from popout.people.fitting.observer_fits import ObserverFits
from popout.people.models.prediction import Prediction
from popout.people.passages.decision_times import share_of
from popout.people.reading.description import CLASSES, QUANTILES
from popout.people.reading.trial_pictures import COLOURS, MARKERS
from popout.policies.stopping import Action
from popout.simulation.responses import Responses

DARK = dict(zip(CLASSES, ("#1F6FA3", "#94457A"), strict=True))
"""Lines of models over the lighter colours of the trials."""
FEWEST = 10
"""Answers of a kind below which no quantiles are drawn."""
ENLARGED = 10
"""How much larger than correct answers errors are drawn in distributions."""
MOST_OBSERVERS = 40


@styled
def draw_quantiles(
    predicted: Prediction,
    trials: Responses | None = None,
    ax: Axes | None = None,
    levels: Sequence[float] = (0.1, 0.5, 0.9),
    kinds: Sequence[str] = CLASSES,
) -> Axes:
    """Draw quantiles of correct response times against set size, and the medians of errors.

    Parameters
    ----------
    predicted : Prediction
        Lines; that of errors is dashed, and only where there are errors to compare with.
    trials : Responses, optional
        Points, open for errors; from `FEWEST` answers of a kind on.
    ax : Axes, optional
    levels : sequence of float
        Of the quantiles.
    kinds : sequence of str
        Classes to draw: absent, present or both.
    """
    ax = axes_for(ax)
    sizes = np.array(predicted.set_sizes)
    for kind in kinds:
        k = CLASSES.index(kind)
        ax.plot(sizes, predicted.quantiles(levels)[:, k], color=DARK[kind], linewidth=1.1)
        if trials is None:
            continue
        decided = trials.response != Action.WAIT
        for correct in (True, False):
            places, fill = (levels, COLOURS[kind]) if correct else ((0.5,), "white")
            enough = np.zeros(len(sizes), np.bool_)
            for i, M in enumerate(sizes):
                cell = (trials.columns["set_size"] == M) & (trials.present == bool(k))
                rt = trials.rt[cell & decided & (trials.correct == correct)]
                enough[i] = rt.size >= FEWEST
                if enough[i]:
                    ax.plot(
                        np.full(len(places), M), np.quantile(rt, places), linestyle="",
                        color=COLOURS[kind], marker=MARKERS[kind], markerfacecolor=fill, zorder=3,
                    )  # fmt: skip
            if not correct and enough.any():
                medians = predicted.quantiles((0.5,), correct=False)[:, k, 0]
                ax.plot(sizes[enough], medians[enough], "--", color=DARK[kind], linewidth=1.1)
    shown = [dot(f"target {kind}", color=COLOURS[kind], marker=MARKERS[kind]) for kind in kinds]
    ax.legend(handles=[*shown, key("model")] if trials is not None else shown, loc="upper left")
    top = 1.25 * ax.get_ylim()[1]  # room for the legend
    ax.set(xlabel="set size", xticks=sizes, ylabel="response time (s)", ylim=(0, top))
    return ax


@styled
def draw_fit(own: ObserverFits, cells: pd.DataFrame) -> Figure:
    """Draw means, errors, the frontier, quantiles and the comparison of models of one observer.

    Parameters
    ----------
    own : ObserverFits
    cells : DataFrame
        Of the observer; see `TrialsDescription`.
    """
    assert own.best is not None
    judged, several = _extra_panels(own)
    columns, letters = 2 + (judged or several), iter("abcdef")
    figure = Figure(figsize=(11.0 if columns > 2 else 7.6, 6.4), layout="constrained")
    axes = figure.subplots(2, columns)
    predicted = own.best.prediction
    panel(axes[0, 0], next(letters), "mean correct response times")
    _over_sizes(axes[0, 0], cells, "mean_rt", predicted)
    axes[0, 0].set(ylabel="response time (s)", ylim=(0, None))
    panel(axes[0, 1], next(letters), "false alarms and misses")
    _over_sizes(axes[0, 1], cells, "error_rate", predicted, 100.0)
    axes[0, 1].set(ylabel="errors (%)", ylim=(0, None))
    if judged:
        panel(axes[0, 2], next(letters), "speed and accuracy")
        _frontier(axes[0, 2], own.judged)
    for k, kind in enumerate(CLASSES):
        panel(axes[1, k], next(letters), f"quantiles of response times, target {kind}")
        draw_quantiles(predicted, own.trials, axes[1, k], QUANTILES, [kind])
        axes[1, k].get_legend().remove()
    top = max(ax.dataLim.y1 for ax in axes[1, :2])
    for ax in axes[1, :2]:
        ax.set_ylim(0, 1.05 * top)
    if several:
        panel(axes[1, 2], next(letters), "models")
        _criteria(axes[1, 2], own)
    for row, drawn in enumerate((judged, several)):
        if columns > 2 and not drawn:
            axes[row, 2].set_axis_off()
    handles = [dot(f"target {kind}", color=COLOURS[kind], marker=MARKERS[kind]) for kind in CLASSES]
    handles += [dot("errors", color=GREY, markerfacecolor="white")]
    handles += [key(f"model: {own.best.fitted.model.label}"), key("its errors", linestyle="--")]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    return figure


def _extra_panels(own: ObserverFits) -> tuple[bool, bool]:
    """Whether there is a distance from optimal to draw, and several models to compare."""
    return own.judged is not None, len(own.models) > 1


def fit_caption(own: ObserverFits) -> str:
    """Return the caption of `draw_fit`."""
    judged, several = _extra_panels(own)
    first, second = ("d", "e") if judged else ("c", "d")
    best = "(c) The best that the observer's information allows, and the observer. "
    return (
        "(a) Mean correct response times and (b) errors, with one standard error; lines are the "
        f"model. {best if judged else ''}({first}, {second}) Quantiles (10, 30, 50, 70, 90 %) of "
        "correct response times and, open and dashed, the median of errors where there are "
        f"{FEWEST} or more.{f' ({chr(ord(second) + 1)}) AIC over the least.' if several else ''}"
    )


def _over_sizes(
    ax: Axes, cells: pd.DataFrame, name: str, predicted: Prediction, factor: float = 1.0
) -> None:
    """Draw a measure against set size: points with one standard error, lines for the model."""
    values = predicted.mean_rt() if name == "mean_rt" else predicted.error_rate
    for k, kind in enumerate(CLASSES):
        own = cells[cells["target"] == kind]
        x, y, error = own["set_size"], factor * own[name], factor * own[f"{name}_se"]
        look: Any = {"color": COLOURS[kind], "marker": MARKERS[kind], "linestyle": ""}
        ax.errorbar(x, y, error, **look, clip_on=False)  # no errors is a point on the axis
        ax.plot(predicted.set_sizes, factor * values[:, k], color=DARK[kind])
    ax.set(xlabel="set size", xticks=predicted.set_sizes)


def _frontier(ax: Axes, judged: ModelFit | None) -> None:
    """Draw the frontier of the observer and where the observer is."""
    assert judged is not None
    assert judged.index is not None
    frontier = judged.index.frontier
    at, spent = 100 * frontier.observer_errors, 1000 * frontier.observer_time
    ax.plot(100 * frontier.errors, 1000 * frontier.times, color="0.2", label="best possible")
    ax.plot([at], [spent], "D", color="#D55E00", label="observer")
    best = spent - judged.index.wasted_ms
    ax.plot([at, at], [best, spent], ":", color="#D55E00")
    log_axis(ax, (0.01, 0.1, 1, 10))
    ax.set(xlim=(min(at / 5, 0.2), 50.0), ylim=(0, max(1.6 * spent, 1.0)))
    ax.set(xlabel="errors of decisions (%)", ylabel="mean decision time (ms)")
    ax.legend(loc="upper right", title=judged.name, title_fontsize=8)


def _criteria(ax: Axes, own: ObserverFits) -> None:
    """Draw the AIC of every model over the least."""
    fits = sorted(own.models, key=lambda fit: -fit.aic)
    value = [fit.aic - fits[-1].aic for fit in fits]
    colours = [GREY if fit.name == YARDSTICK else "#0072B2" for fit in fits]
    ax.barh(range(len(fits)), value, color=colours, height=0.6)
    for y, x in enumerate(value):
        ax.annotate(
            f"{x:.0f}", (x, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7.5
        )
    ax.set_yticks(range(len(fits)), [fit.name for fit in fits])
    ax.set(xlabel="AIC over the least", xlim=(0, max(1.15 * max(value), 1.0)))


@styled
def draw_distributions(own: ObserverFits) -> Figure:
    """Draw response times of every cell over the densities of the best model and the yardstick."""
    assert own.best is not None
    predicted, trials = own.best.prediction, own.trials
    n = len(predicted.set_sizes)
    figure = Figure(figsize=(max(2.6 * n, 5.0), 4.8), layout="constrained")
    axes = figure.subplots(2, n, squeeze=False, sharex=True, sharey="row")
    end = 1.1 * float(np.quantile(trials.rt, 0.995))
    for k, kind in enumerate(CLASSES):
        for i, M in enumerate(predicted.set_sizes):
            ax = axes[k, i]
            cell = (trials.columns["set_size"] == M) & (trials.present == bool(k))
            _distribution(ax, trials.where(cell), kind, end)
            for predicts, look in _lines(own, kind):
                _densities(ax, predicts, i, k, look)
            ax.axhline(0, color="0.3", linewidth=0.6)
            ax.set_title(f"{count(M, 'item')}, {kind}", loc="left")
            ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
            ax.locator_params(axis="x", nbins=4)
            if k == 1:
                ax.set_xlabel("response time (s)")
        axes[k, 0].set_ylabel("density (1/s)")
    drawn, words = axes[0, 0].get_legend_handles_labels()
    figure.legend(drawn, words, loc="outside upper left", ncols=2)
    return figure


def _lines(own: ObserverFits, kind: str) -> list[tuple[Prediction, dict[str, object]]]:
    """Return the predictions to draw, and how."""
    assert own.best is not None
    look: dict[str, object] = {"color": DARK[kind], "linewidth": 1.4}
    lines = [(own.best.prediction, look | {"label": own.best.fitted.model.label})]
    if own.yardstick is not None and own.yardstick is not own.best:
        look = {"color": GREY, "linestyle": ":", "linewidth": 1.2, "label": "ex-Gaussian"}
        lines.insert(0, (own.yardstick.prediction, look))
    return lines


def _distribution(ax: Axes, trials: Responses, kind: str, end: float) -> None:
    """Draw correct answers upwards and errors downwards, enlarged; as shares of all trials."""
    edges = np.linspace(0, end, int(np.clip(2 * np.sqrt(len(trials)), 24, 60)) + 1)
    wrong = ~trials.correct & (trials.response != Action.WAIT)
    for chosen, sign in ((trials.correct, 1), (wrong, -ENLARGED)):
        density = np.histogram(trials.rt[chosen], edges)[0] / max(len(trials), 1) / np.diff(edges)
        ax.stairs(sign * density, edges, fill=True, color=COLOURS[kind], alpha=0.6)
    ax.set_xlim(0, end)


def _densities(ax: Axes, predicted: Prediction, i: int, k: int, look: Mapping[str, object]) -> None:
    right, wrong = predicted.density[i, k, k], predicted.density[i, k, 1 - k]
    ax.plot(predicted.times, right, **look)  # type: ignore[arg-type]
    without = {key: value for key, value in look.items() if key != "label"}
    ax.plot(predicted.times, -ENLARGED * wrong, **without)  # type: ignore[arg-type]


@styled
def draw_observers(fits: Sequence[ObserverFits]) -> Figure:
    """Draw all observers: models compared, guidance, and the distance from optimal."""
    some = [own for own in fits if own.best is not None][:MOST_OBSERVERS]
    panels = side_by_side(fits) or PANELS[:1]
    widths = [each.width for each in panels]
    size = (0.9 + 3.0 * sum(widths), 1.6 + 0.28 * len(some))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, width_ratios=widths, squeeze=False)[0]
    for ax, letter, each in zip(axes, "abc", panels, strict=False):
        panel(ax, letter, each.title)
        each.draw(ax, some)
    axes[0].set_yticks(range(len(some)), [own.observer for own in some])
    axes[0].set_ylabel("observer")
    axes[0].set_ylim(len(some) - 0.5, -0.5)
    return figure


def _compared(ax: Axes, some: list[ObserverFits]) -> None:
    """Write the AIC of every model over the least, on a ground that is darker where it is worse."""
    criteria = pd.DataFrame([{fit.name: fit.aic for fit in own.models} for own in some])
    table = criteria.to_numpy() - criteria.min(axis=1).to_numpy()[:, None]
    ax.imshow(np.log1p(table), cmap="Blues", aspect="auto", vmin=0, vmax=9)
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            colour = "white" if value > 300 else "0.1"
            words: Any = {"ha": "center", "va": "center", "fontsize": 7, "color": colour}
            ax.text(column, row, f"{value:.0f}", weight="normal" if value else "bold", **words)
    ax.set_xticks(range(criteria.shape[1]), [*criteria], rotation=35, ha="right")
    ax.tick_params(length=0)


def _guidance(ax: Axes, some: list[ObserverFits]) -> None:
    """Draw guidance with its interval, on the axis g/(1 + g)."""
    marks = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
    ax.set_xticks([share_of(g) for g in marks], [*(f"{g:g}" for g in marks[:-1]), "serial"])
    ax.set_xlim(-0.03, 1.03)
    for row, own in enumerate(some):
        if (fitted := own.guided) is None:
            continue
        interval = fitted.errors["guidance"]
        if not interval.determined:
            ax.text(0.5, row, "not determined", ha="center", va="center", color=GREY, fontsize=7)
            continue
        ends = [share_of(interval.low), share_of(interval.high)]
        ax.plot(ends, [row, row], color="#0072B2", linewidth=1.2)
        ax.plot([share_of(fitted.estimates["guidance"])], [row], "o", color="#0072B2")
    ax.set_xlabel("0: all items at once; serial: one by one")


def _wasted(ax: Axes, some: list[ObserverFits]) -> None:
    """Draw the wasted time with its interval, and the floor where it is known."""
    for row, own in enumerate(some):
        if (index := own.index) is not None:
            ax.plot(index.wasted_interval, [row, row], color="#D55E00", linewidth=1.2)
            ax.plot([index.wasted_ms], [row], "D", color="#D55E00")
            if index.wasted_floor is not None:
                ax.plot([index.wasted_floor], [row], "|", color="0.2", markersize=9)
    ax.set(xlabel="ms a trial", xlim=(0, None))


class Panel(NamedTuple):
    """A picture of all observers: what it shows, for whom, and how."""

    title: str
    caption: str
    width: float
    is_for: Callable[[ObserverFits], bool]
    draw: Callable[[Axes, list[ObserverFits]], None]


PANELS = (
    Panel(
        "AIC over the least",
        "AIC of every model over the least of the observer.",
        1.5,
        lambda own: len(own.models) > 1,
        _compared,
    ),
    Panel(
        "guidance g of attention",
        "Guidance of attention with its 95 % interval, from the best model that fits it.",
        1.0,
        lambda own: own.guided is not None,
        _guidance,
    ),
    Panel(
        "time wasted in decisions",
        "Time wasted by the thresholds, with its 95 % interval; a tick is what truly ideal "
        "observers show, where that was computed.",
        1.0,
        lambda own: own.index is not None,
        _wasted,
    ),
)


def side_by_side(fits: Sequence[ObserverFits]) -> tuple[Panel, ...]:
    """Return the panels of `draw_observers` for which there is something to draw."""
    return tuple(each for each in PANELS if any(map(each.is_for, fits)))
