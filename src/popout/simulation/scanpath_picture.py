"""Scanpaths as a picture: where the eyes went over a display, and for how long.

Each fixation is a disc whose area grows with its duration, numbered in order and shaded by the
posterior probability of presence after it; lines join them. Items are bars of grey, the target has
a ring.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from scipy.special import expit

from popout.drawing.style import PRESENT, axes_for, styled
from popout.evidence import log_likelihood_ratio_search
from popout.policies.stopping import Action
from popout.simulation.simulated_trials import Trials

AREA = 1200.0
"""Of the disc of a fixation that lasts a second, in square points."""
ROOM = 0.6
"""Around the display, in degrees."""
ANSWERS = {Action.WAIT: "undecided", Action.ABSENT: "absent", Action.PRESENT: "present"}


@styled
def draw_scanpath(trials: Trials, index: int, ax: Axes | None) -> Axes:
    """Draw the fixations of one trial; see `Trials.plot_scanpath`."""
    path, task = trials.scanpath(index), trials.fixations.task
    ax = axes_for(ax, size=(4.4, 4.0))
    items, target = np.array(task.items), int(trials.target[index])
    ax.scatter(items[:, 0], items[:, 1], marker="s", s=26, color="0.6", zorder=1)
    if target >= 0:
        x, y = items[target]
        ax.scatter(x, y, marker="o", s=240, facecolor="none", edgecolor=PRESENT, zorder=4)
    Z = path[[name for name in path.columns if name.startswith("Z")]].to_numpy()
    odds = log_likelihood_ratio_search(Z, task.location_prior) + task.log_prior_odds
    ax.plot(path["x"], path["y"], color="0.3", linewidth=1.0, zorder=2)
    drawn = ax.scatter(
        path["x"], path["y"], s=AREA * path["duration"], c=expit(odds), cmap="viridis", vmin=0.0,
        vmax=1.0, edgecolor="white", linewidth=0.6, alpha=0.85, zorder=3,
    )  # fmt: skip
    at: dict[tuple[float, float], list[str]] = {}
    for number, (x, y) in enumerate(zip(path["x"], path["y"], strict=True), start=1):
        at.setdefault((x, y), []).append(str(number))
    for place, numbers in at.items():
        ax.annotate(
            ", ".join(numbers), place, xytext=(0, 9), textcoords="offset points", ha="center"
        )
    ax.figure.colorbar(drawn, ax=ax, label="P(present) afterwards", shrink=0.8)
    shown = "absent" if target < 0 else "present"
    answer = ANSWERS[Action(int(trials.response[index]))]
    ax.set(
        xlabel="degrees", ylabel="degrees", aspect="equal",
        title=f'target {shown}, answer "{answer}" after {trials.rt[index]:.2f} s',
    )  # fmt: skip
    places = np.vstack([items, np.array(task.places)])
    (x0, y0), (x1, y1) = places.min(axis=0) - ROOM, places.max(axis=0) + ROOM
    ax.set(xlim=(x0, x1), ylim=(y0, y1))
    return ax
