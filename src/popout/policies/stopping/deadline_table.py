"""The optimum under a deadline: a table for every look, and an answer at the last one.

Time enters because the longer the observer has looked, the less time there is left to use what it
would learn: the boundaries close towards the deadline (`popout.exact.deadline`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.strategy import BoundaryStrategy, Margins, margins_by_look


@dataclass(frozen=True, eq=False)
class DeadlineTable(BoundaryStrategy):
    """The ideal observer's strategy when it must answer by a deadline.

    Attributes
    ----------
    table_at : callable
        Maps a look (0, 1, ..., n_looks - 1) to its `ExactTable`.
    n_looks : int
        Looks before the deadline; at look `n_looks` the observer has to answer.
    dt : float
        Seconds between looks.
    label : str
        Its name in tables.
    """

    table_at: Callable[[int], ExactTable]
    n_looks: int
    dt: float
    label: str = "optimal, deadline"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.table_at(0).n_locations

    @property
    def settles(self) -> float:
        """Time in seconds after which the strategy changes no more: the deadline."""
        return self.n_looks * self.dt

    def __repr__(self) -> str:
        """Return one line."""
        return f"DeadlineTable({self.label}, {self.settles:g} s, {self.n_looks} looks)"

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"{self.label}: a table for every look",
            [
                ("locations", str(self.n_locations)),
                ("answers by", f"{self.settles:g} s"),
                ("looks", str(self.n_looks)),
            ],
        )

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return the margins of "absent" and "present"."""
        look = np.minimum(np.rint(np.asarray(t) / self.dt), self.n_looks).astype(np.int64)
        return margins_by_look(Z, look, self._margins_at)

    def _margins_at(self, look: int, Z: NDArray[np.float64]) -> Margins:
        table = self.table_at(min(look, self.n_looks - 1))
        if look < self.n_looks:
            return table.margins(Z, 0.0)
        preference = table.preference(Z)
        return -preference, preference
