r"""Paths of a search task, in blocks, and what one more step is worth on average.

A block of trials walks together. Class and target location of its trials are spread evenly over
their probabilities (systematic sampling with one random start), each trial has a stream of noise of
its own, and all trials of a block share the points of their conditional expectations: these need be
independent of the paths, not of each other. Standard errors are therefore taken between blocks.

Everything in a block is a function of the seed and the number of the block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.draws import ShiftedSobol
from popout.certificate.expectation import ROWS, corrected_means
from popout.certificate.problem import Array, Prices, Value
from popout.certificate.statistics import LogSumExps, mesh_coordinates, statistics_for
from popout.evidence import llr_step
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, first_state, next_pairs, stream_keys
from popout.policies.stopping import Strategy
from popout.task import Costs, SearchTask


@dataclass(frozen=True, eq=False)
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

    task: SearchTask
    costs: Costs
    prices: Prices = field(init=False)
    places: NDArray[np.int64] = field(init=False)
    log_weight: Array = field(init=False)
    mean_absent: Array = field(init=False)
    mean_present: Array = field(init=False)
    sd: Array = field(init=False)

    block_size = LANES
    passes = 2  # of learning
    stiffness = 1.0  # of the splines

    def __post_init__(self) -> None:
        """Take the law of a step from its owner."""
        location = np.asarray(self.task.location_prior)
        places = np.flatnonzero(location)
        law = llr_step(self.task)
        arrays: dict[str, Any] = {
            "prices": Prices.of(self.costs, self.task.dt),
            "places": places,
            "log_weight": np.log(location[places]) + self.task.log_prior_odds,
            "mean_absent": np.array(law.mean_distractor[places]),
            "mean_present": np.array(law.mean_target[places]),
            "sd": np.array(law.sd[places]),
        }
        for name, value in arrays.items():
            object.__setattr__(self, name, value)

    @property
    def information(self) -> float:
        """Variance of the evidence of one step, on average over locations."""
        return float(np.mean(self.sd**2))

    def statistics(self, strategy: Strategy | None, many: bool = False) -> LogSumExps:
        """Return the statistics from which a value function is learned."""
        return statistics_for(self.log_weight, self.sd, strategy, many)

    def coordinates(self, statistics: LogSumExps) -> Array:
        """Return the weights that turn statistics into coordinates of a mesh."""
        return mesh_coordinates(statistics.n_mesh, len(statistics.scale))

    def learned_strategy(self, value: Value) -> Strategy:
        """Return the strategy that is greedy on a value function."""
        from popout.certificate.strategy import LearnedStrategy

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
        generator = np.random.default_rng([seed, number])
        self._halves = [ShiftedSobol(M, log2_points - 1, generator) for _ in range(2)]
        targets = problem.targets(generator.random(), P)
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
        return decide_everywhere(self.problem, strategy, self.Z[:, trials].T, self.k)

    def expected(self, value: Value, trials: NDArray[np.int64]) -> Array:
        """Return an unbiased estimate of the expected value after one more step.

        Parameters
        ----------
        value : Value
        trials : ndarray of int, shape (n,)
            Places, in the block, of the trials asked for.
        """
        problem = self.problem
        normals = np.concatenate([half.normals() for half in self._halves], axis=1)
        steps = problem.mean_absent[:, None] + problem.sd[:, None] * normals
        e = np.ascontiguousarray(self._e[:, :, trials])
        sums, S = self.statistics.after(e, self.Z[:, trials], steps)
        prices = problem.prices
        gain = np.maximum(value.advantage(S), 0.0).reshape(sums.shape[1:])
        W = sums[0]
        V = np.minimum(prices.false_alarm, prices.miss * W) - (1.0 + W) * gain
        out = np.empty(len(trials))
        direction = self.statistics.slope[:, :, None] * problem.sd[:, None] * e
        corrected_means(V, normals, direction[:ROWS], np.empty((0, V.shape[1])), out)
        return np.asarray(out / (1.0 + e[0].sum(axis=0)))


def decide_everywhere(
    problem: SearchProblem, strategy: Strategy, Z: Array, k: int
) -> NDArray[np.int8]:
    """Return what a strategy does after k steps at evidence Z of the places, shape (n, places)."""
    everywhere = np.zeros((len(Z), problem.task.n_locations))
    everywhere[:, problem.places] = Z
    actions = strategy.decide(everywhere, k * problem.task.dt)
    return np.asarray(actions).astype(np.int8)


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
