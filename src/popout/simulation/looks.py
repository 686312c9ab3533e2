r"""Simulation of any strategy, one look at a time: the slow and general way.

A batch of trials starts together; at each look the strategy's ``decide(Z, t)`` sees the trials that
are still undecided, as one array. Displays, noise and the arithmetic of a step are those of the
compiled kernel (`lanes`), to the bit:

.. math:: Z_l \leftarrow Z_l + (m_l + s_l\,\epsilon_{kM + l}).

States are made again the same way: because a trial is a function of (seed, trial), its history can
be had after the fact and need not be stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence import LLRStep
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, fill_normals, start_stream
from popout.strategies import Action, Strategy
from popout.task import Faults

__all__ = ["BATCH", "Walk", "final_states", "run_looks"]

BATCH = 4096
"""Trials that look together: large enough for NumPy to be efficient, small enough for the cache."""


@compiled
def start_streams(keys: Any, trials: Any, s0: Any, s1: Any) -> None:
    """Write the states with which the streams of `trials` start."""
    for i in range(len(trials)):
        s0[i], s1[i] = start_stream(keys, trials[i])


@compiled
def next_normals(s0: Any, s1: Any, out: Any) -> None:
    """Fill each row of `out`, whose length is even, from its stream, and advance the streams."""
    n_pairs = out.shape[1] // 2
    pairs = np.empty((n_pairs, 2 * LANES))
    a, b = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64)
    for start in range(0, len(s0), LANES):
        width = min(LANES, len(s0) - start)
        a[:width], b[:width] = s0[start : start + width], s1[start : start + width]
        fill_normals(a, b, pairs, n_pairs)
        s0[start : start + width], s1[start : start + width] = a[:width], b[:width]
        for p in range(n_pairs):
            for j in range(width):
                out[start + j, 2 * p] = pairs[p, j]
                out[start + j, 2 * p + 1] = pairs[p, LANES + j]


class Walk:
    """The evidence of a batch of trials, advanced one step at a time.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    trials : ndarray of int64, shape (n,)
    targets : ndarray of int32, shape (n,)
    law : LLRStep

    Attributes
    ----------
    index : ndarray of int, shape (m,)
        Positions, in `trials`, of those that still walk.
    Z : ndarray of shape (m, M)
        Their local log likelihood ratios.
    k : int
        Steps taken.
    """

    def __init__(
        self,
        keys: NDArray[np.uint64],
        trials: NDArray[np.int64],
        targets: NDArray[np.int32],
        law: LLRStep,
    ) -> None:
        n, M = len(trials), len(law.sd)
        self._s0, self._s1 = np.empty(n, np.uint64), np.empty(n, np.uint64)
        start_streams(keys, trials, self._s0, self._s1)
        at_target = np.arange(M) == targets[:, None]
        self._mean = np.where(at_target, law.mean_target, law.mean_distractor)
        self._sd = law.sd
        # An even number of steps per draw, because normals come in pairs.
        self._block = 2 * max(1, 16 // M)
        self._noise = np.empty((n, self._block, M))
        self.index = np.arange(n)
        self.Z = np.zeros((n, M))
        self.k = 0

    def advance(self) -> None:
        """Add one step of evidence."""
        b = self.k % self._block
        if b == 0:
            self._noise = np.empty((len(self.index), *self._noise.shape[1:]))
            next_normals(self._s0, self._s1, self._noise.reshape(len(self.index), -1))
        self.Z += self._mean + self._sd * self._noise[:, b]
        self.k += 1

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""
        for name in ("_s0", "_s1", "_mean", "_noise", "index", "Z"):
            setattr(self, name, getattr(self, name)[walking])


def checked_decision(strategy: Strategy, Z: NDArray[np.float64], t: ArrayLike) -> NDArray[np.int8]:
    """Return ``strategy.decide(Z, t)``, or say what is wrong with what it returned."""
    actions = np.asarray(strategy.decide(Z, t))
    faults = Faults(type(strategy).__name__)
    remedy = "return one of Action.WAIT, ABSENT, PRESENT for each row of Z"
    if actions.shape != Z.shape[:-1]:
        faults.add("decide", f"an array of shape {Z.shape[:-1]}", actions.shape, remedy)
    elif not np.isin(actions, tuple(Action)).all():
        faults.add("decide", "values 0, 1 or 2", np.unique(actions).tolist(), remedy)
    faults.raise_if_any()
    return actions.astype(np.int8)


def run_looks(
    strategy: Strategy,
    keys: NDArray[np.uint64],
    first_trial: int,
    targets: NDArray[np.int32],
    law: LLRStep,
    dt: float,
    n_steps: int,
    response: NDArray[np.int8],
    steps: NDArray[np.int32],
) -> None:
    """Run the trials ``first_trial, ...`` from the first step on; see `run_lanes`."""
    for start in range(0, len(targets), BATCH):
        here = slice(start, min(start + BATCH, len(targets)))
        trials = np.arange(first_trial + here.start, first_trial + here.stop)
        walk = Walk(keys, trials, targets[here], law)
        while len(walk.index):
            walk.advance()
            actions = checked_decision(strategy, walk.Z, walk.k * dt)
            ended = (actions != Action.WAIT) | (walk.k >= n_steps)
            response[here][walk.index[ended]] = actions[ended]
            steps[here][walk.index[ended]] = walk.k
            if ended.any():
                walk.keep(~ended)


def final_states(
    keys: NDArray[np.uint64],
    trials: NDArray[np.int64],
    targets: NDArray[np.int32],
    steps: NDArray[np.int32],
    law: LLRStep,
) -> NDArray[np.float64]:
    """Return Z of shape (n, M) after ``steps[i]`` steps of each trial."""
    out = np.zeros((len(trials), len(law.sd)))
    for start in range(0, len(trials), BATCH):
        here = slice(start, start + BATCH)
        walk = Walk(keys, trials[here], targets[here], law)
        while len(walk.index):
            ended = steps[here][walk.index] == walk.k
            out[here][walk.index[ended]] = walk.Z[ended]
            walk.keep(~ended)
            if len(walk.index):
                walk.advance()
    return out
