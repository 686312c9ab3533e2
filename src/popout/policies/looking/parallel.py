"""Parallel attention: fixed shares, equal unless told otherwise.

The observer of the paper. With shares that never change the search is that of `SearchTask` at the
drifts ``LimitedSearchTask.with_shares`` gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention
from popout.task import Task
from popout.task.faults import Faults
from popout.task.kinds import Distribution, Spot


@dataclass(frozen=True)
class Parallel(Attention):
    """Give each location a fixed share.

    Parameters
    ----------
    fixed : tuple of float, length M
        The shares, with a sum of one.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=4, information=64.0)
    >>> Parallel.for_task(task).shares(np.zeros((1, 4)), 0.0)
    array([[0.25, 0.25, 0.25, 0.25]])
    """

    fixed: tuple[float, ...]
    label = "parallel"

    def __post_init__(self) -> None:
        """Check the shares."""
        faults = Faults("Parallel")
        spot = Spot(faults, ("fixed",), "give each location a share")
        fixed = Distribution("n_locations").check(self.fixed, spot)
        faults.raise_if_any()
        object.__setattr__(self, "fixed", fixed)

    @classmethod
    def for_task(cls, task: Task) -> Parallel:
        """Return equal shares for the locations that can hold the target."""
        possible = [float(p > 0) for p in task.location_prior]
        return cls(tuple(one / sum(possible) for one in possible))

    @property
    def parameters(self) -> dict[str, list[float]]:
        """The shares."""
        return {"shares": list(self.fixed)}

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.fixed)

    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return the fixed shares, shape (..., M)."""
        return np.broadcast_to(np.asarray(self.fixed), np.shape(Z)).copy()
