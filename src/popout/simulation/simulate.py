r"""`simulate`: trials of one strategy.

One trial follows the simulation standard (see `popout.strategies.base`): a look at
:math:`t = 0` where the strategy may already decide, then steps of evidence and looks until it
decides or the time limit comes. Present wins ties. A strategy of the scaled family runs in the
compiled kernel (`lanes`), any other through its own ``decide`` (`looks`); both face the same
displays and the same noise.

Trials are run in pieces by a pool of threads; the kernels release the interpreter's lock. Neither
pieces nor threads change a single bit of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from popout.evidence import Condition, llr_step
from popout.noise.streams import stream_keys
from popout.simulation.displays import draw_targets, target_law
from popout.simulation.heterogeneous import run_evidence
from popout.simulation.lanes import run_lanes
from popout.simulation.looks import checked_decision, run_looks
from popout.simulation.tally import Tally, count_trials
from popout.simulation.trials import Trials
from popout.strategies import Action, ScaledTest, Strategy
from popout.task import Faults, SearchTask, Task

__all__ = ["default_time_limit", "simulate"]

CHUNK = 1 << 18
"""Trials whose results are in memory at once when only a tally is asked for."""
PIECE = 1 << 13
"""Trials one thread takes at a time: enough to keep its lanes full, few enough to share out."""

Progress = Callable[[int], None]


@runtime_checkable
class _Scaled(Protocol):
    """A strategy that has a compiled form."""

    def scaled_test(self, times: NDArray[np.float64]) -> ScaledTest: ...


MOST_STEPS = 10**7


def default_time_limit(task: Task) -> float:
    """Return a time limit that practically no trial reaches, in seconds.

    A minute, or as long as it takes the slowest location of a search to gather 100 units of
    log likelihood ratio on average, whichever is longer.

    Examples
    --------
    >>> default_time_limit(SearchTask(n_locations=2, drift=4.0))
    60.0
    """
    if task.search is None:
        return 60.0
    return float(max(60.0, 100.0 * task.dt / llr_step(task).mean_target.min()))


def limit_fault(limit: float, dt: float) -> tuple[str, str]:
    """Return what was expected of a time limit and what to do; both empty if it is good.

    Examples
    --------
    >>> limit_fault(0.001, dt=0.01)[0], limit_fault(5.0, dt=0.01)[0]
    ('at least dt = 0.01 s', '')
    """
    if limit < dt:
        return f"at least dt = {dt:g} s", "give at least one step of dt"
    if limit > MOST_STEPS * dt:
        return f"at most {MOST_STEPS} steps of {dt:g} s", "shorten it or lengthen dt"
    return "", ""


@overload
def simulate(
    task: Task,
    strategy: Strategy,
    n_trials: int,
    seed: int = ...,
    *,
    condition: Condition | str | int = ...,
    time_limit: float | None = ...,
    threads: int | None = ...,
    keep: Literal[True] = ...,
    progress: Progress | None = ...,
) -> Trials: ...


@overload
def simulate(
    task: Task,
    strategy: Strategy,
    n_trials: int,
    seed: int = ...,
    *,
    condition: Condition | str | int = ...,
    time_limit: float | None = ...,
    threads: int | None = ...,
    keep: Literal[False],
    progress: Progress | None = ...,
) -> Tally: ...


def simulate(
    task: Task,
    strategy: Strategy,
    n_trials: int,
    seed: int = 0,
    *,
    condition: Condition | str | int = Condition.PRIOR,
    time_limit: float | None = None,
    threads: int | None = None,
    keep: bool = True,
    progress: Progress | None = None,
) -> Trials | Tally:
    """Simulate trials of one strategy.

    Parameters
    ----------
    task : Task
    strategy : Strategy
        Any strategy; those of the scaled family run compiled.
    n_trials : int
    seed : int
        The noise and the display of trial i depend on the seed and i alone: strategies simulated
        with one seed face the same trials.
    condition : Condition or int
        ``"prior"`` draws class and location from the priors of the task; ``"present"``,
        ``"absent"`` or a target location (from 0) fixes them.
    time_limit : float, optional
        Seconds; trials that reach it are undecided. See `default_time_limit`.
    threads : int, optional
        Default: all cores. Results do not depend on it. A strategy of your own, written in Python,
        always runs in the calling thread.
    keep : bool
        False keeps no single trial, only the `Tally`: memory does not grow with `n_trials`.
    progress : callable, optional
        Called with the number of trials done.

    Returns
    -------
    Trials or Tally

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.strategies import ASPRT
    >>> from popout.task import Costs, SearchTask
    >>> task = SearchTask(n_locations=4, drift=4.0)
    >>> strategy = ASPRT.for_task(task, -3.0, 3.0)
    >>> trials = simulate(task, strategy, n_trials=10_000, seed=1)
    >>> trials
    Trials(10000 trials of a-SPRT, seed=1, 0 undecided)
    >>> round(trials.summary(Costs(time=0.2)).risk, 3)
    0.065
    """
    run = _Run.checked(task, strategy, n_trials, seed, condition, time_limit, threads)
    if keep:
        arrays = _Arrays.empty(run.n_trials)
        for start, stop in _chunks(run.n_trials, CHUNK):
            run.fill(start, arrays.part(start, stop))
            if progress is not None:
                progress(stop)
        return Trials(task, strategy, run.seed, condition, *arrays.in_order())
    tally = count_trials(task, *_Arrays.empty(0).in_order())
    arrays = _Arrays.empty(min(run.n_trials, CHUNK))
    for start, stop in _chunks(run.n_trials, CHUNK):
        part = arrays.part(0, stop - start)
        run.fill(start, part)
        tally += count_trials(task, *part.in_order())
        if progress is not None:
            progress(stop)
    return tally


def _chunks(n: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, n, size):
        yield start, min(start + size, n)


@dataclass(frozen=True)
class _Arrays:
    """Results by trial."""

    response: NDArray[np.int8]
    steps: NDArray[np.int32]
    target: NDArray[np.int32]

    @classmethod
    def empty(cls, n: int) -> _Arrays:
        return cls(np.zeros(n, np.int8), np.zeros(n, np.int32), np.zeros(n, np.int32))

    def part(self, start: int, stop: int) -> _Arrays:
        here = slice(start, stop)
        return _Arrays(self.response[here], self.steps[here], self.target[here])

    def in_order(self) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
        return self.response, self.steps, self.target


@dataclass(frozen=True)
class _Run:
    """Everything that is fixed before the first trial."""

    task: Task
    strategy: Strategy
    n_trials: int
    seed: int
    condition: Condition | str | int
    n_steps: int
    threads: int
    at_once: Action
    compiled: tuple[Any, ...] | None

    @classmethod
    def checked(
        cls,
        task: Task,
        strategy: Strategy,
        n_trials: int,
        seed: int,
        condition: Condition | str | int,
        time_limit: float | None,
        threads: int | None,
    ) -> _Run:
        faults = Faults("simulate")
        n = faults.integer("n_trials", n_trials, "ask for one trial or more", at_least=1)
        seed = faults.integer("seed", seed, "choose any number")
        if threads is None:
            threads = default_threads()
        threads = faults.integer("threads", threads, "leave it out to use all cores", at_least=1)
        limit = default_time_limit(task) if time_limit is None else time_limit
        limit = faults.positive("time_limit", limit, "give seconds")
        expected, remedy = limit_fault(limit, task.dt)
        if expected:
            faults.add("time_limit", expected, limit, remedy)
        size = task.n_states
        if strategy.n_locations not in (None, size):
            expected = f"a strategy for the task's {size} locations"
            if task.search is None:
                expected = "a strategy on S, the one state of a task with unknown distractors"
            remedy = "make the strategy for this task, e.g. with for_task"
            faults.add("strategy", expected, f"one for {strategy.n_locations}", remedy)
        target_law(task, condition, faults)
        faults.raise_if_any()

        n_steps = int(limit / task.dt + 1e-9)
        at_once = checked_decision(strategy, np.zeros((1, size)), 0.0)[0]
        compiled = None
        if task.search is not None and isinstance(strategy, _Scaled):
            times = np.asarray(np.arange(n_steps + 1) * task.dt, dtype=np.float64)
            compiled = _compiled_form(strategy.scaled_test(times))
        return cls(task, strategy, n, seed, condition, n_steps, threads, Action(at_once), compiled)

    def fill(self, first: int, out: _Arrays) -> None:
        """Run trials ``first, first + 1, ...`` into `out`."""
        if self.task.search is None:
            self._fill_from_evidence(first, out)
        elif self.compiled is None or self.at_once != Action.WAIT:
            self._fill_by_looks(self.task.search, first, out)
        else:
            self._fill_in_lanes(self.task.search, first, out)
        if self.at_once != Action.WAIT:
            out.response[:], out.steps[:] = self.at_once, 0

    def _fill_from_evidence(self, first: int, out: _Arrays) -> None:
        n_steps = self.n_steps if self.at_once == Action.WAIT else 1  # for the displays alone
        run_evidence(
            self.task, self.strategy, self.seed, self.condition, first, n_steps, *out.in_order()
        )

    def _fill_by_looks(self, task: SearchTask, first: int, out: _Arrays) -> None:
        keys = stream_keys(self.seed)
        draw_targets(keys, first, *target_law(task, self.condition), out.target)
        if self.at_once == Action.WAIT:
            run_looks(
                self.strategy,
                keys,
                first,
                out.target,
                llr_step(task),
                task.dt,
                self.n_steps,
                out.response,
                out.steps,
            )

    def _fill_in_lanes(self, task: SearchTask, first: int, out: _Arrays) -> None:
        keys, displays, law = (
            stream_keys(self.seed),
            target_law(task, self.condition),
            llr_step(task),
        )
        # Copies, because a read-only array is another type to Numba, and another compilation.
        arrays = tuple(np.array(v) for v in (law.mean_distractor, law.mean_target, law.sd))

        def piece(bounds: tuple[int, int]) -> None:
            start, part = first + bounds[0], out.part(*bounds)
            draw_targets(keys, start, *displays, part.target)
            run_lanes(
                keys,
                start,
                part.target,
                arrays,
                self.compiled,
                self.n_steps,
                part.response,
                part.steps,
            )

        n = len(out.target)
        # Two pieces for each thread at least, so that none waits long for the last one.
        pieces = list(_chunks(n, min(PIECE, max(256, -(-n // (2 * self.threads))))))
        if self.threads == 1 or len(pieces) == 1:
            for bounds in pieces:
                piece(bounds)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(piece, pieces))


def default_threads() -> int:
    """Return how many threads to use: Numba's setting, which the command line can lower.

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    import numba

    return int(numba.get_num_threads())


def _compiled_form(test: ScaledTest) -> tuple[Any, ...]:
    values = tuple(getattr(test, field.name) for field in fields(test))
    return (*values, bool(np.array_equal(test.c_minus, test.c_plus)))
