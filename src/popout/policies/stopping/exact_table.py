r"""The exact optimum as a table.

`popout.exact` finds the value of waiting :math:`Q` and of the better answer :math:`G` (both
multiplied by :math:`w = 1/P(C=0 \mid Z)`, see `popout.exact.bellman`). The table holds

.. math:: A(Z) = \log \frac{Q(Z)}{G(Z)},

negative where the observer should wait, and smooth across the boundary. Between the nodes it is
multilinear; below the lowest node a location is ruled out and A no longer depends on it. Which
answer is better needs no table: "present" if
:math:`c_{miss} \cdot \mathrm{odds}(Z) \ge c_{fa}` (Equation 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.multilinear import Tabulated
from popout.policies.stopping.strategy import BoundaryStrategy, Margins
from popout.task import Costs


@dataclass(frozen=True, eq=False, repr=False)
class ExactTable(Tabulated, BoundaryStrategy):
    """The ideal observer's strategy, interpolated from the exact solution.

    Attributes
    ----------
    table : ndarray of float32, one dimension per location of `locations`
        A at the nodes, negative where waiting is best.
    lower, spacing : tuple of float
        First node and distance between nodes of each dimension.
    locations : tuple of int
        The locations that can hold the target, 0-based.
    log_weight : tuple of float, length M
        log of P(l_T = l) / P(C = 0) for each location; -inf if it never holds the target.
    costs : Costs
    label : str
        Its name in tables.
    names_place : bool
        Whether "present" has to name the right place, a wrong one costing a miss.
    """

    table: NDArray[np.float32]
    lower: tuple[float, ...]
    spacing: tuple[float, ...]
    locations: tuple[int, ...]
    log_weight: tuple[float, ...]
    costs: Costs
    label: str = "optimal"
    names_place: bool = False

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.log_weight)

    def log_odds(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return the log posterior odds of presence, shape (...), for Z of shape (..., M)."""
        y = np.asarray(Z, dtype=np.float64) + np.asarray(self.log_weight)
        return np.asarray(np.logaddexp.reduce(y, axis=-1))

    def preference(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return log(cost of "absent" / cost of "present"); zero or more: "present" is better."""
        return answer_preference(Z, self.log_weight, self.costs, self.names_place)

    def log_ratio(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return A(Z), shape (...), for Z of shape (..., M)."""
        return self.read(Z)

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return the margins of "absent" and "present"; the time plays no part."""
        A, preference = self.log_ratio(Z), self.preference(Z)
        return np.minimum(A, -preference), np.minimum(A, preference)


def answer_preference(
    Z: ArrayLike, log_weight: tuple[float, ...], costs: Costs, names_place: bool
) -> NDArray[np.float64]:
    """Return log(cost of "absent" / cost of "present"), shape (...).

    Where the place is named, "present" names the most likely one, and costs a miss where the target
    is elsewhere: absent costs c_miss X, present c_fa + c_miss (X - x), of odds X in all, x there.

    Examples
    --------
    >>> Z, even = np.array([1.0, 1.0]), (np.log(0.5), np.log(0.5))
    >>> print(f"{answer_preference(Z, even, Costs(time=0.2), False):.3f}")
    1.000
    >>> print(f"{answer_preference(Z, even, Costs(time=0.2), True):.3f}")
    0.142
    """
    y = np.asarray(Z, dtype=np.float64) + np.asarray(log_weight)
    total = np.logaddexp.reduce(y, axis=-1)
    if not names_place:
        return np.asarray(total + np.log(costs.miss / costs.false_alarm))
    scale = np.maximum(total, 0.0)  # so that nothing overflows
    elsewhere = costs.miss * (np.exp(total - scale) - np.exp(y.max(axis=-1) - scale))
    present = costs.false_alarm * np.exp(-scale) + np.maximum(elsewhere, 0.0)
    return np.asarray(total - scale + np.log(costs.miss) - np.log(np.maximum(present, 1e-300)))
