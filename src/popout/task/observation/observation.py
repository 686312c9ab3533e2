"""What an observation law is.

At each location the observer receives, step by step, increments dx of one or more channels whose
law depends on the orientation theta that is shown there. The observations accumulated up to time t
are sufficient, and the log likelihood is linear in them:

    L_theta(x, t) = sum_c w_{theta,c} x_c - b_theta t + const.

A law is one file with one class. It declares its parameters, one row per orientation, and says the
weights w and the bias b (`linear`) and what arrives, given standard noise (`increments`).
`popout.evidence` makes ratios and posteriors from the former and draws displays with the latter, so
that what is simulated is exactly what the inference assumes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from popout.task.declared import Declared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Row = tuple[float, ...]
MOST = 1e10  # parameters beyond any meaning, whose squares would overflow sooner or later


class Noise(StrEnum):
    """What a law makes its increments from."""

    NORMAL = "normal"
    UNIFORM = "uniform"


class Observation(Declared, ABC):
    """What one location observes, one row of parameters per orientation.

    Attributes
    ----------
    noise : Noise
        Standard normal numbers, or uniform ones from 0 to 1.
    parameter : str
        What a row holds, with its unit, as the heading of a table.
    noise_words : str
        Completes "observed through three channels of".
    why_no_search : str
        Why the log likelihood ratio of two orientations is not a Gaussian walk; empty if it is.
    """

    kinds: ClassVar[dict[str, Any]] = {}
    noise: ClassVar[Noise] = Noise.NORMAL
    parameter: ClassVar[str] = "parameter"
    noise_words: ClassVar[str] = "noise"
    why_no_search: ClassVar[str] = "the log likelihood ratio is not a Gaussian walk"

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Parameters as a matrix of shape (K, n_channels)."""

    @abstractmethod
    def linear(self) -> tuple[Array, Array]:
        """Return w of shape (K, n_channels) and b of shape (K,)."""

    @abstractmethod
    def increments(self, noise: Array, orientation: NDArray[np.int64], dt: float) -> Array:
        """Return what arrives in each step.

        Parameters
        ----------
        noise : ndarray of float, shape (n, T, M, n_channels)
            As the attribute `noise` says; may be overwritten.
        orientation : ndarray of int, shape (n, M)
            Index of the orientation at each location.
        dt : float
            Time step in seconds.

        Returns
        -------
        ndarray of float, shape (n, T, M, n_channels)
        """

    def separation(self, one: int, other: int) -> float:
        """Return how far two orientations are apart, in 1/s: twice the drift of such a search.

        NaN where the log likelihood ratio is not a Gaussian walk.
        """
        return float("nan")

    @property
    def n_orientations(self) -> int:
        """Number of orientations K."""
        return len(self.rows)

    @property
    def n_channels(self) -> int:
        """Number of channels per location."""
        return len(self.rows[0])

    @property
    def is_scalar(self) -> bool:
        """Whether an observation is one number, without a channel axis."""
        return False
