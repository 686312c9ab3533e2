r"""The noise of a look: a pure function of (seed, trial, location, look).

Where the observer chooses where to look, the *n*-th look at location *l* of a trial receives the
normal :math:`\epsilon_{l,n}`, whenever it takes place. Two reasons:

- *It costs what is looked at.* A serial observer needs one normal a step, not M; a stream in the
  order of steps and locations would have to be drawn in full.
- *Policies share what can be shared.* Two observers who look at one location at a time see the same
  observations there, in whatever order they go about it, and an observer who looks everywhere sees
  at step *k* the *k*-th of each location. A rule by step alone would pair up observations of
  different locations.

A look counts whatever its share, as long as it is not zero. Each location of a trial owns a stream
of `popout.noise.streams`, the one with the number :math:`2^{40} l + i` for trial *i*, which starts
at the first look; normals are made from its words in the same way. With one location this is the
noise of `popout.simulate`.
"""

from __future__ import annotations

from typing import Any

from popout.noise.elementary import compiled, unit_interval
from popout.noise.streams import LANES, first_state, next_pair, next_pairs

FIRST = 4
"""Looks at every location that are drawn together when a trial of many locations begins."""

_LOCATION = 1 << 40  # no simulation has that many trials
_NO_LOCATION = 1 << 20  # no task has that many locations


@compiled
def next_look(
    keys: Any, trial: int, location: int, looks: Any, s0: Any, s1: Any, spare: Any
) -> float:
    """Return the normal of the next look at a location, and count the look.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
        From `popout.noise.streams.stream_keys`.
    trial, location : int
    looks : ndarray of int64, shape (M,)
        Looks of this trial so far.
    s0, s1 : ndarray of uint64, shape (M,)
        States of its streams, valid where there was a look.
    spare : ndarray of shape (M,)
        Second normal of the last pair: normals come in pairs.
    """
    n = looks[location]
    looks[location] = n + 1
    if n & 1:
        kept: float = spare[location]
        return kept
    if n == 0:
        a, b = first_state(keys, location * _LOCATION + trial)
    else:
        a, b = s0[location], s1[location]
    now: float
    s0[location], s1[location], now, spare[location] = next_pair(a, b)
    return now


@compiled
def next_gaze(keys: Any, trial: int, n: int, gazes: Any, G: int, inhibition: int) -> int:
    """Return where the n-th fixation of a trial goes that is drawn at random, from 0.

    Every place is as likely but those of the last few fixations. The word behind it is the first of
    a stream that no location has.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    trial, n : int
    gazes : ndarray of int64, shape (>= inhibition,)
        Where the fixations before went, number m at ``gazes[m % len(gazes)]``.
    G, inhibition : int
        Places of gaze, and fixations whose places are not taken.
    """
    barred = min(n, inhibition)  # they all differ
    word, _ = first_state(keys, (_NO_LOCATION + n) * _LOCATION + trial)
    left = int(unit_interval(word) * (G - barred))
    for gaze in range(G):
        free = True
        for m in range(n - barred, n):
            free = free and gazes[m % len(gazes)] != gaze
        if free:
            if left == 0:
                return gaze
            left -= 1
    return G - 1


@compiled
def fill_gazes(keys: Any, trials: Any, n: int, gazes: Any, G: int, inhibition: int) -> None:
    """Draw the n-th fixation of every trial into ``gazes``, shape (trials, >= inhibition)."""
    for i in range(len(trials)):
        gazes[i, n % gazes.shape[1]] = next_gaze(keys, trials[i], n, gazes[i], G, inhibition)


@compiled
def first_looks(keys: Any, trial: int, M: int, s0: Any, s1: Any, pairs: Any) -> None:
    """Draw the first looks at all locations together, which vector instructions make cheap.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    trial, M : int
    s0, s1 : ndarray of uint64, shape (B * LANES,)
        Receive the states after these looks, so that `next_look` goes on from there.
    pairs : ndarray of shape (B, FIRST // 2, 2 * LANES)
        Receives look n at location l as ``pairs[l // LANES, n // 2, (n % 2) * LANES + l % LANES]``.
    """
    for location in range(M):
        s0[location], s1[location] = first_state(keys, location * _LOCATION + trial)
    for block in range(len(pairs)):
        lanes = slice(block * LANES, (block + 1) * LANES)
        next_pairs(s0[lanes], s1[lanes], pairs[block], FIRST // 2)


@compiled
def fill_looks(
    keys: Any, trials: Any, shares: Any, looks: Any, s0: Any, s1: Any, spare: Any, out: Any
) -> None:
    """Draw the next look at every location that has a share.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    trials : ndarray of int64, shape (n,)
    shares : ndarray of shape (n, M)
    looks, s0, s1, spare : ndarray of shape (n, M)
        See `next_look`; updated in place.
    out : ndarray of shape (n, M)
        Receives the normals; zero where there is no look.
    """
    for i in range(len(trials)):
        for location in range(shares.shape[1]):
            out[i, location] = 0.0
            if shares[i, location] > 0.0:
                out[i, location] = next_look(
                    keys, trials[i], location, looks[i], s0[i], s1[i], spare[i]
                )
