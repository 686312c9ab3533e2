r"""Decision times at any thresholds, guidance and rate: interpolation in tables of first passages.

A law of :math:`y = \log(\Lambda t/M)` is needed between the levels, and between the powers g, of
the tables. A mixture of neighbours would be too wide, as they stand at different places on the
axis. So neighbours are first moved to the interpolated mean of y, and then mixed: exact for laws
that differ by their time scale alone, and otherwise off by second order in *shape* only.

A law is a histogram. To move it by n + x bins is to move it by n and by n + 1, with the weights
1 - x and x: means are exact, and no probability is negative; the variance grows by x (1 - x)
bins squared, a hundredth of a percent of a law's own. (A phase in Fourier space moves without that,
but noise in a bin then rings through all of them, and late bins are seconds wide.)

:math:`\sigma` is the standard deviation of :math:`\log\Lambda` between trials: variable information
is a Gaussian blur of log time, by the kernel on whole bins with the transform
:math:`e^{(\sigma/b)^2(\cos\omega b - 1)}`, which is positive and has exactly that variance. An
evaluation costs the same whatever the number of paths.

**Small thresholds.** Tables begin at `LEAST` nats. An answer at a smaller threshold comes as much
sooner as the mean time of a Brownian motion says, :math:`\tau(\tau + 2\tau')` for the answer at
:math:`\tau` against :math:`\tau'`; who hardly needs evidence answers at once.

Guidance is interpolated in :math:`g/(1 + g)`, from 0 (parallel) to 1 (serial).

**Dynamic displays** have one more axis, information within a period (`reshuffled_passages`). A
trial that is :math:`e^s` times as quick has as much more of it, and what happens at a reshuffle
does not move with s: no blur. Laws are added up over s in small steps (`RATES_APART`), each from
the tables of its own period.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import compiled
from popout.people.passages.first_passages import (
    BIN,
    FIRST_EDGE,
    LEVELS,
    N_BINS,
    PassageTable,
    level_position,
    log_sooner,
)
from popout.people.passages.reshuffled_passages import period_weights

Array = NDArray[np.float64]
Place = tuple[NDArray[np.int64], Array]
"""Levels below thresholds, and how far beyond them they lie, from 0 to 1."""
_LENGTH = 512  # of laws that have been moved and blurred: room on both sides of the bins
_ROOM = (_LENGTH - N_BINS) // 2
_COSINES = np.cos(2.0 * np.pi * np.fft.rfftfreq(_LENGTH))
_FIRST = FIRST_EDGE - _ROOM * BIN
_BINS = np.arange(N_BINS, dtype=np.float64)
_SLACK, _LEAST_ANSWER = 1e-9, 1e-9
RATES_APART, RATES_REACH = 0.15, 4.0
"""Steps of log rates that vary between trials, at most, and standard deviations that they cover."""


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
    laws: Any, mean: Any, weights: Any, lower: Any, upper: Any, later: Any, out: Any
) -> None:
    """Move the neighbours of each law to their common mean, and then on, and add them up.

    Parameters
    ----------
    laws, mean : ndarray of shape (n_sizes, G, 2, K, J, B) and without B
        Means in bins.
    weights : ndarray of shape (n_sizes, G)
    lower, upper : tuple of two ndarray of shape (n_sizes,)
        The level below each threshold, and how far beyond it the threshold lies, from 0 to 1.
    later : ndarray of shape (n_sizes, 2)
        Bins to move them on.
    out : ndarray of shape (n_sizes, 2, _LENGTH)
        Is added to; a law stays where it would leave it.
    """
    k0, k = lower
    j0, j = upper
    n_bins = laws.shape[-1]
    for i in range(len(k0)):
        for answer in range(2):
            centre = 0.0
            for turn in range(2):  # first the mean of the means, then the laws
                for n in range(weights.shape[1]):
                    if weights[i, n] == 0.0:
                        continue
                    for dk in range(2):
                        for dj in range(2):
                            w = weights[i, n] * (k[i] if dk else 1.0 - k[i])
                            w *= j[i] if dj else 1.0 - j[i]
                            own = mean[i, n, answer, k0[i] + dk, j0[i] + dj]
                            if turn == 0:
                                centre += w * own
                                continue
                            source = laws[i, n, answer, k0[i] + dk, j0[i] + dj]
                            x = _ROOM + centre - own + later[i, answer]
                            x = min(max(x, 0.0), _LENGTH - n_bins - 1.0)
                            first = int(x)
                            x -= first
                            near, far = out[i, answer, first:], out[i, answer, first + 1 :]
                            for b in range(n_bins):
                                near[b] += w * (1.0 - x) * source[b]
                                far[b] += w * x * source[b]


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
        self._laws, self._mean = np.empty((*shape, N_BINS), np.float32), np.empty(shape)
        for i, row in enumerate(tables):
            for n, table in enumerate(row):
                self._laws[i, n] = table.laws(part)
                self._mean[i, n] = self._laws[i, n].astype(np.float64) @ _BINS

    def distributions(
        self, tau_minus: Array, tau_plus: Array, weights: Array, sigma: float, log_time: Array
    ) -> Array:
        """Return P(decision before a time | answer).

        Parameters
        ----------
        tau_minus, tau_plus : ndarray of shape (n_sizes,)
            Up to the highest level of the tables.
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
        mass = np.zeros((len(tau_minus), 2, _LENGTH))
        later = -log_sooner(tau_minus, tau_plus).T / BIN
        same = np.broadcast_to(weights, (len(lower[0]), len(weights)))
        _blend(self._laws, self._mean, same, lower, upper, later, mass)
        if sigma > 0.0:
            blur = np.exp((sigma / BIN) ** 2 * (_COSINES - 1.0))
            mass = np.fft.irfft(np.fft.rfft(mass, axis=-1) * blur, _LENGTH, axis=-1)
        return _rising(mass, log_time)


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


def _places(tau: Array) -> Place:
    """Return the level below each threshold, and how far beyond it the threshold lies."""
    place = np.clip(level_position(tau), 0.0, len(LEVELS) - 1 - _SLACK)
    below = place.astype(np.int64)
    return below, place - below


def _rising(mass: Array, log_time: Array) -> Array:
    """Return distribution functions, shape (n_sizes, 2, T), from laws that have been moved."""
    rising = np.zeros((*mass.shape[:-1], _LENGTH + 1))
    np.cumsum(mass, axis=-1, out=rising[..., 1:])
    rising_at = np.empty((*mass.shape[:-1], log_time.shape[-1]))
    _interpolate(rising, (log_time - _FIRST) / BIN, rising_at)
    return rising_at


def rate_factors(sigma: float) -> list[tuple[float, float]]:
    """Return logs of rates between trials and their weights.

    Examples
    --------
    >>> rate_factors(0.0)
    [(0.0, 1.0)]
    >>> s, weights = np.transpose(rate_factors(0.8))
    >>> len(s), round(float(weights @ s**2), 3)
    (45, 0.64)
    """
    n = math.ceil(RATES_REACH * max(sigma / RATES_APART, 2.0)) if sigma > 0.0 else 0
    z = np.linspace(-RATES_REACH, RATES_REACH, 2 * n + 1) if n else np.zeros(1)
    weights = np.exp(-0.5 * z**2)
    return [*zip((sigma * z).tolist(), (weights / weights.sum()).tolist(), strict=True)]


def table_weights(
    set_size: int, guidances: tuple[float, ...], weights: Array, information: Array
) -> tuple[list[tuple[float, float]], Array]:
    """Return the tables of a set size that dynamic displays need, and their weights.

    Parameters
    ----------
    set_size : int
    guidances, weights
        As in `guidance_weights`.
    information : ndarray of shape (S,)
        Within a period, for each rate.

    Returns
    -------
    keys : list of (guidance, information within a period)
    weights : ndarray of shape (S, n_tables)
    """
    lies = [period_weights(each, set_size) for each in information.tolist()]
    used = [(g, w) for g, w in zip(guidances, weights.tolist(), strict=True) if w]
    keys = sorted({(g, period) for g, _ in used for each in lies for period in each})
    share = dict(used)
    return keys, np.array([[share[g] * each.get(n, 0.0) for g, n in keys] for each in lies])


@dataclass(frozen=True)
class ReshuffledTimes:
    """Laws of decision times in dynamic displays, at any thresholds; see `DecisionTimes`.

    Parameters
    ----------
    table_of : callable
        The table of a set size, a guidance, and the information within a period.
    set_sizes : tuple of int
    guidances : tuple of float
    information : tuple of float
        Median information within a period, for each set size.
    part : int, optional
    """

    table_of: Callable[[int, float, float], PassageTable]
    set_sizes: tuple[int, ...]
    guidances: tuple[float, ...]
    information: tuple[float, ...]
    part: int | None = None

    def distributions(
        self, tau_minus: Array, tau_plus: Array, weights: Array, sigma: float, log_time: Array
    ) -> Array:
        """Return P(decision before a time | answer); see `DecisionTimes.distributions`."""
        mass = np.empty((len(self.set_sizes), 2, _LENGTH))
        slower, sooner = np.empty(len(mass)), log_sooner(tau_minus, tau_plus)
        for i in range(len(mass)):
            own = slice(i, i + 1)
            places = _places(tau_minus[own]), _places(tau_plus[own])
            mass[i], slower[i] = self._law(i, *places, sooner[:, i], weights, sigma)
        return _rising(mass, log_time - slower[:, None])

    def _law(
        self, i: int, lower: Place, upper: Place, sooner: Array, weights: Array, sigma: float
    ) -> tuple[Array, float]:
        """Return the law of a set size, and what its log times have to be reduced by."""
        M, information = self.set_sizes[i], self.information[i]
        s, share = np.transpose(rate_factors(sigma))
        keys, own = table_weights(M, self.guidances, weights, information * np.exp(s))
        tables = [self.table_of(M, *key) for key in keys]
        slower = max(table.slower for table in tables)
        later = own @ [table.slower - slower for table in tables] - s
        corner = int(lower[0][0]), int(upper[0][0])
        laws, mean = (
            np.broadcast_to(np.stack(each), (len(s), len(keys), *each[0].shape))
            for each in zip(*(_corner(table, self.part, corner) for table in tables), strict=True)
        )
        below, above = (
            (np.zeros(len(s), np.int64), np.repeat(x, len(s))) for _, x in (lower, upper)
        )
        mass = np.zeros((len(s), 2, _LENGTH))
        _blend(laws, mean, own, below, above, (later[:, None] - sooner) / BIN, mass)
        return np.einsum("s,sal->al", share, mass), slower


# A search moves one parameter at a time: the levels around thresholds are mostly those of before.
@lru_cache(maxsize=2048)
def _corner(
    table: PassageTable, part: int | None, corner: tuple[int, int]
) -> tuple[NDArray[np.float32], Array]:
    """Return laws at two by two levels, shape (2, 2, 2, B), and their means in bins."""
    laws = table.laws(part, corner)
    return laws, laws.astype(np.float64) @ _BINS
