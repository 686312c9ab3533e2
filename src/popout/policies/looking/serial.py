r"""Serial attention: everything to the location that is most likely to hold the target.

.. math:: l^*(Z) = \arg\max_l \; \pi_l e^{Z_l}

**Ties.** Among equally likely locations the first (the lowest index) is looked at. Every trial
with even priors starts with a tie, so the rule matters to a simulation: it is part of the
simulation standard. It does not matter to the risk where the tied locations are alike.

Only the location that is looked at changes, so one step costs a simulator O(1), not O(M).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention, log_location_prior
from popout.task import Task


@dataclass(frozen=True)
class Serial(Attention):
    """Look at the most likely location only.

    Parameters
    ----------
    log_prior : tuple of float, length M
        log P(l_T = l | C=1); -inf where the target never is.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=3, information=48.0)
    >>> Serial.for_task(task).shares([[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], 0.1)
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """

    log_prior: tuple[float, ...]
    label = "serial"

    @classmethod
    def for_task(cls, task: Task) -> Serial:
        """Return serial attention for a task."""
        return cls(log_location_prior(task))

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.log_prior)

    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return one for the most likely location, zero elsewhere; the time plays no part."""
        y = np.asarray(Z, dtype=np.float64) + np.asarray(self.log_prior)
        return np.asarray(np.arange(y.shape[-1]) == y.argmax(axis=-1)[..., None], dtype=np.float64)
