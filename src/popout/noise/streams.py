r"""The noise of a trial: a pure function of (seed, trial, step, location).

Trial *i* of a seed owns one stream of standard normals :math:`\epsilon_0, \epsilon_1, \ldots`;
location *l* at step *k* (both from 0) receives :math:`\epsilon_{kM + l}`. Nothing a strategy does
moves the stream, so strategies compared under one seed face the same displays and the same noise
(common random numbers), whatever the threads, the chunks or the SIMD lanes.

Uniform bits: xoroshiro128++ (Blackman and Vigna), one generator per trial. Its 128-bit state is
:math:`(h(\kappa_0 + i g), h(\kappa_1 + i g))`, with *h* the SplitMix64 finaliser, *g* its odd
increment and :math:`\kappa` four words spread from the seed (`popout.noise.seeds`). *h* is a
bijection, so the states of one seed are distinct; with streams of :math:`10^4` numbers and
:math:`10^9` trials two streams overlap with probability of order :math:`10^{-16}`.

Normals: Box and Muller without trigonometric branches. From two words take
:math:`u \in (0, 1]`, :math:`\varphi \in [-\pi/4, \pi/4)` and two signs; then

.. math::

   \epsilon_{2p} = \pm\sqrt{-\log u}\,(\cos\varphi - \sin\varphi), \qquad
   \epsilon_{2p+1} = \pm\sqrt{-\log u}\,(\cos\varphi + \sin\varphi)

are :math:`\sqrt{-2\log u}` times cosine and sine of :math:`\varphi + \pi/4`, reflected into a
random quadrant: exact independent normals in double precision, up to
:math:`|\epsilon| \le \sqrt{104 \log 2} = 8.5` (the 52 bits of *u*). A fixed number of words per
pair and no rejection: the *n*-th normal is always at the *n*-th place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import (
    as_bits,
    as_double,
    compiled,
    copy_to,
    minus_log,
    quarter_sincos,
    unit_interval,
)
from popout.noise.seeds import spread

LANES = 64
"""Trials that advance together, one per SIMD lane; a constant, for the compiler's sake."""

_U = np.uint64
_GAMMA = _U(0x9E3779B97F4A7C15)
_ONE_BITS = _U(0x3FF0000000000000)
_HALF_PI = math.pi / 2.0


def stream_keys(seed: int) -> NDArray[np.uint64]:
    """Return the four words every stream of a seed derives from.

    Words 0 and 1 key the noise, 2 the class and 3 the target's locations of each trial.

    Examples
    --------
    >>> len(set(stream_keys(0).tolist()) | set(stream_keys(1).tolist()))
    8
    """
    return spread(seed, n_words=4)


@compiled
def _mix(x: Any) -> Any:
    x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
    return x ^ (x >> _U(31))


@compiled
def _word(key: Any, trial: int) -> Any:
    """Return the word of 64 random bits that a trial has under a key."""
    return _mix(key + _GAMMA * _U(trial + 1))


@compiled
def trial_uniform(key: Any, trial: int) -> float:
    """Return the one uniform of a trial under a key, in [0, 1)."""
    return unit_interval(_word(key, trial))


@compiled
def nth_uniform(key: Any, trial: int, n: int) -> float:
    """Return one of further uniforms of a trial under a key, n = 1, 2, ..."""
    return unit_interval(_mix(_word(key, trial) + _GAMMA * _U(n)))


@compiled
def first_state(keys: Any, trial: int) -> Any:
    """Return the two words of state with which the stream of a trial starts."""
    s0, s1 = _word(keys[0], trial), _word(keys[1], trial)
    if s0 == 0 and s1 == 0:  # the one state that xoroshiro cannot leave
        s1 = _GAMMA
    return s0, s1


@compiled
def _rotate(x: Any, k: int) -> Any:
    return (x << _U(k)) | (x >> _U(64 - k))


@compiled
def next_pair(a: Any, b: Any) -> Any:
    """Return the state of a stream after its next pair of normals, and the pair."""
    first = _rotate(a + b, 17) + a
    b ^= a
    a = _rotate(a, 49) ^ b ^ (b << _U(21))
    b = _rotate(b, 28)
    second = _rotate(a + b, 17) + a
    b ^= a
    a = _rotate(a, 49) ^ b ^ (b << _U(21))
    b = _rotate(b, 28)

    radius = math.sqrt(minus_log(2.0 - as_double((first >> _U(12)) | _ONE_BITS)))
    phi = (as_double((second >> _U(12)) | _ONE_BITS) - 1.5) * _HALF_PI
    sine, cosine = quarter_sincos(phi)
    x = as_bits(radius * (cosine - sine))
    y = as_bits(radius * (cosine + sine))
    # Bits 0 and 1 are not part of phi: they give the signs.
    normal = as_double(x ^ ((second & _U(1)) << _U(63)))
    other = as_double(y ^ ((second & _U(2)) << _U(62)))
    return a, b, normal, other


@compiled
def next_pairs(s0: Any, s1: Any, out: Any, n_pairs: int) -> None:
    """Draw the next pairs of normals of `LANES` streams and advance the streams.

    Parameters
    ----------
    s0, s1 : ndarray of uint64, shape (LANES,)
        States, updated in place.
    out : ndarray of float, shape (>= n_pairs, 2 * LANES)
        Row *p* receives the first normals of pair *p* of all lanes, then the second ones: the two
        stores of an iteration are a constant distance apart, which lets LLVM vectorise it.
    n_pairs : int
    """
    for p in range(n_pairs):
        for j in range(LANES):
            s0[j], s1[j], out[p, j], out[p, LANES + j] = next_pair(s0[j], s1[j])


@compiled
def _first_states(keys: Any, trials: Any, s0: Any, s1: Any) -> None:
    for i in range(len(trials)):
        s0[i], s1[i] = first_state(keys, trials[i])


@compiled
def _next_normals(s0: Any, s1: Any, out: Any) -> None:
    """Fill each row of `out`, whose length is even, from its stream, `LANES` rows at a time."""
    n_pairs = out.shape[1] // 2
    pairs = np.empty((n_pairs, 2 * LANES))
    a, b = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64)
    for start in range(0, len(s0), LANES):
        width = min(LANES, len(s0) - start)
        copy_to(a, s0[start : start + width])
        copy_to(b, s1[start : start + width])
        next_pairs(a, b, pairs, n_pairs)
        copy_to(s0[start : start + width], a[:width])
        copy_to(s1[start : start + width], b[:width])
        for p in range(n_pairs):
            for j in range(width):
                out[start + j, 2 * p] = pairs[p, j]
                out[start + j, 2 * p + 1] = pairs[p, LANES + j]


class NormalStreams:
    """The streams of some trials, read together.

    Parameters
    ----------
    seed : int
    trials : ndarray of int, shape (T,)
        Trial indices.

    Notes
    -----
    With M locations, number ``k * M + l`` of a stream is the noise of location l at step k.

    Examples
    --------
    A stream depends neither on the company it is read in nor on the size of the helpings:

    >>> both = NormalStreams(1, np.array([7, 8])).next(6)
    >>> alone = NormalStreams(1, np.array([8]))
    >>> bool((both[1] == np.hstack([alone.next(2), alone.next(4)])).all())
    True
    """

    def __init__(self, seed: int, trials: NDArray[np.int64]) -> None:
        self._s0, self._s1 = np.empty(len(trials), np.uint64), np.empty(len(trials), np.uint64)
        _first_states(stream_keys(seed), np.asarray(trials, np.int64), self._s0, self._s1)

    def next(self, n: int) -> NDArray[np.float64]:
        """Return the next `n` normals of each stream, shape (T, n); `n` is even."""
        out = np.empty((len(self._s0), n))
        _next_normals(self._s0, self._s1, out)
        return out

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Drop the streams of all other trials."""
        self._s0, self._s1 = self._s0[chosen], self._s1[chosen]
