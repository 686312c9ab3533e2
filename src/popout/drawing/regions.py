"""Regions of a plane: where one thing is said, where the other, and where nothing yet."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from popout.drawing.style import ABSENT, PRESENT

Array = NDArray[np.float64]
SHADE = 0.3


def draw_regions(ax: Axes, x: Array, y: Array, absent: Array, present: Array) -> None:
    """Shade where two continuous functions are positive, and draw where they vanish.

    Parameters
    ----------
    ax : Axes
    x, y : ndarray of shape (n,), (m,)
    absent, present : ndarray of shape (n, m)
        Where both are positive the second wins.
    """
    # Between the two regions, without waiting, the line is that of the second.
    absent = np.minimum(absent, np.where(present >= 0, -present, np.inf))
    for margin, colour in ((absent, ABSENT), (present, PRESENT)):
        if margin.max() <= 0:
            continue
        ax.contourf(x, y, margin.T, levels=[0.0, np.inf], colors=[colour], alpha=SHADE)
        if margin.min() < 0:
            ax.contour(x, y, margin.T, levels=[0.0], colors=[colour], linewidths=1.6)


def name_regions(ax: Axes) -> None:
    """Write what is said into the two corners of a plane of evidence."""
    corner: dict[str, Any] = {"transform": ax.transAxes, "fontsize": 8}
    ax.text(0.97, 0.97, 'say "present"', ha="right", va="top", **corner)
    ax.text(0.03, 0.03, 'say "absent"', ha="left", va="bottom", **corner)
