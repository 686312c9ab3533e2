r"""What one location observes, given the orientation it shows.

The paper's input is a Gaussian random walk whose drift depends on the orientation (Methods,
"Gaussian input"); it adds that the model is independent of the stimulus. Two descriptions stand
behind one interface:

    GaussianWalk    dx_c ~ N(mu_{theta,c} dt, dt)          independently in each channel c,
    PoissonSpikes   dx_c ~ Poisson(lambda_{theta,c} dt)    independently in each channel c.

These are data. The likelihoods they imply belong to `popout.evidence`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from popout.task.faults import Faults, as_float, as_tuple

__all__ = ["GaussianWalk", "Observation", "PoissonSpikes"]

Row = tuple[float, ...]
MOST = 1e10  # drifts and rates beyond any meaning, whose squares would overflow sooner or later


class Observation(ABC):
    """What one location observes, one row of parameters per orientation."""

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Parameters as a matrix of shape (K, n_channels)."""

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


@dataclass(frozen=True, init=False)
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

    drift: Row | tuple[Row, ...]

    def __init__(self, drift: Any) -> None:
        faults = Faults("GaussianWalk")
        remedy = "give one drift (or one row of drifts, one per channel) for each orientation"
        items = as_tuple(drift) or ()
        if items and as_tuple(items[0]) is None:
            checked = tuple(
                faults.number(f"drift[{index}]", value, remedy, above=-MOST, below=MOST)
                for index, value in enumerate(items)
            )
            object.__setattr__(self, "drift", checked)
        else:
            object.__setattr__(self, "drift", _check_matrix(faults, "drift", drift, remedy))
        faults.raise_if_any()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Drifts as a matrix of shape (K, n_channels)."""
        return tuple(row if isinstance(row, tuple) else (row,) for row in self.drift)

    @property
    def is_scalar(self) -> bool:
        """Whether an observation is one number, without a channel axis."""
        return not isinstance(self.drift[0], tuple)


@dataclass(frozen=True, init=False)
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

    rate: tuple[Row, ...]

    def __init__(self, rate: Any) -> None:
        faults = Faults("PoissonSpikes")
        remedy = "give a positive rate in spikes/s for each orientation and channel"
        object.__setattr__(self, "rate", _check_matrix(faults, "rate", rate, remedy, above=0.0))
        faults.raise_if_any()

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
            faults.number(f"preferred[{index}]", value, "give degrees")
            for index, value in enumerate(preferred)
        ]
        angles = [
            None if label == "blank" else faults.number(f"orientations[{index}]", label, "degrees")
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


def _check_matrix(
    faults: Faults, field: str, value: Any, remedy: str, above: float = -math.inf
) -> tuple[Row, ...]:
    """Check for a rectangular matrix of finite numbers above a bound."""
    rows = [as_tuple(row) for row in as_tuple(value) or ()]
    widths = {len(row) if row else 0 for row in rows}
    if len(widths) != 1 or 0 in widths:
        faults.add(field, "a matrix of shape (orientations, channels)", value, remedy)
        return ()
    matrix = []
    for k, row in enumerate(rows):
        numbers = [as_float(item) for item in row or ()]
        for c, number in enumerate(numbers):
            if number is None or not max(above, -MOST) < number < MOST:
                expected = "a positive number" if above == 0.0 else "a finite number"
                if number is not None and math.isfinite(number) and abs(number) >= MOST:
                    expected += f" below {MOST:g}"
                faults.add(f"{field}[{k}][{c}]", expected, (row or ())[c], remedy)
        matrix.append(tuple(number for number in numbers if number is not None))
    return tuple(matrix)
