"""Evidence as a picture: how the log likelihood ratio of presence grows, by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from popout.drawing.style import ABSENT, PRESENT, axes_for, styled
from popout.task import Faults

if TYPE_CHECKING:
    from popout.evidence.evidence import Evidence

BAND = (0.1, 0.9)


@styled
def draw_evidence(
    evidence: Evidence, ax: Axes | None, seconds: float, n_trials: int, seed: int
) -> Axes:
    """Draw median and spread of S(t); see `Evidence.plot`."""
    dt = evidence.task.dt
    faults = Faults("plot")
    faults.number("seconds", seconds, "say how long to look", expected=">= dt", above=dt / 2)
    faults.raise_if_any()
    ax = axes_for(ax)
    steps = round(seconds / dt)
    t = np.arange(steps + 1) * dt
    for condition, colour in (("present", PRESENT), ("absent", ABSENT)):
        sample = evidence.sample(n_trials, steps, seed, condition)
        S = evidence.trajectory(sample.increments)
        low, middle, high = np.pad(
            np.quantile(S, (BAND[0], 0.5, BAND[1]), axis=0), ((0, 0), (1, 0))
        )
        ax.fill_between(t, low, high, color=colour, alpha=0.25, linewidth=0)
        ax.plot(t, middle, color=colour, label=f"target {condition}")
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    ax.set(xlabel="time (s)", ylabel="log likelihood ratio S (nats)")
    ax.set_title(f"median and 10 to 90 % of {n_trials} displays")
    ax.legend(loc="upper left")
    return ax
