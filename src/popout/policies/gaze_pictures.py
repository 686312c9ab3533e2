"""The next gaze as a picture: how much a policy likes each place, and how likely each item is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from popout.drawing.style import axes_for, styled

if TYPE_CHECKING:
    from popout.policies.looking.gazing import GazePolicy

ROOM = 0.6
"""Around the display, in degrees."""
AREA = 500.0
"""Of an item that holds the target for certain, in square points."""


@styled
def draw_next_gaze(policy: GazePolicy, task: Any, Z: ArrayLike, ax: Axes | None) -> Axes:
    """Draw how much worse each gaze is than the best; see `GazePolicy.plot_next`."""
    ax = axes_for(ax, size=(4.4, 4.0))
    state = np.broadcast_to(np.asarray(Z, dtype=np.float64), (task.n_locations,))
    liking = policy.liking(state[None])[0]
    items, places = np.array(task.items), np.array(task.places)
    weight = np.asarray(task.location_prior) * np.exp(state - state.max())
    likely = weight / weight.sum()
    ax.scatter(items[:, 0], items[:, 1], marker="s", s=20 + AREA * likely, color="0.8", zorder=1)
    shown = np.isfinite(liking)
    worse = liking[shown] - liking.max()
    drawn = ax.scatter(
        places[shown, 0], places[shown, 1], c=worse, s=60, cmap="viridis", edgecolor="white",
        zorder=2,
    )  # fmt: skip
    best = places[liking.argmax()]
    ax.scatter(best[0], best[1], s=200, facecolor="none", edgecolor="#D55E00", zorder=3)
    ax.figure.colorbar(drawn, ax=ax, label="liked less than the best", shrink=0.8)
    both = np.vstack([items, places])
    (x0, y0), (x1, y1) = both.min(axis=0) - ROOM, both.max(axis=0) + ROOM
    ax.set(
        xlabel="degrees", ylabel="degrees", aspect="equal", xlim=(x0, x1), ylim=(y0, y1),
        title=f"next gaze: {policy.label}",
    )  # fmt: skip
    return ax
