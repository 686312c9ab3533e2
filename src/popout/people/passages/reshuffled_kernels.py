r"""Compiled walks in dynamic displays: what the log likelihood ratio does within a period.

At a reshuffle the posterior of the place is lost and the odds of presence are kept: all
:math:`Z_l` become S. From there on S moves as in a new display, only from another level. So the
steps of S from one reshuffle to the next are independent and have one law, and a search is a sum
of **segments**: periods that begin with all :math:`Z_l = 0`. `guided_segments` and
`serial_segments` simulate some of them, half with a target; each is kept as the end, minimum and
maximum of S in intervals that grow in proportion to the time. `segment_walk` puts them together.

**Both classes from all segments.** A segment whose S ends at :math:`\Delta` is :math:`e^\Delta`
times as likely with a target as without. Drawn from the mixture with the density q relative to
target absent, it counts :math:`w_0 = 2/(1 + q)` and :math:`w_1 = e^\Delta w_0`. Over many periods
small errors add up, so two things that are known are made exact. Both weights have the same sum:
without that S would drift, and with it answers follow Wald's formula whatever the noise. And as
:math:`dS` has the mean :math:`\mp\frac12` its variance in each class, the sum over both of
:math:`\pm\Delta` is half that of the quadratic variation V, which varies little. So weights are
multiplied by :math:`1 - \lambda T - \mu(\Delta T - V/2)`, :math:`T = \tanh(\Delta/2)`, with those
small :math:`\lambda, \mu` that make both identities hold.

**Serial attention.** All information goes to the most likely location. With -v the level that all
others have sunk to and x the height of the location under attention above it,

.. math:: S = -v + \log\bigl(1 + (e^x - 1)/M\bigr) .

With the target absent x is a Brownian motion of drift -2 and variance 4 per unit of
:math:`u = \Lambda t`, reflected at 0, and v sinks by 1/M of what reflection adds (see
`serial_passages`): end and minimum are drawn together, exact for any step. With a target, it is
the location under attention with probability :math:`p = e^x/(M - 1 + e^x)`, and the drift is +2
then: exact unless attention moves during the step. It need not be exact, as the density q of what
is drawn is known, a product of :math:`1 - p + p e^b` over steps b.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popout.noise.elementary import bounded_exp, compiled, minus_log
from popout.noise.streams import LANES, first_state, next_pair, next_pairs, trial_uniform
from popout.people.passages.passage_kernels import count_passages, move, share_out, step_lengths

_FINE = 25
"""Periods within which passages are timed more finely than by their number."""
_STRIDE = 2**24
"""Uniforms of a path, at most."""


@compiled
def guided_segments(
    keys: Any, first_path: int, n_paths: int, M: int, law: Any, until: Any, S: Any, varied: Any
) -> None:
    """Simulate a period of some displays, for finite guidance; odd ones have a target.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    first_path, n_paths, M : int
    law : tuple
        ``(parallel, doublings, coarseness)``, see `passage_kernels.walk`.
    until : ndarray of shape (K,)
        Ends of the intervals, in units of u; rising.
    S : ndarray of shape (n_paths, 3, K)
        Receives S at the end of each interval, its minimum and its maximum.
    varied : ndarray of shape (n_paths,)
        Receives the quadratic variation of S.
    """
    parallel, doublings, coarseness = law
    g = 0.0 if parallel else 2.0**doublings
    n_rows = (M + 1) // 2
    pairs = np.empty((n_rows + 1, 2 * LANES))
    noise = pairs.reshape((2 * (n_rows + 1), LANES))
    s0, s1, signs = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64), -np.ones((2, LANES))
    Z, E, W = np.zeros((M, LANES)), np.ones((M, LANES)), np.ones((M, LANES))
    sums, shares, top = np.full(LANES, float(M)), np.full(LANES, float(M)), np.ones(LANES)
    u, du, before = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    variance, interval = np.zeros((4, LANES)), np.zeros(LANES, np.int64)
    last = len(until)
    for first in range(0, n_paths, LANES):
        width = min(LANES, n_paths - first)
        for j in range(LANES):
            path = first_path + first + min(j, width - 1)
            s0[j], s1[j] = first_state(keys, path)
            signs[0, j] = 1.0 if path % 2 else -1.0
            sums[j], shares[j], top[j] = float(M), float(M), 1.0
            u[j], before[j], interval[j] = 0.0, 0.0, 0
            varied[min(first + j, n_paths - 1)] = 0.0
            for location in range(M):
                Z[location, j], E[location, j], W[location, j] = 0.0, 1.0, 1.0
        running = width
        while running > 0:
            next_pairs(s0, s1, pairs, n_rows + 1)
            step_lengths(M, g, coarseness, shares, top, u, du)
            for j in range(LANES):
                du[j] = min(du[j], until[min(interval[j], last - 1)] - u[j])
                du[j] = max(du[j], 0.0)  # of lanes that are done
            move(noise, signs, du, shares, W, Z, E, sums, variance)
            if not parallel:
                share_out(doublings, E, W, shares, top)
            for j in range(width):
                k = interval[j]
                if k == last:
                    continue
                end = -minus_log(sums[j] / M)
                x, y = noise[2 * n_rows, j], noise[2 * n_rows + 1, j]
                apart = (end - before[j]) * (end - before[j])
                root = math.sqrt(apart + variance[0, j] * (x * x + y * y))
                low, high = 0.5 * (before[j] + end - root), 0.5 * (before[j] + end + root)
                fresh = u[j] == (until[k - 1] if k > 0 else 0.0)
                S[first + j, 0, k] = end
                S[first + j, 1, k] = low if fresh else min(low, S[first + j, 1, k])
                S[first + j, 2, k] = high if fresh else max(high, S[first + j, 2, k])
                before[j] = end
                varied[first + j] += variance[0, j]
                u[j] += du[j]
                if u[j] >= until[k] * (1.0 - 1e-12):
                    u[j] = until[k]
                    interval[j] += 1
                    running -= interval[j] == last


@compiled
def _above(x: float, M: int) -> float:
    """Return how far S lies above the level of the others."""
    return -minus_log(1.0 + (bounded_exp(x) - 1.0) / M)


@compiled
def serial_segments(
    keys: Any,
    first_path: int,
    n_paths: int,
    M: int,
    coarseness: float,
    until: Any,
    S: Any,
    varied: Any,
    q: Any,
) -> None:
    """Simulate a period of some displays, for serial attention; see `guided_segments`.

    Parameters
    ----------
    coarseness : float
        Standard deviation of a step, at most, or a third of x.
    q : ndarray of shape (n_paths,)
        Receives the log of the density with which a path with a target would have been drawn,
        relative to that without one.
    """
    for path in range(n_paths):
        a, b = first_state(keys, first_path + path)
        has_target = (first_path + path) % 2 == 1
        level, x, u, ratio = 0.0, 0.0, 0.0, 1.0
        q[path], varied[path] = 0.0, 0.0
        for k in range(len(until)):
            start = -level + _above(x, M)
            weight = bounded_exp(x)
            p = weight / (M - 1.0 + weight)
            low, high = start, start
            while u < until[k]:
                longest = max(coarseness, x / 3.0)
                du = min(0.25 * longest * longest, until[k] - u)
                a, b, normal, _ = next_pair(a, b)
                a, b, third, fourth = next_pair(a, b)
                drift = -2.0
                if has_target:
                    # The square of two normals is exponential, and so its exponential uniform.
                    a, b, fifth, sixth = next_pair(a, b)
                    if bounded_exp(-0.5 * (fifth * fifth + sixth * sixth)) < p:
                        drift = 2.0
                by = drift * du + 2.0 * math.sqrt(du) * normal
                ratio *= 1.0 - p + p * bounded_exp(by)
                root = math.sqrt(by * by + 4.0 * du * (third * third + fourth * fourth))
                lowest, highest = x + 0.5 * (by - root), x + 0.5 * (by + root)
                high = max(high, -level + _above(highest, M))
                if lowest < 0.0:
                    level -= lowest / M
                    x += by - lowest
                    low = min(low, -level)
                else:
                    x += by
                weight = bounded_exp(x)
                after = weight / (M - 1.0 + weight)
                varied[path] += 2.0 * du * (p * p + after * after)
                p = after
                u = until[k] if until[k] - u <= du * (1.0 + 1e-12) else u + du
                if ratio < 1e-100 or ratio > 1e100:
                    q[path] -= minus_log(ratio)
                    ratio = 1.0
            end = -level + _above(x, M)
            S[path, 0, k], S[path, 1, k], S[path, 2, k] = end, min(low, end), max(high, end)
        q[path] -= minus_log(ratio)


@compiled
def segment_walk(
    keys: Any,
    first_path: int,
    n_paths: int,
    M: int,
    pools: Any,
    whole: Any,
    S: Any,
    until: Any,
    lower: Any,
    upper: Any,
    bins: Any,
    absent: Any,
    present: Any,
) -> None:
    """Put segments together until paths pass the last level on either side.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    first_path, n_paths, M : int
        Odd paths have a target.
    pools : ndarray of int, shape (2, N)
        Numbers of segments, equally likely: without a target and with one.
    whole : ndarray of shape (n, 3)
        End, minimum and maximum of S in each segment.
    S : ndarray of shape (n, 3, K)
        And in each of its intervals.
    until : ndarray of shape (K,)
        Ends of the intervals in units of u, the last of them the period.
    lower, upper, bins, absent, present
        See `passage_kernels.walk`.
    """
    passed = np.zeros(2, np.int64)
    period, levels, out = until[-1], (lower, upper), (absent, present)
    for path in range(first_path, first_path + n_paths):
        base, n, over = 0.0, 0, False
        passed[0], passed[1] = 0, 0
        while not over:
            i = int(pools.shape[1] * trial_uniform(keys[2], path * _STRIDE + n))
            i = pools[path % 2, i]
            low, high = base + whole[i, 1], base + whole[i, 2]
            if low <= -lower[passed[0]] or high >= upper[passed[1]]:
                if n >= _FINE:
                    times = (n * period / M, period / M, base, base + whole[i, 0])
                    over = count_passages(low, high, times, levels, passed, bins, out)
                else:
                    before, begin = base, 0.0
                    for k in range(len(until)):
                        end = base + S[i, 0, k]
                        low, high = base + S[i, 1, k], base + S[i, 2, k]
                        if low <= -lower[passed[0]] or high >= upper[passed[1]]:
                            u = n * period + begin
                            times = (u / M, (until[k] - begin) / M, before, end)
                            over = count_passages(low, high, times, levels, passed, bins, out)
                            if over:
                                break
                        before, begin = end, until[k]
            base += whole[i, 0]
            n += 1
