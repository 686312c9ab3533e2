"""One thread for small products, and the caller's number of threads afterwards."""

import threading

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from popout.exact.blas import OneThread


def threads():
    """Return the number of threads of NumPy's BLAS."""
    libraries = ThreadpoolController().info()
    return {library["num_threads"] for library in libraries if "numpy" in library["filepath"]}


def test_the_number_of_threads_is_put_back_even_after_an_error():
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ZeroDivisionError), OneThread():
            1 / 0  # noqa: B018
        assert threads() == {2}


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
        assert threads() == {1}  # the other one is still inside
        may_leave.set()
        other.join()
        assert threads() == {2}
