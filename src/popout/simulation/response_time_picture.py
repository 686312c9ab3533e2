"""Response times as a picture: one distribution for each class and answer."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from popout.drawing.representation import count
from popout.drawing.style import ABSENT, PRESENT, axes_for, styled
from popout.policies.stopping import Action
from popout.simulation.tally import Tally

BINS = 40
FEWEST = 20
"""A distribution of fewer trials is not drawn; the legend still counts them."""
SHOWN = 0.995
"""Share of the answers that the time axis covers."""
KINDS = (
    (0, Action.ABSENT, "correct rejections", ABSENT, "-"),
    (0, Action.PRESENT, "false alarms", ABSENT, "--"),
    (1, Action.PRESENT, "hits", PRESENT, "-"),
    (1, Action.ABSENT, "misses", PRESENT, "--"),
)


@styled
def draw_response_times(tally: Tally, ax: Axes | None) -> Axes:
    """Draw the distributions of response times; see `Tally.plot`."""
    ax = axes_for(ax)
    whole = tally.in_whole_steps
    answered = np.cumsum(tally.by_class[:, 1:].sum(axis=(0, 1)))
    # Whole looks lie in the middle of a bin's first look, never on an edge.
    shift = 0.5 if whole else 0.0
    last = tally.steps[np.searchsorted(answered, SHOWN * answered[-1])] + 2 * shift
    for kind, answer, words, colour, dash in KINDS:
        counts = tally.by_class[kind, answer]
        n, of = int(counts.sum()), int(tally.by_class[kind].sum())
        if of == 0:
            continue
        label = f"{words}, {100 * n / of:.3g} %"
        if n < FEWEST:
            ax.plot([], [], color=colour, linestyle=dash, label=f"{label} ({n}, not drawn)")
            continue
        bins = min(BINS, max(FEWEST // 2, math.isqrt(n)))  # fewer for the few errors
        width = max(1, math.ceil(last / bins)) if whole else last / bins or 1.0
        edges = np.arange(0, last + width, width)
        inside = np.histogram(tally.steps, edges - shift, weights=counts)[0]
        density, seconds = inside / (n * width * tally.unit), edges * tally.unit
        ax.stairs(density, seconds, color=colour, linestyle=dash, label=label)
    ax.set(xlabel="response time (s)", ylabel="density (1/s)", ylim=(0, None))
    title = count(tally.n_trials, "trial")
    ax.set_title(f"{title}, {tally.undecided} undecided" if tally.undecided else title)
    ax.legend()
    return ax
