"""Random numbers that are a function of (seed, trial, purpose, index) and of nothing else.

Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC'11) enciphers a 128-bit counter under a 64-bit key
into 128 random bits. Key = seed, counter = (index, purpose, trial). Any number of a sample can be
computed alone, so the result depends neither on the number of threads nor on the chunks in which
trials are drawn, and two trials can never share a stream. `popout.evidence` draws displays and
observations with it.

Where an outcome has a table of cumulative probabilities, that of a uniform number u is the first
one whose cumulative probability exceeds u (`choose`, `invert`).
"""

from __future__ import annotations

from math import cos, log, pi, sin, sqrt

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from popout.noise.elementary import compiled, unit_interval

LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)
MULTIPLIER_0, MULTIPLIER_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL_0, WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
PURPOSE_DISPLAY = np.uint64(0)
PURPOSE_NOISE = np.uint64(1)


@compiled
def philox4x32(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Encipher four 32-bit counter words under two key words, in ten rounds.

    All words are uint64 that hold 32 bits, because the rounds need 64-bit products.
    """
    for _ in range(10):
        product0 = MULTIPLIER_0 * c0
        product1 = MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product1 >> SHIFT) ^ c1 ^ k0,
            product1 & LOW,
            (product0 >> SHIFT) ^ c3 ^ k1,
            product0 & LOW,
        )
        k0 = (k0 + WEYL_0) & LOW
        k1 = (k1 + WEYL_1) & LOW
    return c0, c1, c2, c3


@compiled
def uniform_pair(
    seed: np.uint64, trial: np.uint64, purpose: np.uint64, index: np.uint64
) -> tuple[float, float]:
    """Return two uniforms in [0, 1) with 53 bits each."""
    w0, w1, w2, w3 = philox4x32(
        index & LOW, purpose, trial & LOW, trial >> SHIFT, seed & LOW, seed >> SHIFT
    )
    return unit_interval(w0 << SHIFT | w1), unit_interval(w2 << SHIFT | w3)


@compiled
def uniform(seed: np.uint64, trial: np.uint64, index: int) -> float:
    """Return the uniform number `index` of the display of a trial."""
    pair: tuple[float, float] = uniform_pair(seed, trial, PURPOSE_DISPLAY, np.uint64(index // 2))
    return pair[0] if index % 2 == 0 else pair[1]


@compiled
def normal_pair(seed: np.uint64, trial: np.uint64, index: np.uint64) -> tuple[float, float]:
    """Return two standard normals of the noise of a trial (Box and Muller)."""
    u, v = uniform_pair(seed, trial, PURPOSE_NOISE, index)
    radius = sqrt(-2.0 * log(1.0 - u))  # 1 - u lies in (0, 1]
    angle = 2.0 * pi * v
    return radius * cos(angle), radius * sin(angle)


Array = NDArray[np.float64]


@njit(cache=True)
def choose(cdf: Array, u: float) -> int:
    """Return the first index whose cumulative probability exceeds u; u < 1."""
    low, high = 0, cdf.size - 1
    while low < high:
        middle = (low + high) // 2
        if u < cdf[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, parallel=True)
def invert(u: Array, index: NDArray[np.int64], cdf: Array) -> None:
    """Replace u of shape (n, T, M, C) by outcomes; `cdf[index[n, M], C]` is their table."""
    n_rows, n_steps, n_places, n_channels = u.shape
    for row in prange(n_rows):
        for step in range(n_steps):
            for i in range(n_places):
                for c in range(n_channels):
                    u[row, step, i, c] = choose(cdf[index[row, i], c], u[row, step, i, c])
