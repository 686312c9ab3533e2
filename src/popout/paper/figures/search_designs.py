r"""Set-up: one trial, three heterogeneous designs, the graphical model (Figure 1).

Panels: (a) the sequence of screens in a trial; (b-d) displays of three designs, target present
and absent, drawn from the tasks themselves: target and distractors drawn independently,
distractors tied across locations so that the contrast of target and distractor varies, and a set
size :math:`M_d` that varies; (e) the graphical model behind all three (Equations 3 to
5): the distractor mixture :math:`\phi` is drawn on each trial and gives the
orientation of every item that is not the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.analysis.reliability import example_displays
from popout.drawing.display_picture import TARGET, draw_display, draw_graph
from popout.drawing.representation import listing
from popout.drawing.style import key, panel, styled
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress
from popout.reports.cells import labelled
from popout.reports.words import fixed
from popout.task import MixtureSearchTask, SceneSearchTask

M = 8
EXAMPLES = 2
CLASSES = ("present", "absent")
DESIGNS = ("independent distractors", "tied distractors", "unknown set size")
DRAWN = 200
"""Displays to choose examples from, so that the two shown differ in mixture or set size."""


def tasks(n_locations: int = M) -> tuple[MixtureSearchTask | SceneSearchTask, ...]:
    """Return the three designs, on eight locations in the figure.

    In the first the target is upright or leans to the left, and distractors lean to the right; in
    the others the target is upright. In scenes three eighths or three quarters of the locations
    carry an item.

    Examples
    --------
    >>> [task.n_locations for task in tasks()], tasks(4)[2].counts
    ([8, 8, 8], (1, 3))
    """
    tilts = (30.0, 60.0, 90.0)
    drift: dict[float | str, float | Sequence[float]]
    drift = {0.0: 4.0, 30.0: 2.0, 60.0: -2.0, 90.0: -4.0}
    return (
        MixtureSearchTask.independent(n_locations, [-45.0, 0.0], tilts, {-45.0: 6.0, **drift}),
        MixtureSearchTask.tied(n_locations, [0.0], tilts, drift),
        SceneSearchTask.from_sets(
            n_locations,
            [0.0],
            [30.0],
            [3 * n_locations // 8, 6 * n_locations // 8],
            {0.0: 4.0, 30.0: 2.0, "blank": -8.0},
        ),
    )


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return displays drawn from each design; NaN is a blank location, target -1 is none."""
    shape = (len(DESIGNS), len(CLASSES), EXAMPLES)
    tilt, target = np.full((*shape, M), np.nan), np.full(shape, -1)
    for i, task in enumerate(tasks()):
        for j, condition in enumerate(CLASSES):
            tilt[i, j], target[i, j] = example_displays(
                task, EXAMPLES, seed, condition, drawn=DRAWN
            )
    return labelled(
        {
            "tilt": (("design", "class", "example", "location"), tilt, {"units": "degrees"}),
            "target": (("design", "class", "example"), target),
        },
        {"design": DESIGNS, "class": CLASSES, "location": np.arange(M) + 1},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the trial, the designs and the graphical model."""
    figure = Figure(figsize=(10.4, 6.4), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1, 1.7))
    top, bottom = halves
    screens, graph = top.subfigures(1, 2, width_ratios=(1.9, 1))
    _trial(screens, data)
    ax = graph.subplots()
    panel(ax, "e", "graphical model")
    _model(ax)
    for part, letter, design in zip(bottom.subfigures(1, 3), "bcd", DESIGNS, strict=True):
        part.suptitle(f"$\\bf{{{letter}}}$  {design}", fontsize=9.5)
        axes = part.subplots(2, EXAMPLES)
        for row, kind in enumerate(CLASSES):
            for k in range(EXAMPLES):
                display = data.sel({"design": design, "class": kind}).isel(example=k)
                draw_display(axes[row, k], display["tilt"].to_numpy(), int(display["target"]))
                axes[row, k].set_xlabel(_words(design, display))
            axes[row, 0].set_ylabel(f"target {kind}")
    target = key("target, coloured for the reader only", color=TARGET, linewidth=3)
    bottom.legend(handles=[target], loc="outside lower center")
    return figure


def _words(design: str, display: xr.Dataset) -> str:
    """Say what varies in a display."""
    tilts = display["tilt"].to_numpy()
    shown = tilts[np.isfinite(tilts)]
    if design == DESIGNS[1]:
        return f"contrast {np.max(shown):.0f}°"
    if design == DESIGNS[2]:
        return f"$M_d$ = {shown.size}"
    target = int(display["target"])
    if target >= 0:
        return f"target at {fixed(tilts[target], 2)}°"
    return f"{np.unique(shown).size} distractor tilts"


def _trial(screens: Any, data: xr.Dataset) -> None:
    """Draw the screens of a trial."""
    axes = screens.subplots(1, 4, gridspec_kw={"wspace": 0.18})
    display = data.sel({"design": DESIGNS[0], "class": "present"}).isel(example=0)
    blank = [np.nan]
    for ax, tilts, title, below in (
        (axes[0], blank, "fixation", "fixate the cross"),
        (axes[1], display["tilt"].to_numpy(), "stimulus", "until a key is pressed"),
        (axes[2], blank, "response", "present or absent?"),
        (axes[3], blank, "feedback", "end of the trial"),
    ):
        draw_display(ax, tilts, reveal=False)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(below)
        ax.set_anchor("N")
    axes[2].text(0, 0.45, "key P    key A", ha="center", va="center", fontsize=8)
    axes[3].text(0, 0.45, "correct", ha="center", va="center", fontsize=8)
    panel(axes[0], "a")
    for ax in axes[:-1]:
        arrow = {"arrowstyle": "-|>", "color": "0.3"}
        ends = {"xycoords": "axes fraction", "textcoords": "axes fraction"}
        ax.annotate("", (1.17, 0.5), (1.0, 0.5), arrowprops=arrow, annotation_clip=False, **ends)


def _model(ax: Axes) -> None:
    """Draw the graphical model."""
    nodes = {"C": (0.0, 2.0), "l_T": (1.2, 2.0), "\\phi": (2.4, 2.0)}
    nodes |= {"C_l": (1.2, 0.8), "Y_l": (2.4, 0.8), "X_l": (3.6, 0.8)}
    draw_graph(
        ax,
        nodes,
        [("C", "l_T"), ("l_T", "C_l"), ("C_l", "Y_l"), ("\\phi", "Y_l"), ("Y_l", "X_l")],
        observed=["X_l"],
        notes={"\\phi": "distractor mixture"},
        plate=(0.62, 0.15, 3.5, 1.05, "$l = 1 \\ldots M$"),
    )
    words = {"C": "present?", "l_T": "where?"}
    for name, text in words.items():
        x, y = nodes[name]
        ax.text(x, y + 0.33, text, ha="center", va="bottom", fontsize=7.5)
    for name, text in {"C_l": "target here?", "Y_l": "orientation", "X_l": "observed"}.items():
        x, y = nodes[name]
        ax.text(x, y - 0.31, text, ha="center", va="top", fontsize=7)
    ax.set(xlim=(-0.5, 4.3), ylim=(-0.1, 2.6))


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe the displays."""
    M = data.sizes["location"]
    shown = data["tilt"].notnull().sum("location")
    parts = []
    for design in data["design"].to_numpy():
        of_design = data.sel(design=design)
        at_target = of_design["location"] - 1 == of_design["target"]
        target, other = (
            _values(of_design["tilt"].where(where)) for where in (at_target, ~at_target)
        )
        counts = np.unique(shown.sel(design=design))
        words = f"target at {listing(target, 'or')}, distractors at {listing(other)}"
        if counts.size > 1 or counts[0] < M:
            words += f", {listing([str(int(n)) for n in counts], 'or')} items on {M} locations"
        parts.append(f"{design}: {words}")
    return (
        f"(a) The screens of a trial. (b-d) Displays with {M} locations drawn from three designs, "
        "with a target (upper row, the target in colour for the reader) and without: "
        f"{'; '.join(parts)}.",
        "(e) The model behind all three: presence C, the target's location, the mixture φ that "
        "distractors are drawn from, the orientation at each location, and what is observed.",
    )


def _values(tilt: xr.DataArray) -> list[str]:
    """Return the tilts that occur, in degrees."""
    values = tilt.to_numpy()
    return [f"{fixed(v, 2)}°" for v in np.unique(values[np.isfinite(values)])]


SEARCH_DESIGNS = PaperPart(
    "search-designs", "Heterogeneous visual search", compute, 2.0, draw, describe, label="Figure 1"
)
