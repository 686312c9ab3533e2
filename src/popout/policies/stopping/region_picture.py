"""A strategy as a picture: where it says "absent", where "present", and where it waits.

With one location the picture shows the regions of Z over time; with more, the plane of two
locations at one time, all others ruled out.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.style import axes_for, styled
from popout.policies.stopping.strategy import Action, BoundaryStrategy
from popout.task import Faults

Array = NDArray[np.float64]
FAR = 80.0
"""A location whose log likelihood ratio is minus this is ruled out."""
NODES = 241
BELOW, ABOVE = 6.0, 2.0
"""Room around the region of waiting, in units of Z."""


@styled
def draw_strategy(
    strategy: BoundaryStrategy, ax: Axes | None, plane: tuple[int, int], t: float
) -> Axes:
    """Draw the regions of a strategy; see `BoundaryStrategy.plot`."""
    M = strategy.n_locations or 2
    if M > 1:
        _check_plane(plane, M)
    if M == 1:
        ax = axes_for(ax)
        last = 1.2 * strategy.settles or 1.0
        times, Z = np.linspace(0.0, last, NODES), _axis(strategy, 0, 1, np.linspace(0, last, 25))
        state = np.broadcast_to(Z[None, :, None], (NODES, NODES, 1))
        draw_regions(ax, times, Z, *strategy.margins(state, times[:, None]))
        ax.set(xlabel="time (s)", ylabel="$Z$ (nats)", title=strategy.label)
        ax.text(0.97, 0.97, 'say "present"', ha="right", va="top", transform=ax.transAxes)
        ax.text(0.97, 0.03, 'say "absent"', ha="right", va="bottom", transform=ax.transAxes)
        return ax
    ax = axes_for(ax, size=(4.0, 4.0))
    Z1, Z2 = (_axis(strategy, place, M, np.array([t])) for place in plane)
    state = np.full((NODES, NODES, M), -FAR)
    state[..., plane[0]], state[..., plane[1]] = np.meshgrid(Z1, Z2, indexing="ij")
    draw_regions(ax, Z1, Z2, *strategy.margins(state, t))
    notes = ([f"{t:g} s"] if strategy.settles else []) + (["others ruled out"] if M > 2 else [])
    ax.set_title(", ".join([strategy.label, *notes]))
    name_regions(ax)
    first, second = (f"$Z_{{{place + 1}}}$ (nats)" for place in plane)
    ax.set(xlabel=first, ylabel=second, aspect="equal")
    return ax


def _check_plane(plane: tuple[int, int], M: int) -> None:
    faults = Faults("plot")
    if len(set(plane)) != 2 or not all(0 <= place < M for place in plane):
        faults.add("plane", f"two different locations from 0 to {M - 1}", plane, "name two")
    faults.raise_if_any()


def _axis(strategy: BoundaryStrategy, place: int, M: int, times: Array) -> Array:
    """Return values of Z around where the strategy waits on one axis, all others ruled out."""
    z = np.linspace(-30.0, 30.0, 601)
    state = np.full((z.size, M), -FAR)
    state[:, place] = z
    waits = np.any([strategy.decide(state, t) == Action.WAIT for t in times], axis=0)
    inside = z[waits] if waits.any() else np.zeros(1)
    return np.linspace(min(inside[0], 0.0) - BELOW, max(inside[-1], 0.0) + ABOVE, NODES)
