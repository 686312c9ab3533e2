"""An observation law in one file: at most one click per step and channel.

A click of channel c arrives in a step with probability lambda_{theta,c} dt, so that

    L_theta = sum_c x_c log lambda_{theta,c} - t sum_c lambda_{theta,c} + O(dt).
"""

import numpy as np

from popout.task import Field, Noise, Observation, Stored, required
from popout.task.kinds import Number, Rows


class Clicks(Observation):
    """Clicks of independent channels; one row of rates per orientation."""

    kind = "clicks"
    noise = Noise.UNIFORM
    parameter = "rate (clicks/s)"
    noise_words = "clicks"

    rate: Stored[tuple[tuple[float, ...], ...]] = required(
        Field(
            Rows(Number(above=0.0, below=1e3)),
            "Rate of each channel under each orientation.",
            "give a positive rate in clicks/s",
            "1/s",
        )
    )

    @property
    def rows(self):
        """Rates, shape (K, n_channels)."""
        return self.rate

    def linear(self):
        """Return the weights of what was observed, and the bias per second."""
        rates = np.asarray(self.rate)
        return np.log(rates), rates.sum(axis=1)

    def increments(self, noise, orientation, dt):
        """Return what arrives, given uniform noise of shape (n, steps, M, n_channels)."""
        return (noise < (np.asarray(self.rate) * dt)[orientation][:, None]).astype(float)
