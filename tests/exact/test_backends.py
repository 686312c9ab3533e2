"""One code path on every array library, and the guards around it."""

import tracemalloc

import numpy as np
import pytest

import popout as po
from popout.exact import get_backend

TASKS = [
    po.SearchTask(n_locations=1, drift=4.0),
    po.SearchTask(n_locations=2, drift=4.0, prior=0.4),
    po.SearchTask(n_locations=3, drift=5.0),
    po.SearchTask(drift=(6.0, 3.0), location_prior=(0.3, 0.7)),
    po.SearchTask(drift=(6.0, 6.0, 3.0)),
]
COSTS = po.Costs(time=(0.5, 0.8), miss=2.0)


def assert_same(task, backend, tolerance, **kwargs):
    plain = po.solve(task, COSTS, rtol=5e-3)
    other = po.solve(task, COSTS, rtol=5e-3, backend=backend, **kwargs)
    assert abs(other.risk - plain.risk) <= tolerance * plain.risk
    assert abs(other.risk_error - plain.risk_error) <= tolerance
    np.testing.assert_allclose(other.value, plain.value, rtol=0, atol=tolerance)
    np.testing.assert_allclose(other.advantage, plain.advantage, rtol=0, atol=tolerance)
    assert other.diagnostics.backend.startswith(backend)


@pytest.mark.parametrize("task", TASKS)
def test_pytorch(task):
    pytest.importorskip("torch")
    assert_same(task, "torch", 1e-10, device="cpu")


def test_an_unknown_back_end_is_named():
    with pytest.raises(po.InputError, match=r"backend: expected one of numpy, .*got 'fortran'"):
        po.solve(TASKS[0], COSTS, backend="fortran")


def test_a_package_that_is_not_installed():
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(po.InputError, match=r"got 'cupy'; install cupy or choose"):
            get_backend("cupy")
    else:
        assert get_backend("cupy").name == "cupy"


def test_a_device_that_is_not_there():
    with pytest.raises(po.InputError, match=r"device: expected a device of numpy, got 'cuda:7'"):
        po.solve(TASKS[0], COSTS, device="cuda:7")


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


@pytest.mark.parametrize("task", TASKS)
def test_nothing_but_the_array_api_standard_is_used(task):
    pytest.importorskip("array_api_strict")
    assert_same(task, "array_api_strict", 1e-12)


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
        po.solve(TASKS[0], COSTS, rtol=rtol)


def test_all_faults_in_one_message():
    with pytest.raises(po.InputError) as refusal:
        po.solve("task", 0.2, rtol=-1.0, memory_limit=0)
    message = str(refusal.value)
    assert all(field in message for field in ("task", "costs", "rtol", "memory_limit"))


def test_an_explicit_grid_needs_room_too():
    with pytest.raises(po.InputError, match="memory_limit"):
        po.solve(TASKS[3], COSTS, grid=po.GridSpec(-10.0, 10.0, bins=2000), memory_limit=10**6)
