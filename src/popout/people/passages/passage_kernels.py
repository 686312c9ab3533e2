r"""Compiled walks: when the log likelihood ratio of presence first passes each level.

One path holds :math:`Z_l` of M locations. In the time :math:`u = \Lambda t` a step of length
:math:`\Delta` with shares :math:`\alpha_l \propto e^{g Z_l}` moves

.. math:: Z_l \mathrel{+}= \mp 2\alpha_l\Delta + 2\sqrt{\alpha_l\Delta}\,\epsilon_l,
   \qquad S = \log \tfrac1M \sum_l e^{Z_l}.

**Continuous time.** Shares are held during a step, and the observer knows them, so the ratios are
exact for any step; what a step coarsens is the policy alone. Passages *inside* a step are not lost:
between its ends S is close to a Brownian bridge of variance
:math:`v = \sum_l p_l^2\, 4\alpha_l\Delta` (:math:`p_l = \partial S/\partial Z_l`, mean of both
ends), whose maximum is :math:`\frac12\bigl(S_0 + S_1 + \sqrt{(S_1-S_0)^2 + 2vE}\bigr)` with E
standard exponential, and whose minimum has the other sign of the root. So there is no overshoot,
and an answer at :math:`\pm\tau` leaves the likelihood ratio exactly :math:`e^{\pm\tau}`. Maximum
and minimum share one E: right for each boundary, and wrong only where a single step may pass both.

**Steps** are short where the policy is about to turn. The standard deviation of the location with
the largest share :math:`\alpha` is at most :math:`c / (\frac12 + g(1 - \alpha))`, and a step is at
most 4 % of the time so far (and :math:`2\times10^{-4} M`), as histograms are over log time.

**Counting.** For thresholds :math:`(-\tau_k, \tau_j)` the answer is "absent" if level k is passed
first. When a path passes lower level k for the first time, j upper levels behind it, it answers
"absent" at that moment for *all* pairs (k, j' >= j); when it passes upper level j with k lower
levels behind it, it answers "present" for all pairs (k' >= k, j). One count for each passage; the
sums over j' and k' are made at the end. All pairs cost no more than one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popout.noise.elementary import bounded_exp, compiled, compiled_inline, minus_log
from popout.noise.streams import LANES, first_state, next_pairs

_RELATIVE, _FIRST = 0.04, 2e-4


@compiled
def _raise(x: Any, doublings: int, out: Any) -> None:
    """Raise each lane to the power 2**doublings; each loop is vector code."""
    for j in range(LANES):
        out[j] = x[j]
    for _ in range(doublings):
        for j in range(LANES):
            out[j] = out[j] * out[j]
    for _ in range(-doublings):
        for j in range(LANES):
            out[j] = math.sqrt(out[j])


@compiled
def _load(keys: Any, path: int, j: int, sign: Any, s0: Any, s1: Any) -> None:
    """Start a path in a lane; odd ones have a target, at the first location."""
    s0[j], s1[j] = first_state(keys, path)
    sign[j] = 1.0 if path % 2 else -1.0


@compiled_inline
def step_lengths(
    M: int, g: float, coarseness: float, shares: Any, top: Any, u: Any, du: Any
) -> None:
    """Write how long the step of each lane is."""
    for j in range(LANES):
        alpha = top[j] / shares[j]
        bend = coarseness / (0.5 + g * (1.0 - alpha))
        du[j] = min(bend * bend / (4.0 * alpha), _RELATIVE * u[j] + _FIRST * M)


@compiled_inline
def move(
    noise: Any, signs: Any, du: Any, shares: Any, W: Any, Z: Any, E: Any, sums: Any, variance: Any
) -> None:
    """Take the step, with the shares held; write what is needed of S at its ends.

    Parameters
    ----------
    noise : ndarray of shape (M or more, LANES)
    signs : ndarray of shape (2, LANES)
        Of the drift: at the first location, and at all others.
    du, shares : ndarray of shape (LANES,)
    W : ndarray of shape (M, LANES)
        Weights, whose total is `shares`.
    Z, E : ndarray of shape (M, LANES)
        Ratios and their exponentials, which are renewed.
    sums : ndarray of shape (LANES,)
        The sum of E, which is renewed.
    variance : ndarray of shape (4, LANES)
        Receives that of S during the step in its first row; the others are room to work in.
    """
    between, before, after, total = variance
    for j in range(LANES):
        between[j] = du[j] / shares[j]  # until the step is done
        before[j] = 0.0
        after[j] = 0.0
        total[j] = 0.0
    for location in range(Z.shape[0]):
        towards = signs[min(location, 1)]
        for j in range(LANES):
            part = between[j] * W[location, j]
            old = E[location, j]
            Z[location, j] += 2.0 * (towards[j] * part + math.sqrt(part) * noise[location, j])
            new = bounded_exp(Z[location, j])
            before[j] += old * old * part
            after[j] += new * new * part
            total[j] += new
            E[location, j] = new
    for j in range(LANES):
        between[j] = 2.0 * (before[j] / (sums[j] * sums[j]) + after[j] / (total[j] * total[j]))
        sums[j] = total[j]


@compiled_inline
def share_out(doublings: int, E: Any, W: Any, shares: Any, top: Any) -> None:
    """Write the weight of every location, their sum and the largest of them."""
    for j in range(LANES):
        shares[j] = 0.0
        top[j] = 0.0
    for location in range(E.shape[0]):
        weight = W[location]
        _raise(E[location], doublings, weight)
        for j in range(LANES):
            shares[j] += weight[j]
        for j in range(LANES):
            top[j] = max(weight[j], top[j])


@compiled
def count_passages(
    low: float, high: float, times: Any, levels: Any, passed: Any, bins: Any, out: Any
) -> bool:
    """Count the passages of a step of one lane; return whether the path is over.

    Parameters
    ----------
    low, high : float
        Extremes of S within the step.
    times : tuple
        ``(u, du, start, end)``: the time and S at the beginning, the length, and S at the end.
    levels : tuple of two ndarray
    passed : ndarray of int64, shape (2,)
        Levels behind the path, lower and upper.
    bins : tuple of two float
        Log time of the first edge, and the width of a bin.
    out : tuple of two ndarray of int32, shape (K + 1, J + 1, B)
    """
    u, du, start, end = times
    lower, upper = levels
    absent, present = out
    first, width = bins
    last = absent.shape[2] - 1
    while passed[0] < len(lower) and low <= -lower[passed[0]]:
        before, after = abs(start + lower[passed[0]]), abs(end + lower[passed[0]])
        at = u + du * (before / (before + after + 1e-300))
        b = int((-minus_log(at) - first) / width)
        absent[passed[0], passed[1], min(max(b, 0), last)] += 1
        passed[0] += 1
    while passed[1] < len(upper) and high >= upper[passed[1]]:
        before, after = abs(start - upper[passed[1]]), abs(end - upper[passed[1]])
        at = u + du * (before / (before + after + 1e-300))
        b = int((-minus_log(at) - first) / width)
        present[passed[0], passed[1], min(max(b, 0), last)] += 1
        passed[1] += 1
    over: bool = passed[0] == len(lower) or passed[1] == len(upper)
    return over


@compiled
def walk(
    keys: Any,
    first_path: int,
    n_paths: int,
    M: int,
    law: Any,
    lower: Any,
    upper: Any,
    bins: Any,
    absent: Any,
    present: Any,
) -> None:
    """Run paths until they pass the last level on either side, and count their passages.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    first_path, n_paths, M : int
    law : tuple
        ``(parallel, doublings, coarseness)``: whether g = 0, or else log2(g); and c.
    lower, upper : ndarray of shape (K,) and (J,)
        Levels, positive and rising; the lower ones count downwards.
    bins : tuple of two float
        Log of the time per location, u / M, at the first edge, and the width of a bin.
    absent, present : ndarray of int32, shape (K + 1, J + 1, B)
        Receive the counts.
    """
    parallel, doublings, coarseness = law
    g = 0.0 if parallel else 2.0**doublings
    n_rows = (M + 1) // 2
    pairs = np.empty((n_rows + 1, 2 * LANES))
    noise = pairs.reshape((2 * (n_rows + 1), LANES))
    s0, s1, signs = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64), -np.ones((2, LANES))
    Z, E, W = np.zeros((M, LANES)), np.ones((M, LANES)), np.ones((M, LANES))
    sums, shares, top = np.full(LANES, float(M)), np.full(LANES, float(M)), np.ones(LANES)
    u, du, S, variance = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES), np.zeros((4, LANES))
    passed = np.zeros((LANES, 2), np.int64)
    following = min(LANES, n_paths)
    running = following
    for j in range(following):
        _load(keys, first_path + j, j, signs[0], s0, s1)
    busy = np.arange(LANES) < following
    while running > 0:
        next_pairs(s0, s1, pairs, n_rows + 1)
        step_lengths(M, g, coarseness, shares, top, u, du)
        move(noise, signs, du, shares, W, Z, E, sums, variance)
        if not parallel:
            share_out(doublings, E, W, shares, top)
        for j in range(LANES):
            if not busy[j]:
                continue
            start, end = S[j], -minus_log(sums[j] / M)
            x, y = noise[2 * n_rows, j], noise[2 * n_rows + 1, j]
            exponential = 0.5 * (x * x + y * y)
            root = math.sqrt((end - start) * (end - start) + 2.0 * variance[0, j] * exponential)
            low, high = 0.5 * (start + end - root), 0.5 * (start + end + root)
            over = False
            if low <= -lower[passed[j, 0]] or high >= upper[passed[j, 1]]:
                times = (u[j] / M, du[j] / M, start, end)
                over = count_passages(
                    low, high, times, (lower, upper), passed[j], bins, (absent, present)
                )
            S[j] = end
            u[j] += du[j]
            if over:
                S[j], u[j], passed[j, 0], passed[j, 1] = 0.0, 0.0, 0, 0
                sums[j], shares[j], top[j] = float(M), float(M), 1.0
                for location in range(M):
                    Z[location, j], E[location, j], W[location, j] = 0.0, 1.0, 1.0
                busy[j] = following < n_paths
                if busy[j]:
                    _load(keys, first_path + following, j, signs[0], s0, s1)
                    following += 1
                else:
                    running -= 1
