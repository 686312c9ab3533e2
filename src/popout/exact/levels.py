r"""Grids in a row, and what their risks say about the error of the last.

Whoever computes a risk on grids (`refine`, `evaluation`, `deadline`) estimates two errors here:

- **spacing**: :math:`2 \max(|R_k - R_{k-1}|,\ |R_k - R_{k-2}| / q)`, q the ratio of the spacings to
  the third power. The last difference alone could be small by chance; the second guards against
  that. Both treat the last level as no better than the change it brought, which at fifth order
  it is.
- **range**: the change of the risk on the first grid when the lower end of every axis is moved down
  by `RANGE_STEP` or more. What is left is at most a fifth of that (the error falls at least as
  :math:`e^{-1.1}` with every unit); the whole is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["RANGE_STEP", "Level", "NotConvergedError", "Report", "settle_range", "spacing_error"]

SAFETY = 2.0
RANGE_STEP = 1.5  # least change of an axis' lower end, in units of Z
RANGE_BUDGET = 0.4  # of the tolerance
MAX_EXTENSIONS = 8
Report = Callable[[str, int, float], None]
"""Called with the name of a level, the iteration and the residual."""


@dataclass(frozen=True)
class Level:
    """One grid and the risk found on it.

    Attributes
    ----------
    factor : float
        Spacing in units of a step's standard deviation.
    nodes_per_axis : tuple of int
        For each group.
    nodes : int
        Stored nodes.
    risk : float
    iterations : int
    residual : float
    seconds : float
    """

    factor: float
    nodes_per_axis: tuple[int, ...]
    nodes: int
    risk: float
    iterations: int
    residual: float
    seconds: float


class NotConvergedError(RuntimeError):
    """The solution did not reach the tolerance; there is no result.

    Attributes
    ----------
    levels : tuple of Level
        What was computed before giving up.
    """

    def __init__(self, message: str, levels: tuple[Level, ...] = ()) -> None:
        super().__init__(message)
        self.levels = levels


def spacing_error(risks: list[float], ratio: float) -> float:
    """Estimate the error of the last of several risks, their spacings in a constant ratio.

    Examples
    --------
    >>> round(spacing_error([0.05, 0.046, 0.045], 2.0), 6)
    0.002
    """
    if len(risks) < 2:
        return math.inf
    error = abs(risks[-1] - risks[-2])
    if len(risks) > 2:
        error = max(error, abs(risks[-1] - risks[-3]) / ratio**3)
    return SAFETY * error


def settle_range(
    risk_at: Callable[[float], float], margin: float, rtol: float
) -> tuple[float, float]:
    """Lower the ends of the axes until cutting them there costs little.

    Parameters
    ----------
    risk_at : callable
        Gives the risk on a coarse grid whose axes begin so far below the lower thresholds.
    margin : float
        The first to try, in units of Z.
    rtol : float
        Wanted relative accuracy of the risk.

    Returns
    -------
    margin, error : float
        The margin to use, and the change of the risk on the last step to it.
    """
    before = risk_at(margin)
    for lower in range(1, MAX_EXTENSIONS):
        here = risk_at(margin + lower * RANGE_STEP)
        error = abs(here - before)
        if error <= RANGE_BUDGET * rtol * here:
            break
        before = here
    return margin + lower * RANGE_STEP, error
