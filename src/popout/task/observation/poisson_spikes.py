"""Spike counts of orientation-tuned channels.

    dx_c ~ Poisson(lambda_{theta,c} dt)    independently in each channel c,
    w = log lambda_{theta,c},              b = sum_c lambda_{theta,c}.

The constant of the log likelihood, the sum of x log t - log x!, does not depend on theta.

Counts are drawn by inversion of the cumulative probabilities. The log likelihood ratio of two
orientations moves in jumps, so there is no search with the same one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from popout.task.declared import Field, Stored, required
from popout.task.faults import Faults
from popout.task.kinds import BLANK, Number, Rows
from popout.task.observation.observation import MOST, Noise, Observation, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from popout.task.observation.observation import Array

MOST_PROBABILITIES = 20_000_000  # in the table that counts are drawn from: 160 MB


class PoissonSpikes(Observation):
    """Spike counts of independent, orientation-tuned channels.

    Parameters
    ----------
    rate : sequence of sequence of float, shape (K, n_channels)
        Firing rate in spikes/s of each channel under each orientation. Positive: a channel that
        can never fire would turn a single spike into infinite evidence.

    Examples
    --------
    >>> from popout.task import PoissonSpikes
    >>> PoissonSpikes([[20.0, 5.0], [5.0, 20.0]]).n_channels
    2
    """

    kind = "poisson-spikes"
    noise = Noise.UNIFORM
    parameter = "rate (spikes/s)"
    noise_words = "Poisson spikes"
    why_no_search = "observations are spike counts, whose log likelihood ratio moves in jumps"

    rate: Stored[tuple[Row, ...]] = required(
        Field(
            Rows(Number(above=0.0, below=MOST)),
            "Firing rate of each channel under each orientation.",
            "give a positive rate in spikes/s for each orientation and channel",
            "spikes/s",
        )
    )

    @classmethod
    def tuned(
        cls,
        orientations: Sequence[float | str],
        preferred: Sequence[float],
        *,
        baseline: float,
        gain: float,
        concentration: float,
    ) -> PoissonSpikes:
        r"""Build the rates from von Mises tuning curves of period 180 degrees.

        The rate of a channel that prefers :math:`\theta_c` is
        ``baseline + gain * exp(concentration * (cos(2 (theta - theta_c)) - 1))``; a blank
        drives every channel at its baseline.

        Parameters
        ----------
        orientations : sequence of (float or "blank"), shape (K,)
            In degrees.
        preferred : sequence of float, shape (n_channels,)
            Preferred orientations in degrees.
        baseline, gain : float
            Spikes/s without an item, and added at the preferred orientation.
        concentration : float
            Sharpness of tuning; larger is narrower.

        Examples
        --------
        >>> from popout.task import PoissonSpikes
        >>> spikes = PoissonSpikes.tuned(
        ...     [0, 90, "blank"], preferred=[0, 90], baseline=2, gain=30, concentration=50
        ... )
        >>> spikes.rate
        ((32.0, 2.0), (2.0, 32.0), (2.0, 2.0))
        """
        faults = Faults("PoissonSpikes.tuned")
        base = faults.positive("baseline", baseline, "give the spontaneous rate in spikes/s")
        peak = faults.positive("gain", gain, "give the driven rate in spikes/s")
        sharp = faults.positive("concentration", concentration, "narrower tuning is larger, e.g. 2")
        centres = [
            faults.number(("preferred", index), value, "give degrees")
            for index, value in enumerate(preferred)
        ]
        angles = [
            None if label == BLANK else faults.number(("orientations", index), label, "degrees")
            for index, label in enumerate(orientations)
        ]
        faults.raise_if_any()

        def rate(angle: float | None, centre: float) -> float:
            if angle is None:
                return base
            return base + peak * math.exp(sharp * (math.cos(2 * math.radians(angle - centre)) - 1))

        return cls([[rate(angle, centre) for centre in centres] for angle in angles])

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rates as a matrix of shape (K, n_channels)."""
        return self.rate

    def linear(self) -> tuple[Array, Array]:
        """Return the logarithms of the rates, and their sums."""
        import numpy as np

        rows = np.asarray(self.rate)
        return np.log(rows), np.sum(rows, axis=1)

    def increments(self, noise: Array, orientation: NDArray[np.int64], dt: float) -> Array:
        """Turn uniform numbers into counts, in place."""
        import numpy as np
        from scipy.stats import poisson

        from popout.noise.philox import invert

        mean = np.asarray(self.rate) * dt
        top = np.max(mean)
        largest = int(top + 12 * np.sqrt(top) + 30)  # beyond 1 - 2^-53 for any mean
        if mean.size * largest > MOST_PROBABILITIES:
            faults = Faults("sample")
            expected = f"rates below about {MOST_PROBABILITIES // mean.size:d} spikes per step"
            faults.add(("observation", "rate"), expected, float(top), "shorten dt")
            faults.raise_if_any()
        cdf = np.asarray(poisson.cdf(np.arange(largest + 1), mean[..., None]))
        cdf[..., -1] = 1.0
        invert(noise, orientation, cdf)
        return noise
