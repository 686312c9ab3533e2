"""`sweep`: compute every point of a grid on a Dask cluster, into a store that can be resumed.

The client keeps a bounded number of units in flight, two for each thread of the cluster. Each unit
that comes back is appended to the journal; then the next one is handed out. The store is written
from the journal at the start, now and then, and at the end. A lost worker is Dask's business: it
runs the unit again elsewhere. A unit that has cost several workers their lives is split, and a
single point that does so is recorded as failed.

Numbers depend on the sweep alone: not on the cluster, the units, the order or interruptions.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout._version import __version__
from popout.analysis.sweep.cluster import check_main, cluster
from popout.analysis.sweep.journal import Header, Journal, refused
from popout.analysis.sweep.point import Outcome, VersionError, run_unit
from popout.analysis.sweep.spec import Sweep
from popout.analysis.sweep.store import (
    check_free,
    dataset,
    open_store,
    variables,
    write_store,
)
from popout.analysis.sweep.units import Units
from popout.task import Faults, InputError

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client

__all__ = ["ClusterLostError", "Progress", "Report", "run_sweep", "sweep"]

STORE_EVERY = 60.0
"""Seconds between two writings of the store, or twenty times what the last one took."""
LOOK_EVERY = 5.0
"""Seconds after which the client asks again how many threads the cluster has."""

MISSING, DONE, FAILED = range(3)


class ClusterLostError(RuntimeError):
    """The cluster went away; what was computed is kept."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes
    ----------
    done, failed, total : int
        Points, those of earlier runs included.
    share : float
        Of the points of this run, from 0 to 1.
    rate : float
        Points per second in this run; 0 before the first.
    seconds_left : float
        Estimated; inf before the first point.
    """

    done: int
    failed: int
    total: int
    share: float
    rate: float
    seconds_left: float


@dataclass(frozen=True)
class Report:
    """What a run did.

    Attributes
    ----------
    store : Path
    points, done, failed : int
        Of the whole grid.
    computed : int
        Points of this run.
    seconds : float
        From the first unit handed out to the last one back.
    """

    store: Path
    points: int
    done: int
    failed: int
    computed: int
    seconds: float


Watch = Callable[[Progress], None]


def sweep(
    spec: Sweep | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: Watch | None = None,
) -> xr.Dataset:
    """Compute a grid of results, or go on with one that was interrupted.

    Parameters
    ----------
    spec : Sweep or path
        The grid, or its TOML file.
    out : path
        Folder of the Zarr store; its journal is written beside it.
    workers : int, optional
        Processes of a local cluster; one for each core when left out.
    scheduler : str, optional
        Address of a running Dask cluster to use instead.
    retry_failed : bool
        Compute points anew that failed in an earlier run.
    progress : callable, optional
        Called with a `Progress` after each unit of work.

    Returns
    -------
    xarray.Dataset
        Opened from the store; ``status`` and ``message`` tell of points that failed.

    Notes
    -----
    A script has to call this under ``if __name__ == "__main__":``, as always when processes are
    started; notebooks need not.

    Examples
    --------
    >>> import tempfile
    >>> import popout as po
    >>> grid = po.Sweep(
    ...     po.SearchTask(n_locations=1, drift=4.0),
    ...     po.Costs(time=0.2),
    ...     axes={"drift": [2.0, 4.0, 8.0]},
    ...     result="exact",
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = po.sweep(grid, f"{folder}/drifts.zarr", workers=1).load()
    >>> data["risk"].sel(drift=4.0).item()
    0.0381
    """
    run_sweep(
        spec,
        out,
        workers=workers,
        scheduler=scheduler,
        retry_failed=retry_failed,
        progress=progress,
    )
    return open_store(Path(out))


def run_sweep(
    spec: Sweep | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: Watch | None = None,
) -> Report:
    """Do the work of `sweep`; return counts instead of the dataset."""
    check_main()
    faults = Faults("sweep")
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    faults.raise_if_any()
    grid = spec if isinstance(spec, Sweep) else Sweep.load(spec)
    store = Path(out)
    check_free(store)
    with Journal(store, Header(grid.sha256, tuple(variables(grid)))) as journal:
        run = _Run(grid, store, journal, progress)
        pending = run.pending(retry_failed)
        if not len(pending):
            run.write()
            return run.report()
        try:
            with cluster(workers, scheduler) as client:
                run.write()
                try:
                    run.work(client, Units(pending))
                finally:
                    # Also after an interrupt: what is in the journal is then in the store.
                    run.write()
        except Exception:
            run.undo()
            raise
        return run.report()


class _Run:
    """One run of a sweep: the state that the client keeps, a few bytes for each point."""

    def __init__(self, grid: Sweep, store: Path, journal: Journal, progress: Watch | None) -> None:
        self.grid, self.store, self.journal, self.progress = grid, store, journal, progress
        self.status = np.zeros(grid.n_points, dtype=np.int8)
        self.counts = [grid.n_points, 0, 0]
        self._count(journal.outcomes())
        self.computed = self.wanted = 0
        self.began = time.perf_counter()
        self._written, self._writing = 0.0, 0.0

    def pending(self, retry_failed: bool) -> NDArray[np.int64]:
        """Return the points to be computed, in random order; see `units`."""
        wanted = self.status == MISSING
        if retry_failed:
            wanted |= self.status == FAILED
        order = np.random.default_rng(0).permutation(np.flatnonzero(wanted))
        self.wanted = len(order)
        return order.astype(np.int64)

    def work(self, client: Client, units: Units) -> None:
        """Keep the cluster busy until every point is back."""
        from distributed import as_completed

        flying: dict[Any, NDArray[np.int64]] = {}
        finished = as_completed(loop=client.loop)
        threads, looked = _threads(client), time.perf_counter()
        self.began = time.perf_counter()

        def hand_out() -> None:
            while units.left and len(flying) < 2 * threads + 1:
                unit = units.next(threads)
                packed = self.grid.packed(unit.tolist())
                future = client.submit(run_unit, packed, __version__, pure=False)
                flying[future] = unit
                finished.add(future)

        hand_out()
        self._tell()
        for batch in finished.batches():
            outcomes: list[Outcome] = []
            for future in batch:
                found = self._outcomes(future, flying.pop(future), units)
                if found:
                    units.learn(len(found), sum(outcome.seconds for outcome in found))
                outcomes += found
            if outcomes:
                self.journal.append(outcomes)
                self._count(outcomes)
                self.computed += len(outcomes)
            if time.perf_counter() - looked > LOOK_EVERY:
                threads, looked = _threads(client), time.perf_counter()
            hand_out()
            self._tell()
            if time.perf_counter() - self._written > max(STORE_EVERY, 20 * self._writing):
                self.write()

    def _outcomes(self, future: Any, unit: NDArray[np.int64], units: Units) -> list[Outcome]:
        """Return what a unit brought; none if its points are to be handed out again."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            return list(future.result())
        except KilledWorker:
            if len(unit) > 1:
                units.again(unit)
                return []
            message = "KilledWorker: several workers died while they computed this point"
            return [Outcome(int(unit[0]), 0.0, {}, f"{message} (out of memory?)")]
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

    def _count(self, outcomes: Iterable[Outcome]) -> None:
        """Keep the status of each point, and how many points have which."""
        for outcome in outcomes:
            now = FAILED if outcome.message else DONE
            self.counts[self.status[outcome.index]] -= 1
            self.counts[now] += 1
            self.status[outcome.index] = now

    def _tell(self) -> None:
        if self.progress is None:
            return
        seconds = time.perf_counter() - self.began
        rate = self.computed / seconds if self.computed else 0.0
        left = (self.wanted - self.computed) / rate if rate else float("inf")
        share = self.computed / self.wanted
        _, done, failed = self.counts
        self.progress(Progress(done, failed, self.grid.n_points, share, rate, left))

    def write(self) -> None:
        """Write the store from the journal."""
        start = time.perf_counter()
        data = dataset(self.grid, self.journal.outcomes())
        try:
            write_store(data, self.store)
        except OSError as error:
            raise refused(self.store, error) from error
        self._written = time.perf_counter()
        self._writing = self._written - start

    def undo(self) -> None:
        """Leave nothing behind if this run began the sweep and has no point to show for it."""
        if self.journal.is_new and not self.computed:
            if self._written:
                shutil.rmtree(self.store, ignore_errors=True)
            self.journal.discard()

    def report(self) -> Report:
        """Return the counts."""
        _, done, failed = self.counts
        return Report(
            store=self.store,
            points=self.grid.n_points,
            done=done,
            failed=failed,
            computed=self.computed,
            seconds=time.perf_counter() - self.began if self.computed else 0.0,
        )


def _threads(client: Client) -> int:
    """Return how many units the cluster can run at once; one while its workers are restarted."""
    return max(1, int(sum(client.nthreads().values())))
