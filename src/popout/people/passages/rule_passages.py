r"""Tables of first passages of stopping rules, for each kind of display.

A kind of display is "no target", or a target at a place that is seen so well. Z is drawn exactly in
steps; between the ends of a step the statistic of the next level is close to a Brownian bridge of
variance :math:`\sum_l (c_l p_l)^2\, 4 v_l^2 \Delta`, with the shares :math:`p_l` of the softmax,
as in `passage_kernels`, whose account of all pairs of levels this is.

**Every path counts for all kinds**, whatever rule stopped it. With :math:`r_k` the mean of
:math:`e^{Z_l}` over the places of kind k (:math:`r_0 = 1`), a path drawn from all K kinds alike
has the weight

.. math:: w_k = r_k \Big/ \tfrac1K \sum_j r_j \;\le\; K

in kind k, with Z at the *end* of the step: given the ends, the bridge has the same law under all
kinds, so the weights are exact. Rare errors are seen on the many paths of another kind where they
are right answers. Answers do not follow from Wald's formula here: their probabilities are the
weights of the paths that gave them.

A step is short where the statistic may turn: a place x nats below the largest term moves it by a
standard deviation of at most `COARSENESS` (1 + x / 4), and a step is at most 4 % of the time so
far. `benchmarks/table_rules.py --part steps` measures what it costs.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import bounded_exp, compiled, minus_log
from popout.noise.streams import LANES, first_state, next_pairs
from popout.people.passages.first_passages import (
    BIN,
    FIRST_EDGE,
    LEVELS,
    N_BINS,
    N_LEVELS,
    N_PARTS,
    PIECE,
    PassageTable,
    passage_keys,
)
from popout.people.passages.stopping_rules import LARGEST, StoppingRule
from popout.progress import Progress

Array = NDArray[np.float64]
COARSENESS = 0.5
_RELATIVE, _FIRST = 0.04, 2e-4


def kinds_of(visibilities: tuple[float, ...]) -> tuple[float, ...]:
    """Return the visibilities that occur, best first: the kinds of display with a target.

    Examples
    --------
    >>> kinds_of((1.0, 0.3, 1.0))
    (1.0, 0.3)
    """
    return tuple(sorted(set(visibilities), reverse=True))


@compiled
def _statistics(Z: Any, rates: Any, log_places: float, scale: Any, factors: Any, out: Any) -> None:
    """Write the statistic of each lane, its variance per unit of time, and its liveliest place.

    Parameters
    ----------
    Z, factors : ndarray of shape (M, LANES)
        Log likelihood ratios, and factors c of the next level of each lane.
    rates : ndarray of shape (M,)
        Squared visibilities.
    log_places : float
    scale : ndarray of shape (LANES,)
    out : ndarray of shape (4, LANES)
        The last row is room to work in.
    """
    for j in range(LANES):
        out[0, j], out[1, j], out[2, j], out[3, j] = -1e300, 0.0, 0.0, 0.0
    for i in range(len(rates)):
        for j in range(LANES):
            out[0, j] = max(out[0, j], factors[i, j] * (Z[i, j] - log_places))
    for i in range(len(rates)):
        for j in range(LANES):
            below = out[0, j] - factors[i, j] * (Z[i, j] - log_places)
            lively = factors[i, j] * factors[i, j] * 4.0 * rates[i]
            slack = 1.0 + 0.25 * below
            share = bounded_exp(-scale[j] * below)
            out[1, j] += share * share * lively
            out[2, j] = max(out[2, j], lively / (slack * slack))
            out[3, j] += share
    for j in range(LANES):
        out[0, j] -= minus_log(out[3, j]) / scale[j]
        out[1, j] /= out[3, j] * out[3, j]


@compiled
def _statistic(
    Z: Any, j: int, rates: Any, log_places: float, scale: Any, factors: Any, side: int, out: Any
) -> None:
    """Write the same for a single lane on one side."""
    top, total, spread, pace = -1e300, 0.0, 0.0, 0.0
    for i in range(len(rates)):
        top = max(top, factors[side, i, j] * (Z[i, j] - log_places))
    for i in range(len(rates)):
        below = top - factors[side, i, j] * (Z[i, j] - log_places)
        lively = factors[side, i, j] * factors[side, i, j] * 4.0 * rates[i]
        share = bounded_exp(-scale[side, j] * below)
        total += share
        spread += share * share * lively
        pace = max(pace, lively / (1.0 + 0.25 * below) ** 2)
    out[side, 0, j] = top - minus_log(total) / scale[side, j]
    out[side, 1, j], out[side, 2, j] = spread / (total * total), pace


@compiled
def _weigh(Z: Any, j: int, first: Any, weights: Any) -> None:
    """Write the weight of a lane's path in every kind; `first` are the places where kinds begin."""
    weights[0], total = 1.0, 1.0
    for k in range(1, len(weights)):
        likelihood = 0.0
        for i in range(first[k - 1], first[k]):
            likelihood += bounded_exp(Z[i, j])
        weights[k] = likelihood / (first[k] - first[k - 1])
        total += weights[k]
    for k in range(len(weights)):
        weights[k] *= len(weights) / total


@compiled
def _next_level(side: int, k: int, j: int, tests: Any, own: Any) -> None:
    """Give a lane the test of a level."""
    taus, scales, factors = tests
    tau, scale, factor = own
    k = min(k, taus.shape[1] - 1)
    tau[side, j], scale[side, j] = taus[side, k], scales[side, k]
    for i in range(factor.shape[1]):
        factor[side, i, j] = factors[side, k, i]


@compiled
def _reach(side: int, before: float, after: float, variance: float, exponential: float) -> float:
    """Return how far the bridge of a step goes towards the thresholds of a side."""
    root = math.sqrt((after - before) ** 2 + 2.0 * variance * exponential)
    return 0.5 * (root + after + before) if side else 0.5 * (root - after - before)


@compiled
def walk_rule(
    keys: Any, first_path: int, n_paths: int, places: Any, tests: Any, how: Any, out: Any
) -> None:
    """Run paths until they pass the last level on either side, and count their passages.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    first_path, n_paths : int
    places : tuple
        Squared visibilities, best first; where each kind begins; and the log of their number.
    tests : tuple of ndarray
        Thresholds, scales and factors, by side and level: (2, K), (2, K) and (2, K, M).
    how : tuple of float
        ``(coarseness, log_unit)``: see the module; and the log of the unit of the tables.
    out : ndarray of float, shape (kinds, 2, K + 1, J + 1, B)
        Receives the weights of paths.
    """
    rates, first, log_places = places
    coarseness, log_unit = how
    M, n_levels, n_rows = len(rates), tests[0].shape[1], (len(rates) + 1) // 2 + 1
    pairs = np.empty((n_rows, 2 * LANES))
    noise = pairs.reshape((2 * n_rows, LANES))
    s0, s1 = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64)
    Z, old, signs = np.zeros((M, LANES)), np.zeros((M, LANES)), -np.ones((M, LANES))
    u, du, passed = np.zeros(LANES), np.zeros(LANES), np.zeros((LANES, 2), np.int64)
    start, end, weights = np.zeros((2, 4, LANES)), np.zeros((2, 4, LANES)), np.zeros(len(first))
    own = np.empty((2, LANES)), np.empty((2, LANES)), np.empty((2, M, LANES))
    running, following = min(LANES, n_paths), 0
    busy = np.arange(LANES) < running
    fresh = busy.copy()
    while True:
        for j in range(LANES):
            if fresh[j]:
                fresh[j], busy[j], u[j] = False, following < n_paths, 0.0
                for i in range(M):
                    Z[i, j], signs[i, j] = 0.0, -1.0
                for side in range(2):
                    passed[j, side] = 0
                    _next_level(side, 0, j, tests, own)
                    _statistic(Z, j, rates, log_places, own[1], own[2], side, start)
                if not busy[j]:
                    running -= 1
                    continue
                path = first_path + following
                s0[j], s1[j] = first_state(keys, path)
                if path % len(first):
                    signs[first[path % len(first) - 1], j] = 1.0
                following += 1
        if running == 0:
            break
        next_pairs(s0, s1, pairs, n_rows)
        for j in range(LANES):
            pace = max(start[0, 2, j], start[1, 2, j])
            du[j] = min(coarseness * coarseness / pace, _RELATIVE * u[j] + _FIRST)
        for i in range(M):
            for j in range(LANES):
                old[i, j] = Z[i, j]
                step = math.sqrt(rates[i] * du[j])
                Z[i, j] += 2.0 * step * (signs[i, j] * step + noise[i, j])
        for side in range(2):
            _statistics(Z, rates, log_places, own[1][side], own[2][side], end[side])
        for j in range(LANES):
            if not busy[j]:
                continue
            x, y = noise[2 * n_rows - 2, j], noise[2 * n_rows - 1, j]
            exponential, weighed = 0.5 * (x * x + y * y), False
            for side in range(2):
                while passed[j, side] < n_levels:
                    before, after = start[side, 0, j], end[side, 0, j]
                    variance = 0.5 * du[j] * (start[side, 1, j] + end[side, 1, j])
                    tau = own[0][side, j]
                    if _reach(side, before, after, variance, exponential) < tau:
                        break
                    if not weighed:
                        _weigh(Z, j, first, weights)
                        weighed = True
                    tau *= 1.0 if side else -1.0
                    left, right = abs(tau - before), abs(tau - after)
                    at = u[j] + du[j] * (left / (left + right + 1e-300))
                    b = int((log_unit - minus_log(at) - FIRST_EDGE) / BIN)
                    b = min(max(b, 0), out.shape[4] - 1)
                    for kind in range(len(weights)):
                        out[kind, side, passed[j, 0], passed[j, 1], b] += weights[kind]
                    passed[j, side] += 1
                    _next_level(side, passed[j, side], j, tests, own)
                    _statistic(old, j, rates, log_places, own[1], own[2], side, start)
                    _statistic(Z, j, rates, log_places, own[1], own[2], side, end)
            u[j] += du[j]
            fresh[j] = passed[j, 0] == n_levels or passed[j, 1] == n_levels
            for side in range(2):
                for row in range(3):
                    start[side, row, j] = end[side, row, j]


def make_rule_passages(
    rule: StoppingRule,
    visibilities: tuple[float, ...],
    n_paths: int = 100_000,
    seed: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
    coarseness: float = COARSENESS,
) -> list[PassageTable]:
    """Compute the tables of a rule: without a target, then one for each of `kinds_of`.

    Their times are u times the least visibility, the geometric middle of slowest and fastest.

    Parameters
    ----------
    rule : StoppingRule
    visibilities : tuple of float
        Best first, the largest 1.
    n_paths : int
        Rounded up to a multiple of 10,000.
    seed, threads : int
        The result depends on the number of threads by rounding alone.
    progress : Progress, optional
    coarseness : float

    Examples
    --------
    >>> from popout.people.passages.stopping_rules import RULES
    >>> tables = make_rule_passages(RULES["sprt"], (1.0, 0.3), n_paths=100)
    >>> len(tables), tables[0].answers().shape
    (3, (2, 36, 36))
    """
    kinds = kinds_of(visibilities)
    first = np.array([visibilities.index(v) for v in kinds] + [len(visibilities)])
    places = np.square(visibilities), first, math.log(len(visibilities))
    tests = tuple(np.stack(each) for each in zip(*rule.sides(visibilities, LEVELS), strict=True))
    tests = (tests[0], np.minimum(tests[1], LARGEST), tests[2])
    n_pieces = N_PARTS * max(1, -(-n_paths // (N_PARTS * PIECE)))
    shape = (N_PARTS, len(kinds) + 1, 2, N_LEVELS + 1, N_LEVELS + 1, N_BINS)
    how, keys, share = (coarseness, math.log(kinds[-1])), passage_keys(seed), max(1, threads)

    def run(worker: int) -> Array:
        mine = np.zeros(shape)
        for piece in range(worker, n_pieces, share):
            walk_rule(keys, piece * PIECE, PIECE, places, tests, how, mine[piece % N_PARTS])
            if worker == 0 and progress is not None:
                progress(min(1.0, (piece + share) / n_pieces), f"walks of {rule.label}")
        return mine

    with ThreadPoolExecutor(share) as pool:
        parts = np.sum([*pool.map(run, range(share))], axis=0)
    M = len(visibilities)
    return [PassageTable.of_passages(M, 0.0, parts[:, k]) for k in range(len(kinds) + 1)]
