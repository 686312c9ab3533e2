"""Where the ideal observer looks while items are reshuffled: a table for every look in between."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention
from popout.policies.looking.exact_table import AttentionTable


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicAttention(Attention):
    """Shares that depend on the state and on the time since the last reshuffle.

    Attributes
    ----------
    table_at : callable
        Maps the number of steps since the last reshuffle (0, 1, ..., steps - 1) to its table.
    steps : int
        Between two reshuffles.
    dt : float
        Seconds between looks.
    label : str
        Its name in tables.
    """

    table_at: Callable[[int], AttentionTable]
    steps: int
    dt: float
    label: str = "optimal"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.table_at(0).n_locations

    @property
    def settles(self) -> float:
        """Infinity: it changes with time for as long as there are reshuffles."""
        return math.inf

    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return the shares, shape (..., M)."""
        Z = np.asarray(Z, dtype=np.float64)
        look = np.rint(np.asarray(t) / self.dt).astype(np.int64) % self.steps
        look, shares = np.broadcast_to(look, Z.shape[:-1]), np.empty(Z.shape)
        for k in np.unique(look):
            shares[look == k] = self.table_at(int(k)).shares(Z[look == k], 0.0)
        return shares
