"""`sweep`: compute every point of a grid on a Dask cluster, into a store that can be resumed.

The client keeps two units of work in flight for each thread of the cluster: some points that take a
second or two together, in random order, so that the time left follows from the rate. Points that
come back are written down as lines; then the next unit is handed out. The store is made of the
lines at the end, also of a run that is interrupted. A unit whose worker dies is computed again by
another; one that several workers died of is split, and a single such point is recorded as failed.

Numbers depend on the sweep alone: not on the cluster, the units, the order or interruptions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from popout._version import __version__
from popout.analysis.cluster import check_main, cluster, cluster_faults, default_workers
from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.point import Outcome, run_points
from popout.analysis.sweep.results import Lines, dataset, write_store
from popout.drawing.representation import Card, HasCard, duration
from popout.task import Faults

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client

    from popout.progress import Progress

UNIT_SECONDS, LARGEST_UNIT = 2.0, 1000
"""Time that a unit should take, and its points, at most."""
FAILURES_SHOWN = 5
PLANNED_POINTS, PLANNED_SECONDS = 8, 10.0
"""Points that a plan tries, at most, and the time after which it tries no further one."""


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
        Folder of the Zarr store; the lines of its points are written beside it.
    workers : int, optional
        Processes of a local cluster; one for each core when left out.
    scheduler : str, optional
        Address of a running Dask cluster to use instead.
    retry_failed : bool
        Compute points anew that failed in an earlier run.
    progress : Progress, optional
        Called with the share of this run that is done, and a few words.

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
    import xarray as xr

    how: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "progress": progress}
    run_sweep(spec, out, retry_failed=retry_failed, **how)
    return xr.open_dataset(Path(out), engine="zarr")


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
    check_main("popout.sweep")
    faults = Faults("sweep")
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    faults.raise_if_any()
    grid = spec if isinstance(spec, Sweep) else Sweep.load(spec)
    lines = Lines(Path(out), grid)
    state = _State(grid.n_points)
    for outcome in lines:
        state.note(outcome)
    missing = ~state.done
    if not retry_failed:
        missing[list(state.failed)] = False
    wanted, computed, seconds = int(missing.sum()), 0, 0.0
    try:
        if wanted:
            with cluster(workers, scheduler) as client:
                began = time.perf_counter()
                for outcomes in compute(client, grid, np.flatnonzero(missing)):
                    lines.append(outcomes)
                    for outcome in outcomes:
                        state.note(outcome)
                    computed += len(outcomes)
                    seconds = time.perf_counter() - began
                    if progress is not None:
                        words = f"{state.in_words()}, {computed / seconds:.3g} points/s"
                        progress(computed / wanted, words)
    finally:
        # Also after an interrupt: what is in the lines is then in the store.
        if computed or not lines.is_new:
            write_store(dataset(grid, lines), lines.store)
        else:
            lines.path.unlink()
    return SweepSummary(
        store=str(lines.store),
        points=grid.n_points,
        done=int(state.done.sum()),
        failed=len(state.failed),
        computed=computed,
        seconds=seconds,
        failures={
            ", ".join(f"{name} = {value}" for name, value in grid.position(k).items()): message
            for k, message in sorted(state.failed.items())[:FAILURES_SHOWN]
        },
    )


class _State:
    """Which points are done, and why others failed."""

    def __init__(self, n_points: int) -> None:
        self.done = np.zeros(n_points, dtype=bool)
        self.failed: dict[int, str] = {}

    def note(self, outcome: Outcome) -> None:
        self.done[outcome.index] = not outcome.message
        self.failed.pop(outcome.index, None)
        if outcome.message:
            self.failed[outcome.index] = outcome.message

    def in_words(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"{np.count_nonzero(self.done)} of {len(self.done)} points{failed}"


def compute(client: Client, grid: Sweep, points: Any) -> Iterator[list[Outcome]]:
    """Keep a cluster busy until every point is back; yield what became of some.

    Parameters
    ----------
    client : Client
    grid : Sweep
    points : ndarray of int
        Numbers of the points.
    """
    from distributed import as_completed

    pending = np.random.default_rng(0).permutation(points).tolist()
    alone: list[int] = []  # of units that workers died of
    flying: dict[Any, list[int]] = {}
    finished = as_completed(loop=client.loop)
    computed, busy = 0, 0.0

    def hand_out() -> None:
        # No thread is counted while the workers of a cluster are restarted.
        threads = max(1, sum(client.nthreads().values()))
        while len(flying) < 2 * threads + 1 and (alone or pending):
            source = alone or pending
            size = unit_size(len(pending), threads, computed, busy / max(computed, 1))
            unit = [source.pop() for _ in range(1 if alone else size)]
            future = client.submit(run_points, grid, unit, __version__, pure=False)
            flying[future] = unit
            finished.add(future)

    hand_out()
    for batch in finished.batches():
        outcomes = []
        for future in batch:
            outcomes += outcomes_of(future, flying.pop(future), alone)
        computed += len(outcomes)
        busy += sum(outcome.seconds for outcome in outcomes)
        if outcomes:
            yield outcomes
        hand_out()


def unit_size(left: int, threads: int, computed: int, seconds: float) -> int:
    """Return how many points the next unit holds.

    As many as take `UNIT_SECONDS`, by the mean `seconds` of the points `computed` so far, but no
    more than these, nor more than a thread's share of those left, so that workers end together.

    Examples
    --------
    >>> unit_size(1000, 2, 0, 0.0), unit_size(999, 2, 50, 0.1), unit_size(40, 2, 960, 0.1)
    (1, 20, 10)
    """
    largest = min(LARGEST_UNIT, computed, left // (2 * threads))
    return max(1, min(largest, int(UNIT_SECONDS / max(seconds, 1e-9))))


def outcomes_of(future: Any, unit: list[int], alone: list[int]) -> list[Outcome]:
    """Return what a unit brought; none if its points are to be handed out again, alone."""
    from distributed import KilledWorker

    try:
        with cluster_faults():
            outcomes: list[Outcome] = future.result()
        return outcomes
    except KilledWorker:
        if len(unit) > 1:
            alone += unit
            return []
        message = "KilledWorker: several workers died while they computed this point"
        return [Outcome(unit[0], 0.0, {}, f"{message} (out of memory?)")]


@dataclass(frozen=True)
class Plan(HasCard):
    """What a sweep will take, from a few points.

    Attributes
    ----------
    points, workers : int
    sampled, failed : int
        Points that were tried, and those among them that failed.
    message : str
        Why the last of these failed.
    seconds_per_point : float
        Mean time of one point on one worker.
    seconds : float
        Estimated time of the whole on all workers, once they have started.
    """

    points: int
    workers: int
    sampled: int
    failed: int
    message: str
    seconds_per_point: float
    seconds: float

    def card(self) -> Card:
        """Return the time in units that people use."""
        return Card(
            f"What the sweep will take on {self.workers} workers, from {self.sampled} points",
            [
                ("points", self.points),
                *([("failed of those tried", self.failed)] if self.failed else []),
                ("seconds per point", f"{self.seconds_per_point:.3g}"),
                ("time of computing", duration(self.seconds)),
            ],
            note="Before that the workers start, each of them as long as this dry run took to."
            + (f" The last that failed: {self.message}" if self.failed else ""),
        )


def plan_sweep(grid: Sweep, workers: int | None = None, progress: Progress | None = None) -> Plan:
    """Estimate what a sweep will take.

    Time comes from a few points drawn at random, computed here and now, one after the other. The
    first one pays for loading and compiling: it is left out of the mean where there are others, and
    what it took longer is counted once, as all workers load and compile at the same time.

    Parameters
    ----------
    grid : Sweep
    workers : int, optional
        One for each core when left out.
    progress : Progress, optional
        Called after each point.

    Examples
    --------
    >>> base = {"kind": "search", "n_locations": 1, "costs": {"time": 0.2}}
    >>> grid = Sweep(base, axes={"drift": [2.0, 4.0, 8.0]}, result="exact", rates=False)
    >>> plan = plan_sweep(grid, workers=2)
    >>> plan.points, plan.sampled
    (3, 3)
    """
    n, n_workers = grid.n_points, workers or default_workers()
    order = np.random.default_rng(0).permutation(n)[:PLANNED_POINTS].tolist()
    began, outcomes = time.perf_counter(), []
    for k in order:
        outcomes += run_points(grid, [k])
        if progress is not None:
            progress(len(outcomes) / len(order), f"point {len(outcomes)} of {len(order)}")
        if time.perf_counter() - began > PLANNED_SECONDS:
            break
    times = [outcome.seconds for outcome in outcomes[1:] or outcomes]
    mean = math.fsum(times) / len(times)
    messages = [outcome.message for outcome in outcomes if outcome.message]
    return Plan(
        points=n,
        workers=n_workers,
        sampled=len(outcomes),
        failed=len(messages),
        message=messages[-1] if messages else "",
        seconds_per_point=mean,
        seconds=n * mean / min(n_workers, n) + max(0.0, outcomes[0].seconds - mean),
    )
