r"""Paths of a task whose looks are chosen, and an observer who looks one step ahead.

Look f gives item l the part :math:`v_{fl}` of the information that it could get at best: gaze at
one of several places, or one location at a time where a limited rate is shared out. One step moves
its log likelihood ratio by a normal of mean :math:`\mp\tfrac12 v_{fl} s_l^2` and variance
:math:`v_{fl} s_l^2` (`popout.evidence.llr_step`).

**Learning** goes by the trials of one rule, say ELM: `LookBlock` walks with it, so that `learn`
finds its value with the stopping that is best for it. Crude value functions make good bounds here.

**One step ahead.** Given a value function v, the observer of `foresighted` takes the look after
which v is least on average, and answers where that does not pay. Its expectations are averages over
points of its own, fixed once and for all: an observer may not see the points that its risk is
charged with, or the martingale would be none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.certificate.bound import answer
from popout.certificate.expectation import ShiftedSobol
from popout.certificate.look_statistics import LookStatistics
from popout.certificate.problem import Array, Prices, Value
from popout.certificate.search_paths import SearchBlock, SearchProblem, mean_after
from popout.certificate.statistics import LogSumExps, statistics_for
from popout.drawing.representation import Card
from popout.evidence import LLRStep
from popout.evidence.llr_step import shared_step
from popout.policies.looking import Attention, GazePolicy
from popout.policies.observer import Observer
from popout.policies.stopping import Action, Strategy
from popout.task import Costs, Fault, InputError, Task
from popout.task.look import Gazes, Shares

SAME = 1e-9
"""Shares that differ by no more are the same look."""
AT_ONCE = 1 << 20
"""Successors of states that are looked at together, to bound the memory."""


class LookProblem(SearchProblem):
    """A task with a choice of looks and its costs as arrays, see `SearchProblem`.

    Parameters
    ----------
    task : Task
    costs : Costs
    attention : Attention, optional
        By whose trials a value function is learned.

    Attributes
    ----------
    rows : ndarray of shape (G, M)
        What each look gives each location that can hold the target, a part of its best.

    Examples
    --------
    >>> from popout.task import GazeTask, LimitedSearchTask
    >>> task = GazeTask([(0, 0), (1, 0)], information=20.0, falloff=[(0, 1.0), (1, 0.5)])
    >>> LookProblem(task, Costs(time=0.2)).rows.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> limited = LimitedSearchTask(n_locations=2, information=60.0)
    >>> LookProblem(limited, Costs(time=0.2)).rows.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    block_size = 32

    def __init__(self, task: Task, costs: Costs, attention: Attention | None = None) -> None:
        super().__init__(task, costs)  # type: ignore[arg-type]
        self.attention = attention
        look = task.look
        rows = look.visibility if isinstance(look, Gazes) else np.eye(task.n_locations)[self.places]
        self.rows = np.asarray(rows)[:, self.places]
        # The first coordinates of Sobol's points are the most even: for what is seen best.
        self.order = np.argsort(np.argsort(-self.rows, axis=1, kind="stable"), axis=1)

    def _law(self) -> LLRStep:
        return shared_step(self.task)

    @property
    def seen(self) -> Array:
        """Standard deviation of a step at each location, over all looks alike."""
        return np.asarray(self.sd * np.sqrt(self.rows.mean(axis=0)))

    @property
    def information(self) -> float:
        """Variance of the evidence of one step, on average over looks and locations."""
        return float(np.mean(self.seen**2))

    def statistics(self, strategy: Strategy | None) -> Any:
        """Return the statistics from which a value function is learned."""
        sums = statistics_for(self.log_weight, self.seen, None)
        return LookStatistics.of_looks(sums, self.rows, self.sd)

    def coordinates(self, statistics: Any) -> Array:
        """Return the weights that turn statistics into coordinates of a mesh.

        The log odds and what a look could tell; what two could; how far the log odds lie above the
        statistic close to the maximum; the difference of a-SPRT's two.
        """
        rows = np.zeros((5, len(statistics.scale)))
        rows[0, 0] = 1.0
        rows[1, [0, -2]] = -1.0, 1.0
        rows[2, [0, -1]] = -1.0, 1.0
        rows[3, [0, 3]] = 1.0, -1.0
        rows[4, [2, 1]] = 1.0, -1.0
        return rows

    def step(self, look: int) -> tuple[Array, Array]:
        """Return mean, without a target, and standard deviation of a step, each of shape (M,)."""
        return self.rows[look] * self.mean_absent, np.sqrt(self.rows[look]) * self.sd

    def everywhere(self, Z: Array) -> Array:
        """Return states of shape (M, n) as a policy sees them, shape (n, all locations)."""
        full = np.zeros((Z.shape[1], self.task.n_locations))
        full[:, self.places] = Z.T
        return full

    def looks_of(self, attention: Attention, Z: Array, t: float) -> NDArray[np.int64]:
        """Return the number of the look that a policy takes at states of shape (M, n)."""
        shares = np.asarray(attention.shares(self.everywhere(Z), t))[:, self.places]
        distance = np.abs(shares[:, None, :] - self.rows).max(axis=-1)
        taken = distance.argmin(axis=1)
        strays = np.flatnonzero(distance.min(axis=1, initial=np.inf) > SAME)
        if strays.size:
            what = "one location at a time" if isinstance(self.task.look, Shares) else "a gaze"
            remedy = "the bound is on such policies; give e.g. Serial"
            given = shares[strays[0]].tolist()
            raise InputError([Fault("certify", ("strategy",), f"looks at {what}", given, remedy)])
        return np.asarray(taken)

    def block(self, seed: int, number: int, statistics: LogSumExps, log2_points: int) -> Any:
        """Return a block of trials at their start."""
        return LookBlock(self, seed, number, statistics, log2_points)


class LookBlock(SearchBlock):
    """Trials that walk together, looking where the problem's attention says."""

    problem: LookProblem

    def noise(self) -> Array:
        """Return the next step of every look in every trial, shape (G, M, P)."""
        rows = self.problem.rows[:, :, None]
        normals = self.generator.standard_normal((*rows.shape[:2], self.problem.block_size))
        return np.asarray(rows * self._mean + np.sqrt(rows) * self.problem.sd[:, None] * normals)

    def looks(self) -> NDArray[np.int64]:
        """Return the look of every trial."""
        problem = self.problem
        assert problem.attention is not None
        return problem.looks_of(problem.attention, self.Z, self.k * problem.task.dt)

    def advance(self) -> None:
        """Give every trial one more step of evidence."""
        self.Z = self.Z + self.noise()[self.looks(), :, np.arange(self.problem.block_size)].T
        self.k += 1
        self._look()

    def expected(self, value: Value, trials: NDArray[np.int64]) -> Array:
        """Return an unbiased estimate of the expected value after the look that is taken."""
        looks, out = self.looks()[trials], np.empty(len(trials))
        for look in np.unique(looks):
            here = looks == look
            states = self.Z[:, trials[here]]
            out[here] = self.after(value, states, self._e[:, :, trials[here]], look)
        return out

    def after(self, value: Value, Z: Array, e: Array, look: int) -> Array:
        """Return an unbiased estimate of the expected value after a look at states (M, n)."""
        points = self.normals()[self.problem.order[look]]
        return means_after(value, self.problem.prices, Z, e, self.problem.step(look), points)


def means_after(
    value: Value, prices: Prices, Z: Array, e: Array, step: tuple[Array, Array], points: Array
) -> Array:
    """Return what `mean_after` does, some states at a time."""
    n, most = Z.shape[1], max(1, AT_ONCE // points.shape[1])
    parts = [slice(first, first + most) for first in range(0, n, most)]
    means = [
        mean_after(value, prices, Z[:, part], np.ascontiguousarray(e[:, :, part]), step, points)
        for part in parts
    ]
    return np.concatenate([np.empty(0), *means])


# -- an observer who looks one step ahead ------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Foresight:
    """What each look costs on average, one step ahead of a value function.

    Parameters
    ----------
    value : Value
    problem : LookProblem
    points : ndarray of shape (M, K)
        Standard normals, the same for all states.
    """

    value: Value
    problem: LookProblem
    points: Array

    def costs(self, Z: ArrayLike) -> tuple[Array, Array]:
        """Return the cost of every look, shape (..., G), and the log odds, shape (...)."""
        Z = np.asarray(Z, dtype=np.float64)
        problem, statistics = self.problem, self.value.statistics
        flat = np.ascontiguousarray(Z.reshape(-1, problem.task.n_locations).T[problem.places])
        e = statistics.exponentials(flat)
        S = statistics.of(e, flat)[0]
        known = self.value, problem.prices, flat, e
        after = [
            means_after(*known, problem.step(look), self.points[order])
            for look, order in enumerate(problem.order)
        ]
        costs = np.stack(after, axis=-1) + problem.prices.wait(S)[:, None]
        return costs.reshape(*Z.shape[:-1], len(after)), S.reshape(Z.shape[:-1])


@dataclass(frozen=True, eq=False, repr=False)
class ForesightedGaze(GazePolicy):
    """Take the look after which the value function is least on average."""

    foresight: Foresight
    visibility: tuple[tuple[float, ...], ...]
    label: str = "one step ahead"

    def liking(self, Z: Array) -> Array:
        """Return minus the cost of each look."""
        return -self.foresight.costs(Z)[0]


class ForesightedShares(ForesightedGaze):
    """The same where one location at a time gets all the information."""

    kind_of_look = Shares  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, repr=False)
class ForesightedStopping(Strategy):
    """Answer where no look pays, one step ahead of the value function."""

    foresight: Foresight
    label: str = "learned"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.foresight.problem.task.n_locations

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            "Learned strategy", [("waits", "where a look pays, one step ahead of a value function")]
        )

    def decide(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.int8]:
        """Return the action at evidence Z of shape (..., M); the time plays no part."""
        costs, S = self.foresight.costs(Z)
        prices = self.foresight.problem.prices
        waits = costs.min(axis=-1) < prices.stop(S)
        return np.where(waits, np.int8(Action.WAIT), answer(prices, S)).astype(np.int8)


def foresighted(value: Value, problem: LookProblem, log2_points: int, seed: int) -> Observer:
    """Return the observer that looks one step ahead of a value function."""
    sets = ShiftedSobol(len(problem.sd), log2_points - 1, np.random.default_rng(seed))
    points = np.concatenate([sets.normals(), sets.normals()], axis=1)
    foresight = Foresight(value, problem, points)
    kind = ForesightedGaze if isinstance(problem.task.look, Gazes) else ForesightedShares
    everywhere = np.zeros((len(problem.rows), problem.task.n_locations))
    everywhere[:, problem.places] = problem.rows
    rows = tuple(tuple(row) for row in everywhere.tolist())
    return Observer(kind(foresight, rows), ForesightedStopping(foresight))
