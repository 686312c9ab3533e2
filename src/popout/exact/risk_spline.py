r"""Risks between the nodes of a table: Q*(Z, action) at any state.

Between the nodes of the exact solution, :math:`\log Q^*(Z, \text{wait}) / \min_D Q^*(Z, D)`, D one
of the two answers, is interpolated by a cubic spline; the risks of the answers are known in closed
form. (With linear interpolation and four locations, where nodes are half a unit apart, regrets are
wrong by a quarter; with the spline, solutions at rtol 1e-3 and 3e-4 agree to a percent.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates, spline_filter
from scipy.special import expit

from popout.strategies import Action
from popout.strategies.exact_table import ExactTable


class RiskSpline:
    """Risks of waiting and of the two answers, as functions of the state.

    Parameters
    ----------
    table : ExactTable
        Of an exact solution; its log ratios are interpolated.
    """

    def __init__(self, table: ExactTable) -> None:
        self.table = table
        self.coefficients = spline_filter(table.table.astype(np.float64))
        self.lower, self.spacing = np.asarray(table.lower), np.asarray(table.spacing)
        self.upper = self.lower + self.spacing * (np.asarray(table.table.shape) - 1.0)

    def answers(self, Z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the risks of saying "absent" and "present", shape (...)."""
        odds, costs = self.table.log_odds(Z), self.table.costs
        return costs.miss * expit(odds), costs.false_alarm * expit(-odds)

    def __call__(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the risks by `Action`, shape (..., 3), for Z of shape (..., M)."""
        states, places = Z.reshape(-1, Z.shape[-1]), list(self.table.locations)
        inside = states.copy()
        inside[:, places] = np.clip(states[:, places], self.lower, self.upper)
        where = (inside[:, places] - self.lower) / self.spacing
        log_ratio = map_coordinates(self.coefficients, where.T, prefilter=False, mode="nearest")
        Q = np.empty((len(states), 3))
        Q[:, Action.ABSENT], Q[:, Action.PRESENT] = self.answers(states)
        # Outside the table waiting costs as much more than answering as at its edge.
        lost = np.minimum(*self.answers(inside)) * np.expm1(log_ratio)
        Q[:, Action.WAIT] = np.minimum(Q[:, Action.ABSENT], Q[:, Action.PRESENT]) + lost
        return Q.reshape(*Z.shape[:-1], 3)
