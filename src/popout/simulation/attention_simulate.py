r"""`simulate_joint`: trials of an attention policy and a stopping strategy.

One trial follows the simulation standard (`popout.attention.base`): a look at the clock at
:math:`t = 0`, where the strategy may already answer; then, until it answers or the time is up, the
policy shares out the information of the next step, the step takes place, and the strategy decides
anew. Given its shares the log likelihood ratios are exact.

- Fixed positive shares are the search of `SearchTask`, and run as such (`simulate`), to the bit.
- `Serial` and `Guided` with a member of the scaled family run compiled (`attention_kernels`).
- Anything else runs through its own ``shares`` and ``decide``, many trials at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.attention import Attention, Guided, Parallel, Serial
from popout.evidence import Condition
from popout.evidence.shared_step import shared_step
from popout.noise.streams import stream_keys
from popout.simulation.attention_kernels import run_guided, run_serial
from popout.simulation.attention_noise import fill_looks
from popout.simulation.displays import draw_targets, target_law
from popout.simulation.looks import BATCH, checked_decision
from popout.simulation.simulate import default_threads, limit_fault, simulate
from popout.simulation.trials import Trials
from popout.strategies import Action, ScaledSPRT, Strategy
from popout.strategies.time_varying import TimeVaryingSPRT
from popout.task import Faults, LimitedSearchTask

__all__ = ["JointTrials", "simulate_joint"]

PIECE = 1 << 11
"""Trials one thread takes at a time."""
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class JointTrials(Trials):
    """Simulated trials of an attention policy and a strategy.

    Attributes
    ----------
    attention : Attention
    """

    attention: Attention

    @property
    def _words(self) -> str:
        return f"{super()._words}, {getattr(self.attention, 'label', 'own')} attention"

    def states(self, index: ArrayLike | None = None) -> Array:
        """Return Z at the decision, shape (k, M); see `Trials.states`."""
        return np.stack([self.path(int(i))[-1] for i in self._chosen(index)])

    def path(self, index: int) -> Array:
        """Return Z at looks 0, 1, ..., `steps` of one trial, shape (steps + 1, M)."""
        return self.history(index)[0]

    def history(self, index: int) -> tuple[Array, Array]:
        """Return the path of one trial, and the shares of each of its steps.

        Returns
        -------
        Z : ndarray of shape (steps + 1, M)
        shares : ndarray of shape (steps, M)
        """
        i = int(self._chosen([index])[0])
        assert isinstance(self.task, LimitedSearchTask)
        walk = _walk(self.task, self.attention, self.seed, np.array([i]), self.target[[i]])
        Z, shares = [walk.Z[0].copy()], []
        for _ in range(int(self.steps[i])):
            shares.append(walk.advance()[0])
            Z.append(walk.Z[0].copy())
        return np.array(Z), np.array(shares).reshape(-1, self.task.n_locations)


def simulate_joint(
    task: LimitedSearchTask,
    attention: Attention,
    strategy: Strategy,
    n_trials: int,
    seed: int = 0,
    *,
    condition: Condition | str | int = Condition.PRIOR,
    time_limit: float = 60.0,
    threads: int | None = None,
) -> Trials:
    """Simulate trials of an attention policy and a stopping strategy.

    Parameters
    ----------
    task : LimitedSearchTask
    attention : Attention
    strategy : Strategy
    n_trials : int
    seed : int
        Displays and noise depend on the seed and the trial alone (`attention_noise`).
    condition : Condition or int
        As in `popout.simulate`.
    time_limit : float
        Seconds; trials that reach it are undecided.
    threads : int, optional
        Default: all cores. Results do not depend on it.

    Returns
    -------
    JointTrials

    Examples
    --------
    >>> from popout.strategies import SPRT
    >>> from popout.task import Costs
    >>> task = LimitedSearchTask(n_locations=8, information=64.0)
    >>> stop = SPRT.for_task(task.with_shares(), -3.0, 3.0)
    >>> trials = simulate_joint(task, Serial.for_task(task), stop, n_trials=5000, seed=1)
    >>> round(trials.summary(Costs(time=0.2)).risk, 2)
    0.06
    """
    run = _Run.checked(task, attention, strategy, n_trials, seed, condition, time_limit, threads)
    results = run.results()
    return JointTrials(task, strategy, run.seed, condition, *results, attention)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Run:
    """Everything that is fixed before the first trial."""

    task: LimitedSearchTask
    attention: Attention
    strategy: Strategy
    n_trials: int
    seed: int
    condition: Condition | str | int
    time_limit: float
    threads: int

    @classmethod
    def checked(
        cls,
        task: LimitedSearchTask,
        attention: Attention,
        strategy: Strategy,
        n_trials: int,
        seed: int,
        condition: Condition | str | int,
        time_limit: float,
        threads: int | None,
    ) -> _Run:
        faults = Faults("simulate_joint")
        n = faults.integer("n_trials", n_trials, "ask for one trial or more", at_least=1)
        seed = faults.integer("seed", seed, "choose any number")
        if threads is None:
            threads = default_threads()
        threads = faults.integer("threads", threads, "leave it out to use all cores", at_least=1)
        limit = faults.positive("time_limit", time_limit, "give seconds")
        expected, remedy = limit_fault(limit, task.dt)
        if expected:
            faults.add("time_limit", expected, limit, remedy)
        for name, part in (("attention", attention), ("strategy", strategy)):
            if part.n_locations not in (None, task.n_locations):
                remedy = "make it for this task, e.g. with for_task"
                faults.add(name, f"one for {task.n_locations} locations", part.n_locations, remedy)
        target_law(task, condition, faults)  # type: ignore[arg-type]
        faults.raise_if_any()
        return cls(task, attention, strategy, n, seed, condition, limit, threads)

    @property
    def n_steps(self) -> int:
        return int(self.time_limit / self.task.dt + 1e-9)

    def results(self) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
        """Return response, steps and target of every trial."""
        if isinstance(self.attention, Parallel) and min(self.attention.fixed) > 0:
            return self._as_search(self.attention)
        n = self.n_trials
        response, steps = np.zeros(n, np.int8), np.zeros(n, np.int32)
        target = np.zeros(n, np.int32)
        keys = stream_keys(self.seed)
        law = target_law(self.task, self.condition)  # type: ignore[arg-type]
        draw_targets(keys, 0, *law, target)
        at_once = checked_decision(self.strategy, np.zeros((1, self.task.n_locations)), 0.0)[0]
        if at_once != Action.WAIT:
            response[:] = at_once
            return response, steps, target
        compiled = self._compiled()

        def piece(start: int) -> None:
            here = slice(start, min(start + size, n))
            if compiled is None:
                self._run_looks(start, target[here], response[here], steps[here])
            else:
                compiled(keys, start, target[here], self.n_steps, response[here], steps[here])

        size = BATCH if compiled is None else min(PIECE, max(64, -(-n // (4 * self.threads))))
        starts = range(0, n, size)
        if self.threads == 1 or compiled is None:
            for start in starts:
                piece(start)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(piece, starts))
        return response, steps, target

    def _as_search(
        self, attention: Parallel
    ) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
        trials = simulate(
            self.task.with_shares(attention.fixed),
            self.strategy,
            self.n_trials,
            self.seed,
            condition=self.condition,
            time_limit=self.time_limit,
            threads=self.threads,
        )
        return trials.response, trials.steps, trials.target

    def _compiled(self) -> Callable[..., None] | None:
        """Return a compiled kernel for this pair, if there is one."""
        if not isinstance(self.attention, Serial | Guided):
            return None
        if not isinstance(self.strategy, ScaledSPRT | TimeVaryingSPRT):
            return None
        times = np.asarray(np.arange(self.n_steps + 1) * self.task.dt, dtype=np.float64)
        test = self.strategy.scaled_test(times)
        log_prior = np.array(self.attention.log_prior)
        possible = np.isfinite(log_prior)
        if not (np.all(test.c_minus == 1.0) and np.all(test.c_plus == 1.0)):
            return None
        order = log_prior[possible] + test.offset[possible]
        if not np.allclose(order, order[0], rtol=0.0, atol=1e-9):
            return None  # the strategy weighs the locations otherwise than the policy
        step = shared_step(self.task)
        law = np.array(step.mean_target), np.array(step.sd)
        thresholds = np.array(test.tau_minus), np.array(test.tau_plus)
        scales = test.a_minus, test.a_plus, np.array(test.offset)
        attention = self.attention

        def run(
            keys: Any, first: int, target: Any, n_steps: int, response: Any, steps: Any
        ) -> None:
            parts = (law, thresholds, scales, n_steps, response, steps)
            if isinstance(attention, Guided):
                run_guided(keys, first, target, log_prior, attention.g, *parts)
            else:
                run_serial(keys, first, target, log_prior, *parts)

        return run

    def _run_looks(
        self,
        first: int,
        target: NDArray[np.int32],
        response: NDArray[np.int8],
        steps: NDArray[np.int32],
    ) -> None:
        trials = np.arange(first, first + len(target))
        walk = _walk(self.task, self.attention, self.seed, trials, target)
        while len(walk.index):
            walk.advance()
            actions = checked_decision(self.strategy, walk.Z, walk.k * self.task.dt)
            ended = (actions != Action.WAIT) | (walk.k >= self.n_steps)
            response[walk.index[ended]] = actions[ended]
            steps[walk.index[ended]] = walk.k
            if ended.any():
                walk.keep(~ended)


class _Walk:
    """The evidence of a batch of trials, advanced one step at a time."""

    def __init__(
        self,
        task: LimitedSearchTask,
        attention: Attention,
        keys: NDArray[np.uint64],
        trials: NDArray[np.int64],
        target: NDArray[np.int32],
    ) -> None:
        M = task.n_locations
        step = shared_step(task)
        at_target = np.arange(M) == target[:, None]
        self._mean = np.where(at_target, step.mean_target, step.mean_distractor)
        self._sd = step.sd
        self._attention, self._dt = attention, task.dt
        self._keys, self._trials = keys, trials
        shape = len(trials), M
        self._looks, self._spare = np.zeros(shape, np.int64), np.zeros(shape)
        self._s0, self._s1 = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        self.index = np.arange(len(trials))
        self.Z = np.zeros((len(trials), M))
        self.k = 0

    def advance(self) -> Array:
        """Add one step of evidence and return the shares it was taken with."""
        shares = checked_shares(self._attention, self.Z, self.k * self._dt)
        noise = np.empty_like(self.Z)
        streams = self._looks, self._s0, self._s1, self._spare
        fill_looks(self._keys, self._trials, shares, *streams, noise)
        self.Z += self._mean * shares + self._sd * np.sqrt(shares) * noise
        self.k += 1
        return shares

    def keep(self, walking: NDArray[np.bool_]) -> None:
        """Drop the trials that have ended."""
        for name in ("_mean", "_trials", "_looks", "_s0", "_s1", "_spare", "index", "Z"):
            setattr(self, name, getattr(self, name)[walking])


def _walk(
    task: LimitedSearchTask,
    attention: Attention,
    seed: int,
    trials: NDArray[np.int64],
    target: NDArray[np.int32],
) -> _Walk:
    return _Walk(task, attention, stream_keys(seed), trials, target)


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
