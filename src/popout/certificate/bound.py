r"""Following paths: the lower bound, and the risks of strategies, on the same trials.

Wanted precision in, effort follows: blocks of trials are added until errors between them are small.

Along a path let :math:`G_k` be the cost of time so far plus that of the better answer, and

.. math:: M_k = \sum_{i < k} \bigl( v(Z_{i+1}) - \hat{\mathbb{E}}[v(Z_{i+1}) \mid Z_i] \bigr).

The bound is the mean of :math:`\min_k (G_k - M_k)`, the risk of a strategy that stops at
:math:`\tau` the mean of :math:`G_\tau - M_\tau` with the cost of its own answer in :math:`G`. Their
difference is never negative, path by path, and varies little: the gap is known better than either.

A path is followed until the better answer costs less than a *freeze level*, or the cost of time
less M is no less than the minimum so far. There M stops; from then on :math:`G_k - M_k` is at least
the cost of time less M, which enters the minimum in place of all that would follow. A stopped
martingale is one: any level gives a valid bound, and the second rule loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from popout.certificate.problem import Array, Prices, Value
from popout.policies.stopping import Action, Strategy
from popout.progress import Progress

Actions = NDArray[np.int8]
Policy = Callable[[Any, NDArray[np.int64], Array], Actions]
"""Maps a block, some of its trials and the advantage of waiting in each to actions."""
Result = TypeVar("Result")
MOST_STEPS = 20_000
FEWEST_BLOCKS = 16
"""From which a standard error is taken. Of two block means it would be a matter of luck; of 16, two
standard errors cover 94 % and three 99 % (Student's t), nearly as if they were known."""
FREEZE = 1e-3
"""Freeze level, as a share of the value at the start."""
GROWTH = 4.0
"""Most by which a round enlarges the number of blocks."""


def policy_of(strategy: Strategy) -> Policy:
    """Return a strategy as a policy; the advantage plays no part."""
    return lambda block, trials, advantage: block.decide(strategy, trials)


def answer(prices: Prices, log_odds: Array) -> Actions:
    """Return the better answer; present wins ties."""
    absent, present = prices.answers(log_odds)
    return np.where(present <= absent, Action.PRESENT, Action.ABSENT).astype(np.int8)


def GREEDY(block: Any, trials: NDArray[np.int64], advantage: Array) -> Actions:
    """Wait where the value function says that it pays, else give the better answer."""
    best = answer(block.problem.prices, block.S[0, trials])
    return np.where(advantage > 0.0, np.int8(Action.WAIT), best).astype(np.int8)


@dataclass(frozen=True)
class Followed:
    """What became of the trials of a block.

    Attributes
    ----------
    lower : ndarray of shape (P,)
        The minimum of ``G - M``.
    controlled, plain : ndarray of shape (n_policies, P)
        The cost of each trial under each policy, with and without the martingale.
    undecided : ndarray of int, shape (n_policies,)
        Trials that each policy had not ended after the last step.
    """

    lower: Array
    controlled: Array
    plain: Array
    undecided: NDArray[np.int64]


def follow(
    block: Any,
    value: Value,
    policies: Sequence[Policy],
    freeze: float,
    most_steps: int = MOST_STEPS,
) -> Followed:
    """Follow the trials of a block until all that is asked is known.

    Parameters
    ----------
    block : SearchBlock or the like
        At its start.
    value : Value
    policies : sequence of Policy
    freeze : float
        Cost of the better answer below which the martingale stops.
    most_steps : int
        Where trials end that a policy has not ended; the better answer is given for it.
    """
    prices, P = block.problem.prices, block.problem.block_size
    time, M, lower = np.zeros(P), np.zeros(P), np.full(P, np.inf)
    controlled, plain = np.full((2, len(policies), P), np.nan)
    trials = np.arange(P)
    moving = np.ones(P, dtype=bool)  # whose martingale has not been frozen
    undecided = np.zeros(len(policies), dtype=np.int64)
    for k in range(most_steps + 1):
        S0 = block.S[0, trials]
        stop = prices.stop(S0)
        gain = value.advantage(block.S[:, trials])
        still = moving[trials]
        if k > 0:
            M[trials[still]] += (stop - np.maximum(gain, 0.0))[still]
        now = time[trials] - M[trials]
        frozen = still & ((stop < freeze) | (now >= lower[trials]) | (k == most_steps))
        lower[trials[still]] = np.minimum(lower[trials], now + np.where(frozen, 0.0, stop))[still]
        moving[trials[frozen]] = False
        for n, policy in enumerate(policies):
            waiting = np.isnan(controlled[n, trials])
            if not waiting.any():
                continue
            asked, odds = trials[waiting], S0[waiting]
            action = policy(block, asked, gain[waiting])
            if k == most_steps:
                undecided[n] = (action == Action.WAIT).sum()
                action = np.where(action == Action.WAIT, answer(prices, odds), action)
            ends = action != Action.WAIT
            absent, present = prices.answers(odds)
            cost = np.where(action == Action.ABSENT, absent, present)
            controlled[n, asked[ends]] = (now[waiting] + cost)[ends]
            plain[n, asked[ends]] = (time[asked] + cost)[ends]
        going = moving[trials] | np.isnan(controlled[:, trials]).any(axis=0)
        time[trials] += prices.wait(S0)
        trials = trials[going]
        if not len(trials):
            break
        charged = trials[moving[trials]]
        if len(charged):
            M[charged] -= block.expected(value, charged)
        block.advance()
    return Followed(lower, controlled, plain, undecided)


def in_order(
    work: Callable[[int], Result], numbers: Sequence[int], threads: int | None
) -> list[Result]:
    """Return ``work(number)`` of each number, in order, computed by a pool of threads."""
    import numba

    n = int(numba.get_num_threads()) if threads is None else threads
    if n == 1 or len(numbers) == 1:
        return [work(number) for number in numbers]
    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(work, numbers))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means of blocks of trials.

    Attributes
    ----------
    lower : ndarray of shape (n_blocks,)
    controlled, plain : ndarray of shape (n_policies, n_blocks)
    block_size : int
    undecided : ndarray of int, shape (n_policies,)
    """

    lower: Array
    controlled: Array
    plain: Array
    block_size: int
    undecided: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[Followed]) -> Estimates:
        """Collect what blocks have given."""
        return cls(
            np.array([block.lower.mean() for block in blocks]),
            np.array([block.controlled.mean(axis=1) for block in blocks]).T,
            np.array([block.plain.mean(axis=1) for block in blocks]).T,
            len(blocks[0].lower),
            np.sum([block.undecided for block in blocks], axis=0),
        )

    @property
    def n_trials(self) -> int:
        """Trials behind each mean."""
        return len(self.lower) * self.block_size

    @property
    def lower_bound(self) -> tuple[float, float]:
        """The bound and its standard error."""
        return mean_and_se(self.lower)

    def gap(self, policy: int) -> tuple[float, float]:
        """Return upper less lower bound and its standard error, from pairs."""
        return mean_and_se(self.controlled[policy] - self.lower)

    def gap_share(self, policy: int) -> tuple[float, float]:
        """Return the gap over the upper bound and its standard error; both vary, together."""
        upper, gap = self.controlled[policy], self.controlled[policy] - self.lower
        share, whole = float(gap.mean() / upper.mean()), float(upper.mean())
        return share, mean_and_se(gap - share * upper)[1] / whole

    def risk(self, policy: int) -> tuple[float, float]:
        """Return the risk of a policy and its standard error, with the martingale as control."""
        return mean_and_se(self.controlled[policy])

    def variance_ratio(self, policy: int) -> float:
        """Return how many times more trials the mean without the martingale would need."""
        se, plain_se = (mean_and_se(costs[policy])[1] for costs in (self.controlled, self.plain))
        return (plain_se / se) ** 2 if se > 0.0 else math.inf

    def errors(self, policy: int | None = None) -> float:
        """Return the largest standard error over the lowest risk: of one policy, or of all."""
        errors = [self.lower_bound[1]]
        for n in range(len(self.controlled)) if policy is None else [policy]:
            errors += [self.risk(n)[1], self.gap(n)[1]]
        return max(errors) / float(self.controlled.mean(axis=1).min())


def mean_and_se(x: Array) -> tuple[float, float]:
    """Return the mean of blocks and its standard error."""
    return float(x.mean()), float(x.std(ddof=1) / math.sqrt(len(x)))


def estimate(
    make_block: Callable[[int], Any],
    value: Value,
    policies: Sequence[Any],
    *,
    precision: float,
    most_blocks: int,
    best: int | None = None,
    freeze: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    following: Callable[..., Followed] = follow,
) -> Estimates:
    """Follow blocks of trials until the errors are as small as wanted.

    Parameters
    ----------
    make_block : callable
        Maps the number of a block to the block at its start.
    value : Value
    policies : sequence of Policy
    precision : float
        Wanted standard error of every bound, as a share of the risk.
    most_blocks : int
        Where effort ends. Errors from fewer than `FEWEST_BLOCKS` are not to be told.
    best : int, optional
        The policy whose risk and gap are to be so precise; all of them when left out.
    freeze : float, optional
        A thousandth of the value at the start when left out.
    threads : int, optional
        Results do not depend on it.
    progress : Progress, optional
    following : callable
        `follow`, or what takes its place where looks are chosen.
    """
    start = make_block(0)
    if freeze is None:
        v = start.problem.prices.stop(start.S[0, :1]) - np.maximum(
            value.advantage(start.S[:, :1]), 0.0
        )
        freeze = FREEZE * float(v[0])

    def work(number: int) -> Followed:
        return following(make_block(number), value, policies, freeze)

    done: list[Followed] = []
    wanted = min(FEWEST_BLOCKS, most_blocks)
    while True:
        if progress is not None:
            trials = len(done) * start.problem.block_size
            progress(len(done) / wanted, f"bounds from {trials} trials so far")
        numbers = range(len(done), wanted)
        done += in_order(work, numbers, threads)
        estimates = Estimates.of(done)
        error = estimates.errors(best)
        if error <= precision or len(done) >= most_blocks:
            return estimates
        needed = len(done) * min(GROWTH, 1.1 * (error / precision) ** 2)
        wanted = min(most_blocks, max(len(done) + 4, math.ceil(needed)))
