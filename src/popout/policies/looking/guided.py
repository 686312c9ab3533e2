r"""Guided attention: shares that follow the posterior.

.. math:: \alpha_l \propto P(l_T = l \mid Z, C=1)^g \propto \bigl(\pi_l e^{Z_l}\bigr)^g

At g = 0 attention is parallel, at g = 1 it matches the posterior, and as g grows it becomes serial.
A location that never holds the target gets nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention, log_location_prior
from popout.task import Task
from popout.task.faults import Faults


@dataclass(frozen=True)
class Guided(Attention):
    """Share out information in proportion to a power of the posterior.

    Parameters
    ----------
    g : float
        The power, zero or more.
    log_prior : tuple of float, length M
        log P(l_T = l | C=1); -inf where the target never is.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> Guided.for_task(task, g=1.0).shares([np.log(3.0), 0.0], 0.1)
    array([0.75, 0.25])
    """

    g: float
    log_prior: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the power."""
        faults = Faults("Guided")
        expected, remedy = "a number of at least 0", "0 is parallel, large is serial"
        faults.number("g", self.g, remedy, expected=expected, above=-1e-300)
        faults.raise_if_any()

    @classmethod
    def for_task(cls, task: Task, g: float = 1.0) -> Guided:
        """Return guided attention for a task."""
        return cls(float(g), log_location_prior(task))

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"guided, g = {self.g:g}"

    @property
    def parameters(self) -> dict[str, float]:
        """The power."""
        return {"g": self.g}

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.log_prior)

    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return the shares, shape (..., M); the time plays no part."""
        y = np.asarray(Z, dtype=np.float64) + np.asarray(self.log_prior)
        with np.errstate(invalid="ignore"):
            weight = np.where(np.isneginf(y), 0.0, np.exp(self.g * (y - y.max(-1, keepdims=True))))
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))
