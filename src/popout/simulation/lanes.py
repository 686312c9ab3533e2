r"""The compiled simulator of the scaled tests: many trials advance together, one per SIMD lane.

Per step and location, :math:`Z_l \leftarrow Z_l + (m_l + s_l\,\epsilon)` with the law of
`popout.evidence.llr_step`; then the two tests of `ScaledSPRT`. Neither needs a logarithm:

.. math::

   S_+ \ge \tau_+ \iff \sum_l e^{a_+ (c^{(l)}_+ (Z_l - o_l) - \tau_+)} \ge 1, \qquad
   S_- \le \tau_- \iff \sum_l e^{a_- (c^{(l)}_- (Z_l - o_l) - \tau_-)} \le 1,

and because :math:`\max_l y_l \le S_a \le \max_l y_l + \log(M)/a`, often neither needs an
exponential: the sums are formed only when the maximum leaves some lane in doubt, and a lane that
is not in doubt comes out the same either way.

A lane takes up a new trial at the end of a block of steps (a few steps for small M, so that the
bookkeeping costs little; one step for large, even M). Results are written by trial index; which
lane, chunk or thread ran a trial leaves no trace in them. Items may be reshuffled (`reshuffles`).
"""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

import numpy as np

from popout.evidence import llr_step
from popout.noise.elementary import bounded_exp, compiled, compiled_inline
from popout.noise.streams import LANES, first_state, next_pairs, stream_keys
from popout.policies.stopping import Strategy
from popout.simulation.reshuffles import Reshuffles, forget_places, next_place
from popout.simulation.tally import Run
from popout.task import Task

_WAIT, _ABSENT, _PRESENT = 0.0, 1.0, 2.0  # popout.policies.stopping.Action, as doubles

# Rows of the array `lanes` (flat, LANES wide): with constant distances between the rows, and all of
# them doubles, LLVM vectorises the loops over lanes without any check for overlap.
_TOP_PLUS, _TOP_MINUS, _SUM_PLUS, _SUM_MINUS, _LOWER, _UPPER, _LOOK, _ACTION = (
    row * LANES for row in range(8)
)
_ROWS = 8
_SCALAR_COST = 5  # a scalar exponential costs about as much as five in a vector


def compiled_search(task: Task, strategy: Strategy, seed: int, n_steps: int) -> Run | None:
    """Return the kernel for a strategy on a search, or None for one that is no scaled test."""
    test = strategy.scaled_test(np.asarray(np.arange(n_steps + 1) * task.dt, dtype=np.float64))
    if test is None:
        return None
    # As tuples of copies, because a read-only array is another type to Numba, and another
    # compilation.
    keys, law, numbers = stream_keys(seed), astuple(llr_step(task)), astuple(test)
    reshuffles = Reshuffles.of(task)
    return lambda first, out: run_lanes(keys, first, law, numbers, reshuffles, n_steps, out)


@compiled
def _advance(Z: Any, sd: Any, noise: Any, first: int) -> None:
    """Add one step of evidence to ``Z[:, :LANES]``; ``Z[:, LANES:]`` holds the mean of a step."""
    width = noise.shape[1]
    for location in range(Z.shape[0]):
        n, s = first + location, sd[location]
        for j in range(width):
            Z[location, j] += Z[location, LANES + j] + s * noise[n, j]


@compiled
def _reshuffle(
    keys: Any, reshuffles: Any, law: Any, trials: Any, places: Any, lanes: Any, Z: Any
) -> None:
    """Reshuffle the items in every lane whose turn it is, before its next look."""
    for j in range(LANES):
        step = int(lanes[_LOOK + j]) + 1
        if lanes[_ACTION + j] != _WAIT or step % reshuffles.steps:
            continue
        forget_places(Z[:, j], reshuffles.log_prior)
        place = places[j]
        if place >= 0:
            Z[place, LANES + j] = law[0][place]
            number = step // reshuffles.steps
            place = next_place(keys, trials[j], number, reshuffles.cumulative)
            Z[place, LANES + j] = law[1][place]
            places[j] = place


@compiled_inline
def _maximum(Z: Any, c: Any, offset: Any, lanes: Any, top: int) -> None:
    """Leave the maximum over locations of ``c (Z - offset)`` in row `top` of `lanes`."""
    width = len(lanes) // _ROWS
    for j in range(width):
        lanes[top + j] = c[0] * (Z[0, j] - offset[0])
    for location in range(1, Z.shape[0]):
        factor, o = c[location], offset[location]
        for j in range(width):
            y = factor * (Z[location, j] - o)
            lanes[top + j] = y if y > lanes[top + j] else lanes[top + j]


@compiled_inline
def _exponentials(Z: Any, a: float, c: Any, offset: Any, lanes: Any, tau: int, total: int) -> None:
    """Leave ``sum(exp(a (c (Z - offset) - tau)))`` over locations in row `total`."""
    width = len(lanes) // _ROWS
    for j in range(width):
        lanes[total + j] = 0.0
    for location in range(Z.shape[0]):
        factor, o = c[location], offset[location]
        for j in range(width):
            y = factor * (Z[location, j] - o)
            lanes[total + j] += bounded_exp(a * (y - lanes[tau + j]))


@compiled
def _test(
    Z: Any,
    a_minus: float,
    a_plus: float,
    c_minus: Any,
    c_plus: Any,
    same: bool,
    offset: Any,
    lanes: Any,
) -> None:
    """Latch the action of every lane that is still waiting, and count its look."""
    M, width = Z.shape[0], len(lanes) // _ROWS
    _maximum(Z, c_plus, offset, lanes, _TOP_PLUS)
    if same:
        for j in range(width):
            lanes[_TOP_MINUS + j] = lanes[_TOP_PLUS + j]
    else:
        _maximum(Z, c_minus, offset, lanes, _TOP_MINUS)
    if M > 1 and not np.isinf(a_plus):
        _sum_where_in_doubt(Z, a_plus, c_plus, offset, lanes, _TOP_PLUS, _UPPER, _SUM_PLUS)
    if M > 1 and not np.isinf(a_minus):
        _sum_where_in_doubt(Z, a_minus, c_minus, offset, lanes, _TOP_MINUS, _LOWER, _SUM_MINUS)
    for j in range(width):
        present = (lanes[_SUM_PLUS + j] >= 1.0) | (lanes[_TOP_PLUS + j] >= lanes[_UPPER + j])
        absent = (lanes[_SUM_MINUS + j] <= 1.0) & (lanes[_TOP_MINUS + j] <= lanes[_LOWER + j])
        new = _PRESENT if present else (_ABSENT if absent else _WAIT)
        waiting = lanes[_ACTION + j] == _WAIT
        lanes[_LOOK + j] += 1.0 if waiting else 0.0
        lanes[_ACTION + j] = new if waiting else lanes[_ACTION + j]


@compiled_inline
def _sum_where_in_doubt(
    Z: Any, a: float, c: Any, offset: Any, lanes: Any, top: int, tau: int, total: int
) -> None:
    """Form the sums of one test for the lanes that the bound on S leaves in doubt.

    In either test the maximum alone settles the matter unless it lies below tau by no more than
    ``log(M) / a``. The allowance of 1e-9 keeps rounding in a sum from contradicting the bound, so
    that lanes outside may be summed or not.
    """
    width = len(lanes) // _ROWS
    slack = math.log(Z.shape[0]) / a + 1e-9
    in_doubt = 0
    for j in range(width):
        gap = lanes[tau + j] - lanes[top + j]
        in_doubt += (gap >= 0.0) & (gap <= slack)
        lanes[total + j] = 0.0
    if in_doubt * _SCALAR_COST > width:
        _exponentials(Z, a, c, offset, lanes, tau, total)
    elif in_doubt > 0:
        for j in range(width):
            gap = lanes[tau + j] - lanes[top + j]
            if (gap >= 0.0) & (gap <= slack):
                for location in range(Z.shape[0]):
                    y = c[location] * (Z[location, j] - offset[location])
                    lanes[total + j] += bounded_exp(a * (y - lanes[tau + j]))


@compiled
def _steps_per_block(M: int) -> int:
    """Return how many steps are drawn at once: an even number of normals, some 4 at least."""
    steps = max(1, 4 // M)
    return steps + (steps * M) % 2


@compiled
def run_lanes(
    keys: Any, first_trial: int, law: Any, test: Any, reshuffles: Any, n_steps: int, out: Any
) -> None:
    """Run the trials ``first_trial, first_trial + 1, ...`` from the first step on.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
        From `stream_keys`.
    first_trial : int
    law : tuple of three ndarray of shape (M,)
        ``(mean_distractor, mean_target, sd)`` of one step.
    test : tuple
        The fields of `popout.policies.stopping.ScaledTest`.
    reshuffles : Reshuffles
    n_steps : int
        The time limit.
    out : Columns
        Holds the target of each trial; receives the response and the steps.
    """
    response, steps, targets = out.response, out.steps, out.target
    mean_distractor, mean_target, sd = law
    tau_minus, tau_plus, a_minus, a_plus, c_minus, c_plus, offset = test
    same = bool((c_minus == c_plus).all())
    M, n, last_tau = len(sd), len(targets), len(tau_plus) - 1
    block = _steps_per_block(M)
    pairs = np.empty((block * M // 2, 2 * LANES))
    noise = pairs.reshape((block * M, LANES))
    Z = np.zeros((M, 2 * LANES))
    lanes = np.zeros(_ROWS * LANES)
    lanes[_LOWER : _LOWER + LANES] = tau_minus[0]
    lanes[_UPPER : _UPPER + LANES] = tau_plus[0]
    s0, s1 = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64)
    index, trials, places = np.full(LANES, -1), np.zeros(LANES, np.int64), np.full(LANES, -1)
    lanes[_ACTION : _ACTION + LANES] = _ABSENT  # an empty lane has ended

    following, running = 0, 0
    while True:
        # Book the trials that ended and load new ones.
        for j in range(LANES):
            ended = lanes[_ACTION + j] != _WAIT or lanes[_LOOK + j] >= n_steps
            if not ended:
                continue
            if index[j] >= 0:
                response[index[j]] = np.int8(lanes[_ACTION + j])
                steps[index[j]] = np.int32(lanes[_LOOK + j])
                index[j] = -1
                running -= 1
            if following < n:
                s0[j], s1[j] = first_state(keys, first_trial + following)
                for location in range(M):
                    Z[location, j] = 0.0
                    Z[location, LANES + j] = mean_distractor[location]
                target = targets[following]
                if target >= 0:
                    Z[target, LANES + j] = mean_target[target]
                trials[j], places[j] = first_trial + following, target
                lanes[_ACTION + j] = _WAIT
                lanes[_LOOK + j] = 0.0
                index[j] = following
                following += 1
                running += 1
        if running == 0:
            break

        next_pairs(s0, s1, pairs, len(pairs))
        for b in range(block):
            _advance(Z, sd, noise, b * M)
            if reshuffles.steps > 0:
                _reshuffle(keys, reshuffles, law, trials, places, lanes, Z)
            if last_tau > 0:
                for j in range(LANES):
                    k = min(int(lanes[_LOOK + j]) + 1, last_tau)
                    lanes[_LOWER + j], lanes[_UPPER + j] = tau_minus[k], tau_plus[k]
            _test(Z, a_minus, a_plus, c_minus, c_plus, same, offset, lanes)
