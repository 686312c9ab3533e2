"""Scanpaths as a picture: where the eyes went over a display, and for how long.

Each fixation is a disc whose area grows with its duration, numbered in order and shaded by the
posterior probability of presence after it; lines join them. Items are bars of grey, the target has
a ring.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.special import expit

from popout.drawing.style import PRESENT, axes_for, styled
from popout.evidence import log_likelihood_ratio_search
from popout.policies.stopping import Action
from popout.simulation.simulated_trials import Trials

Array = NDArray[np.float64]
AREA = 1200.0
"""Of the disc of a fixation that lasts a second, in square points."""
ROOM = 0.6
"""Around the display, in degrees."""
ANSWERS = {Action.WAIT: "undecided", Action.ABSENT: "absent", Action.PRESENT: "present"}


@styled
def draw_scanpath(trials: Trials, index: int, ax: Axes | None) -> Axes:
    """Draw the fixations of one trial; see `Trials.plot_scanpath`."""
    path, task = shaded(trials, index), trials.fixations.task
    ax = axes_for(ax, size=(4.4, 4.0))
    target = int(trials.target[index])
    drawn = draw_fixations(ax, np.array(task.items), np.array(task.places), path, target)
    ax.figure.colorbar(drawn, ax=ax, label="P(present) afterwards", shrink=0.8)
    ax.set_title(title_of(target, int(trials.response[index]), float(trials.rt[index])))
    return ax


def shaded(trials: Trials, index: int) -> pd.DataFrame:
    """Return the scanpath of a trial with ``probability``, P(present) after each fixation."""
    path, task = trials.scanpath(index), trials.task
    Z = path[[name for name in path.columns if name.startswith("Z")]].to_numpy()
    odds = log_likelihood_ratio_search(Z, task.location_prior) + task.log_prior_odds
    return path.assign(probability=expit(odds))


def title_of(target: int, response: int, rt: float) -> str:
    """Say what a trial was and how it ended.

    Examples
    --------
    >>> title_of(-1, Action.ABSENT, 0.69)
    'target absent, answer "absent" after 0.69 s'
    """
    shown = "absent" if target < 0 else "present"
    return f'target {shown}, answer "{ANSWERS[Action(response)]}" after {rt:.2f} s'


def draw_fixations(ax: Axes, items: Array, places: Array, path: Any, target: int = -1) -> Any:
    """Draw fixations over a display; return the discs, for a scale of colours.

    Parameters
    ----------
    ax : Axes
    items, places : ndarray of shape (M, 2) and (G, 2)
        Of the items, and where gaze may rest.
    path : DataFrame or mapping
        With ``x``, ``y``, ``duration`` and ``probability`` of each fixation.
    target : int
        Which item is ringed, from 0; -1 for none.
    """
    ax.scatter(items[:, 0], items[:, 1], marker="s", s=26, color="0.6", zorder=1)
    if target >= 0:
        x, y = items[target]
        ax.scatter(x, y, marker="o", s=240, facecolor="none", edgecolor=PRESENT, zorder=4)
    ax.plot(path["x"], path["y"], color="0.3", linewidth=1.0, zorder=2)
    drawn = ax.scatter(
        path["x"], path["y"], s=AREA * path["duration"], c=path["probability"], cmap="viridis",
        vmin=0.0, vmax=1.0, edgecolor="white", linewidth=0.6, alpha=0.85, zorder=3,
    )  # fmt: skip
    at: dict[tuple[float, float], list[str]] = {}
    for number, (x, y) in enumerate(zip(path["x"], path["y"], strict=True), start=1):
        at.setdefault((x, y), []).append(str(number))
    for place, numbers in at.items():
        ax.annotate(
            ", ".join(numbers), place, xytext=(0, 9), textcoords="offset points", ha="center"
        )
    frame_display(ax, np.vstack([items, places]))
    return drawn


def frame_display(ax: Axes, points: Array) -> None:
    """Show these points, in degrees, with room around them."""
    (x0, y0), (x1, y1) = points.min(axis=0) - ROOM, points.max(axis=0) + ROOM
    ax.set(xlabel="degrees", ylabel="degrees", aspect="equal", xlim=(x0, x1), ylim=(y0, y1))
