"""The optimum where items are reshuffled: a table for every look between two reshuffles.

The longer ago the last reshuffle was, the more is known of the target's place, and the sooner all
of that is lost. What is worth another look changes with both, and again from the start after every
reshuffle (`popout.exact.reshuffled`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from popout.drawing.representation import Card
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.strategy import BoundaryStrategy, Margins, margins_by_look


@dataclass(frozen=True, eq=False)
class PeriodicTable(BoundaryStrategy):
    """The ideal observer's strategy for items that are reshuffled.

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

    table_at: Callable[[int], ExactTable]
    steps: int
    dt: float
    label: str = "optimal"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.table_at(0).n_locations

    @property
    def period(self) -> float:
        """Seconds after which the tests repeat."""
        return self.steps * self.dt

    def __repr__(self) -> str:
        """Return one line."""
        return f"PeriodicTable({self.label}, every {self.period:g} s)"

    def card(self) -> Card:
        """Return what is shown of it."""
        facts = [("locations", str(self.n_locations)), ("repeats every", f"{self.period:g} s")]
        return Card(f"{self.label}: a table for every look between reshuffles", facts)

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return the margins of "absent" and "present"."""
        look = np.rint(np.asarray(t) / self.dt).astype(np.int64) % self.steps
        return margins_by_look(Z, look, lambda k, states: self.table_at(k).margins(states, 0.0))
