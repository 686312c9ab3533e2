"""The optimal attention as a table.

`popout.exact` finds the best shares at the nodes of its grid. Between the nodes they are
multilinear, which keeps them shares; below the lowest node a location is ruled out and above the
highest the observer has answered, so that the shares of the end hold beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention
from popout.policies.multilinear import Tabulated


@dataclass(frozen=True, eq=False, repr=False)
class AttentionTable(Tabulated, Attention):
    """Where the ideal observer looks, interpolated from the exact solution.

    Attributes
    ----------
    table : ndarray of float, shape (n_1, ..., n_m, m)
        Shares of the m locations of `locations` at the nodes.
    lower, spacing : tuple of float, length m
        First node and distance between nodes of each dimension.
    locations : tuple of int, length m
        The locations that can hold the target, 0-based.
    total : int
        Number of locations M of the task.

    Examples
    --------
    >>> table = AttentionTable(np.array([[0.0, 1.0], [1.0, 0.0]])[:, None, :], (0.0, 0.0),
    ...                        (1.0, 1.0), (0, 1), 2)
    >>> table.shares([0.25, 3.0], 0.1)
    array([0.25, 0.75])
    """

    table: NDArray[np.float64]
    lower: tuple[float, ...]
    spacing: tuple[float, ...]
    locations: tuple[int, ...]
    total: int
    label: str = "optimal"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.total

    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return the shares, shape (..., M); the time plays no part."""
        shares = np.zeros((*np.shape(Z)[:-1], self.total))
        shares[..., list(self.locations)] = self.read(Z)
        return shares
