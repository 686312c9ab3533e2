r"""Paths of a search task, in blocks, what one more step is worth on average, and a strategy.

A block of trials walks together. Class and target location of its trials are spread evenly over
their probabilities (systematic sampling with one random start), each trial has a stream of noise of
its own, and all trials of a block share the points of their conditional expectations: these need be
independent of the paths, not of each other. Standard errors are therefore taken between blocks.

Everything in a block is a function of the seed and the number of the block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.certificate.bound import answer
from popout.certificate.expectation import ROWS, ShiftedSobol, corrected_means
from popout.certificate.problem import Array, Prices, Value
from popout.certificate.statistics import LogSumExps, mesh_coordinates, statistics_for
from popout.drawing.representation import Card
from popout.evidence import LLRStep, llr_step
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, first_state, next_pairs, stream_keys
from popout.policies.stopping import Action, Strategy
from popout.task import Costs, SearchTask


class SearchProblem:
    """A `SearchTask` and its costs as arrays, one entry per location that can hold the target.

    A location that never holds the target tells nothing about it and is left out.

    Parameters
    ----------
    task : SearchTask
    costs : Costs

    Examples
    --------
    >>> problem = SearchProblem(SearchTask(n_locations=8, drift=4.0, prior=0.2), Costs(time=0.2))
    >>> round(float(np.exp(problem.log_weight).sum()), 6), problem.block_size
    (0.25, 64)
    """

    block_size = LANES
    passes = 2  # of learning
    stiffness = 1.0  # of the splines

    def __init__(self, task: SearchTask, costs: Costs) -> None:
        self.task, self.costs, self.prices = task, costs, Prices.of(costs, task.dt)
        location = np.asarray(task.location_prior)
        self.places = np.flatnonzero(location)
        self.log_weight = np.log(location[self.places]) + task.log_prior_odds
        law = self._law()
        self.mean_absent = np.array(law.mean_distractor[self.places])
        self.mean_present = np.array(law.mean_target[self.places])
        self.sd = np.array(law.sd[self.places])

    def _law(self) -> LLRStep:
        return llr_step(self.task)

    @property
    def information(self) -> float:
        """Variance of the evidence of one step, on average over locations."""
        return float(np.mean(self.sd**2))

    def statistics(self, strategy: Strategy | None) -> LogSumExps:
        """Return the statistics from which a value function is learned."""
        return statistics_for(self.log_weight, self.sd, strategy)

    def coordinates(self, statistics: LogSumExps) -> Array:
        """Return the weights that turn statistics into coordinates of a mesh."""
        return mesh_coordinates(len(statistics.scale))

    def learned_strategy(self, value: Value) -> Strategy:
        """Return the strategy that is greedy on a value function."""
        return LearnedStrategy(value, self.prices, self.places, self.task.n_locations)

    def block(self, seed: int, number: int, statistics: LogSumExps, log2_points: int) -> Any:
        """Return a block of trials at their start."""
        return SearchBlock(self, seed, number, statistics, log2_points)

    def targets(self, start: float, n: int) -> NDArray[np.int64]:
        """Return the target's place of n trials, -1 for absent, spread evenly from a start."""
        weight = np.exp(self.log_weight - self.log_weight.max())
        present = self.task.prior * np.cumsum(weight) / weight.sum()
        edges = 1.0 - self.task.prior + np.concatenate([[0.0], present])
        edges[-1] = 2.0  # rounding must leave no gap below 1
        u = (np.arange(n) + start) / n
        return np.asarray(np.searchsorted(edges, u, side="right") - 1)


class SearchBlock:
    """Trials that walk together.

    Attributes
    ----------
    Z : ndarray of shape (M, P)
        Local log likelihood ratios.
    k : int
        Steps taken.
    """

    def __init__(
        self,
        problem: SearchProblem,
        seed: int,
        number: int,
        statistics: LogSumExps,
        log2_points: int,
    ) -> None:
        P, M = problem.block_size, len(problem.sd)
        self.problem, self.statistics, self.number = problem, statistics, number
        self.generator = np.random.default_rng([seed, number])
        self._halves = [ShiftedSobol(M, log2_points - 1, self.generator) for _ in range(2)]
        targets = problem.targets(self.generator.random(), P)
        self._mean = np.repeat(problem.mean_absent[:, None], P, axis=1)
        present = np.flatnonzero(targets >= 0)
        self._mean[targets[present], present] = problem.mean_present[targets[present]]
        self._s0, self._s1 = np.empty(P, np.uint64), np.empty(P, np.uint64)
        _start(stream_keys(seed), number * P, self._s0, self._s1)
        self._pairs = np.empty(((M + 1) // 2, 2 * LANES))
        self.Z = np.zeros((M, P))
        self.k = 0
        self._look()

    def _look(self) -> None:
        self._e = self.statistics.exponentials(self.Z)
        self.S = self.statistics.of(self._e, self.Z)

    def advance(self) -> None:
        """Give every trial one more step of evidence."""
        _advance(self.Z, self._mean, self.problem.sd, self._s0, self._s1, self._pairs)
        self.k += 1
        self._look()

    def decide(self, strategy: Strategy, trials: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return what a strategy does in some trials now."""
        task = self.problem.task
        everywhere = np.zeros((len(trials), task.n_locations))
        everywhere[:, self.problem.places] = self.Z[:, trials].T
        return np.asarray(strategy.decide(everywhere, self.k * task.dt)).astype(np.int8)

    def expected(self, value: Value, trials: NDArray[np.int64]) -> Array:
        """Return an unbiased estimate of the expected value after one more step.

        Parameters
        ----------
        value : Value
        trials : ndarray of int, shape (n,)
            Places, in the block, of the trials asked for.
        """
        e = np.ascontiguousarray(self._e[:, :, trials])
        step = self.problem.mean_absent, self.problem.sd
        return mean_after(value, self.problem.prices, self.Z[:, trials], e, step, self.normals())

    def normals(self) -> Array:
        """Return the points of a conditional expectation, in two halves; new ones at every call."""
        return np.concatenate([half.normals() for half in self._halves], axis=1)


def mean_after(
    value: Value, prices: Prices, Z: Array, e: Array, step: tuple[Array, Array], normals: Array
) -> Array:
    """Return the mean value after one more step, shape (n,), as the points have it.

    Parameters
    ----------
    value : Value
    prices : Prices
    Z : ndarray of shape (M, n)
    e : ndarray of shape (J, M, n)
        Exponentials of its statistics at Z.
    step : pair of ndarray of shape (M,)
        Mean, without a target, and standard deviation of the step at each location.
    normals : ndarray of shape (M, K)
        From `SearchBlock.normals`: the mean is then unbiased.
    """
    mean, sd = step
    sums, S = value.statistics.after(e, Z, mean[:, None] + sd[:, None] * normals)
    gain = np.maximum(value.advantage(S), 0.0).reshape(sums.shape[1:])
    W = sums[0]
    V = np.minimum(prices.false_alarm, prices.miss * W) - (1.0 + W) * gain
    out = np.empty(Z.shape[1])
    direction = value.statistics.slope[:, :, None] * sd[:, None] * e
    corrected_means(V, normals, direction[:ROWS], np.empty((0, V.shape[1])), out)
    return np.asarray(out / (1.0 + e[0].sum(axis=0)))


@dataclass(frozen=True, eq=False)
class LearnedStrategy(Strategy):
    """Greedy on a value function of Z, see `popout.certificate.learn`.

    Parameters
    ----------
    value : Value
    prices : Prices
    places : ndarray of int
        The locations that can hold the target, 0-based.
    n : int
        All locations.
    label : str
    """

    value: Value
    prices: Prices
    places: NDArray[np.int64]
    n: int
    label: str = "learned"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.n

    def __repr__(self) -> str:
        """Return one line."""
        return f"LearnedStrategy({self.label}, {self.n} locations)"

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            "Learned strategy", [("waits", "where the learned value function says that it pays")]
        )

    def decide(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.int8]:
        """Return the action at evidence Z of shape (..., M); the time plays no part."""
        Z = np.asarray(Z, dtype=np.float64)
        flat = np.ascontiguousarray(Z.reshape(-1, self.n).T[self.places])
        statistics = self.value.statistics
        S = statistics.of(statistics.exponentials(flat), flat)
        best = answer(self.prices, S[0])
        action = np.where(self.value.advantage(S) > 0.0, np.int8(Action.WAIT), best)
        return action.astype(np.int8).reshape(Z.shape[:-1])


@compiled
def _start(keys: Any, first: int, s0: Any, s1: Any) -> None:
    for i in range(len(s0)):
        s0[i], s1[i] = first_state(keys, first + i)


@compiled
def _advance(Z: Any, mean: Any, sd: Any, s0: Any, s1: Any, pairs: Any) -> None:
    """Add one step to Z of shape (M, LANES)."""
    next_pairs(s0, s1, pairs, len(pairs))
    for location in range(Z.shape[0]):
        row, column, s = location // 2, (location % 2) * LANES, sd[location]
        for j in range(LANES):
            Z[location, j] += mean[location, j] + s * pairs[row, column + j]
