"""Units of work: every point once, a few seconds each, and both workers busy to the end."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.analysis.sweep.units import LARGEST, SECONDS, Units


def hand_out(n, cost, threads, in_flight):
    """Play a cluster of so many threads; return the units and the time each thread was busy."""
    units, handed = Units(np.arange(n)), []
    free = [(0.0, k) for k in range(threads)]
    queue, events = [], []
    while units.left or queue or events:
        while units.left and len(queue) + len(events) < in_flight:
            queue.append(units.next(threads))
        while queue and free:
            start, thread = heapq.heappop(free)
            unit = queue.pop(0)
            seconds = float(sum(cost[k] for k in unit))
            handed.append((unit, seconds))
            heapq.heappush(events, (start + seconds, thread, len(unit), seconds))
        end, thread, size, seconds = heapq.heappop(events)
        units.learn(size, seconds)
        heapq.heappush(free, (end, thread))
    return handed, max(end for end, _ in free)


@given(st.integers(1, 300), st.integers(1, 8), st.floats(1e-4, 30.0))
def test_every_point_is_handed_out_once(n, threads, seconds):
    handed, _ = hand_out(n, np.full(n, seconds), threads, 2 * threads + 1)
    assert np.concatenate([unit for unit, _ in handed]).tolist() == list(range(n))
    assert max(len(unit) for unit, _ in handed) <= LARGEST


@pytest.mark.parametrize("mean", [0.003, 0.1, 1.0, 5.0])
def test_two_workers_are_busy_to_the_end(mean):
    n = max(100, int(60 / mean))
    cost = np.random.default_rng(1).lognormal(np.log(mean), 1.0, n)
    handed, end = hand_out(n, cost, 2, 5)
    assert cost.sum() / (2 * end) > 0.95
    longest = max(seconds for unit, seconds in handed if len(unit) > 1) if mean < 1 else 0.0
    assert longest < 5 * SECONDS
    # Negative control: the grid cut into two halves beforehand.
    halves = max(np.sort(cost)[: n // 2].sum(), np.sort(cost)[n // 2 :].sum())
    assert cost.sum() / (2 * halves) < 0.95


def test_slow_points_travel_alone_and_quick_ones_together():
    handed, _ = hand_out(50, np.full(50, 10.0), 2, 5)
    assert {len(unit) for unit, _ in handed} == {1}
    handed, _ = hand_out(20_000, np.full(20_000, 0.004), 2, 5)
    assert np.median([seconds for _, seconds in handed]) == pytest.approx(SECONDS, rel=0.5)


def test_points_of_a_unit_that_came_to_nothing_are_handed_out_singly():
    units = Units(np.arange(6))
    first = units.next(1)
    units.again(np.array([3, 4]))
    assert units.left == 6 - len(first) + 2
    assert [units.next(1).tolist() for _ in range(2)] == [[3], [4]]
