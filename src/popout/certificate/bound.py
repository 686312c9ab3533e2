r"""Following paths: the lower bound, and the risks of strategies, on the same trials.

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

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from popout.certificate.problem import Array, Prices, Value
from popout.policies.stopping import Action, Strategy

Actions = NDArray[np.int8]
Policy = Callable[[Any, NDArray[np.int64], Array], Actions]
"""Maps a block, some of its trials and the advantage of waiting in each to actions."""
Result = TypeVar("Result")
MOST_STEPS = 20_000


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
            here = trials[still]
            M[here] += (stop - np.maximum(gain, 0.0))[still]
        now = time[trials] - M[trials]
        frozen = still & ((stop < freeze) | (now >= lower[trials]) | (k == most_steps))
        lower[trials[still]] = np.minimum(lower[trials], now + np.where(frozen, 0.0, stop))[still]
        moving[trials[frozen]] = False
        for n, policy in enumerate(policies):
            waiting = np.isnan(controlled[n, trials])
            if not waiting.any():
                continue
            here, odds = trials[waiting], S0[waiting]
            action = policy(block, here, gain[waiting])
            if k == most_steps:
                undecided[n] = (action == Action.WAIT).sum()
                action = np.where(action == Action.WAIT, answer(prices, odds), action)
            ends = action != Action.WAIT
            absent, present = prices.answers(odds)
            cost = np.where(action == Action.ABSENT, absent, present)
            controlled[n, here[ends]] = (now[waiting] + cost)[ends]
            plain[n, here[ends]] = (time[here] + cost)[ends]
        going = moving[trials] | np.isnan(controlled[:, trials]).any(axis=0)
        time[trials] += prices.wait(S0)
        trials = trials[going]
        if not len(trials):
            break
        here = trials[moving[trials]]
        if len(here):
            M[here] -= block.expected(value, here)
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
