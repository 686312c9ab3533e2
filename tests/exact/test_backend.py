"""One code path on every array library."""

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


@pytest.mark.parametrize("task", TASKS)
def test_nothing_but_the_array_api_standard_is_used(task):
    pytest.importorskip("array_api_strict")
    assert_same(task, "array_api_strict", 1e-12)
