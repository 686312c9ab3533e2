r"""Tables of first passages in dynamic displays: items that change places every :math:`\tau` s.

The observer keeps the odds of presence and forgets the place: :math:`Z_l \leftarrow S` for all l. S
does not move, so it is still a martingale that stops at its thresholds exactly: the answers are
Wald's, and the law of the time given the answer is the same in both classes, as in
`first_passages`. A table depends on set size, guidance and the period in units of information,
:math:`\epsilon = \Lambda\tau`.

**Limits.** If no display lasts until the first reshuffle, it is static. If reshuffles come so fast
that nothing is learnt in between, all :math:`Z_l = S` at every instant, and whatever attention does

.. math:: dS = \mp\frac{2}{M^2}\,du + \frac{2}{M}\,dB, \qquad u = \Lambda t:

one item that is seen :math:`M^2` times more slowly. The first correction is of order
:math:`\epsilon` for finite guidance, and of order :math:`\sqrt\epsilon` for serial attention, which
stays with what begins to look like a target.

**Between the limits** the table is put together from segments (`reshuffled_kernels`), for periods
in steps of `RATIO`. Between them laws are interpolated as between guidances (`decision_times`),
in :math:`\log\epsilon`; below the shortest, towards the limit, in :math:`\sqrt\epsilon`.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from popout.people.passages.first_passages import (
    BIN,
    COARSENESS,
    FIRST_EDGE,
    LEVELS,
    N_BINS,
    N_LEVELS,
    N_PARTS,
    PIECE,
    PassageTable,
    make_passages,
    passage_keys,
)
from popout.people.passages.reshuffled_kernels import (
    guided_segments,
    segment_walk,
    serial_segments,
)
from popout.progress import Progress

Array = NDArray[np.float64]
SHORTEST, LONGEST = 1.0 / 16.0, 8.0
"""Periods of tables: from that much information in all, to that much for each item."""
RATIO = math.sqrt(2.0)
"""Between two of them: laws between are off by 1 % in time, by 3 % if it were 2."""
_MANY = 2048  # S takes more than that many reshuffles, of M^2, to move by a nat: as if by itself
_MORE = 2  # segments than paths where they are short, and used often
_GROWTH, _START = 0.06, 1e-3  # of the intervals of a segment


@cache
def periods(set_size: int) -> tuple[float, ...]:
    """Return the information within a period for which there are tables, the limits apart.

    Examples
    --------
    >>> periods(1), [round(period, 3) for period in periods(2)[:4]], periods(2)[-1]
    ((), [0.062, 0.088, 0.125, 0.177], 16.0)
    """
    if set_size == 1:  # where nothing can change places
        return ()
    ends = max(SHORTEST, set_size**2 / _MANY), LONGEST * set_size
    low, high = (math.ceil(2.0 * math.log2(each)) for each in ends)
    return tuple(2.0 ** (0.5 * n) for n in range(low, high + 1))


def period_weights(period: float, set_size: int) -> dict[float, float]:
    """Return the weights of the tables that a period lies between; 0 and inf are the limits.

    Examples
    --------
    >>> {round(period, 3): round(w, 3) for period, w in period_weights(3.0, 8).items()}
    {2.828: 0.83, 4.0: 0.17}
    >>> period_weights(math.inf, 8), period_weights(1e-4, 1), period_weights(0.0, 4)
    ({inf: 1.0}, {inf: 1.0}, {0.0: 1.0})
    """
    nodes = periods(set_size)
    if not nodes or period >= RATIO * nodes[-1]:
        return {math.inf: 1.0}
    if period <= nodes[0]:
        x, ends = math.sqrt(period / nodes[0]), (0.0, nodes[0])
    else:
        place = 2.0 * math.log2(period / nodes[0])
        i = int(place)
        x, ends = place - i, (nodes[i], nodes[i + 1] if i + 1 < len(nodes) else math.inf)
    return {end: weight for end, weight in zip(ends, (1.0 - x, x), strict=True) if weight}


def intervals(period: float, set_size: int) -> Array:
    """Return the ends of the intervals of a segment, the last of them the period."""
    ends = [_START * set_size]
    while ends[-1] < period:
        ends.append(ends[-1] * (1.0 + _GROWTH) + _START * set_size)
    return np.append(ends[:-1], period)


def make_reshuffled(
    set_size: int,
    guidance: float,
    period: float,
    n_paths: int = 100_000,
    seed: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
    coarseness: float = COARSENESS,
) -> PassageTable:
    """Compute a table for a dynamic display; see `first_passages.make_passages`.

    Parameters
    ----------
    set_size : int
    guidance : float
    period : float
        Information within a period, u; 0 is the limit of S alone, inf a static display.
    n_paths, seed, threads, progress, coarseness
        As of a static one.
    """
    how = (n_paths, seed, threads, progress, coarseness)
    if math.isinf(period) or set_size == 1:
        return make_passages(set_size, guidance, *how)
    slower = math.log(set_size)  # bins are of the time of S alone, the slowest that there is
    if period == 0.0:
        return PassageTable(set_size, guidance, _single_item().counts, slower)
    keys, until = passage_keys(seed), intervals(period, set_size)
    n_paths = PIECE * max(1, -(-n_paths // (N_PARTS * PIECE)))
    n = n_paths * (_MORE if period < set_size else 1)
    parts = np.zeros((N_PARTS, 2, N_LEVELS + 1, N_LEVELS + 1, N_BINS), np.int32)

    def run(part: int) -> None:
        S, varied, q = np.empty((n, 3, len(until)), np.float32), np.empty(n), np.empty(n)
        first = part * n
        if math.isinf(guidance):
            serial_segments(keys, first, n, set_size, coarseness, until, S, varied, q)
        else:
            law = (guidance == 0.0, round(math.log2(guidance or 1.0)), coarseness)
            guided_segments(keys, first, n, set_size, law, until, S, varied)
            q[:] = S[:, 0, -1]
        whole = np.stack([S[:, 0, -1], S[:, 1].min(axis=1), S[:, 2].max(axis=1)], axis=1)
        pools = equally_likely(whole[:, 0].astype(np.float64), varied, q)
        bins, (absent, present) = (FIRST_EDGE + slower, BIN), parts[part]
        about = (set_size, pools, whole, S, until, LEVELS, LEVELS, bins)
        segment_walk(keys, first, n_paths, *about, absent, present)
        if progress is not None:
            progress((part + 1) / N_PARTS, f"{set_size} items, g = {guidance:g}, moving")

    with ThreadPoolExecutor(max(1, threads)) as pool:
        list(pool.map(run, range(N_PARTS)))
    return PassageTable.of_passages(set_size, guidance, parts, slower)


@cache
def _single_item() -> PassageTable:
    return make_passages(1, math.inf)


def equally_likely(ends: Array, varied: Array, q: Array) -> NDArray[np.int32]:
    """Return segments by number so that each is as frequent as it is likely.

    Parameters
    ----------
    ends, varied : ndarray of shape (n,)
        S at the end of each segment, and its quadratic variation.
    q : ndarray of shape (n,)
        Log of the density with which those with a target were drawn, relative to those without.

    Returns
    -------
    numbers : ndarray of shape (2, 2 n)
        Without a target, and with one.
    """
    without = 2.0 / (1.0 + np.exp(np.minimum(q, 700.0)))
    present = 2.0 / (np.exp(-np.minimum(ends, 700.0)) + np.exp(np.minimum(q - ends, 700.0)))
    weights, mixed = np.stack([without, present]), without + present
    skew = np.tanh(0.5 * ends)
    nought = np.stack([skew, skew * ends - 0.5 * varied])
    change = np.linalg.solve((mixed * nought) @ nought.T, nought @ mixed)
    weights *= np.maximum(1.0 - change @ nought, 0.0)
    order = np.argsort(ends, kind="stable")  # so that rounding changes no mean
    rising = np.cumsum(weights[:, order], axis=1)
    n = 2 * len(ends)
    places = (np.arange(n) + 0.5) / n
    numbers = [order[np.searchsorted(each / each[-1], places)] for each in rising]
    return np.array(numbers, np.int32)
