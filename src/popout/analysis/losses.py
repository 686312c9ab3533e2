r"""What trials lose look by look: :math:`Q^*(Z_k, D_k) - V^*(Z_k)`, summed along each trial.

A trial is a function of (seed, trial), and the simulator has said how many looks it took and how it
was answered; so its states are made again (`popout.simulation.replay`) and :math:`Q^*` is read off
at each of them. Before its last look a trial waits, which loses nothing where the spline of
`popout.exact.value_grid` is negative: most looks need no exponential.

All of it is compiled. Its tests have a slow and plain way to the same sums.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.evidence import llr_step
from popout.exact.value_grid import ABSENT, WAIT, RiskSpline, lost_by_waiting, risks
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, stream_keys
from popout.policies.stopping.table_spline import interpolate
from popout.simulation.replay import advance, begin, lane_walk
from popout.simulation.tally import Columns
from popout.task import Task

Array = NDArray[np.float64]
PIECE = 1024
"""Trials one thread takes at a time; a constant, so that sums do not depend on the threads."""


class Losses(NamedTuple):
    """What trials lost.

    Attributes
    ----------
    per_trial : ndarray of shape (n,)
    by_action : ndarray of shape (3,)
        Sums over trials, by `Action`.
    """

    per_trial: Array
    by_action: Array


def losses_by_table(
    spline: RiskSpline, task: Task, seed: int, trials: Columns, threads: int
) -> Losses:
    """Return what trials lost by the risks of an exact solution.

    Parameters
    ----------
    spline : RiskSpline
        Of the solution.
    task : Task
    seed : int
        Of the trials, which are those from 0 on.
    trials : Columns
    threads : int
        The sums do not depend on it.
    """
    n = len(trials.target)
    keys, law = stream_keys(seed), astuple(llr_step(task))
    table = (spline.spline.numbers, spline.numbers)

    def piece(start: int) -> Losses:
        part = trials.part(start, start + PIECE)
        lost = Losses(np.zeros(len(part.target)), np.zeros(3))
        order = np.argsort(part.steps, kind="stable")
        numbers = start + np.arange(len(order))
        _lose(keys, numbers, tuple(part[:3]), order, law, table, tuple(lost))
        return lost

    starts = range(0, n, PIECE)
    if threads == 1 or len(starts) == 1:
        pieces = [piece(start) for start in starts]
    else:
        with ThreadPoolExecutor(threads) as pool:
            pieces = list(pool.map(piece, starts))
    per_trial, by_action = zip(*pieces, strict=True)
    return Losses(np.concatenate(per_trial), sum(by_action))


@compiled
def _lose(keys: Any, numbers: Any, trials: Any, order: Any, law: Any, table: Any, out: Any) -> None:
    """Let `LANES` trials at a time walk, in order of their length, and add up what they lose."""
    response, steps, targets = trials
    per_trial, by_action = out
    spline, risk = table
    M, places = len(law[2]), risk[2]
    walk, Z = lane_walk(M), np.empty(M)
    known, A = np.empty((len(places), LANES)), np.empty(LANES)
    for start in range(0, len(order), LANES):
        chosen = order[start : start + LANES]
        begin(walk, keys, chosen, numbers, targets, law)
        ended = 0  # of the chosen
        for k in range(steps[chosen[-1]] + 1):
            if k > 0:
                advance(walk, k - 1, law)
            while steps[chosen[ended]] < k:
                ended += 1
            n = len(chosen) - ended
            for d in range(len(places)):
                for j in range(n):
                    known[d, j] = walk.Z[places[d], ended + j]
            interpolate(known, n, spline, A)
            for j in range(n):
                i = chosen[ended + j]
                action = response[i] if steps[i] == k else WAIT
                if action == WAIT and A[j] <= 0.0:
                    continue  # as one should
                for location in range(M):
                    Z[location] = walk.Z[location, ended + j]
                lost = _lost(Z, action, A[j], risk)
                per_trial[i] += lost
                by_action[action] += lost


@compiled
def _lost(Z: Any, action: int, A: float, risk: Any) -> Any:
    """Return what an action at a state loses against the best one."""
    if action == WAIT:
        return max(lost_by_waiting(Z, A, risk), 0.0)
    waiting, absent, present = risks(Z, A, risk)
    return (absent if action == ABSENT else present) - min(waiting, absent, present)
