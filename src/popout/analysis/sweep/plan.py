"""What a sweep will take, before it runs: points, time and room on the disk.

Time comes from a few points drawn at random, computed here and now, one after the other. The first
one pays for loading and compiling: it is left out of the mean where there are others, and what it
took longer is counted once, as all workers load and compile at the same time. A mean over few
points of a grid of unequal ones is rough; its standard error says how rough. How long it takes to
start the workers is not known before they are started, and not in the time.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from popout.analysis.sweep.cluster import default_workers
from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.point import run_points
from popout.analysis.sweep.store import variables
from popout.drawing.representation import Card, HasCard, duration
from popout.progress import Progress

MOST_POINTS = 8
WORD = 8  # bytes of a number


@dataclass(frozen=True)
class Plan(HasCard):
    """What a sweep will take.

    Attributes
    ----------
    points : int
    workers : int
    sampled, failed : int
        Points that were tried, and those among them that failed.
    message : str
        Why the last of these failed.
    seconds_per_point, seconds_per_point_se : float
        Mean time of one point on one worker, and its standard error (NaN for a single one).
    first_seconds : float
        Time of the first point, with what was loaded and compiled for it.
    seconds : float
        Estimated time of the whole on all workers, once they have started.
    store_bytes, journal_bytes : int
        Size of the store before compression, and of its journal.
    """

    points: int
    workers: int
    sampled: int
    failed: int
    message: str
    seconds_per_point: float
    seconds_per_point_se: float
    first_seconds: float
    seconds: float
    store_bytes: int
    journal_bytes: int

    def card(self) -> Card:
        """Return time and size in units that people use."""
        return Card(
            f"What the sweep will take on {self.workers} workers, from {self.sampled} points",
            [
                ("points", self.points),
                *([("failed of those tried", self.failed)] if self.failed else []),
                ("seconds per point", f"{self.seconds_per_point:.3g}"),
                ("standard error of that", f"{self.seconds_per_point_se:.2g}"),
                ("seconds of the first", f"{self.first_seconds:.3g}"),
                ("time of computing", duration(self.seconds)),
                ("store, before compression", f"{self.store_bytes / 1e6:.3g} MB"),
                ("journal", f"{self.journal_bytes / 1e6:.3g} MB"),
            ],
            note="Before that the workers start, each of them as long as this dry run took to."
            + (f" The last that failed: {self.message}" if self.failed else ""),
        )


def plan_sweep(
    spec: Sweep | str | Path,
    workers: int | None = None,
    seconds: float = 10.0,
    progress: Progress | None = None,
) -> Plan:
    """Estimate what a sweep will take.

    Parameters
    ----------
    spec : Sweep or path
    workers : int, optional
        One for each core when left out.
    seconds : float
        No further point is tried after that time.
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
    grid = spec if isinstance(spec, Sweep) else Sweep.load(spec)
    n_workers = workers or default_workers()
    order = np.random.default_rng(0).permutation(grid.n_points)[:MOST_POINTS].tolist()
    began = time.perf_counter()
    outcomes = []
    for k in order:
        outcomes += run_points(grid, (k,))
        if progress is not None:
            progress(len(outcomes) / len(order), f"point {len(outcomes)} of {len(order)}")
        if time.perf_counter() - began > seconds:
            break
    times = [outcome.seconds for outcome in outcomes[1:] or outcomes]
    messages = [outcome.message for outcome in outcomes if outcome.message]
    line = max(len(json.dumps(list(outcome.values.values()))) for outcome in outcomes)
    mean, first = math.fsum(times) / len(times), outcomes[0].seconds
    return Plan(
        points=grid.n_points,
        workers=n_workers,
        sampled=len(outcomes),
        failed=len(messages),
        message=messages[-1] if messages else "",
        seconds_per_point=mean,
        seconds_per_point_se=float(np.std(times, ddof=1)) / math.sqrt(len(times))
        if len(times) > 1
        else math.nan,
        first_seconds=first,
        seconds=grid.n_points * mean / min(n_workers, grid.n_points) + max(0.0, first - mean),
        store_bytes=grid.n_points * (WORD * len(variables(grid)) + len("done")),
        journal_bytes=grid.n_points * (line + len(str(grid.n_points)) + WORD),
    )
