"""`sweep`: compute every point of a grid on a Dask cluster, into a store that can be resumed.

The client keeps a bounded number of units of work in flight, two for each thread of the cluster. A
unit is some points that take a few seconds together: long against the milliseconds that the cluster
needs to hand it over, short against the whole, so that little is lost when a worker dies. Points
come in random order, so a unit is a fair sample of the grid and the time left follows from the
rate.

Each unit that comes back is appended to the journal; then the next one is handed out. The store is
written from the journal now and then, and at the end. When a worker dies, Dask runs its unit again
elsewhere. A unit that several workers died of is split, and a single point that does so is recorded
as failed.

Numbers depend on the sweep alone: not on the cluster, the units, the order or interruptions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from popout._version import __version__
from popout.analysis.sweep.cluster import check_main, cluster, cluster_faults
from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.journal import Journal
from popout.analysis.sweep.point import Outcome, run_points
from popout.analysis.sweep.store import check_free, dataset, open_store, variables, write_store
from popout.drawing.representation import Card, HasCard
from popout.task import Faults
from popout.task.faults import unwritable

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client

    from popout.progress import Progress

STORE_EVERY = 60.0
"""Seconds between two writings of the store, or twenty times what the last one took."""
UNIT_SECONDS = 2.0
"""Time that a unit should take."""
LARGEST_UNIT = 1000
"""Points of a unit, at most."""
FAILURES_SHOWN = 5


@dataclass(frozen=True)
class SweepSummary(HasCard):
    """What a run of a sweep did.

    Attributes
    ----------
    store : str
    points, done, failed : int
        Of the whole grid.
    computed : int
        Points of this run.
    seconds : float
        From the first unit handed out to the last one back.
    failures : dict of str to str
        The message of the first points that failed, by their place on the axes.
    """

    store: str
    points: int
    done: int
    failed: int
    computed: int
    seconds: float
    failures: dict[str, str]

    @property
    def points_per_second(self) -> float:
        """The rate of this run; 0 if it computed nothing."""
        return self.computed / self.seconds if self.computed else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and the rate."""
        return {**super().as_dict(), "points_per_second": self.points_per_second}

    def card(self) -> Card:
        """Return the counts, and why the first points failed."""
        return Card(
            f"Sweep in {self.store}",
            [
                ("points", self.points),
                ("done", self.done),
                ("failed", self.failed),
                ("computed now", self.computed),
                ("seconds", self.seconds),
                ("points per second", self.points_per_second),
            ],
            [f"first of {self.failed} failed points", "message"],
            list(self.failures.items()),
            "Read it with xarray.open_dataset(STORE, engine='zarr').",
        )


def sweep(
    spec: Sweep | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
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
    progress : Progress, optional
        Called after each unit of work with the share of this run that is done, and a few words.

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
    progress: Progress | None = None,
) -> SweepSummary:
    """Do the work of `sweep`; return counts instead of the dataset."""
    check_main()
    faults = Faults("sweep")
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    faults.raise_if_any()
    grid = spec if isinstance(spec, Sweep) else Sweep.load(spec)
    store = Path(out)
    check_free(store)
    with closing(Journal(store, grid.sha256, tuple(variables(grid)))) as journal:
        run = _Run(grid, journal, retry_failed, progress)
        try:
            if run.wanted:
                with cluster(workers, scheduler) as client:
                    run.work(client)
        finally:
            # Also after an interrupt: what is in the journal is then in the store.
            if run.computed or not journal.is_new:
                run.write()
            else:
                journal.discard()
        return run.summary()


def unit_size(left: int, threads: int, computed: int, seconds: float) -> int:
    """Return how many points the next unit holds.

    It should take `UNIT_SECONDS`, but never hold more points than have been computed so far, which
    the mean time comes from, nor more than a thread's share of what is left, so that the workers
    finish together.

    Parameters
    ----------
    left : int
        Points that have not been handed out.
    threads : int
        Of the cluster.
    computed : int
        Points that are back.
    seconds : float
        Mean time of one of these.

    Examples
    --------
    >>> unit_size(1000, 2, 0, 0.0), unit_size(999, 2, 50, 0.1), unit_size(40, 2, 960, 0.1)
    (1, 20, 10)
    """
    largest = min(LARGEST_UNIT, computed, left // (2 * threads))
    return max(1, min(largest, int(UNIT_SECONDS / max(seconds, 1e-9))))


class _Run:
    """One run of a sweep: the state that the client keeps, a few bytes for each point."""

    def __init__(
        self, grid: Sweep, journal: Journal, retry_failed: bool, progress: Progress | None
    ) -> None:
        self.grid, self.journal, self.progress = grid, journal, progress
        self.done = np.zeros(grid.n_points, dtype=bool)
        self.failed: dict[int, str] = {}
        self._note(journal.outcomes())
        missing = ~self.done
        if not retry_failed:
            missing[list(self.failed)] = False
        self._pending = np.random.default_rng(0).permutation(np.flatnonzero(missing))
        self._alone: list[int] = []
        self.wanted, self.computed, self.seconds = len(self._pending), 0, 0.0
        self._busy = 0.0
        self._written, self._writing = time.perf_counter(), 0.0

    # -- units ----------------------------------------------------------------------------------

    def _next_unit(self, threads: int) -> tuple[int, ...]:
        """Take the next points to hand out; empty if none is left."""
        if self._alone:
            return (self._alone.pop(),)
        mean = self._busy / max(self.computed, 1)
        size = unit_size(len(self._pending), threads, self.computed, mean)
        unit, self._pending = self._pending[:size], self._pending[size:]
        return tuple(unit.tolist())

    def work(self, client: Client) -> None:
        """Keep the cluster busy until every point is back."""
        from distributed import as_completed

        units: dict[Any, tuple[int, ...]] = {}
        finished = as_completed(loop=client.loop)
        began = time.perf_counter()

        def hand_out() -> None:
            # No thread is counted while the workers of a cluster are restarted.
            threads = max(1, sum(client.nthreads().values()))
            while len(units) < 2 * threads + 1 and (unit := self._next_unit(threads)):
                future = client.submit(run_points, self.grid, unit, __version__, pure=False)
                units[future] = unit
                finished.add(future)

        hand_out()
        for batch in finished.batches():
            outcomes = [
                outcome for future in batch for outcome in self._outcomes(future, units.pop(future))
            ]
            if outcomes:
                self.journal.append(outcomes)
                self._note(outcomes)
                self.computed += len(outcomes)
                self._busy += sum(outcome.seconds for outcome in outcomes)
            self.seconds = time.perf_counter() - began
            hand_out()
            self._tell()
            if time.perf_counter() - self._written > max(STORE_EVERY, 20 * self._writing):
                self.write()

    def _outcomes(self, future: Any, unit: tuple[int, ...]) -> list[Outcome]:
        """Return what a unit brought; none if its points are to be handed out again."""
        from distributed import KilledWorker

        try:
            with cluster_faults():
                outcomes: list[Outcome] = future.result()
            return outcomes
        except KilledWorker:
            if len(unit) > 1:
                self._alone += unit
                return []
            message = "KilledWorker: several workers died while they computed this point"
            return [Outcome(unit[0], 0.0, {}, f"{message} (out of memory?)")]

    def _note(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self.done[outcome.index] = not outcome.message
            self.failed.pop(outcome.index, None)
            if outcome.message:
                self.failed[outcome.index] = outcome.message

    def _tell(self) -> None:
        if self.progress is None:
            return
        words = f"{np.count_nonzero(self.done)} of {self.grid.n_points} points, "
        words += f"{self.computed / self.seconds:.3g} points/s"
        words += f", {len(self.failed)} failed" if self.failed else ""
        self.progress(self.computed / self.wanted, words)

    # -- results ----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the store from the journal."""
        start = time.perf_counter()
        data = dataset(self.grid, self.journal.outcomes())
        try:
            write_store(data, self.journal.store)
        except OSError as error:
            raise unwritable(self.journal.store, error) from error
        self._written = time.perf_counter()
        self._writing = self._written - start

    def summary(self) -> SweepSummary:
        """Return the counts."""

        def place(index: int) -> str:
            axes = self.grid.position(index).items()
            return ", ".join(f"{name} = {value}" for name, value in axes)

        return SweepSummary(
            store=str(self.journal.store),
            points=self.grid.n_points,
            done=int(np.count_nonzero(self.done)),
            failed=len(self.failed),
            computed=self.computed,
            seconds=self.seconds,
            failures={place(k): self.failed[k] for k in sorted(self.failed)[:FAILURES_SHOWN]},
        )
