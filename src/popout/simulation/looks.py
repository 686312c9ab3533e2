r"""Simulation of any strategy, one look at a time: the slow and general way.

A batch of trials starts together; at each look the strategy's ``decide(Z, t)`` sees the trials that
are still undecided, as one array. Displays, noise and the arithmetic of a step are those of the
compiled kernel (`lanes`), to the bit:

.. math:: Z_l \leftarrow Z_l + (m_l + s_l\,\epsilon_{kM + l}).

Whole histories are made again the same way (`Trials.path`): because a trial is a function of
(seed, trial), they need not be stored. See `replay` for where trials end.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence import llr_step
from popout.noise.streams import NormalStreams
from popout.policies.stopping import Action, Strategy
from popout.simulation.tally import Columns
from popout.task import Faults, Task

BATCH = 4096
"""Trials that look together: large enough for NumPy to be efficient, small enough for the cache."""


class Walk:
    """The evidence of a batch of trials, advanced one step at a time.

    Parameters
    ----------
    task : Task
    seed : int
    trials : ndarray of int64, shape (n,)
    targets : ndarray of int32, shape (n,)

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
        task: Task,
        seed: int,
        trials: NDArray[np.int64],
        targets: NDArray[np.int32],
    ) -> None:
        law, (n, M) = llr_step(task), (len(trials), task.n_locations)
        self._streams = NormalStreams(seed, trials)
        at_target = np.arange(M) == targets[:, None]
        self._mean = np.where(at_target, law.mean_target, law.mean_distractor)
        self._sd = law.sd
        # An even number of steps per draw, because normals come in pairs.
        self._block = 2 * max(1, 16 // M)
        self._noise = np.empty((0, self._block, M))
        self._rows = self.index = np.arange(n)
        self.Z = np.zeros((n, M))
        self.k = 0

    def advance(self) -> None:
        """Add one step of evidence."""
        b = self.k % self._block
        if b == 0:
            noise = self._streams.next(self._block * self.Z.shape[1])
            self._noise = noise.reshape(len(noise), self._block, -1)
            self._rows = np.arange(len(noise))
        self.Z += self._mean + self._sd * self._noise[self._rows, b]
        self.k += 1

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""
        if walking.all():
            return
        self._streams.keep(walking)
        for name in ("_mean", "_rows", "index", "Z"):
            setattr(self, name, getattr(self, name)[walking])


def checked_decision(strategy: Strategy, Z: NDArray[np.float64], t: ArrayLike) -> NDArray[np.int8]:
    """Return ``strategy.decide(Z, t)``, or say what is wrong with what it returned."""
    actions = np.asarray(strategy.decide(Z, t))
    faults = Faults(type(strategy).__name__)
    remedy = "return one of Action.WAIT, ABSENT, PRESENT for each row of Z"
    if actions.shape != Z.shape[:-1]:
        faults.add("decide", f"an array of shape {Z.shape[:-1]}", actions.shape, remedy)
    elif not _are_actions(actions):
        faults.add("decide", "values 0, 1 or 2", np.unique(actions).tolist(), remedy)
    faults.raise_if_any()
    return actions.astype(np.int8)


def _are_actions(actions: NDArray[Any]) -> bool:
    """Whether all are 0, 1 or 2: of integers, in less time than looking each of them up."""
    if actions.size and np.issubdtype(actions.dtype, np.integer):
        return bool(actions.min() >= min(Action) and actions.max() <= max(Action))
    return bool(np.isin(actions, tuple(Action)).all())


def run_looks(
    task: Task, strategy: Strategy, seed: int, n_steps: int, first_trial: int, out: Columns
) -> None:
    """Run the trials ``first_trial, ...``, whose targets are in `out`, from the first step on."""
    for start in range(0, len(out.target), BATCH):
        here = out.part(start, start + BATCH)
        trials = first_trial + start + np.arange(len(here.target))
        follow(Walk(task, seed, trials, here.target), strategy, task.dt, n_steps, here)


class Walking(Protocol):
    """The evidence of a batch of trials: see `Walk`."""

    index: NDArray[np.int64]
    Z: NDArray[np.float64]
    k: int

    def advance(self) -> object:
        """Add one step of evidence."""

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""


def follow(walk: Walking, strategy: Strategy, dt: float, n_steps: int, out: Columns) -> None:
    """Let a batch of trials walk until the strategy has answered all, or the time is up."""
    while len(walk.index):
        walk.advance()
        actions = checked_decision(strategy, walk.Z, walk.k * dt)
        ended = (actions != Action.WAIT) | (walk.k >= n_steps)
        out.response[walk.index[ended]] = actions[ended]
        out.steps[walk.index[ended]] = walk.k
        walk.keep(~ended)
