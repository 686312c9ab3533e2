"""Drawings: displays of tilted bars, and graphical models of circles and arrows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from numpy.typing import NDArray

from popout.drawing.style import axes_for, styled

SCREEN, BAR, TARGET = "0.93", "0.15", "#D55E00"
BAR_LENGTH = 0.30
ON_RING = 12
"""Items that a ring has room for."""
NODE = 0.26
"""Radius of a node, in the units of the graph."""


def draw_display(
    ax: Axes, tilts: Sequence[float] | NDArray[np.float64], target: int = -1, *, reveal: bool = True
) -> None:
    """Draw items on a ring around the fixation cross; spread over the screen if they are many.

    Parameters
    ----------
    ax : Axes
    tilts : sequence of float, length M
        Tilt of each bar in degrees clockwise from upright; NaN is a blank location.
    target : int
        Its location from 0; -1 if there is none.
    reveal : bool
        Whether the target is drawn in a colour of its own, for the reader; observers see no such
        thing.
    """
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal")
    ax.set_facecolor(SCREEN)
    for spine in ax.spines.values():
        spine.set(visible=True, color="0.6")
    ax.plot(0, 0, marker="+", color="0.3", markersize=5, markeredgewidth=1)
    centres, size = _places(len(tilts))
    for place, tilt in enumerate(tilts):
        if not math.isfinite(tilt):
            continue
        along = np.array([math.sin(math.radians(tilt)), math.cos(math.radians(tilt))])
        half = size * BAR_LENGTH / 2 * along
        ends = np.stack([centres[place] - half, centres[place] + half])
        colour = TARGET if reveal and place == target else BAR
        ax.plot(*ends.T, color=colour, linewidth=3 * size, solid_capstyle="butt")


def _places(M: int) -> tuple[NDArray[np.float64], float]:
    """Return the centre of each item, and the size of the bars as a share of the usual one."""
    number = np.arange(M) + 0.5
    ring = M <= ON_RING
    # Many are placed as the seeds of a sunflower: evenly, however many there are.
    angle = number * (2 * math.pi / M if ring else math.pi * (3 - math.sqrt(5)))
    radius = 0.72 if ring else 0.98 * np.sqrt(number / M)
    size = 1.0 if ring else min(1.0, 0.8 * math.sqrt(math.pi / M) / BAR_LENGTH)
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=-1), size


@styled
def draw_example(
    tilts: Sequence[float], target: int, title: str, words: str, ax: Axes | None
) -> Axes:
    """Draw a display with its title above and a few words below.

    Parameters
    ----------
    tilts : sequence of float, length M
        In degrees, NaN for a blank location.
    target : int
        Location of the target, from 0.
    title, words : str
    ax : Axes, optional
    """
    ax = axes_for(ax, size=(3.0, 3.2))
    draw_display(ax, tilts, target)
    ax.set_title(title)
    ax.set_xlabel(words)
    return ax


def draw_graph(
    ax: Axes,
    nodes: Mapping[str, tuple[float, float]],
    arrows: Sequence[tuple[str, str]],
    *,
    observed: Sequence[str] = (),
    notes: Mapping[str, str] | None = None,
    plate: tuple[float, float, float, float, str] | None = None,
) -> None:
    """Draw a graphical model.

    Parameters
    ----------
    ax : Axes
    nodes : mapping of str to (x, y)
        Symbol of each variable (between dollar signs when drawn) and its place.
    arrows : sequence of (str, str)
        From and to.
    observed : sequence of str
        Variables drawn shaded.
    notes : mapping of str to str, optional
        A few words to the right of a variable.
    plate : (x, y, width, height, text), optional
        The box around what is repeated.
    """
    ax.set_aspect("equal")
    ax.axis("off")
    if plate is not None:
        x, y, width, height, text = plate
        box = FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0.05", fill=False, edgecolor="0.4"
        )
        ax.add_patch(box)
        ax.text(x + width, y + 0.02, text, ha="right", va="bottom", fontsize=7.5, color="0.3")
    for name, (x, y) in nodes.items():
        shade = "0.82" if name in observed else "white"
        ax.add_patch(Circle((x, y), NODE, facecolor=shade, edgecolor="0.1", linewidth=1, zorder=3))
        ax.text(x, y, f"${name}$", ha="center", va="center", zorder=4, fontsize=9)
        if notes and name in notes:
            ax.text(x + NODE + 0.1, y, notes[name], ha="left", va="center", fontsize=7.5)
    for start, end in arrows:
        arrow = FancyArrowPatch(
            nodes[start],
            nodes[end],
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=0,
            shrinkB=0,
            color="0.1",
            linewidth=1,
            zorder=2,
        )
        a, b = np.asarray(nodes[start]), np.asarray(nodes[end])
        step = (b - a) / np.linalg.norm(b - a) * NODE
        arrow.set_positions(tuple(a + step), tuple(b - step))
        ax.add_patch(arrow)
    ax.autoscale_view()
