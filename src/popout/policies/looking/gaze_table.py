"""The optimal gaze as a table.

`popout.exact` finds the value of every gaze at the nodes of its grid. Between the nodes these are
multilinear, and the gaze with the least value is taken; beyond the outer nodes that of the end is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.policies.looking.gazing import Array, GazePolicy, Rows
from popout.policies.multilinear import Tabulated


@dataclass(frozen=True, eq=False, repr=False)
class GazeTable(Tabulated, GazePolicy):
    """Where the ideal observer's eyes rest, from the exact solution.

    Attributes
    ----------
    table : ndarray of float, shape (n_1, ..., n_m, G)
        Minus the value of each gaze at the nodes, less that of answering.
    lower, spacing : tuple of float, length m
        First node and distance between nodes of each dimension.
    locations : tuple of int, length m
        The items that can be the target, 0-based.
    visibility : tuple of tuple of float, shape (G, M)

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    >>> table = po.solve(task, po.Costs(time=0.2)).attention
    >>> table.gaze([[0.5, -0.5], [-0.5, 0.5]])
    array([0, 1])
    """

    table: NDArray[np.float64]
    lower: tuple[float, ...]
    spacing: tuple[float, ...]
    locations: tuple[int, ...]
    visibility: Rows
    label: str = "optimal"

    @property
    def n_locations(self) -> int:
        """Number of items M."""
        return len(self.visibility[0])

    def liking(self, Z: Array) -> Array:
        """Return minus the value of each gaze."""
        return self.read(Z)
