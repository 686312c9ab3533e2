r"""Simulation of any observer, one look at a time: the slow and general way.

A batch of trials starts together; at each look the strategy's ``decide(Z, t)`` sees the trials that
are still undecided, as one array. Displays, noise and the arithmetic of a step are those of the
compiled kernels, to the bit: where every location observes by itself (`lanes`),

.. math:: Z_l \leftarrow Z_l + (m_l + s_l\,\epsilon_{kM + l});

where a policy shares out the information (`shares_kernel`), its ``shares(Z, t)`` is asked before
every step, and a location with a share has noise of its own (`look_noise`).

Whole histories are made again the same way (`Trials.history`): because a trial is a function of
(seed, trial), they need not be stored. See `replay` for where trials end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.evidence.llr_step import shared_step
from popout.noise.streams import NormalStreams, stream_keys
from popout.policies.looking import Attention, FreeGaze, FreeGazeStopping, GazePolicy, Random
from popout.policies.looking.attention import log_location_prior
from popout.policies.stopping import Action, Strategy
from popout.simulation.fixations import MOVING, NAMED, NOTED, NUMBER, note_fixations
from popout.simulation.look_noise import fill_gazes, fill_looks
from popout.simulation.reshuffles import Reshuffles, reshuffle
from popout.simulation.tally import Columns
from popout.task import Faults, Task
from popout.task.look import Gazes

Array = NDArray[np.float64]
BATCH = 4096
"""Trials that look together: large enough for NumPy to be efficient, small enough for the cache."""


class Walk:
    """The evidence of a batch of trials, advanced one step at a time.

    Parameters
    ----------
    task : Task
        In which every location observes by itself.
    seed : int
    trials : ndarray of int64, shape (n,)
    targets : ndarray of int32, shape (n,)

    Attributes
    ----------
    index : ndarray of int, shape (m,)
        Positions, in `trials`, of those that still walk.
    Z : ndarray of shape (m, M)
        Their local log likelihood ratios.
    k : int, or ndarray of int, shape (m,)
        Steps taken.
    """

    k: Any
    _per_trial: tuple[str, ...] = ("_mean", "_rows", "_trials", "_targets", "index", "Z")

    def __init__(
        self, task: Task, seed: int, trials: NDArray[np.int64], targets: NDArray[np.int32]
    ) -> None:
        self._start(llr_step(task), task, seed, trials, targets)
        self._streams = NormalStreams(seed, trials)
        # An even number of steps per draw, because normals come in pairs.
        self._block = 2 * max(1, 16 // task.n_locations)
        self._noise = np.empty((0, self._block, task.n_locations))
        self._rows = self.index

    def _start(
        self,
        law: Any,
        task: Task,
        seed: int,
        trials: NDArray[np.int64],
        targets: NDArray[np.int32],
    ) -> None:
        self._law, self._sd, self._reshuffles = law, law.sd, Reshuffles.of(task)
        self._keys, self._trials, self._targets = stream_keys(seed), trials, targets.copy()
        self._place_targets()
        self.index = np.arange(len(targets))
        self.Z = np.zeros((len(targets), len(law.sd)))
        self.k = 0

    def _place_targets(self) -> None:
        at_target = np.arange(len(self._sd)) == self._targets[:, None]
        self._mean = np.where(at_target, self._law.mean_target, self._law.mean_distractor)

    def _end_step(self) -> None:
        """Count the step, after which the items may be reshuffled."""
        self.k += 1
        steps = self._reshuffles.steps
        if steps and self.k % steps == 0:
            number, numbers = self.k // steps, self._reshuffles
            reshuffle(self._keys, self._trials, number, numbers, self.Z, self._targets)
            self._place_targets()

    def advance(self) -> None:
        """Add one step of evidence."""
        b = self.k % self._block
        if b == 0:
            noise = self._streams.next(self._block * self.Z.shape[1])
            self._noise = noise.reshape(len(noise), self._block, -1)
            self._rows = np.arange(len(noise))
        self.Z += self._mean + self._sd * self._noise[self._rows, b]
        self._end_step()

    def decide(self, strategy: Strategy, dt: float) -> NDArray[np.int8]:
        """Return what a strategy says to each trial."""
        return checked_decision(strategy, self.Z, self.k * dt)

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""
        if walking.all():
            return
        self._streams.keep(walking)
        self._keep(walking)

    def _keep(self, walking: NDArray[np.bool_]) -> None:
        for name in self._per_trial:
            setattr(self, name, getattr(self, name)[walking])


class SharedWalk(Walk):
    """The evidence of a batch of trials whose information a policy shares out.

    Attributes
    ----------
    shares : ndarray of shape (m, M)
        Of the last step.
    noted : ndarray of int32, shape (m, 3)
        What the eyes did; see `popout.simulation.fixations`.
    here : ndarray of int, shape (m,)
        Where gaze rested during the last step, if it is chosen.
    """

    here: NDArray[np.int64]

    _per_trial: tuple[str, ...] = (
        "_mean", "_trials", "_targets", "_looks", "_s0", "_s1", "_spare", "index", "Z",
        "shares", "noted", "_seen", "_gazes",
    )  # fmt: skip

    def __init__(
        self,
        task: Task,
        attention: Attention,
        seed: int,
        trials: NDArray[np.int64],
        targets: NDArray[np.int32],
    ) -> None:
        self._start(shared_step(task), task, seed, trials, targets)
        self._attention, self._dt = attention, task.dt
        shape = self.Z.shape
        self._looks, self._spare = np.zeros(shape, np.int64), np.zeros(shape)
        self._s0, self._s1 = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        self.shares, self.noted = np.zeros(shape), np.zeros((len(targets), NOTED), np.int32)
        G, barred = 1, 1
        if isinstance(attention, GazePolicy):
            self._rows = np.asarray(attention.visibility)
            G = len(self._rows)
        if isinstance(attention, Random):
            barred = max(1, attention.inhibition)
        self._seen = np.zeros((len(targets), G), np.bool_)
        self._gazes = np.zeros((len(targets), barred), np.int64)

    def _next_shares(self) -> Array:
        """Return the shares of the next step, and note where the eyes go."""
        attention = self._attention
        if not isinstance(attention, GazePolicy):
            return checked_shares(attention, self.Z, self.k * self._dt)
        if isinstance(attention, Random):
            G, barred = len(self._rows), attention.inhibition
            fill_gazes(self._keys, self._trials, self.k, self._gazes, G, barred)
            gazes = self._gazes[:, self.k % self._gazes.shape[1]]
        else:
            gazes = attention.gaze(self.Z)
        note_fixations(self._seen, gazes, np.ones(len(gazes), np.bool_), self.noted)
        self.here = gazes
        return np.asarray(self._rows[gazes])

    def advance(self) -> None:
        """Add one step of evidence."""
        self.shares = shares = self._next_shares()
        noise = np.empty_like(self.Z)
        streams = self._looks, self._s0, self._s1, self._spare
        fill_looks(self._keys, self._trials, shares, *streams, noise)
        self.Z += self._mean * shares + self._sd * np.sqrt(shares) * noise
        self._end_step()

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""
        self._keep(walking)


class FreeWalk(SharedWalk):
    """The evidence of a batch of trials in which gaze rests as long as the policy likes."""

    _per_trial = (*SharedWalk._per_trial, "k", "here", "_since")

    def __init__(self, task: Task, attention: FreeGaze, *trials: Any) -> None:
        super().__init__(task, attention, *trials)
        look, n = task.look, len(self.index)
        assert isinstance(look, Gazes)
        self._moves, self.k = np.array(look.moves), np.zeros(n, np.int64)
        self.here, self._since = np.full(n, look.start), np.zeros(n, np.int64)

    def _next_shares(self) -> Array:
        """Move gaze where it pays, and return what the items get from there."""
        policy = self._attention
        assert isinstance(policy, FreeGaze)
        gazes = np.asarray(policy.next_gaze(self.Z, self.here, self._since), dtype=np.int64)
        moved = gazes != self.here
        saccade = self._moves[self.here, gazes]
        begins = moved | (self.noted[:, NUMBER] == 0)
        note_fixations(self._seen, gazes, begins, self.noted)
        self.noted[:, MOVING] += saccade
        self.k += saccade  # and one more for the step of evidence
        self._since = np.where(moved, 1, self._since + 1)
        self.here = gazes
        return np.asarray(self._rows[gazes])

    def decide(self, strategy: Strategy, dt: float) -> NDArray[np.int8]:
        """Return what a strategy says, which may depend on where gaze rests."""
        if not isinstance(strategy, FreeGazeStopping):
            return super().decide(strategy, dt)
        absent, present = strategy.margins_at(self.Z, self.here)
        actions = np.where(absent >= 0, np.int8(Action.ABSENT), np.int8(Action.WAIT))
        return np.where(present >= 0, np.int8(Action.PRESENT), actions)


def checked_decision(strategy: Strategy, Z: Array, t: ArrayLike) -> NDArray[np.int8]:
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


def checked_shares(attention: Attention, Z: Array, t: float) -> Array:
    """Return ``attention.shares(Z, t)``, or say what is wrong with what it returned."""
    shares = np.array(attention.shares(Z, t), dtype=np.float64)
    faults = Faults(type(attention).__name__)
    remedy = "return a share of at least 0 for each location, with a sum of one"
    if shares.shape != Z.shape:
        faults.add("shares", f"an array of shape {Z.shape}", shares.shape, remedy)
    elif not (np.all(shares >= 0.0) and np.allclose(shares.sum(axis=-1), 1.0, atol=1e-9)):
        faults.add("shares", "shares", shares.reshape(-1, Z.shape[-1])[0].tolist(), remedy)
    faults.raise_if_any()
    return shares


WalkOf = Callable[[NDArray[np.int64], NDArray[np.int32]], Walk]
"""Makes the walk of some trials, from their numbers and targets."""


def run_looks(
    walk_of: WalkOf, task: Task, strategy: Strategy, n_steps: int, first_trial: int, out: Columns
) -> None:
    """Run the trials ``first_trial, ...``, whose targets are in `out`, from the first step on."""
    for start in range(0, len(out.target), BATCH):
        part = out.part(start, start + BATCH)
        walk = walk_of(first_trial + start + np.arange(len(part.target)), part.target)
        while len(walk.index):
            walk.advance()
            actions = walk.decide(strategy, task.dt)
            ended = (actions != Action.WAIT) | (walk.k >= n_steps)
            rows = walk.index[ended]
            part.response[rows] = actions[ended]
            part.steps[rows] = np.broadcast_to(walk.k, ended.shape)[ended]
            if part.S is not None:
                part.S[rows] = log_likelihood_ratio_search(walk.Z[ended], task.location_prior)
            if part.looks is not None and isinstance(walk, SharedWalk):
                part.looks[rows] = walk.noted[ended]
                likely = walk.Z[ended] + np.asarray(log_location_prior(task))
                part.looks[rows, NAMED] = likely.argmax(axis=-1)
            walk.keep(~ended)
