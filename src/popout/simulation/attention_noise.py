r"""The noise of a look: a pure function of (seed, trial, location, look).

Where the observer chooses where to look, the *n*-th look at location *l* of a trial receives the
normal :math:`\epsilon_{l,n}`, whenever it takes place. Two reasons:

- *It costs what is looked at.* A serial observer needs one normal a step, not M; a stream in the
  order of steps and locations would have to be drawn in full.
- *Policies share what can be shared.* Two observers who look at one location at a time see the same
  observations there, in whatever order they go about it; an observer of fixed shares sees at step
  *k* what the rule "step and location" would give it, because every step is a look everywhere. A
  rule by step alone would pair up observations of different locations.

A look counts whatever its share, as long as it is not zero. The words are those of Philox
(`popout.noise.philox`), enciphered under the first key of the seed, so that each can be had alone;
the normals are made from them as in `popout.noise.streams`, with the same bits on every machine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popout.noise.elementary import as_bits, as_double, compiled, minus_log, quarter_sincos
from popout.noise.philox import philox4x32

__all__ = ["fill_looks", "look_pair"]

_U = np.uint64
_LOW, _SHIFT = _U(0xFFFFFFFF), _U(32)
_FIRST_LOCATION = _U(16)  # purposes below are taken by `popout.noise.philox`
_ONE_BITS = _U(0x3FF0000000000000)
_HALF_PI = math.pi / 2.0


@compiled
def look_pair(key: Any, trial: int, location: int, pair: int) -> Any:
    """Return the normals of the looks ``2 * pair`` and ``2 * pair + 1`` at a location.

    Examples
    --------
    >>> x, y = look_pair(np.uint64(1), 0, 0, 0)
    >>> x != y
    True
    """
    t, k = _U(trial), _U(key)
    w0, w1, w2, w3 = philox4x32(
        _U(pair) & _LOW,
        _FIRST_LOCATION + _U(location),
        t & _LOW,
        t >> _SHIFT,
        k & _LOW,
        k >> _SHIFT,
    )
    first, second = (w0 << _SHIFT) | w1, (w2 << _SHIFT) | w3
    radius = math.sqrt(minus_log(2.0 - as_double((first >> _U(12)) | _ONE_BITS)))
    phi = (as_double((second >> _U(12)) | _ONE_BITS) - 1.5) * _HALF_PI
    sine, cosine = quarter_sincos(phi)
    x = as_bits(radius * (cosine - sine))
    y = as_bits(radius * (cosine + sine))
    return (
        as_double(x ^ ((second & _U(1)) << _U(63))),
        as_double(y ^ ((second & _U(2)) << _U(62))),
    )


@compiled
def fill_looks(key: Any, trials: Any, looks: Any, shares: Any, out: Any) -> None:
    """Draw the next look at every location that has a share, and count it.

    Parameters
    ----------
    key : uint64
    trials : ndarray of int64, shape (n,)
    looks : ndarray of int64, shape (n, M)
        Looks so far, counted up in place.
    shares : ndarray of shape (n, M)
    out : ndarray of shape (n, M)
        Receives the normals; zero where there is no look.
    """
    for i in range(len(trials)):
        for location in range(shares.shape[1]):
            out[i, location] = 0.0
            if shares[i, location] > 0.0:
                n = looks[i, location]
                x, y = look_pair(key, trials[i], location, n // 2)
                out[i, location] = y if n % 2 else x
                looks[i, location] = n + 1
