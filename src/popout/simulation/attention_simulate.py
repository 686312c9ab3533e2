r"""`simulate_joint`: trials of an attention policy and a stopping strategy.

One trial follows the simulation standard (`popout.policies.looking.base`): a look at the clock at
:math:`t = 0`, where the strategy may already answer; then, until it answers or the time is up, the
policy shares out the information of the next step, the step takes place, and the strategy decides
anew. Given its shares the log likelihood ratios are exact.

- Fixed positive shares are the search of `SearchTask`, and run as such (`simulate`), to the bit.
- `Serial` with a member of the scaled family runs compiled at O(1) a step (`attention_kernels`).
- `Serial`, `Guided` and tables of exact solutions, under a scaled test or an exact table, run
  compiled as well (`attention_general`).
- Anything else runs through its own ``shares`` and ``decide``, many trials at a time; noise and
  evidence of its steps are compiled.

Every trial also leaves the log likelihood ratio of presence at its decision, from which the
probability of an error follows (`popout.analysis.score`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence import Condition, log_likelihood_ratio_search
from popout.evidence.shared_step import shared_step
from popout.noise.streams import stream_keys
from popout.policies.looking import Attention, Parallel, Serial
from popout.policies.looking.base import log_location_prior
from popout.policies.looking.names import made_for
from popout.policies.stopping import Action, ScaledTest, Strategy
from popout.policies.stopping.exact_table import ExactTable
from popout.progress import Progress
from popout.simulation.attention_general import (
    policy_numbers,
    run_general,
    scaled_numbers,
    table_numbers,
)
from popout.simulation.attention_kernels import run_serial
from popout.simulation.attention_noise import fill_looks
from popout.simulation.displays import draw_targets
from popout.simulation.looks import BATCH, checked_decision, follow
from popout.simulation.replay import final_states
from popout.simulation.simulate import CHUNK, Run, default_threads, in_threads, trials_of
from popout.simulation.tally import Columns
from popout.simulation.time_limit import steps_within
from popout.simulation.trials import Trials
from popout.task import Faults, LimitedSearchTask, SearchTask

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JointTrials(Trials):
    """Simulated trials of an attention policy and a strategy.

    Attributes
    ----------
    attention : Attention
    S : ndarray of shape (n,), optional
        Log likelihood ratio of presence at the decision; None where the trials are those of a
        `SearchTask`, which makes it anew.
    task, strategy, seed, condition
        See `Trials`.

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
    >>> task = LimitedSearchTask(n_locations=3, information=64.0)
    >>> stop = SPRT.for_task(task, -3.0, 3.0)
    >>> trials = simulate_joint(task, Serial, stop, n_trials=100, seed=1)
    >>> trials
    JointTrials(100 trials of SPRT, serial attention, seed 1, 0 undecided)
    >>> Z, shares = trials.history(0)
    >>> len(Z) - 1 == len(shares)
    True
    """

    attention: Attention
    S: Array | None = None

    @property
    def _search(self) -> SearchTask | None:
        """The search that these trials are, if the shares never change."""
        assert isinstance(self.task, LimitedSearchTask)
        return as_search(self.task, self.attention)

    @property
    def _label(self) -> str:
        return f"{super()._label}, {self.attention.label} attention"

    def as_dict(self) -> dict[str, Any]:
        """Return attention, strategy, seed, error rates and mean response times."""
        found = super().as_dict()
        return {"attention": self.attention.label, **found, "strategy": super()._label}

    def states(self, index: ArrayLike | None = None) -> Array:
        """Return Z at the decision, shape (k, M); see `Trials.states`."""
        chosen = self._chosen(index)
        if self._search is not None:
            target, steps = self.target[chosen], self.steps[chosen]
            return final_states(self._search, self.seed, chosen, target, steps)
        return np.stack([self.path(int(i))[-1] for i in chosen])

    def presence(self, index: ArrayLike | None = None) -> Array:
        """Return S at the decision, shape (k,); see `Trials.presence`."""
        return super().presence(index) if self.S is None else self.S[self._chosen(index)]

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
        walk = _Walk(self.task, self.attention, self.seed, np.array([i]), self.target[[i]])
        Z, shares = [walk.Z[0].copy()], []
        for _ in range(int(self.steps[i])):
            shares.append(walk.advance()[0])
            Z.append(walk.Z[0].copy())
        return np.array(Z), np.array(shares).reshape(-1, self.task.n_locations)


def simulate_joint(
    task: LimitedSearchTask,
    attention: Attention | type[Attention],
    strategy: Strategy,
    n_trials: int,
    seed: int = 1,
    *,
    condition: Condition | str | int = Condition.PRIOR,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> JointTrials:
    """Simulate trials of an attention policy and a stopping strategy.

    Parameters
    ----------
    task : LimitedSearchTask
    attention : Attention or a class of it
    strategy : Strategy
    n_trials : int
    seed : int
        Displays and noise depend on the seed and the trial alone (`attention_noise`).
    condition : Condition or int
        As in `popout.simulate`.
    time_limit : float, optional
        Seconds; trials that reach it are undecided. A minute when left out.
    threads : int, optional
        Default: all cores. Results do not depend on it.
    progress : callable, optional
        Called with the share of the trials that is done, and in words how many.

    Returns
    -------
    JointTrials

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import Costs
    >>> task = LimitedSearchTask(n_locations=8, information=64.0)
    >>> stop = SPRT.for_task(task, -3.0, 3.0)
    >>> trials = simulate_joint(task, Serial, stop, n_trials=5000, seed=1)
    >>> round(trials.summary(Costs(time=0.2)).risk, 2)
    0.06
    """
    faults = Faults("simulate_joint")
    n = faults.integer("n_trials", n_trials, "ask for one trial or more", at_least=1)
    seed = faults.integer("seed", seed, "choose any number")
    threads = default_threads() if threads is None else threads
    threads = faults.integer("threads", threads, "leave it out to use all cores", at_least=1)
    if not isinstance(task, LimitedSearchTask):
        remedy = "attention is a choice where information is limited; use simulate"
        faults.add("task", "a LimitedSearchTask", type(task).__name__, remedy)
        faults.raise_if_any()
    n_steps = steps_within(task, time_limit, faults)
    policy = made_for(attention, task)
    for name, part in (("attention", policy), ("strategy", strategy)):
        if part.n_locations not in (None, task.n_locations):
            remedy = "make it for this task, e.g. with for_task"
            faults.add(name, f"one for {task.n_locations} locations", part.n_locations, remedy)
    checked = Condition.checked(condition, task.n_locations, faults)
    faults.raise_if_any()

    run = _trials(task, policy, strategy, seed, checked, n_steps, threads)
    columns = Columns.empty(n)
    if as_search(task, policy) is None:
        columns = columns._replace(S=np.zeros(n))
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        run(start, columns.part(start, stop))
        if progress is not None:
            progress(stop / n, f"{stop} trials")
    return JointTrials(
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
        attention=policy,
        S=columns.S,
    )


def as_search(task: LimitedSearchTask, attention: Attention) -> SearchTask | None:
    """Return the search that fixed positive shares make; None for any other policy."""
    if isinstance(attention, Parallel) and min(attention.fixed) > 0:
        return task.with_shares(attention.fixed)
    return None


def _trials(
    task: LimitedSearchTask,
    attention: Attention,
    strategy: Strategy,
    seed: int,
    condition: Condition | int,
    n_steps: int,
    threads: int,
) -> Run:
    """Return how to run trials: as a search, compiled, or one look at a time."""
    search = as_search(task, attention)
    if search is not None:
        return trials_of(search, strategy, seed, condition, n_steps, threads)
    displays = task.as_observed
    at_once = checked_decision(strategy, np.zeros((1, task.n_locations)), 0.0)[0]
    compiled = _compiled(task, attention, strategy, seed, n_steps)

    def piece(first: int, out: Columns) -> None:
        draw_targets(displays, seed, condition, first, out.target)
        if at_once != Action.WAIT:  # before the first step
            out.response[:] = at_once
        elif compiled is None:
            _run_looks(task, attention, strategy, seed, n_steps, first, out)
        else:
            compiled(first, out)

    return piece if compiled is None else partial(in_threads, piece, threads)


def _compiled(
    task: LimitedSearchTask, attention: Attention, strategy: Strategy, seed: int, n_steps: int
) -> Run | None:
    """Return a compiled kernel for this pair, if there is one."""
    policy = policy_numbers(attention)
    if policy is None:
        return None
    times = np.asarray(np.arange(n_steps + 1) * task.dt, dtype=np.float64)
    test = strategy.scaled_test(times)
    if test is not None and not (np.all(test.c_minus == 1.0) and np.all(test.c_plus == 1.0)):
        return None
    keys, step = stream_keys(seed), shared_step(task)
    law = np.array(step.mean_target), np.array(step.sd)
    location_prior = np.array(log_location_prior(task))
    if isinstance(attention, Serial) and test is not None and _same_order(attention, test):
        order = np.array(attention.log_prior)
        thresholds = np.array(test.tau_minus), np.array(test.tau_plus)
        scales = test.a_minus, test.a_plus, np.array(test.offset)

        def serial(first: int, out: Columns) -> None:
            parts = (law, thresholds, scales, n_steps, out.response, out.steps)
            run_serial(keys, first, out.target, order, *parts, location_prior, out.S)

        return serial
    if test is not None:
        stop = scaled_numbers(test)
    elif isinstance(strategy, ExactTable):
        stop = table_numbers(strategy)
    else:
        return None
    log_prior = np.array(getattr(attention, "log_prior", location_prior))

    def run(first: int, out: Columns) -> None:
        parts = (law, stop, n_steps, out.response, out.steps)
        run_general(keys, first, out.target, log_prior, policy, *parts, location_prior, out.S)

    return run


def _same_order(attention: Serial, test: ScaledTest) -> bool:
    """Return whether the strategy weighs the locations as the policy does."""
    log_prior = np.array(attention.log_prior)
    possible = np.isfinite(log_prior)
    order = log_prior[possible] + test.offset[possible]
    return bool(np.allclose(order, order[0], rtol=0.0, atol=1e-9))


def _run_looks(
    task: LimitedSearchTask,
    attention: Attention,
    strategy: Strategy,
    seed: int,
    n_steps: int,
    first: int,
    out: Columns,
) -> None:
    """Run any pair through its own ``shares`` and ``decide``, a batch of trials at a time."""
    for start in range(0, len(out.target), BATCH):
        here = out.part(start, start + BATCH)
        trials = first + start + np.arange(len(here.target))
        walk = _Walk(task, attention, seed, trials, here.target)
        follow(walk, strategy, task.dt, n_steps, here)
        assert here.S is not None
        here.S[:] = walk.S


class _Walk:
    """The evidence of a batch of trials, advanced one step at a time."""

    def __init__(
        self,
        task: LimitedSearchTask,
        attention: Attention,
        seed: int,
        trials: NDArray[np.int64],
        target: NDArray[np.int32],
    ) -> None:
        M = task.n_locations
        step = shared_step(task)
        at_target = np.arange(M) == target[:, None]
        self._mean = np.where(at_target, step.mean_target, step.mean_distractor)
        self._sd = step.sd
        self._attention, self._dt = attention, task.dt
        self._keys, self._trials = stream_keys(seed), trials
        shape = len(trials), M
        self._looks, self._spare = np.zeros(shape, np.int64), np.zeros(shape)
        self._s0, self._s1 = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        self._location_prior = task.location_prior
        self.index = np.arange(len(trials))
        self.S = np.zeros(len(trials))
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
        """Drop the trials that have ended, and note how likely a target was to them."""
        last = self.Z[~walking]
        self.S[self.index[~walking]] = log_likelihood_ratio_search(last, self._location_prior)
        for name in ("_mean", "_trials", "_looks", "_s0", "_s1", "_spare", "index", "Z"):
            setattr(self, name, getattr(self, name)[walking])


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
