r"""Compiled trials of shared information: every built-in policy under every built-in test.

Serial attention under a scaled test has a kernel of its own that costs O(1) a step
(`serial_kernel`). In all other pairs every location may change in every step, which then costs
O(M). Shares come from a rule (serial,
guided) or from the table of an exact solution, answers from a scaled test or from such a table.
A gaze (`popout.policies.looking.gazing`) is a row of parts that need not sum to one: that of the
item that is most likely (MAP), of the largest sum (ELM) or average (the ideal searcher), a fixed
one, one at random or the best of a table. Gazes that see an item receive the same noise there, look
by look. The average of the ideal searcher is taken in single precision, point by point along the
vector, and without items that hold less than `NEVER` of the odds: far finer than 512 points are.
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
    Random,
    Serial,
    StayAt,
)
from popout.policies.looking.attention import log_location_prior
from popout.policies.multilinear import Tabulated
from popout.policies.stopping import ScaledTest, Strategy
from popout.policies.stopping.exact_table import ExactTable
from popout.simulation.fixations import NAMED, note_fixation
from popout.simulation.look_noise import next_gaze, next_look
from popout.simulation.reshuffles import Reshuffles, forget_places, next_place
from popout.simulation.serial_kernel import log_ratio_of_presence, run_serial, scaled_answer
from popout.simulation.tally import Run
from popout.task import Task

_WAIT, _ABSENT, _PRESENT = 0, 1, 2  # popout.policies.stopping.Action
SERIAL, GUIDED, TABLE, NEAREST, SUM, AVERAGE, BEST, RANDOM = range(8)
SCALED, EXACT = 0, 1
NEVER = 1e-7
LARGEST = 60.0  # log odds beyond which an answer is certain; single precision goes to 88


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
    elif isinstance(strategy, ExactTable) and not strategy.names_place:
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
    none, no_points = _nodes(None, np.float64), np.zeros((1, 1, 1), np.float32)
    no_gaze = np.zeros((1, 1)), np.zeros((1, 1)), no_points
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
        return BEST, 0.0, _nodes(attention, np.float64), (rows, rows, no_points)
    if isinstance(attention, IdealSearcher):
        points = np.ascontiguousarray(np.swapaxes(attention.factors, 1, 2), np.float32)
        named = 1.0 if attention.names_place else 0.0
        return AVERAGE, attention.bar, none, (rows, np.full((1, 1), named), points)
    if isinstance(attention, Random):
        return RANDOM, float(attention.inhibition), none, (rows, rows, no_points)
    if isinstance(attention, StayAt):
        always = np.zeros_like(rows)
        always[attention.place] = 1.0
        return SUM, 0.0, none, (rows, always, no_points)
    if isinstance(attention, ELM):
        return SUM, 0.0, none, (rows, rows, no_points)
    if isinstance(attention, MAP):
        nearest = np.argmax(rows, axis=0) == np.arange(len(rows))[:, None]
        return NEAREST, 0.0, none, (rows, nearest * 1.0, no_points)
    return None


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
    kind, g, table, _ = policy
    part, base, values, _ = work
    M = len(Z)
    if kind == TABLE:
        places = table[4]
        _interpolate(table, Z, part, base, values[: len(places)])
        share[:] = 0.0
        for d in range(len(places)):
            share[places[d]] = values[d]
        return
    top, first = _most_likely(Z, log_prior)
    if kind == SERIAL:
        share[:] = 0.0
        share[first] = 1.0
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
def _most_likely(Z: Any, log_prior: Any) -> Any:
    """Return the largest log posterior, up to a constant, and the first location that has it."""
    top, first = -np.inf, 0
    for location in range(len(Z)):
        y = Z[location] + log_prior[location]
        if y > top:
            top, first = y, location
    return top, first


@compiled
def _gaze(policy: Any, Z: Any, log_prior: Any, work: Any, odds: Any) -> int:
    """Return the gaze that a policy likes best, the first among equals."""
    kind, bar, table, (rows, factors, points) = policy
    part, base, values, sums = work
    G, M = rows.shape
    if kind == BEST:
        _interpolate(table, Z, part, base, values[:G])
    elif kind == AVERAGE:
        for location in range(M):
            odds[location] = exp(min(Z[location] + log_prior[location], LARGEST))
        _costs_afterwards(bar, factors[0, 0] > 0.0, points, odds, sums, values)
    else:
        top, _ = _most_likely(Z, log_prior)
        for location in range(M):
            odds[location] = exp(Z[location] + log_prior[location] - top)
        for f in range(G):
            values[f] = 0.0
            for location in range(M):
                product = odds[location] * factors[f, location]
                values[f] = max(values[f], product) if kind == NEAREST else values[f] + product
    gaze = 0
    for f in range(1, G):
        if values[f] > values[gaze]:
            gaze = f
    return gaze


@compiled
def _costs_afterwards(
    bar: float, names_place: bool, points: Any, odds: Any, sums: Any, values: Any
) -> None:
    """Write minus the cost of the better answer after a fixation of each gaze, up to a factor.

    Parameters
    ----------
    bar : float
        Odds at which both answers cost the same.
    names_place : bool
        Whether an answer "present" costs a miss but at the most likely item.
    points : ndarray of float32, shape (G, M, K)
        What the odds are multiplied with.
    odds : ndarray of shape (M,)
    sums : ndarray of float32, shape (2, K)
        For sums over the items, and the largest terms.
    values : ndarray of shape (>= G,)
    """
    G, M, K = points.shape
    unseen, cut = NEVER * odds.sum(), np.float32(bar)
    for f in range(G):
        for k in range(K):
            sums[0, k] = sums[1, k] = np.float32(0.0)
        for location in range(M):
            if odds[location] > unseen:
                weight = np.float32(odds[location])
                for k in range(K):
                    sums[0, k] += weight * points[f, location, k]
                if names_place:
                    for k in range(K):
                        sums[1, k] = max(sums[1, k], weight * points[f, location, k])
        cost = 0.0
        for k in range(K):
            cost += min(sums[0, k], cut + (sums[0, k] - sums[1, k] if names_place else cut * 0))
        values[f] = -cost


@compiled
def _decide(stop: Any, Z: Any, k: int, work: Any) -> int:
    """Return the action after k steps."""
    kind, (tau_minus, tau_plus), scales, table, log_weight, balance = stop
    if kind == SCALED:
        look = min(k, len(tau_plus) - 1)
        action: int = scaled_answer(Z, scales, tau_minus[look], tau_plus[look])
        return action
    part, base, values, _ = work
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
    kind, barred, _, (rows, _, points) = policy
    M, G = len(log_prior), len(rows)
    work = (
        np.zeros(M), np.zeros(M, np.int64), np.zeros(max(M, G)),
        np.zeros((2, points.shape[2]), np.float32),
    )  # fmt: skip
    seen, gazes = np.zeros(G, np.bool_), np.zeros(max(1, int(barred)), np.int64)
    Z, spare, share = np.zeros(M), np.zeros(M), np.zeros(M)
    looks, s0, s1 = np.zeros(M, np.int64), np.zeros(M, np.uint64), np.zeros(M, np.uint64)
    for i in range(len(out.target)):
        trial, target = first_trial + i, out.target[i]
        Z[:] = 0.0
        looks[:] = 0
        seen[:] = False
        action, k = _WAIT, 0
        while action == _WAIT and k < n_steps:
            if kind < NEAREST:
                _share_out(policy, Z, log_prior, work, share)
            else:
                if kind == RANDOM:
                    gaze = next_gaze(keys, trial, k, gazes, G, int(barred))
                    gazes[k % len(gazes)] = gaze
                else:
                    gaze = _gaze(policy, Z, log_prior, work, share)
                note_fixation(seen, gaze, out.looks[i])
                copy_to(share, rows[gaze])
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
        _, out.looks[i, NAMED] = _most_likely(Z, location_prior)
        out.S[i] = log_ratio_of_presence(Z, location_prior)
