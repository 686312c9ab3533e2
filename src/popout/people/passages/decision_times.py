r"""Decision times at any thresholds, guidance and rate: interpolation in tables of first passages.

A law of :math:`y = \log(\Lambda t/M)` is needed between the levels, and between the powers g, of
the tables. A mixture of neighbours would be too wide, as they stand at different places on the
axis. So neighbours are first moved to the interpolated mean of y, and then mixed: exact for laws
that differ by their time scale alone, and otherwise off by second order in *shape* only. In Fourier
space moving is a phase, and so is everything else:

.. math:: \hat f(\omega) = e^{-\sigma^2\omega^2/2} \sum_n w_n\,\hat f_n(\omega)\,
   e^{-i\omega(\bar y - \bar y_n)}.

:math:`\sigma` is the standard deviation of :math:`\log\Lambda` between trials: variable information
is a Gaussian blur of log time. An evaluation costs the same whatever the number of paths.

Guidance is interpolated in :math:`g/(1 + g)`, from 0 (parallel) to 1 (serial).
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import compiled
from popout.people.passages.first_passages import BIN, EDGES, LEVELS, PassageTable, level_position

Array = NDArray[np.float64]
_LENGTH = 512  # of the transform: the blur needs room on both sides of the bins
_ROOM = (_LENGTH - (len(EDGES) - 1)) // 2
_OMEGA = 2.0 * np.pi * np.fft.rfftfreq(_LENGTH, BIN)
_FIRST = EDGES[0] - _ROOM * BIN
_SLACK = 1e-9


def share_of(g: float) -> float:
    """Return guidance on an axis without infinity.

    Examples
    --------
    >>> share_of(1.0), share_of(math.inf)
    (0.5, 1.0)
    """
    return 1.0 if math.isinf(g) else g / (1.0 + g)


def guidance_weights(guidance: float, nodes: tuple[float, ...]) -> Array:
    """Return the weight of each tabled guidance, shape (G,); linear in g / (1 + g).

    Examples
    --------
    >>> guidance_weights(1.0, (0.0, 1.0, math.inf)).tolist()
    [0.0, 1.0, 0.0]
    >>> guidance_weights(3.0, (1.0, math.inf)).tolist()
    [0.5, 0.5]
    """
    place, x = np.array([share_of(g) for g in nodes]), share_of(guidance)
    if len(nodes) == 1:
        return np.ones(1)
    i = int(np.clip(np.searchsorted(place, x, side="right") - 1, 0, len(nodes) - 2))
    weights = np.zeros(len(nodes))
    weights[i + 1] = np.clip((x - place[i]) / (place[i + 1] - place[i]), 0.0, 1.0)
    weights[i] = 1.0 - weights[i + 1]
    return weights


@compiled
def _blend(
    hat: Any, mean: Any, weights: Any, lower: Any, upper: Any, omega: float, out: Any
) -> None:
    """Move the neighbours of each law to their common mean and add them up.

    Parameters
    ----------
    hat, mean : ndarray of shape (n_sizes, G, 2, K, J, F) and without F
    weights : ndarray of shape (G,)
    lower, upper : tuple of two ndarray of shape (n_sizes,)
        The level below each threshold, and how far beyond it the threshold lies, from 0 to 1.
    omega : float
        Spacing of the frequencies.
    out : ndarray of complex, shape (n_sizes, 2, F)
    """
    k0, k = lower
    j0, j = upper
    for i in range(len(k0)):
        for answer in range(2):
            centre = 0.0
            for turn in range(2):  # first the mean of the means, then the laws
                for n in range(len(weights)):
                    if weights[n] == 0.0:
                        continue
                    for dk in range(2):
                        for dj in range(2):
                            w = weights[n] * (k[i] if dk else 1.0 - k[i])
                            w *= j[i] if dj else 1.0 - j[i]
                            own = mean[i, n, answer, k0[i] + dk, j0[i] + dj]
                            if turn == 0:
                                centre += w * own
                                continue
                            source = hat[i, n, answer, k0[i] + dk, j0[i] + dj]
                            turned = cmath.exp(-1j * omega * (centre - own))
                            phase = complex(w, 0.0)
                            for f in range(len(source)):
                                out[i, answer, f] += phase * source[f]
                                phase *= turned


@compiled
def _interpolate(rising: Any, place: Any, out: Any) -> None:
    """Read distribution functions, shape (n_sizes, 2, n), at places on their axis, (n_sizes, T)."""
    last = rising.shape[2] - 1 - 1e-9
    for i in range(place.shape[0]):
        for t in range(place.shape[1]):
            x = min(max(place[i, t], 0.0), last)
            at = int(x)
            x -= at
            for answer in range(2):
                low = rising[i, answer, at]
                out[i, answer, t] = low + x * (rising[i, answer, at + 1] - low)


class DecisionTimes:
    """Laws of decision times given the answer, at any thresholds.

    Parameters
    ----------
    tables : sequence of sequence of PassageTable, shape (n_sizes, G)
        By set size and guidance.
    part : int, optional
        One of the independent parts of the paths; all of them when left out.
    """

    def __init__(self, tables: list[list[PassageTable]], part: int | None = None) -> None:
        self.set_sizes = tuple(row[0].set_size for row in tables)
        self.guidances = tuple(table.guidance for table in tables[0])
        middles = 0.5 * (EDGES[1:] + EDGES[:-1])
        shape = (len(tables), len(self.guidances), 2, len(LEVELS), len(LEVELS))
        self._hat = np.empty((*shape, len(_OMEGA)), np.complex64)
        self._mean = np.empty(shape)
        for i, row in enumerate(tables):
            for n, table in enumerate(row):
                laws = table.laws(None if part is None else min(part, table.n_parts - 1))
                self._hat[i, n] = np.fft.rfft(laws, _LENGTH, axis=-1)
                self._mean[i, n] = laws.astype(np.float64) @ middles

    def distributions(
        self, tau_minus: Array, tau_plus: Array, weights: Array, sigma: float, log_time: Array
    ) -> Array:
        """Return P(decision before a time | answer).

        Parameters
        ----------
        tau_minus, tau_plus : ndarray of shape (n_sizes,)
            Clipped to the levels of the tables.
        weights : ndarray of shape (G,)
            Of the guidances.
        sigma : float
            Standard deviation of the log information rate between trials.
        log_time : ndarray of shape (n_sizes, T)
            Log of information x time / set size, rising.

        Returns
        -------
        distributions : ndarray of shape (n_sizes, 2, T)
            By set size and answer.
        """
        last = len(LEVELS) - 1
        k = np.clip(level_position(tau_minus), 0.0, last - _SLACK)
        j = np.clip(level_position(tau_plus), 0.0, last - _SLACK)
        k0, j0 = k.astype(np.int64), j.astype(np.int64)
        hat = np.zeros((len(k0), 2, len(_OMEGA)), np.complex128)
        _blend(self._hat, self._mean, weights, (k0, k - k0), (j0, j - j0), _OMEGA[1], hat)
        hat *= np.exp(-0.5 * (sigma * _OMEGA) ** 2 - 1j * _ROOM * BIN * _OMEGA)
        mass = np.fft.irfft(hat, _LENGTH, axis=-1)
        rising = np.zeros((*mass.shape[:-1], _LENGTH + 1))
        np.cumsum(mass, axis=-1, out=rising[..., 1:])
        rising_at = np.empty((*mass.shape[:-1], log_time.shape[-1]))
        _interpolate(rising, (log_time - _FIRST) / BIN, rising_at)
        return rising_at
