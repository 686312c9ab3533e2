"""Stay: gaze never moves. The control that shows what moving the eyes is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from popout.policies.looking.gazing import Array, GazePolicy, Rows, gazes_of
from popout.task.faults import Faults


@dataclass(frozen=True)
class StayAt(GazePolicy):
    """Look at the same place all the time.

    Parameters
    ----------
    place : int
        Number of the gaze, from 0.
    visibility : tuple of tuple of float, shape (G, M), optional
        Of the task, which fills it in.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> print(f"{po.solve(task, po.Costs(time=0.2), attention=po.StayAt(1)).risk:.3f}")
    0.113
    """

    place: int
    visibility: Rows = ()

    def __post_init__(self) -> None:
        """Check the number of the gaze."""
        faults = Faults("StayAt")
        faults.integer("place", self.place, "gazes count from 0", at_least=0)
        faults.raise_if_any()

    @property
    def label(self) -> str:
        """Name in tables, which count from one."""
        return f"stay at {self.place + 1}"

    @property
    def parameters(self) -> dict[str, int]:
        """The gaze."""
        return {"place": self.place}

    def made_for(self, task: Any) -> StayAt:
        """Return the policy with the gazes of a task."""
        rows = gazes_of(task).visibility
        faults = Faults("StayAt")
        remedy = "gazes count from 0"
        faults.integer("place", self.place, remedy, at_least=0, at_most=len(rows) - 1)
        faults.raise_if_any()
        return replace(self, visibility=rows)

    def liking(self, Z: Array) -> Array:
        """Return one for the gaze, zero for all others."""
        chosen = np.arange(len(self.visibility)) == self.place
        return np.broadcast_to(chosen.astype(np.float64), (*Z.shape[:-1], len(chosen)))
