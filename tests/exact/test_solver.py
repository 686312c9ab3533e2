"""The solver's guards, its progress and its explicit grids; `test_solver_*` check its numbers."""

import itertools
import time
import tracemalloc

import pytest

import popout as po

ONE = po.SearchTask(n_locations=1, drift=4.0)
TWO = po.SearchTask(drift=(6.0, 3.0), location_prior=(0.3, 0.7))
COSTS = po.Costs(time=(0.5, 0.8), miss=2.0)


def test_a_problem_too_large_is_refused_before_anything_is_allocated():
    task = po.SearchTask(n_locations=8, drift=4.0)
    tracemalloc.start()
    try:
        with pytest.raises(po.InputError) as refusal:
            po.solve(task, COSTS, rtol=1e-3, memory_limit=10**8)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    message = str(refusal.value)
    assert "fits in 0.0931 GiB" in message
    assert "8 locations" in message
    for remedy in ("rtol", "fewer locations", "memory_limit", "back end"):
        assert remedy in message
    assert peak < 10**8 / 4


def test_memory_that_runs_out_on_the_way_is_not_a_result():
    task = po.SearchTask(n_locations=2, drift=4.0)
    coarse = po.solve(task, COSTS, rtol=1e-2)
    limit = int(1.05 * coarse.diagnostics.peak_bytes)
    assert po.solve(task, COSTS, rtol=1e-2, memory_limit=limit).risk == coarse.risk
    with pytest.raises(
        po.NotConvergedError, match="was not met before the memory ran out"
    ) as fault:
        po.solve(task, COSTS, rtol=1e-7, memory_limit=limit)
    assert len(fault.value.levels) >= 1
    assert all(level.nodes > 0 for level in fault.value.levels)


@pytest.mark.parametrize("rtol", [0.0, -1e-4, 1.0, float("nan"), "fine"])
def test_tolerances_out_of_range(rtol):
    with pytest.raises(po.InputError, match="rtol"):
        po.solve(ONE, COSTS, rtol=rtol)


def test_all_faults_in_one_message():
    with pytest.raises(po.InputError) as refusal:
        po.solve("task", 0.2, rtol=-1.0, memory_limit=0, max_seconds=-1.0)
    message = str(refusal.value)
    fields = ("task", "costs", "rtol", "memory_limit", "max_seconds")
    assert all(field in message for field in fields)


def test_an_explicit_grid_needs_room_too():
    with pytest.raises(po.InputError, match="memory_limit"):
        po.solve(TWO, COSTS, grid=po.GridSpec(-10.0, 10.0, bins=2000), memory_limit=10**6)


def test_an_explicit_grid_is_compared_with_one_half_as_fine():
    spec = po.GridSpec(-10.0, 10.0, bins=200)
    found = po.solve(ONE, COSTS, grid=spec)
    coarse, fine = found.diagnostics.levels
    assert (coarse.nodes_per_axis, fine.nodes_per_axis) == ((101,), (201,))
    assert coarse.factor == pytest.approx(2 * fine.factor)
    assert found.diagnostics.errors["spacing"] == abs(fine.risk - coarse.risk)
    precise = po.solve(ONE, COSTS, rtol=1e-8)
    assert abs(found.risk - precise.risk) <= found.risk_error + precise.risk_error


def test_progress_tells_level_iteration_and_residual():
    told = []
    slow = po.SearchTask(n_locations=2, drift=4.0, dt=0.002)
    found = po.solve(slow, COSTS, 1e-2, progress=lambda *what: told.append(what))
    shares = [share for share, _ in told]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert shares[0] < 0.1
    assert shares[len(shares) // 2] < 0.9
    assert shares[-1] > 0.6  # the levels are foreseen, to a level or so
    names = [name for name, _ in itertools.groupby(words.split(", ")[0] for _, words in told)]
    levels = len(found.diagnostics.levels)
    assert names == ["longer steps", "range", *(f"level {k}" for k in range(levels))]
    last = [words for _, words in told if words.startswith(names[-1])]
    assert len(last) == found.diagnostics.levels[-1].iterations
    assert "iteration 1, residual" in last[0]
    assert last[-1].endswith(f"residual {found.diagnostics.residual:.1e}")


@pytest.mark.parametrize("backend", ["numpy", "array_api_strict"])
def test_eight_locations_are_refused_within_seconds(backend):
    began = time.perf_counter()
    with pytest.raises(po.TooLongError) as refusal:
        po.solve(
            po.SearchTask(n_locations=8, drift=4.0),
            po.Costs(time=0.2),
            rtol=1e-2,
            memory_limit=2**40,
            backend=backend,
            max_seconds=60.0,
        )
    assert time.perf_counter() - began < 20.0
    assert refusal.value.seconds > 60.0
    message = str(refusal.value)
    assert message.startswith("solve.max_seconds: expected work of at most 1 min, got a forecast")
    assert "8 locations, up to 2" in message
    assert "GiB" in message
    for way_out in ("larger rtol", "device='cuda'", "a-SPRT", "raise max_seconds"):
        assert way_out in message


def test_the_limit_of_time_does_not_touch_what_is_short_enough():
    free = po.solve(TWO, COSTS, rtol=1e-2)
    limited = po.solve(TWO, COSTS, rtol=1e-2, max_seconds=300.0)
    assert (limited.risk, limited.risk_error) == (free.risk, free.risk_error)
    with pytest.raises(po.TooLongError):
        po.solve(TWO, COSTS, rtol=1e-2, max_seconds=1e-3)


def test_an_explicit_grid_is_foreseen_too():
    with pytest.raises(po.TooLongError, match="2 locations, up to 2001 x 2001 nodes per axis"):
        po.solve(TWO, COSTS, grid=po.GridSpec(-10.0, 10.0, bins=2000), max_seconds=1.0)
