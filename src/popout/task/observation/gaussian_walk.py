r"""A Gaussian random walk whose drift depends on the orientation (Methods, "Gaussian input").

    dx_c ~ N(mu_{theta,c} dt, dt)    independently in each channel c,
    w = mu_{theta,c},                b = sum_c mu_{theta,c}^2 / 2.

The constant of the log likelihood, -|x|^2/2t - log(2 pi t)/2 per channel, does not depend on theta.

With drift vectors :math:`\mu_1, \mu_0` of target and distractor, each step moves the log likelihood
ratio of a location by :math:`\pm\lVert\mu_1 - \mu_0\rVert^2 \delta t / 2` with variance
:math:`\lVert\mu_1 - \mu_0\rVert^2 \delta t`: that of a search with drift
:math:`\lVert\mu_1 - \mu_0\rVert / 2`, half of the `separation`.

Notes
-----
The paper prints L_theta(x) = mu x + mu^2 t / 2 (Equation 12). The sign of the second term
is a slip: its next equation, for Z_l, has the right one, and so does this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from popout.task.declared import Field, Stored, required
from popout.task.kinds import Number, Rows
from popout.task.observation.observation import MOST, Noise, Observation, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from popout.task.observation.observation import Array


class GaussianWalk(Observation):
    """Gaussian random walk with a drift per orientation.

    Parameters
    ----------
    drift : sequence of float, shape (K,) or (K, n_channels)
        Drift rate in 1/s of each orientation: one number for a scalar walk, a row of numbers
        for a population of channels. The variance grows by one per second in each channel.

    Examples
    --------
    >>> from popout.task import GaussianWalk
    >>> GaussianWalk([-4.0, 4.0]).is_scalar
    True
    >>> GaussianWalk([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).n_channels
    3
    """

    kind = "gaussian-walk"
    noise = Noise.NORMAL
    parameter = "drift (1/s)"
    noise_words = "Gaussian noise"
    why_no_search = ""

    drift: Stored[Row | tuple[Row, ...]] = required(
        Field(
            Rows(Number(above=-MOST, below=MOST), flat=True),
            "Drift rate of each orientation: one number for a scalar walk, a row of numbers for a "
            "population of channels.",
            "give one drift (or one row of drifts, one per channel) for each orientation",
            "1/s",
        )
    )

    @property
    def rows(self) -> tuple[Row, ...]:
        """Drifts as a matrix of shape (K, n_channels)."""
        return tuple(row if isinstance(row, tuple) else (row,) for row in self.drift)

    @property
    def is_scalar(self) -> bool:
        """Whether an observation is one number, without a channel axis."""
        return not isinstance(self.drift[0], tuple)

    def linear(self) -> tuple[Array, Array]:
        """Return the drifts and half the sums of their squares."""
        import numpy as np

        rows = np.asarray(self.rows)
        return rows, np.sum(rows**2, axis=1) / 2

    def increments(self, noise: Array, orientation: NDArray[np.int64], dt: float) -> Array:
        """Scale and shift normal numbers, in place."""
        import numpy as np

        mean = np.asarray(self.rows) * dt
        noise *= np.sqrt(dt)
        noise += mean[orientation][:, None]
        return noise

    def separation(self, one: int, other: int) -> float:
        """Return the distance between the drifts of two orientations."""
        import numpy as np

        return float(np.linalg.norm(np.subtract(self.rows[one], self.rows[other])))
