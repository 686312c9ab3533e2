"""Evidence that arrives step by step.

The accumulated observation x_l(t) of each location is sufficient for everything that was observed
up to t (Methods, "State formulation"), so a stream holds x and the number of steps and nothing
else, however long it runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence.law import model_of, observations, refuse_shape
from popout.evidence.posteriors import Posterior
from popout.evidence.ratio import ratio_from_increments

if TYPE_CHECKING:
    from popout.evidence.evidence import Evidence

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stream:
    """Evidence that grows one step at a time. Its size does not depend on time.

    Parameters
    ----------
    evidence : Evidence
    x : ndarray of float, shape (..., M, n_channels)
        Cumulated observations, a sufficient statistic.
    n_steps : int
        Steps so far.
    log_likelihood_ratio : ndarray of float, shape (...)
        S now.

    Examples
    --------
    >>> import popout as po
    >>> stream = po.Evidence(po.SearchTask(n_locations=2, drift=4.0)).start()
    >>> for increment in ([0.1, -0.1], [0.2, 0.0]):
    ...     stream = stream.update(increment)
    >>> stream.n_steps, round(float(stream.log_likelihood_ratio), 2)
    (2, 1.75)
    """

    evidence: Evidence
    x: Array
    n_steps: int
    log_likelihood_ratio: Array

    @property
    def t(self) -> float:
        """Seconds since onset."""
        return self.n_steps * self.evidence.task.dt

    @property
    def log_likelihood(self) -> Array:
        """L_theta(X_l) now, shape (..., M, K)."""
        obs = self.x[..., 0] if self.evidence.task.is_scalar else self.x
        return self.evidence.log_likelihood(obs, self.t)

    def update(self, increment: ArrayLike) -> Stream:
        """Return the stream after one more step.

        Parameters
        ----------
        increment : array_like of float, shape (..., M) or (..., M, n_channels)
            What each location received.

        Examples
        --------
        See `Evidence.start`.
        """
        task = self.evidence.task
        dx = observations(task, "update.increment", increment)
        if dx.shape != self.x.shape:
            refuse_shape("update.increment", f"{self.x.shape} with channels", dx)
        leading = dx.shape[:-2]
        x = self.x.copy().reshape(-1, *dx.shape[-2:])
        step = np.ascontiguousarray(dx).reshape(-1, 1, *dx.shape[-2:])
        S = ratio_from_increments(step, x, self.n_steps, task.dt, model_of(task), every=True)
        return Stream(self.evidence, x.reshape(dx.shape), self.n_steps + 1, S.reshape(leading))

    def posterior(self) -> Posterior:
        """Return what the observer believes now."""
        return self.evidence.posterior(self.log_likelihood)
