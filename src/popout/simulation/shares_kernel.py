r"""Compiled trials of shared information: every built-in policy under every built-in test.

Serial attention under a scaled test has a kernel of its own that costs O(1) a step
(`serial_kernel`). In all other pairs every location may change in every step, which then costs
O(M). Shares come from a rule (serial,
guided) or from the table of an exact solution, answers from a scaled test or from such a table.
A gaze (`popout.policies.looking.gazing`) is a row of parts that need not sum to one: that of the
item that is most likely (MAP), of the largest sum (ELM) or average (the ideal searcher), a fixed
one or the best of a table. Gazes that see an item receive the same noise there, look by look.
Tables are multilinear between their nodes, as `popout.policies.looking.AttentionTable` and
`popout.policies.stopping.exact_table.ExactTable` are, in the same order of operations.
"""

from __future__ import annotations

import math
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.evidence.llr_step import shared_step
from popout.noise.elementary import bounded_exp, compiled, copy_to
from popout.noise.streams import stream_keys
from popout.policies.looking import (
    ELM,
    MAP,
    Attention,
    AttentionTable,
    GazePolicy,
    GazeTable,
    Guided,
    IdealSearcher,
    Serial,
    StayAt,
)
from popout.policies.looking.attention import log_location_prior
from popout.policies.multilinear import Tabulated
from popout.policies.stopping import ScaledTest, Strategy
from popout.policies.stopping.exact_table import ExactTable
from popout.simulation.look_noise import next_look
from popout.simulation.reshuffles import Reshuffles, forget_places, next_place
from popout.simulation.serial_kernel import log_ratio_of_presence, run_serial, scaled_answer
from popout.simulation.tally import Run
from popout.task import Task

_WAIT, _ABSENT, _PRESENT = 0, 1, 2  # popout.policies.stopping.Action
SERIAL, GUIDED, TABLE, NEAREST, SUM, AVERAGE, BEST = range(7)
SCALED, EXACT = 0, 1


def compiled_shares(
    task: Task, attention: Attention, strategy: Strategy, seed: int, n_steps: int
) -> Run | None:
    """Return the kernel for a policy and a strategy, or None for a pair that has none."""
    policy = policy_numbers(attention)
    if policy is None:
        return None
    test = strategy.scaled_test(np.asarray(np.arange(n_steps + 1) * task.dt, dtype=np.float64))
    if test is not None and not (np.all(test.c_minus == 1.0) and np.all(test.c_plus == 1.0)):
        return None
    keys, step = stream_keys(seed), shared_step(task)
    law = np.array(step.mean_target), np.array(step.sd)
    location_prior = np.array(log_location_prior(task))
    log_prior = np.array(getattr(attention, "log_prior", location_prior))
    if isinstance(attention, IdealSearcher):
        log_prior = np.array(attention.log_weight)
    priors, reshuffles = (log_prior, location_prior), Reshuffles.of(task)
    if isinstance(attention, Serial) and test is not None and _same_order(log_prior, test):
        thresholds = np.array(test.tau_minus), np.array(test.tau_plus)
        scales = test.a_minus, test.a_plus, np.array(test.offset)
        return lambda first, out: run_serial(
            keys, first, priors, law, thresholds, scales, reshuffles, n_steps, out
        )
    if test is not None:
        stop = scaled_numbers(test)
    elif isinstance(strategy, ExactTable):
        stop = table_numbers(strategy)
    else:
        return None
    return lambda first, out: run_shares(
        keys, first, priors, policy, law, stop, reshuffles, n_steps, out
    )


def _same_order(log_prior: NDArray[np.float64], test: ScaledTest) -> bool:
    """Return whether the strategy weighs the locations as the policy does."""
    possible = np.isfinite(log_prior)
    order = log_prior[possible] + test.offset[possible]
    return bool(np.allclose(order, order[0], rtol=0.0, atol=1e-9))


def _nodes(table: Tabulated | None, kind: type) -> tuple[NDArray[Any], ...]:
    """Return a table as the kernel reads it; None is one that is never read.

    Returns
    -------
    values : ndarray of shape (n, k)
        k numbers at each node, the last dimension of the grid fastest.
    shape : ndarray of int64, shape (m,)
    lower, spacing : ndarray of shape (m,)
    places : ndarray of int64, shape (m,)
        The location of each dimension.
    """
    if table is None:
        unit = np.ones(1)
        return np.zeros((1, 1), kind), np.ones(1, np.int64), unit, unit, np.zeros(1, np.int64)
    values = np.ascontiguousarray(table.table)
    shape = values.shape[: len(table.locations)]
    return (
        values.reshape(math.prod(shape), -1),
        np.array(shape, np.int64),
        np.array(table.lower, np.float64),
        np.array(table.spacing, np.float64),
        np.array(table.locations, np.int64),
    )


def policy_numbers(attention: Attention) -> tuple[Any, ...] | None:
    """Return a policy as the kernel takes it, or None if it has no compiled form."""
    none, no_gaze = _nodes(None, np.float64), (np.zeros((1, 1)), np.zeros((1, 1, 1)))
    if isinstance(attention, AttentionTable):
        return TABLE, 0.0, _nodes(attention, np.float64), no_gaze
    if isinstance(attention, Guided):
        return GUIDED, attention.g, none, no_gaze
    if isinstance(attention, Serial):
        return SERIAL, 0.0, none, no_gaze
    if not isinstance(attention, GazePolicy):
        return None
    rows = np.array(attention.visibility)
    if isinstance(attention, GazeTable):
        return BEST, 0.0, _nodes(attention, np.float64), (rows, no_gaze[1])
    if isinstance(attention, IdealSearcher):
        return AVERAGE, attention.bar, none, (rows, attention.factors)
    if isinstance(attention, StayAt):
        return SUM, 0.0, none, (rows, _same(rows, attention.place))
    if isinstance(attention, ELM):
        return SUM, 0.0, none, (rows, rows[:, None, :])
    if isinstance(attention, MAP):
        nearest = np.argmax(rows, axis=0) == np.arange(len(rows))[:, None]
        return NEAREST, 0.0, none, (rows, nearest[:, None, :] * 1.0)
    return None


def _same(rows: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    """Return factors under which one gaze is always liked best."""
    factors = np.zeros((len(rows), 1, rows.shape[1]))
    factors[place] = 1.0
    return factors


def scaled_numbers(test: ScaledTest) -> tuple[Any, ...]:
    """Return a scaled test as the kernel takes it."""
    scales = test.a_minus, test.a_plus, np.array(test.offset)
    thresholds = np.array(test.tau_minus), np.array(test.tau_plus)
    return SCALED, thresholds, scales, _nodes(None, np.float32), np.array(test.offset), 0.0


def table_numbers(strategy: ExactTable) -> tuple[Any, ...]:
    """Return an exact strategy as the kernel takes it."""
    unit, weight = np.ones(1), np.array(strategy.log_weight)
    balance = math.log(strategy.costs.miss / strategy.costs.false_alarm)
    return EXACT, (unit, unit), (1.0, 1.0, unit), _nodes(strategy, np.float32), weight, balance


@compiled
def _interpolate(table: Any, Z: Any, part: Any, base: Any, out: Any) -> None:
    """Write the k numbers of a table at Z into `out`."""
    values, shape, lower, spacing, places = table
    m = len(shape)
    for d in range(m):
        position = (Z[places[d]] - lower[d]) / spacing[d]
        position = min(max(position, 0.0), shape[d] - 1.0)
        base[d] = min(int(position), max(shape[d] - 2, 0))
        part[d] = position - base[d]
    out[:] = 0.0
    for corner in range(1 << m):
        weight, index = 1.0, 0
        for d in range(m):
            up = (corner >> (m - 1 - d)) & 1
            weight *= part[d] if up else 1.0 - part[d]
            index = index * shape[d] + min(base[d] + up, shape[d] - 1)
        if weight != 0.0:
            for j in range(len(out)):
                out[j] += weight * values[index, j]


@compiled
def _share_out(policy: Any, Z: Any, log_prior: Any, work: Any, share: Any) -> None:
    """Write the shares of the next step."""
    kind, g, table, (rows, factors) = policy
    part, base, values = work
    M = len(Z)
    if kind == BEST:
        _interpolate(table, Z, part, base, values[: len(rows)])
        gaze = 0
        for f in range(1, len(rows)):
            if values[f] > values[gaze]:
                gaze = f
        copy_to(share, rows[gaze])
        return
    if kind == TABLE:
        places = table[4]
        _interpolate(table, Z, part, base, values[: len(places)])
        share[:] = 0.0
        for d in range(len(places)):
            share[places[d]] = values[d]
        return
    top, first = -np.inf, 0
    for location in range(M):
        y = Z[location] + log_prior[location]
        if y > top:
            top, first = y, location
    if kind == SERIAL:
        share[:] = 0.0
        share[first] = 1.0
        return
    if kind >= NEAREST:
        for location in range(M):
            y = Z[location] + log_prior[location]
            share[location] = exp(min(y, 700.0) if kind == AVERAGE else y - top)
        copy_to(share, rows[_liked(kind, g, factors, share)])
        return
    total = 0.0
    for location in range(M):
        share[location] = 0.0
        if log_prior[location] > -np.inf:
            share[location] = bounded_exp(g * (Z[location] + log_prior[location] - top))
            total += share[location]
    for location in range(M):
        share[location] /= total


@compiled
def _liked(kind: int, bar: float, factors: Any, odds: Any) -> int:
    """Return the gaze that a rule likes best, the first among equals.

    Parameters
    ----------
    kind : int
        NEAREST: the largest product counts; SUM: their sum; AVERAGE: minus the mean of sums, each
        cut at `bar`.
    bar : float
    factors : ndarray of shape (G, K, M)
    odds : ndarray of shape (M,)
        Of the items, up to a factor, which the average alone does without.
    """
    gaze, best = 0, -np.inf
    for f in range(len(factors)):
        liking = 0.0
        for k in range(factors.shape[1]):
            total = 0.0
            for location in range(len(odds)):
                product = odds[location] * factors[f, k, location]
                total = max(total, product) if kind == NEAREST else total + product
            liking += -min(total, bar) if kind == AVERAGE else total
        if liking > best:
            gaze, best = f, liking
    return gaze


@compiled
def _decide(stop: Any, Z: Any, k: int, work: Any) -> int:
    """Return the action after k steps."""
    kind, (tau_minus, tau_plus), scales, table, log_weight, balance = stop
    if kind == SCALED:
        look = min(k, len(tau_plus) - 1)
        action: int = scaled_answer(Z, scales, tau_minus[look], tau_plus[look])
        return action
    part, base, values = work
    _interpolate(table, Z, part, base, values[:1])
    if values[0] < 0.0:
        return _WAIT
    return _PRESENT if log_ratio_of_presence(Z, log_weight) + balance >= 0.0 else _ABSENT


@compiled
def run_shares(
    keys: Any, first_trial: int, priors: Any, policy: Any, law: Any, stop: Any, reshuffles: Any,
    n_steps: int, out: Any,
) -> None:  # fmt: skip
    """Run the trials ``first_trial, ...`` from the first step on.

    Parameters
    ----------
    keys, first_trial, priors, law, reshuffles, n_steps, out
        See `popout.simulation.serial_kernel.run_serial`.
    policy, stop : tuple
        From `policy_numbers`, and from `scaled_numbers` or `table_numbers`.
    """
    (log_prior, location_prior), (mean, sd) = priors, law
    M = len(log_prior)
    most = max(M, len(policy[3][0]))
    work = np.zeros(M), np.zeros(M, np.int64), np.zeros(most)
    Z, spare, share = np.zeros(M), np.zeros(M), np.zeros(M)
    looks, s0, s1 = np.zeros(M, np.int64), np.zeros(M, np.uint64), np.zeros(M, np.uint64)
    for i in range(len(out.target)):
        trial, target = first_trial + i, out.target[i]
        Z[:] = 0.0
        looks[:] = 0
        action, k = _WAIT, 0
        while action == _WAIT and k < n_steps:
            _share_out(policy, Z, log_prior, work, share)
            for location in range(M):
                if share[location] == 0.0:
                    continue
                noise = next_look(keys, trial, location, looks, s0, s1, spare)
                part = share[location]
                m = mean[location] if location == target else -mean[location]
                Z[location] += m * part + sd[location] * math.sqrt(part) * noise
            k += 1
            if reshuffles.steps > 0 and k % reshuffles.steps == 0:
                forget_places(Z, reshuffles.log_prior)
                if target >= 0:
                    number = k // reshuffles.steps
                    target = next_place(keys, trial, number, reshuffles.cumulative)
            action = _decide(stop, Z, k, work)
        out.response[i], out.steps[i] = action, k
        out.S[i] = log_ratio_of_presence(Z, location_prior)
