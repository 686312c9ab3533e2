"""Policies as pictures: where a strategy answers and where it waits, where an attention looks.

In the plane of two locations, all others ruled out; with one location, a strategy over time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.style import axes_for, styled
from popout.policies.stopping.strategy import Action, BoundaryStrategy
from popout.task import Faults

if TYPE_CHECKING:
    from popout.policies.looking.attention import Attention

Array = NDArray[np.float64]
FAR = 80.0
"""A location whose log likelihood ratio is minus this is ruled out."""
NODES = {"strategy": 241, "attention": 301}
BELOW, ABOVE = 6.0, 2.0
"""Room around the region of waiting of a strategy, in units of Z."""
ROOM = 1.5
"""The same around that of a strategy on top of an attention."""
RANGE = (-8.0, 8.0)
"""Shown of an attention alone."""
FIRST, BOTH, SECOND = "#5B3A8C", "#F7F7F7", "#8C7A3A"
"""Colours of no policy and of no class."""
SHARES = LinearSegmentedColormap.from_list("shares", [SECOND, BOTH, FIRST])
"""From all to the second location, over both alike, to all to the first."""


@styled
def draw_strategy(
    strategy: BoundaryStrategy, ax: Axes | None, plane: tuple[int, int], t: float
) -> Axes:
    """Draw the regions of a strategy; see `BoundaryStrategy.plot`."""
    M, nodes = strategy.n_locations or 2, NODES["strategy"]
    if M == 1:
        ax = axes_for(ax)
        last = 1.2 * strategy.settles or 1.0
        times, Z = np.linspace(0.0, last, nodes), _axis(strategy, 0, 1, np.linspace(0, last, 25))
        state = np.broadcast_to(Z[None, :, None], (nodes, nodes, 1))
        draw_regions(ax, times, Z, *strategy.margins(state, times[:, None]))
        ax.set(xlabel="time (s)", ylabel="$Z$ (nats)", title=strategy.label)
        ax.text(0.97, 0.97, 'say "present"', ha="right", va="top", transform=ax.transAxes)
        ax.text(0.97, 0.03, 'say "absent"', ha="right", va="bottom", transform=ax.transAxes)
        return ax
    faults = Faults("plot")
    if len(set(plane)) != 2 or not all(0 <= place < M for place in plane):
        faults.add("plane", f"two different locations from 0 to {M - 1}", plane, "name two")
    faults.raise_if_any()
    ax = axes_for(ax, size=(4.0, 4.0))
    Z1, Z2 = (_axis(strategy, place, M, np.array([t])) for place in plane)
    draw_regions(ax, Z1, Z2, *strategy.margins(plane_states(plane, M, Z1, Z2), t))
    notes = [f"{t:g} s"] if strategy.settles else []
    label_plane(ax, plane, M, [strategy.label, *notes])
    name_regions(ax)
    return ax


@styled
def draw_attention(
    attention: Attention,
    ax: Axes | None,
    strategy: BoundaryStrategy | None,
    plane: tuple[int, int],
    n_locations: int,
) -> Axes:
    """Draw the share of the first of two locations; see `Attention.plot`."""
    ax = axes_for(ax, size=(4.4, 4.0))
    M = attention.n_locations or n_locations
    low, high = RANGE
    if strategy is not None:
        waits = [_waits(strategy, place, M, np.zeros(1)) for place in plane]
        low = min(*(z[0] for z in waits), 0.0) - 2 * ROOM
        high = max(*(z[-1] for z in waits), 0.0) + ROOM
    z = np.linspace(low, high, NODES["attention"])
    Z = plane_states(plane, M, z, z)
    shares = attention.shares(Z, 0.0)
    first, second = shares[..., plane[0]], shares[..., plane[1]]
    share = first / np.maximum(first + second, 1e-12)
    if strategy is not None:
        absent, present = strategy.margins(Z, 0.0)
        share = np.where(np.maximum(absent, present) < 0, share, np.nan)
    image = ax.pcolormesh(z, z, share.T, cmap=SHARES, vmin=0.0, vmax=1.0, rasterized=True)
    if strategy is not None:
        draw_regions(ax, z, z, absent, present)
        name_regions(ax)
    label_plane(ax, plane, M, [attention.label])
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03, ticks=[0.0, 0.5, 1.0])
    bar.set_label(f"share of location {plane[0] + 1}")
    return ax


def plane_states(plane: tuple[int, ...], M: int, Z1: Array, Z2: Array) -> Array:
    """Return states over a plane of two locations, all others ruled out."""
    state = np.full((len(Z1), len(Z2), M), -FAR)
    state[..., plane[0]], state[..., plane[1]] = np.meshgrid(Z1, Z2, indexing="ij")
    return state


def label_plane(ax: Axes, plane: tuple[int, ...], M: int, title: list[str]) -> None:
    """Name the axes of a plane of two locations, and say that all others are ruled out."""
    first, second = (f"$Z_{{{place + 1}}}$ (nats)" for place in plane)
    ax.set(xlabel=first, ylabel=second, aspect="equal")
    ax.set_title(", ".join([*title, *(["others ruled out"] if M > 2 else [])]))


def _waits(strategy: BoundaryStrategy, place: int, M: int, times: Array) -> Array:
    """Return values of Z on one axis, all others ruled out, at which the strategy waits."""
    z = np.linspace(-30.0, 30.0, 601)
    state = np.full((z.size, M), -FAR)
    state[:, place] = z
    waits = np.any([strategy.decide(state, t) == Action.WAIT for t in times], axis=0)
    return z[waits] if waits.any() else np.zeros(1)


def _axis(strategy: BoundaryStrategy, place: int, M: int, times: Array) -> Array:
    """Return values of Z around where the strategy waits."""
    inside = _waits(strategy, place, M, times)
    low, high = min(inside[0], 0.0) - BELOW, max(inside[-1], 0.0) + ABOVE
    return np.linspace(low, high, NODES["strategy"])
