"""One code path on every array library."""

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import popout as po
from popout.exact.backend import SMALL, Backend, OneThread, get_backend

TASKS = [
    po.SearchTask(n_locations=1, drift=4.0),
    po.SearchTask(n_locations=2, drift=4.0, prior=0.4),
    po.SearchTask(n_locations=3, drift=5.0),
    po.SearchTask(drift=(6.0, 3.0), location_prior=(0.3, 0.7)),
    po.SearchTask(drift=(6.0, 6.0, 3.0)),
]
COSTS = po.Costs(time=(1.0, 1.6), miss=2.0)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("backend", "device", "tolerance"),
    [("torch", "cpu", 1e-10), ("array_api_strict", None, 1e-12)],  # the standard and no more
)
def test_every_library_gives_the_same(task, backend, device, tolerance):
    pytest.importorskip(backend)
    plain = po.solve(task, COSTS, rtol=1e-2)
    other = po.solve(task, COSTS, rtol=1e-2, backend=backend, device=device)
    assert abs(other.risk - plain.risk) <= tolerance * plain.risk
    assert abs(other.risk_error - plain.risk_error) <= tolerance
    np.testing.assert_allclose(other.value, plain.value, rtol=0, atol=tolerance)
    np.testing.assert_allclose(other.advantage, plain.advantage, rtol=0, atol=tolerance)
    assert other.diagnostics.backend.startswith(backend)


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


# -- threads ----------------------------------------------------------------------------------


def blas_threads():
    """Return the number of threads of NumPy's BLAS."""
    libraries = ThreadpoolController().info()
    return [library["num_threads"] for library in libraries if "numpy" in library["filepath"]]


class Watched:
    """A namespace that notes how many threads BLAS had during each product."""

    def __init__(self, xp):
        self.xp, self.threads = xp, []

    def __getattr__(self, name):
        return getattr(self.xp, name)

    def matmul(self, a, b):
        self.threads += blas_threads()
        return self.xp.matmul(a, b)


def test_small_products_have_one_thread_and_large_ones_all():
    watched = Watched(np)
    backend = Backend("numpy", watched)
    long = np.ones((SMALL + 1, SMALL + 1))
    with threadpool_limits(2, user_api="blas"):
        backend.matmul(np.eye(30), np.ones((30, 5000)))
        backend.matmul(long, np.ones((SMALL + 1, 1)))  # a vector gains nothing from threads
        assert set(watched.threads) == {1}
        watched.threads.clear()
        backend.matmul(long, long)
        assert set(watched.threads) == {2}
        assert set(blas_threads()) == {2}


def test_every_product_of_a_solution_is_on_one_thread(monkeypatch):
    watched = Watched(get_backend().xp)
    backend = Backend("numpy", watched)
    monkeypatch.setitem(po.solve.__globals__, "get_backend", lambda name, device: backend)
    with threadpool_limits(2, user_api="blas"):
        po.solve(TASKS[2], COSTS, rtol=1e-2)
    assert len(watched.threads) > 50
    assert set(watched.threads) == {1}


def test_the_number_of_threads_is_put_back_even_after_an_error():
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ZeroDivisionError), OneThread():
            1 / 0  # noqa: B018
        assert set(blas_threads()) == {2}


def test_the_last_to_leave_puts_it_back():
    one = OneThread()
    entered, may_leave = threading.Event(), threading.Event()

    def stay():
        with one:
            entered.set()
            may_leave.wait(10)

    other = threading.Thread(target=stay)
    with threadpool_limits(2, user_api="blas"):
        with one:
            other.start()
            assert entered.wait(10)
        assert set(blas_threads()) == {1}  # the other one is still inside
        may_leave.set()
        other.join()
        assert set(blas_threads()) == {2}
