r"""`simulate`: trials of an observer.

One trial follows the simulation standard (see `popout.policies.stopping.strategy`): a look at
:math:`t = 0` where the strategy may already decide, then steps of evidence and looks until it
decides or the time limit comes. Present wins ties. Where a task leaves it to the observer how a
limited rate of information is shared out (`Task.look`), its attention is asked before every step.
Given its shares the log likelihood ratios are exact.

- A search, and fixed positive shares, which are one too: a strategy of the scaled family runs in
  the compiled kernel of `lanes`.
- Shares that change: `Serial`, `Guided` and tables of exact solutions, under a scaled test or an
  exact table, run compiled as well (`serial_kernel`, `shares_kernel`). Each of these trials also
  leaves the log likelihood ratio of presence at its decision, from which the probability of an
  error follows.
- Unknown distractors: see `heterogeneous`.
- Anything else runs through its own ``shares`` and ``decide`` (`looks`).

All observers face the same displays, and the same noise where it can be shared. Trials are run in
pieces by a pool of threads; the kernels release the interpreter's lock. Neither pieces nor threads
change a single bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from popout.evidence import Condition
from popout.machine import total_memory
from popout.policies.observer import Observer, check_size, checked_attention
from popout.policies.stopping import Action, Strategy
from popout.progress import Progress
from popout.simulation.fixations import NAMED
from popout.simulation.heterogeneous import run_evidence
from popout.simulation.lanes import compiled_search
from popout.simulation.looks import checked_decision, run_looks
from popout.simulation.shares_kernel import compiled_shares
from popout.simulation.simulated_trials import Trials, fixed_search, judged, walks
from popout.simulation.tally import Columns, Run, Tally
from popout.simulation.targets import draw_targets
from popout.simulation.time_limit import steps_within
from popout.task import Faults, Task, check_task

CHUNK = 1 << 18
"""Trials whose results are in memory at once when only a tally is asked for."""
PIECE = 1 << 13
"""Trials one thread takes at a time: enough to keep its lanes full, few enough to share out."""

MOST_TRIALS = 10**11
"""Hours on a large machine; more is a slip of the hand."""
BYTES = 24
"""Of memory that a trial takes when it is kept: response, steps, target, response time, a copy."""


class Options(TypedDict, total=False):
    """Options of `simulate` that do not change the type of its result."""

    condition: Condition | str | int
    time_limit: float | None
    threads: int | None
    progress: Progress | None


@overload
def simulate(
    task: Task,
    observer: Observer | Strategy,
    n_trials: int,
    seed: int = ...,
    *,
    keep: Literal[True] = ...,
    **options: Unpack[Options],
) -> Trials: ...


@overload
def simulate(
    task: Task,
    observer: Observer | Strategy,
    n_trials: int,
    seed: int = ...,
    *,
    keep: Literal[False],
    **options: Unpack[Options],
) -> Tally: ...


def simulate(
    task: Task,
    observer: Observer | Strategy,
    n_trials: int,
    seed: int = 1,
    *,
    condition: Condition | str | int = Condition.PRIOR,
    time_limit: float | None = None,
    threads: int | None = None,
    keep: bool = True,
    progress: Progress | None = None,
) -> Trials | Tally:
    """Simulate trials of one observer.

    Parameters
    ----------
    task : Task
    observer : Observer or Strategy
        A strategy alone means the task's own look; those of the scaled family run compiled. Where
        information is shared out an observer says by which attention; a class of policies that
        needs no more than the task will do.
    n_trials : int
    seed : int
        The noise and the display of trial i depend on the seed and i alone: observers simulated
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
        Called with the share of the trials that is done, and in words how many.

    Returns
    -------
    Trials or Tally

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import ASPRT
    >>> from popout.task import Costs, SearchTask
    >>> task = SearchTask(n_locations=4, drift=4.0)
    >>> strategy = ASPRT.for_task(task, -3.0, 3.0)
    >>> trials = simulate(task, strategy, n_trials=10_000, seed=1)
    >>> trials
    Trials(10000 trials of a-SPRT, seed 1, 0 undecided)
    >>> round(trials.summary(Costs(time=0.2)).risk, 3)
    0.065

    Where the observer looks matters if information is limited.

    >>> from popout.policies.looking import Serial
    >>> from popout.policies.observer import Observer
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=8, information=64.0)
    >>> serial = Observer(Serial.for_task(task), SPRT.for_task(task, -3.0, 3.0))
    >>> trials = simulate(task, serial, n_trials=5000, seed=1)
    >>> round(trials.summary(Costs(time=0.2)).risk, 2)
    0.06
    """
    faults = Faults("simulate")
    check_task(faults, "task", task)
    given = Observer.of(observer)
    if not isinstance(given.strategy, Strategy):
        remedy = "make one, e.g. SPRT.for_task(task, costs), or give costs to popout.simulate"
        faults.add("strategy", "a strategy", given.strategy, remedy)
    faults.raise_if_any()  # the checks below rest on both
    strategy, attention = given.strategy, checked_attention(faults, task, given.attention)
    n = check_trials(faults, "n_trials", n_trials, keep=keep)
    seed = faults.integer("seed", seed, "choose any number")
    threads = default_threads() if threads is None else threads
    threads = faults.integer("threads", threads, "leave it out to use all cores", at_least=1)
    n_steps = steps_within(task, time_limit, faults)
    check_size(faults, task, strategy)
    checked = Condition.checked(condition, task.n_locations, faults)
    faults.raise_if_any()

    run = trials_of(task, Observer(attention, strategy), seed, checked, n_steps, threads)
    shared = attention is not None and fixed_search(task, attention) is None
    columns = Columns.empty(n if keep else min(n, CHUNK), with_S=shared)
    tally = None
    for start, stop in _ranges(n, CHUNK):
        part = columns.part(start, stop) if keep else columns.part(0, stop - start)
        run(start, part)
        if not keep:
            if task.look.names_place and part.looks is not None:
                said = judged(part.response, part.looks[:, NAMED], part.target)
                part = part._replace(response=said)
            counted = Tally.of(part, task.prior, task.n_locations, task.dt)
            tally = counted if tally is None else tally + counted
        if progress is not None:
            progress(stop / n, f"{stop} trials")
    if tally is not None:
        return tally
    return Trials(
        columns.response,
        np.asarray(columns.steps * task.dt, dtype=np.float64),
        columns.target,
        task.prior,
        task.n_locations,
        task.dt,
        task=task,
        strategy=strategy,
        seed=seed,
        condition=checked,
        attention=attention,
        S=columns.S,
        looks=columns.looks,
    )


def check_trials(
    faults: Faults, field: str, value: Any, *, at_least: int = 1, keep: bool = False
) -> int:
    """Check a number of trials, which may be written as 1e6, and return it.

    Parameters
    ----------
    faults : Faults
    field : str
        What the user calls it.
    value : int or float
    at_least : int
    keep : bool
        Whether every trial is kept, so that all must fit into memory.

    Examples
    --------
    >>> faults = Faults("doc")
    >>> check_trials(faults, "n_trials", 1e4), check_trials(faults, "n_trials", 10**12)
    (10000, 1)
    >>> print(*faults.lines)
    doc.n_trials: expected an integer from 1 to 100000000000, got 1000000000000; ask for fewer
    """
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    remedy = "ask for one trial or more" if at_least == 1 else f"ask for {at_least} or more"
    if isinstance(value, int | float) and value > at_least:
        remedy = "ask for fewer" if value > MOST_TRIALS else "ask for a whole number"
    n = faults.integer(field, whole, remedy, at_least=at_least, at_most=MOST_TRIALS)
    room = total_memory() // BYTES
    if keep and n > room:
        remedy = "ask for fewer, or use keep=False, which keeps only counts"
        faults.add(field, f"at most {room:.1e} trials, as many as fit into memory", value, remedy)
    return n


def _ranges(n: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, n, size):
        yield start, min(start + size, n)


def trials_of(
    task: Task,
    observer: Observer | Strategy,
    seed: int,
    condition: Condition | int,
    n_steps: int,
    threads: int,
) -> Run:
    """Return how to run trials: from the evidence, compiled or one look at a time."""
    given = Observer.of(observer)
    attention, strategy = given.attention, given.strategy
    at_once = Action(checked_decision(strategy, np.zeros((1, task.n_states)), 0.0)[0])
    if at_once != Action.WAIT:  # before the first step

        def answer(first: int, out: Columns) -> None:
            draw_targets(task, seed, condition, first, out.target)
            out.response[:] = at_once

        return answer
    search = fixed_search(task, attention)
    if search is not None:
        kernel = compiled_search(search, strategy, seed, n_steps)
    elif attention is not None:
        kernel = compiled_shares(task, attention, strategy, seed, n_steps)
    else:
        return partial(run_evidence, task, strategy, seed, condition, n_steps)
    run = kernel or partial(run_looks, walks(task, attention, seed), task, strategy, n_steps)

    def piece(first: int, out: Columns) -> None:
        draw_targets(task, seed, condition, first, out.target)
        run(first, out)

    return piece if kernel is None else partial(in_threads, piece, threads)


def in_threads(piece: Run, threads: int, first: int, out: Columns) -> None:
    """Run trials in pieces, several at a time."""
    n = len(out.target)
    # Two pieces for each thread at least, so that none waits long for the last one.
    size = min(PIECE, max(256, -(-n // (2 * threads))))
    if threads == 1 or n <= size:
        piece(first, out)
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(piece, first + a, out.part(a, b)) for a, b in _ranges(n, size)]
        for job in jobs:
            job.result()


def default_threads() -> int:
    """Return how many threads to use: Numba's setting, which the command line can lower.

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    import numba

    return int(numba.get_num_threads())
