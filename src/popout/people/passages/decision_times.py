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

**Dynamic displays** have one more axis, information within a period (`reshuffled_passages`). A
trial that is :math:`e^s` times as quick has as much more of it. Of the variance of s a share
`BLUR` squared is a blur as above, and the rest a few factors (Gauss and Hermite), each with the
tables of its own period. Within the blur the mean of the law moves in proportion to s.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import compiled
from popout.people.passages.first_passages import BIN, EDGES, LEVELS, PassageTable, level_position
from popout.people.passages.reshuffled_passages import period_weights

Array = NDArray[np.float64]
_LENGTH = 512  # of the transform: the blur needs room on both sides of the bins
_ROOM = (_LENGTH - (len(EDGES) - 1)) // 2
_OMEGA = 2.0 * np.pi * np.fft.rfftfreq(_LENGTH, BIN)
_FIRST = EDGES[0] - _ROOM * BIN
_MIDDLES = 0.5 * (EDGES[1:] + EDGES[:-1])
_SLACK, _LEAST_ANSWER = 1e-9, 1e-9
BLUR, N_FACTORS = 0.8, 3
"""How rates that vary between trials are divided where periods matter: see `ReshuffledTimes`."""


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
        shape = (len(tables), len(self.guidances), 2, len(LEVELS), len(LEVELS))
        self._hat = np.empty((*shape, len(_OMEGA)), np.complex64)
        self._mean = np.empty(shape)
        for i, row in enumerate(tables):
            for n, table in enumerate(row):
                laws = table.laws(part)
                self._hat[i, n] = np.fft.rfft(laws, _LENGTH, axis=-1)
                self._mean[i, n] = laws.astype(np.float64) @ _MIDDLES

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
        lower, upper = _places(tau_minus), _places(tau_plus)
        hat = np.zeros((len(tau_minus), 2, len(_OMEGA)), np.complex128)
        _blend(self._hat, self._mean, weights, lower, upper, _OMEGA[1], hat)
        return _rising(hat, sigma, log_time)


class AnsweredTimes(DecisionTimes):
    """Decision times with answers as the paths gave them, where Wald's formula does not hold.

    Parameters
    ----------
    tables : list of list of PassageTable, shape (n_cells, 1)
    part : int, optional
    """

    def __init__(self, tables: list[list[PassageTable]], part: int | None = None) -> None:
        super().__init__(tables, part)
        answers = np.stack([table.answers(part) for (table,) in tables])
        self._log_answers = np.log(np.maximum(answers, _LEAST_ANSWER))

    def answers(self, tau_minus: Array, tau_plus: Array) -> Array:
        """Return P(answer) in each cell, shape (1, 2, n_cells)."""
        (k0, k), (j0, j) = _places(tau_minus), _places(tau_plus)
        logs, cell = np.zeros((len(k0), 2)), np.arange(len(k0))
        for dk, x in ((0, 1.0 - k), (1, k)):
            for dj, y in ((0, 1.0 - j), (1, j)):
                logs += (x * y)[:, None] * self._log_answers[cell, :, k0 + dk, j0 + dj]
        chances = np.exp(logs)
        return np.asarray((chances / chances.sum(axis=1, keepdims=True)).T[None])


def _places(tau: Array) -> tuple[NDArray[np.int64], Array]:
    """Return the level below each threshold, and how far beyond it the threshold lies."""
    place = np.clip(level_position(tau), 0.0, len(LEVELS) - 1 - _SLACK)
    below = place.astype(np.int64)
    return below, place - below


def _rising(hat: Any, sigma: float, log_time: Array) -> Array:
    """Return distribution functions, shape (n_sizes, 2, T), from transforms, after a blur."""
    hat *= np.exp(-0.5 * (sigma * _OMEGA) ** 2 - 1j * _ROOM * BIN * _OMEGA)
    mass = np.fft.irfft(hat, _LENGTH, axis=-1)
    rising = np.zeros((*mass.shape[:-1], _LENGTH + 1))
    np.cumsum(mass, axis=-1, out=rising[..., 1:])
    rising_at = np.empty((*mass.shape[:-1], log_time.shape[-1]))
    _interpolate(rising, (log_time - _FIRST) / BIN, rising_at)
    return rising_at


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(N_FACTORS)
Nodes = dict[tuple[float, float], float]
"""Weights of tables by guidance and information within a period."""


def rate_factors(sigma: float) -> list[tuple[float, float]]:
    """Return logs of rates between trials and their weights, each to be blurred by `BLUR` sigma.

    Examples
    --------
    >>> rate_factors(0.0)
    [(0.0, 1.0)]
    """
    if sigma == 0.0:
        return [(0.0, 1.0)]
    apart = sigma * math.sqrt(1.0 - BLUR**2)
    return [*zip((apart * _NODES).tolist(), (_WEIGHTS / _WEIGHTS.sum()).tolist(), strict=True)]


def table_weights(
    set_size: int, guidances: tuple[float, ...], weights: Array, information: float
) -> Nodes:
    """Return the weight of every table of a set size in a dynamic display.

    Parameters
    ----------
    set_size : int
    guidances, weights
        As in `guidance_weights`.
    information : float
        Within a period.
    """
    shares = period_weights(information, set_size)
    both = zip(guidances, weights.tolist(), strict=True)
    return {(g, each): w * share for g, w in both if w for each, share in shares.items()}


class ReshuffledTimes:
    """Laws of decision times in dynamic displays, at any thresholds; see `DecisionTimes`.

    Parameters
    ----------
    table_of : callable
        The table of a set size, a guidance, and the information within a period.
    set_sizes : sequence of int
    guidances : tuple of float
    information : ndarray of shape (n_sizes,)
        Median information within a period.
    part : int, optional
    """

    def __init__(
        self,
        table_of: Callable[[int, float, float], PassageTable],
        set_sizes: Sequence[int],
        guidances: tuple[float, ...],
        information: Array,
        part: int | None = None,
    ) -> None:
        self.set_sizes, self.guidances = tuple(set_sizes), guidances
        self._table_of, self._information, self._part = table_of, information, part

    def distributions(
        self, tau_minus: Array, tau_plus: Array, weights: Array, sigma: float, log_time: Array
    ) -> Array:
        """Return P(decision before a time | answer); see `DecisionTimes.distributions`."""
        last = len(LEVELS) - 1 - _SLACK
        places = (np.clip(level_position(tau), 0.0, last) for tau in (tau_minus, tau_plus))
        hat = np.zeros((len(self.set_sizes), 2, len(_OMEGA)), np.complex128)
        slower = np.zeros(len(self.set_sizes))
        for i, (k, j) in enumerate(zip(*places, strict=True)):
            slower[i] = self._add(i, (float(k), float(j)), weights, sigma, hat[i : i + 1])
        return _rising(hat, 0.0, log_time - slower[:, None])

    def _add(
        self, i: int, place: tuple[float, float], weights: Array, sigma: float, out: Any
    ) -> float:
        """Add the law of a set size, and return what its log times have to be reduced by."""
        M, information = self.set_sizes[i], float(self._information[i])

        def nodes(s: float) -> Nodes:
            return table_weights(M, self.guidances, weights, information * math.exp(s))

        factors, blur = rate_factors(sigma), BLUR * sigma
        around = [[nodes(s + shift) for shift in (0.0, -blur, blur)] for s, _ in factors]
        keys = sorted({key for some in around for each in some for key in each})
        tables = [self._table_of(M, *key) for key in keys]
        slower = max(table.slower for table in tables)
        shifts = np.array([table.slower - slower for table in tables])[:, None, None, None]
        k, j = (int(each) for each in place)
        laws = np.stack([table.laws(self._part, (k, j)) for table in tables])
        source = np.fft.rfft(laws, _LENGTH, axis=-1)
        source *= np.exp(-1j * shifts[..., None] * _OMEGA)
        mean = laws @ _MIDDLES + shifts
        lower, upper = ((np.zeros(1, np.int64), np.array([each % 1.0])) for each in place)
        x, y = (each % 1.0 for each in place)
        corner = np.array([[(1.0 - x) * (1.0 - y), (1.0 - x) * y], [x * (1.0 - y), x * y]])
        for some, (s, share) in zip(around, factors, strict=True):
            own = np.array([[each.get(key, 0.0) for key in keys] for each in some])
            hat = np.zeros_like(out)
            _blend(source[None], mean[None], own[0], lower, upper, _OMEGA[1], hat)
            _, before, after = np.einsum("cn,nakj,kj->ca", own, mean, corner)
            # A quicker trial ends earlier, and earlier still if its periods hold more.
            width = blur - 0.5 * (after - before)
            phase = 1j * s * _OMEGA - 0.5 * (width[:, None] * _OMEGA) ** 2
            out += share * hat * np.exp(phase)
        return slower
