r"""The prophet over counts of looks: a lower bound where the observer also chooses where to look.

The observer takes looks :math:`f_1, f_2, \dots` and answers after :math:`\tau` of them. Let the
n-th look f of a trial bring the step :math:`X_{f,n}`, whenever it takes place, all steps
independent given whether and where there is a target. Whatever the policy, the next step it sees is
a fresh one, chosen by what it has seen: its observations have the right law. (The simulator counts
the looks that see an item, `popout.simulation.look_noise`, so that states depend on the order of
looks there; the law is the same.) And the state is a function of the counts :math:`n = (n_f)` of
looks alone,

.. math:: Z(n) = \sum_f \sum_{i \le n_f} X_{f,i} .

Take **any** bounded function v of the state, and along the looks of a policy

.. math:: M_k = \sum_{i<k} \bigl( v(Z_{i+1}) - \mathbb{E}[v(Z') \mid Z_i, f_{i+1}] \bigr),

under the observer's own predictive law: class and place of the target are drawn from the priors,
and the conditional expectation is over them too. (It is computed as
:math:`\mathbb{E}_0^f[w(Z') v(Z')] / w(Z)`, see `expectation`, so that no step is weighted on the
path itself.) Given what the policy has seen, each summand has mean zero, so
:math:`\mathbb{E} M_\tau = 0` for every policy that takes at most K looks, and its risk is
:math:`\mathbb{E}[G_\tau - M_\tau]`, with G the cost of time so far plus that of the better answer
now. That is no less than the mean of the minimum over all sequences of looks and all moments to
stop, which a small dynamic programme over counts finds:

.. math::

   J(n) = \min\Bigl\{ g(Z(n)),\; c(Z(n))\,\delta t + \min_f \bigl( J(n + e_f) - v(Z(n + e_f))
          + \mathbb{E}[v(Z') \mid Z(n), f] \bigr) \Bigr\}, \qquad R^* \ge \mathbb{E}\,J(0) .

With the exact value function J(0) is :math:`R^*` on every path; a worse v makes the bound looser,
never wrong. Unbiased estimates of the expectation serve as well as in `popout.certificate`, if
their randomness is independent of the steps; all states after k looks share it here, for each f.

**Where it ends.** Where the better answer costs no more than one look, answering is best: there
:math:`J = g`, and nothing is lost. That keeps the counts few. A policy that takes more than K looks
has at that point at least :math:`\min\{g, c\,\delta t\}` before it, which is J there.

**Which policies.** With gazes: all, also where a gaze is attention to a group of items
(`popout.task.GazeTask.of_groups`): then all that attend to one of these groups at a time. Where a
limited rate of information is shared out: all that give everything to one location at a time, a new
one after each step of dt. Whoever divides a step of m dt in shares that are multiples of 1/m can be
imitated by these, one location after the other: the sum of steps has the same law. So the bound
covers such policies, too; of other shares it says nothing.

**Observers** walk along the same steps, and answer at the latest where J ends. Where an answer
costs no more than a look this can only help them; the risk is that of an observer who does so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.bound import Followed, answer
from popout.certificate.look_paths import LookBlock, LookProblem
from popout.certificate.problem import Array, Value
from popout.policies.observer import Observer
from popout.policies.stopping import Action
from popout.task import Fault, InputError

Integers = NDArray[np.int64]
MOST_LOOKS, LONG = 400, 1.5
"""Looks after which trials end: when time has cost so many times what an answer at once does.

Whoever looks at one place for ever learns nothing of the others: such states stay open.
"""
MOST_KEYS = 2.0**62
MOST_STATES = 20_000
"""Counts of looks that a path may reach with as many looks, on average over a block."""


@dataclass
class Level:
    """The states that some looks can lead to, of all trials of a block.

    Attributes
    ----------
    counts : ndarray of int, shape (n, G)
    trial : ndarray of int, shape (n,)
    Z : ndarray of shape (M, n)
    stop, wait, v : ndarray of shape (n,)
        Cost of the better answer, of one step of time, and the value function.
    open : ndarray of bool, shape (n,)
        Where looks go on.
    expected : ndarray of shape (G, n_open)
        Estimated mean of v after each look, at open states.
    after : ndarray of int, shape (G, n_open)
        Which state of the next level each look leads to.
    """

    counts: Integers
    trial: Integers
    Z: Array
    stop: Array
    wait: Array
    v: Array
    open: NDArray[np.bool_]
    expected: Array
    after: Integers


def most_looks(problem: LookProblem) -> int:
    """Return after how many looks trials end; the bound holds whatever the number."""
    prices, start = problem.prices, np.logaddexp.reduce(problem.log_weight)
    at_once = float(prices.stop(np.array([start]))[0])
    least = min(prices.step_absent, prices.step_present)
    return min(MOST_LOOKS, max(4, math.ceil(LONG * at_once / least)))


def follow_looks(
    block: LookBlock,
    value: Value,
    policies: Sequence[Any],
    freeze: float,
    most_steps: int | None = None,
) -> Followed:
    """Return what the prophet and some observers pay in the trials of a block.

    Parameters
    ----------
    block : LookBlock
        At its start.
    value : Value
    policies : sequence of Observer
    freeze : float
        Plays no part: where J ends nothing is lost.
    most_steps : int, optional
        Looks after which trials end; the better answer is given for observers that have not.
        Those of `most_looks` when left out.
    """
    most_steps = most_looks(block.problem) if most_steps is None else most_steps
    n_looks, P = len(block.problem.rows), block.problem.block_size
    walks = [Walk(block, observer) for observer in policies]
    steps: list[Array] = []
    levels: list[Level] = []
    counts, trial, Z = np.zeros((P, n_looks), np.int64), np.arange(P), block.Z
    for k in range(most_steps + 1):
        level = _level(block, value, counts, trial, Z, k < most_steps)
        levels.append(level)
        if len(trial) > P * MOST_STATES:
            raise InputError([_too_many(n_looks)])
        if level.open.any():
            steps.append(block.noise())
            counts, trial, Z = _next(level, np.stack(steps))
        for walk in walks:
            walk.go(level, k)
        if not level.open.any():
            break
    J = _costs_to_go(levels)
    return Followed(
        J,
        np.array([walk.controlled for walk in walks]).reshape(len(walks), P),
        np.array([walk.plain for walk in walks]).reshape(len(walks), P),
        np.array([walk.undecided for walk in walks], dtype=np.int64),
    )


def _level(
    block: LookBlock, value: Value, counts: Integers, trial: Integers, Z: Array, go_on: bool
) -> Level:
    """Return the states of a level, and what each look is worth where looks go on."""
    prices, statistics = block.problem.prices, value.statistics
    e = statistics.exponentials(Z)
    S = statistics.of(e, Z)
    stop, wait = prices.stop(S[0]), prices.wait(S[0])
    v = stop - np.maximum(value.advantage(S), 0.0)
    goes_on = (stop > wait) & go_on
    Z_open, e_open = Z[:, goes_on], e[:, :, goes_on]
    looks = range(counts.shape[1])
    expected = np.stack([block.after(value, Z_open, e_open, look) for look in looks])
    none = np.empty((0, 0), np.int64)
    return Level(counts, trial, Z, stop, wait, v, goes_on, expected, none)


def _next(level: Level, steps: Array) -> tuple[Integers, Integers, Array]:
    """Return counts, trials and states of the level after one, and note in it where looks lead.

    Parameters
    ----------
    level : Level
    steps : ndarray of shape (k, G, M, P)
        Of the n-th look f in every trial.
    """
    counts, trial, Z = level.counts[level.open], level.trial[level.open], level.Z[:, level.open]
    G = counts.shape[1]
    looks, source = np.divmod(np.arange(G * len(trial)), len(trial))
    next_counts = counts[source] + np.eye(G, dtype=np.int64)[looks]
    base = 2 + int(counts.max(initial=0))
    if len(trial) * float(base) ** (G + 1) > MOST_KEYS:
        raise InputError([_too_many(G)])
    keys = trial[source] + (level.trial.max() + 1) * (next_counts @ base ** np.arange(G))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    level.after = place.reshape(G, len(trial))
    source, looks = source[first], looks[first]
    brought = steps[counts[source, looks], looks, :, trial[source]]
    return next_counts[first], trial[source], np.ascontiguousarray(Z[:, source] + brought.T)


def _costs_to_go(levels: Sequence[Level]) -> Array:
    """Return the prophet's costs J at the start of every trial."""
    later = np.empty(0)
    for level in reversed(levels):
        J, here = np.minimum(level.stop, level.wait), level.open
        if here.any():
            looks = (later[level.after] + level.expected).min(axis=0)
            J[here] = np.minimum(level.stop[here], level.wait[here] + looks)
        later = J - level.v
    return J


class Walk:
    """An observer on its way through the levels of a block."""

    def __init__(self, block: LookBlock, observer: Observer) -> None:
        P = block.problem.block_size
        self.block, self.observer = block, observer
        self.state = np.arange(P)  # of each trial, a place in the level
        self.trials = np.arange(P)
        self.time, self.M = np.zeros(P), np.zeros(P)
        self.controlled, self.plain = np.full(P, np.nan), np.full(P, np.nan)
        self.undecided = 0

    def go(self, level: Level, k: int) -> None:
        """Answer, or take a look to the next level."""
        problem, at = self.block.problem, self.state
        if not len(at):
            return
        if k > 0:
            self.M[self.trials] += level.v[at]
        Z, t = level.Z[:, at], k * problem.task.dt
        odds = np.logaddexp.reduce(Z + problem.log_weight[:, None], axis=0)
        action = np.asarray(self.observer.strategy.decide(problem.everywhere(Z), t))
        late = (action == Action.WAIT) & ~level.open[at]
        self.undecided += int((late & (level.stop[at] > level.wait[at])).sum())
        action = np.where(late, answer(problem.prices, odds), action)
        ends = action != Action.WAIT
        cost = np.where(action == Action.ABSENT, *problem.prices.answers(odds))
        here = self.trials[ends]
        self.plain[here] = self.time[here] + cost[ends]
        self.controlled[here] = self.plain[here] - self.M[here]
        self.trials, at = self.trials[~ends], at[~ends]
        if not len(at):
            self.state = at
            return
        assert self.observer.attention is not None
        looks = problem.looks_of(self.observer.attention, level.Z[:, at], t)
        place = (np.cumsum(level.open) - 1)[at]
        self.state = level.after[looks, place]
        self.time[self.trials] += level.wait[at]
        self.M[self.trials] -= level.expected[looks, place]


def _too_many(n_looks: int) -> Fault:
    expected = f"at most {MOST_STATES} counts of looks with as many looks on a path, on average"
    remedy = "fewer looks to choose from, longer steps or more costly time"
    return Fault("certify", ("task",), expected, f"more, with {n_looks} looks", remedy)
