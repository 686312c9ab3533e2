"""A task as a picture: one display that is as probable as any."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from popout.drawing.displays import draw_display
from popout.drawing.style import axes_for, styled


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
