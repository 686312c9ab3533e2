r"""Compiled trials of serial attention under a scaled test.

Only the location that is looked at changes. The locations wait in a heap, ordered by
how likely they are (ties: the lowest index first), with the most likely at the top; after a look
the top sinks to its new place. The sums of the two tests (`lanes`),
:math:`\sum_l e^{a (Z_l - o_l - \tau)}`, change in one term. An answer is confirmed on a sum made
afresh, and a running sum that has fallen far below its peak is summed anew, so that rounding, which
accumulates, decides nothing. One step costs O(1)
normals and exponentials and at most O(log M) comparisons; a reshuffle (`reshuffles`) costs O(M).

The noise is that of `look_noise`; results are written by trial index, so neither pieces nor
threads leave a trace in them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popout.noise.elementary import bounded_exp, compiled, copy_to
from popout.noise.streams import LANES
from popout.simulation.look_noise import FIRST, first_looks, next_look
from popout.simulation.reshuffles import forget_places, next_place

_WAIT, _ABSENT, _PRESENT = 0, 1, 2  # popout.policies.stopping.Action
ROUNDING = 1e-6  # far more than a running sum can be off
FADED = 1e-8  # of its largest value; below that a running sum has lost too many digits


@compiled
def _sink(heap: Any, liking: Any, size: int) -> None:
    """Let the top of the heap sink to its place; among equals the lowest index comes first."""
    at, moving = 0, heap[0]
    value = liking[moving]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        i = heap[child]
        x = liking[i]
        if child + 1 < size:  # without a branch on the comparison, which nobody could predict
            j = heap[child + 1]
            y = liking[j]
            other = (y > x) | ((y == x) & (j < i))
            child += other
            i = j if other else i
            x = y if other else x
        if (x < value) | ((x == value) & (i > moving)):
            break
        heap[at] = i
        at = child
    heap[at] = moving


@compiled
def _total(Z: Any, a: float, offset: Any, tau: float) -> float:
    """Return ``sum(exp(a (Z - offset - tau)))``, or the largest ``Z - offset - tau`` for inf."""
    total = 0.0
    top = -np.inf
    for location in range(len(Z)):
        y = Z[location] - offset[location] - tau
        top = max(top, y)
        if not np.isinf(a) and y > -np.inf:
            total += bounded_exp(a * y)
    return (1.0 if top >= 0.0 else 0.0) if np.isinf(a) else total


@compiled
def scaled_answer(Z: Any, test: Any, tau_minus: float, tau_plus: float) -> int:
    """Return the action of a scaled test, all sums made afresh; present wins."""
    a_minus, a_plus, offset = test
    if _total(Z, a_plus, offset, tau_plus) >= 1.0:
        return _PRESENT
    if np.isinf(a_minus):
        for location in range(len(Z)):
            if Z[location] - offset[location] > tau_minus:
                return _WAIT
        return _ABSENT
    return _ABSENT if _total(Z, a_minus, offset, tau_minus) <= 1.0 else _WAIT


@compiled
def log_ratio_of_presence(Z: Any, log_weight: Any) -> float:
    """Return ``log(sum(exp(Z + log_weight)))``."""
    top = -np.inf
    for location in range(len(Z)):
        top = max(top, Z[location] + log_weight[location])
    total = 0.0
    for location in range(len(Z)):
        if log_weight[location] > -np.inf:
            total += bounded_exp(Z[location] + log_weight[location] - top)
    return top + math.log(total)


@compiled
def _first_terms(a: float, offset: Any, log_prior: Any, reference: float) -> Any:
    """Return the terms of a running sum before the first look; none where a is infinite."""
    terms = np.zeros(len(offset))
    for location in range(len(offset)):
        if log_prior[location] > -np.inf and not np.isinf(a):
            terms[location] = bounded_exp(a * (-offset[location] - reference))
    return terms


@compiled
def _begin_sum(e: Any, first: Any, a: float, S: float) -> None:
    """Set the terms of a running sum to where all locations have the same log likelihood ratio."""
    factor = 1.0 if np.isinf(a) else bounded_exp(a * S)  # nothing is summed where a is infinite
    for location in range(len(e)):
        e[location] = first[location] * factor


@compiled
def _bars(a: float, tau: Any, reference: float, allowance: float) -> Any:
    """Return what a running sum has to reach, or fall below, at each look but for its rounding."""
    bars = np.zeros(len(tau))
    for look in range(len(tau)):
        if not np.isinf(a):
            bars[look] = bounded_exp(a * (tau[look] - reference)) * allowance
    return bars


@compiled
def _exchanged(e: Any, place: int, new: float, total: float, peak: float) -> Any:
    """Return a running sum in which one term is replaced, and its peak."""
    total += new - e[place]
    e[place] = new
    peak = max(peak, total)
    if total < FADED * peak:
        total = peak = e.sum()
    return total, peak


@compiled
def run_serial(
    keys: Any, first_trial: int, priors: Any, law: Any, thresholds: Any, test: Any,
    reshuffles: Any, n_steps: int, out: Any,
) -> None:  # fmt: skip
    """Run the trials ``first_trial, ...`` of serial attention from the first step on.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    first_trial : int
    priors : tuple of two ndarray of shape (M,)
        log P(l_T = l | C=1) of the policy, -offset up to a constant where the offset is finite, and
        of the task.
    law : tuple of two ndarray of shape (M,)
        Mean and standard deviation of a step with a full share, at the target.
    thresholds : tuple of two ndarray of shape (n_looks,)
        Lower and upper at looks 0, 1, ...; the last ones hold from then on.
    test : tuple
        ``(a_minus, a_plus, offset)``.
    reshuffles : Reshuffles
    n_steps : int
        The time limit.
    out : Columns
        Holds the target of each trial; receives the rest.
    """
    (log_prior, location_prior), (mean, sd) = priors, law
    tau_minus, tau_plus = thresholds
    a_minus, a_plus, offset = test
    M, last = len(log_prior), len(tau_plus) - 1
    order = np.argsort(-log_prior, kind="mergesort")  # stable: ties by index
    size = 0
    for location in range(M):
        size += log_prior[location] > -np.inf
    finite_plus, finite_minus = not np.isinf(a_plus), not np.isinf(a_minus)
    same_sum = a_minus == a_plus and finite_plus  # both tests then read the same sum
    reference_plus = tau_plus[last]
    reference_minus = reference_plus if same_sum else tau_minus[last]
    start_plus = _first_terms(a_plus, offset, log_prior, reference_plus)
    start_minus = _first_terms(a_minus, offset, log_prior, reference_minus)
    bars_plus = _bars(a_plus, tau_plus, reference_plus, 1.0 - ROUNDING)
    bars_minus = _bars(a_minus, tau_minus, reference_minus, 1.0 + ROUNDING)
    Z, liking, spare = np.zeros(M), np.zeros(M), np.zeros(M)
    e_plus, e_minus = np.zeros(M), np.zeros(M)
    looks, heap = np.zeros(M, np.int64), np.zeros(M, np.int64)
    blocks = -(-M // LANES)
    s0, s1 = np.ones(blocks * LANES, np.uint64), np.ones(blocks * LANES, np.uint64)
    pairs = np.zeros((blocks, FIRST // 2, 2 * LANES))
    drawn = FIRST if M >= LANES // 4 else 0  # with few locations most lanes would be idle
    for i in range(len(out.target)):
        trial, target = first_trial + i, out.target[i]
        Z[:] = 0.0
        copy_to(liking, log_prior)
        looks[:] = 0
        copy_to(heap, order)
        copy_to(e_plus, start_plus)
        copy_to(e_minus, start_minus)
        if drawn:
            first_looks(keys, trial, M, s0, s1, pairs)
        sum_plus, sum_minus = start_plus.sum(), start_minus.sum()
        peak_plus, peak_minus = sum_plus, sum_minus
        action, k = _WAIT, 0
        while action == _WAIT and k < n_steps:
            place = heap[0]
            n = looks[place]
            if n < drawn:
                noise = pairs[place // LANES, n // 2, (n % 2) * LANES + place % LANES]
                looks[place] = n + 1
            else:
                noise = next_look(keys, trial, place, looks, s0, s1, spare)
            m = mean[place] if place == target else -mean[place]
            Z[place] += m + sd[place] * noise
            liking[place] = Z[place] + log_prior[place]
            _sink(heap, liking, size)
            k += 1
            y = Z[place] - offset[place]
            if finite_plus:
                new = bounded_exp(a_plus * (y - reference_plus))
                sum_plus, peak_plus = _exchanged(e_plus, place, new, sum_plus, peak_plus)
            if finite_minus and not same_sum:
                new = bounded_exp(a_minus * (y - reference_minus))
                sum_minus, peak_minus = _exchanged(e_minus, place, new, sum_minus, peak_minus)
            if reshuffles.steps > 0 and k % reshuffles.steps == 0:
                S = forget_places(Z, reshuffles.log_prior)
                for location in range(M):
                    liking[location] = S + log_prior[location]
                copy_to(heap, order)
                _begin_sum(e_plus, start_plus, a_plus, S)
                _begin_sum(e_minus, start_minus, a_minus, S)
                sum_plus, sum_minus = e_plus.sum(), e_minus.sum()
                peak_plus, peak_minus = sum_plus, sum_minus
                if target >= 0:
                    number = k // reshuffles.steps
                    target = next_place(keys, trial, number, reshuffles.cumulative)
            look = min(k, last)
            lower, upper = tau_minus[look], tau_plus[look]
            top = Z[heap[0]] - offset[heap[0]]
            maybe = sum_plus >= bars_plus[look] if finite_plus else top >= upper
            if finite_minus:
                maybe |= (sum_plus if same_sum else sum_minus) <= bars_minus[look]
            else:
                maybe |= top <= lower
            if maybe:
                action = scaled_answer(Z, test, lower, upper)
        out.response[i], out.steps[i] = action, k
        out.S[i] = log_ratio_of_presence(Z, location_prior)
