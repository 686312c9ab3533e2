"""The solver's guards and its progress; `test_solver_*` check its numbers."""

import itertools
import math
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
        po.solve("task", 0.2, rtol=-1.0, memory_limit=0)
    message = str(refusal.value)
    fields = ("task", "costs", "rtol", "memory_limit")
    assert all(field in message for field in fields)


def test_progress_tells_level_iteration_and_residual():
    told = []
    slow = po.SearchTask(n_locations=2, drift=4.0, dt=0.002)
    found = po.solve(slow, COSTS, 1e-2, progress=lambda *what: told.append(what))
    assert all(math.isnan(share) for share, _ in told)  # how many levels there will be is unknown
    names = [name for name, _ in itertools.groupby(words.split(", ")[0] for _, words in told)]
    levels = len(found.diagnostics.levels)
    assert names == ["longer steps", "range", *(f"level {k}" for k in range(levels))]
    last = [words for _, words in told if words.startswith(names[-1])]
    assert len(last) == found.diagnostics.levels[-1].iterations
    assert "iteration 1, residual" in last[0]
    assert last[-1].endswith(f"residual {found.diagnostics.residual:.1e}")


def test_an_exception_from_progress_ends_the_work():
    class EnoughError(Exception):
        """Raised by whoever will not wait any longer."""

    def told(share, words):
        if words.startswith("level 1"):
            raise EnoughError

    with pytest.raises(EnoughError):
        po.solve(TWO, COSTS, rtol=1e-3, progress=told)
