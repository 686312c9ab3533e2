"""Where much work runs: a Dask cluster of this machine, or one that is there already.

Distribution is Dask's: workers, queues, retries after a lost worker. Here are only its settings.
Each worker computes on one thread, matrix products included, so that results do not depend on how
many there are.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from popout._version import __version__
from popout.task import InputError

if TYPE_CHECKING:
    from distributed import Client

GUARD = 'in a script, call {} under: if __name__ == "__main__":'
CONNECT, JOIN = 5.0, 30.0
"""Seconds to wait for a scheduler to answer, and for the first worker of its cluster."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What the libraries of matrix products read when they are loaded."""
SETTINGS = {
    # A point whose worker dies (for want of memory, say) is given up after two more workers.
    "distributed.scheduler.allowed-failures": 2,
    # Nobody looks at pages and profiles.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.profile.enabled": False,
}


class ClusterLostError(RuntimeError):
    """The cluster went away; what was computed is kept."""


class VersionError(RuntimeError):
    """A worker runs another version of `popout` than the one that asks."""


def check_version(asked: str) -> None:
    """Stop a worker whose version is not that of the `popout` that asks: it would mix numbers."""
    if asked != __version__:
        raise VersionError(f"popout {asked}, got a worker with {__version__}")


@contextmanager
def cluster_faults() -> Iterator[None]:
    """Tell what is wrong with a cluster from what went wrong in the work.

    Raises
    ------
    ClusterLostError
        If the connection is lost.
    InputError
        If workers have another `popout`, or none.
    """
    from distributed.client import FutureCancelledError

    try:
        yield
    except FutureCancelledError as error:
        raise ClusterLostError("the connection to the cluster is lost") from error
    except VersionError as error:
        raise InputError(
            f"scheduler: expected workers with {error}; install one version everywhere"
        ) from error
    except ModuleNotFoundError as error:
        raise InputError(
            f"scheduler: expected workers that can import popout, got one that cannot "
            f"({error}); install popout on every worker"
        ) from error


def default_workers() -> int:
    """Return the number of cores that this process may use.

    Examples
    --------
    >>> default_workers() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def cluster(workers: int | None = None, scheduler: str | None = None) -> Iterator[Client]:
    """Connect to a cluster and leave it, whatever happens, as it was found.

    Parameters
    ----------
    workers : int, optional
        Processes of a local cluster; one for each core when left out.
    scheduler : str, optional
        Address of a cluster that is running, e.g. ``tcp://node1:8786``.

    Raises
    ------
    InputError
        If there is no such cluster, or it has no workers.
    """
    import dask
    from distributed.utils import silence_logging_cmgr

    where = _local(workers or default_workers()) if scheduler is None else _running(scheduler)
    # What goes wrong comes back as an exception; Dask's own words would break the progress bar.
    with silence_logging_cmgr(logging.CRITICAL), dask.config.set(SETTINGS), where as client:
        yield client


@contextmanager
def _local(workers: int) -> Iterator[Client]:
    from distributed import Client, LocalCluster

    with _one_thread_each():
        try:
            with _interrupts_held():
                local = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else it takes 8787
                    silence_logs=logging.CRITICAL,
                )
        except RuntimeError as error:
            raise RuntimeError(
                f"the worker processes did not start; {GUARD.format('it')}"
            ) from error
        client = Client(local, set_as_default=False)
        try:
            yield client
        finally:
            # On a busy machine workers may not end in time; Dask then kills them, and all is done.
            for each in (client, local):
                with suppress(TimeoutError):
                    each.close()


@contextmanager
def _running(scheduler: str) -> Iterator[Client]:
    from distributed import Client
    from distributed.comm import get_address_host_port

    try:
        # A client that is given no port, or none that can be, never comes back.
        if not 0 < int(get_address_host_port(scheduler, strict=True)[1]) < 2**16:
            raise ValueError("no such port")
        client = Client(scheduler, timeout=CONNECT, set_as_default=False)
    except Exception as error:  # a bad address raises whatever Dask meets first
        raise _no_cluster(scheduler, str(error)) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=JOIN)
        except TimeoutError as error:
            raise _no_cluster(scheduler, "no worker has joined it") from error
        yield client


def _no_cluster(scheduler: str, why: str) -> InputError:
    return InputError(
        f"scheduler: expected the address of a running Dask cluster with workers, got "
        f"{scheduler!r} ({why}); write e.g. tcp://host:8786"
    )


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Start workers without threads of BLAS, whatever the user's own setting is."""
    before = {name: os.environ[name] for name in THREADS if name in os.environ}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name in THREADS:
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait until the cluster is there, and reach this process alone.

    A terminal sends it to the workers, too, which would each show a traceback. Threads and
    processes that are started meanwhile inherit that it is held, workers started anew included.
    """
    if sys.platform == "win32":
        yield
        return
    # Python starts this helper with the first process and lets interrupts through again then.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def check_main(function: str) -> None:
    """Stop a script without a guard, which its own worker reads once more, from starting others.

    Parameters
    ----------
    function : str
        That the script calls, such as ``popout.sweep``.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError(
            f"a worker process reads the script that started it; {GUARD.format(function)}"
        )
