"""The settings of a local cluster, as its worker sees them."""

import multiprocessing
import os
import signal

import pytest

from popout.analysis.cluster import THREADS, check_main, cluster


def test_workers_have_one_thread_no_page_and_no_interrupts(monkeypatch):
    monkeypatch.setenv(THREADS[0], "7")
    monkeypatch.delenv(THREADS[1], raising=False)
    with cluster(workers=1) as client:
        for name in THREADS:
            assert list(client.run(os.getenv, name).values()) == ["1"]
        (held,) = client.run(signal.pthread_sigmask, signal.SIG_BLOCK, []).values()
        assert signal.SIGINT in held
        assert list(client.nthreads().values()) == [1]
        assert ":8787" not in client.dashboard_link
    # Nothing of that is left here.
    assert os.environ[THREADS[0]] == "7"
    assert THREADS[1] not in os.environ
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_script_without_a_guard_is_told_what_to_write(monkeypatch):
    check_main("popout.sweep")
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(RuntimeError, match=r"call popout\.fit_observers under: if __name__ == "):
        check_main("popout.fit_observers")
