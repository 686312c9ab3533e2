"""Decision boundaries in the plane of two locations, and where attention goes in it.

The exact boundary of independent locations is traced to sub-grid accuracy by
`popout.exact.boundary`. Of any other strategy with margins the boundary is the curve on which a
margin is zero: for each difference d = Z1 - Z2, the sum at which it is crossed
(`popout.analysis.curves`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, strategy_curves
from popout.policies.looking import Attention
from popout.policies.stopping import BoundaryStrategy, Strategy
from popout.task import Fault, InputError

Array = NDArray[np.float64]
RULED_OUT = -80.0
REACH, POINTS = 16.0, 161
"""Differences of log likelihood ratios that are shown, in nats, and how many."""
EDGE = 12.0
"""Nothing is shown beyond, in nats."""
NODES = 61


class _InPlane(BoundaryStrategy):
    """A strategy of many locations, of which all but two are held somewhere."""

    label = "in the plane"

    def __init__(
        self, whole: BoundaryStrategy, plane: tuple[int, int], others: float, n_locations: int
    ) -> None:
        self.whole, self.plane, self.others, self.n = whole, plane, others, n_locations

    def margins(self, Z: Any, t: Any) -> tuple[Array, Array]:
        """Return the margins of the whole strategy."""
        points = np.asarray(Z)
        full = np.full((*points.shape[:-1], self.n), self.others)
        full[..., self.plane[0]], full[..., self.plane[1]] = points[..., 0], points[..., 1]
        return self.whole.margins(full, t)


def in_plane(
    strategy: Strategy, plane: tuple[int, int], others: float | None, n_locations: int
) -> BoundaryStrategy:
    """Return a strategy as one of two locations; the others are held, or ruled out."""
    if not isinstance(strategy, BoundaryStrategy):
        expected = "a strategy with a boundary between two locations"
        remedy = "choose another strategy, or a task whose distractors are known"
        raise InputError([Fault("", ("strategy",), expected, repr(strategy.label), remedy)])
    held = RULED_OUT if others is None else others
    return _InPlane(strategy, plane, held, n_locations)


def boundary_curves(strategy: BoundaryStrategy, plane: tuple[int, int]) -> dict[str, Any]:
    """Return both curves of a strategy of two locations, in order along them.

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> sprt = in_plane(SPRT.for_task(task, -3.0, 3.0), (0, 1), None, 2)
    >>> curves = boundary_curves(sprt, (0, 1))
    >>> float(np.interp(0.0, *(np.subtract(*curves["present"].values()), curves["present"]["Z1"])))
    3.0
    """
    names = [f"Z{place + 1}" for place in plane]
    found = {}
    for side, curve in zip(
        SIDES, strategy_curves(strategy, differences(REACH, POINTS)), strict=True
    ):
        shown = curve[(np.abs(curve) <= EDGE).all(axis=1)]
        found[side] = {name: shown[:, k] for k, name in enumerate(names)}
    return found


def attention_map(
    attention: Attention,
    strategy: BoundaryStrategy,
    plane: tuple[int, int],
    others: float | None,
    n_locations: int,
) -> dict[str, Any]:
    """Return the share of the first of two locations, NaN where the strategy answers.

    Parameters
    ----------
    attention : Attention
    strategy : BoundaryStrategy
        In the same plane, see `in_plane`.
    plane : pair of int
    others : float, optional
    n_locations : int
    """
    z = np.linspace(-EDGE, EDGE, NODES)
    points = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1)
    Z = np.full((NODES, NODES, n_locations), RULED_OUT if others is None else others)
    Z[..., plane[0]], Z[..., plane[1]] = points[..., 0], points[..., 1]
    share = np.asarray(attention.shares(Z, 0.0))[..., plane[0]]
    waits = np.maximum(*strategy.margins(points, 0.0)) < 0
    names = [f"Z{place + 1}" for place in plane]
    return {names[0]: z, names[1]: z, "share": np.where(waits, share, np.nan)}
