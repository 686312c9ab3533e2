"""An attention policy as a picture: where it looks, in the plane of two locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.style import axes_for, styled

if TYPE_CHECKING:
    from popout.policies.looking.attention import Attention, HasMargins

Array = NDArray[np.float64]
FAR = 80.0
"""A location whose log likelihood ratio is minus this is ruled out."""
NODES = 301
FIRST, BOTH, SECOND = "#5B3A8C", "#F7F7F7", "#8C7A3A"
"""Colours of no policy and of no class."""
SHARES = LinearSegmentedColormap.from_list("shares", [SECOND, BOTH, FIRST])
"""From all to the second location, over both alike, to all to the first."""
RANGE = (-8.0, 8.0)
ROOM = 1.5
"""Shown beyond the region of waiting, in units of Z."""


@styled
def draw_attention(
    attention: Attention,
    ax: Axes | None,
    strategy: HasMargins | None,
    plane: tuple[int, int],
    n_locations: int,
) -> Axes:
    """Draw the share of the first of two locations; see `Attention.plot`."""
    ax = axes_for(ax, size=(4.4, 4.0))
    M = attention.n_locations or n_locations
    low, high = RANGE if strategy is None else _range(strategy, plane, M)
    z = np.linspace(low, high, NODES)
    Z = np.full((NODES, NODES, M), -FAR)
    Z[..., plane[0]], Z[..., plane[1]] = np.meshgrid(z, z, indexing="ij")
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
    names = [f"$Z_{{{place + 1}}}$ (nats)" for place in plane]
    ax.set(xlabel=names[0], ylabel=names[1], aspect="equal")
    others = ", others ruled out" if M > 2 else ""
    ax.set_title(f"{attention.label}{others}")
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03, ticks=[0.0, 0.5, 1.0])
    bar.set_label(f"share of location {plane[0] + 1}")
    return ax


def _range(strategy: HasMargins, plane: tuple[int, int], M: int) -> tuple[float, float]:
    """Return values of Z around where the strategy waits on either axis, others ruled out."""
    z = np.linspace(-30.0, 30.0, 601)
    ends = []
    for place in plane:
        Z = np.full((z.size, M), -FAR)
        Z[:, place] = z
        absent, present = strategy.margins(Z, 0.0)
        inside = z[np.maximum(absent, present) < 0]
        ends += [float(inside[0]), float(inside[-1])] if inside.size else [0.0]
    return min(*ends, 0.0) - 2 * ROOM, max(*ends, 0.0) + ROOM
