"""Sweeps: speed on one and two workers, what a client can hand out, and what a million points take.

1. Points per second of one grid on one and on two workers, in one run. The workers have loaded and
   compiled everything before the clock starts. Where the machine has other work to do, the ratio
   suffers; the share of the processor that each run got is printed beside it.
2. Points that do nothing: how many one client can hand out and write down.
3. Processor seconds of typical points, the best of three, and the workers that 1e6 of them take for
   a day.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import psutil

from popout.analysis.cluster import cluster
from popout.analysis.sweep import Sweep, run_sweep, running
from popout.analysis.sweep.point import Outcome, run_points

DAY = 86_400.0
MILLION = 1_000_000
COSTS = {"time": 0.2}
SEARCH = {"kind": "search", "n_locations": 8, "drift": 4.0}
GIVEN = {"tau_minus": -4.5, "tau_plus": 4.5}

TYPICAL = {
    "exact with rates, 1 location": {"result": "exact", "n_locations": 1},
    "exact risk, 2 locations": {"result": "exact", "n_locations": 2, "rates": False},
    "exact with rates, 2 locations": {"result": "exact", "n_locations": 2},
    "exact risk, 3 locations": {"result": "exact", "n_locations": 3, "rates": False},
    "SPRT, 8 locations, 1e5 trials": {"result": "simulated", "strategy": "sprt"},
    "tuned a-SPRT, 8 locations, 1e5 trials": {"result": "tuned", "strategy": "a-sprt"},
}


def do_nothing(sweep: Sweep, indices: list[int], version: str) -> list[Outcome]:
    return [Outcome(index, 1e-4, {"risk": 0.1 + index}) for index in indices]


@contextmanager
def instead(points: object) -> Iterator[None]:
    """Let the workers run something else than the points."""
    real, running.run_points = running.run_points, points
    try:
        yield
    finally:
        running.run_points = real


def grid(n: int, **settings: object) -> Sweep:
    """Return a grid of n points that cost about the same."""
    given = {"result": "simulated", "strategy": "sprt", "parameters": GIVEN, **settings}
    return Sweep(SEARCH, COSTS, {"drift": np.linspace(4.0, 4.4, n)}, **given)


def cpu_seconds() -> float:
    """Return the processor time of this process and of its children, workers included."""
    own = psutil.Process()
    return sum(sum(p.cpu_times()[:2]) for p in (own, *own.children(recursive=True)))


def scaling(folder: Path, n: int, trials: int) -> None:
    print(f"{n} points of SPRT, 8 locations, {trials} trials each")
    print("| workers | seconds | points/s | ratio | processor time per worker and second |")
    print("|---|---|---|---|---|")
    rates = []
    for workers in (1, 2):
        with cluster(workers) as client:
            address = client.scheduler.address
            warm = grid(8, n_trials=trials, seed=2)
            run_sweep(warm, folder / f"warm{workers}.zarr", scheduler=address)
            began = cpu_seconds()
            summary = run_sweep(
                grid(n, n_trials=trials), folder / f"s{workers}.zarr", scheduler=address
            )
            busy = (cpu_seconds() - began) / summary.seconds / workers
        rates.append(summary.computed / summary.seconds)
        ratio = rates[-1] / rates[0]
        print(f"| {workers} | {summary.seconds:.1f} | {rates[-1]:.2f} | {ratio:.2f} | {busy:.2f} |")


def client_rate(folder: Path, n: int) -> None:
    with instead(do_nothing), cluster(2) as client:
        summary = run_sweep(grid(n), folder / "nothing.zarr", scheduler=client.scheduler.address)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"\n{n} points that do nothing, 2 workers: {n / summary.seconds:.0f} points/s, "
        f"peak memory of the client {peak:.0f} MiB"
    )


def a_million(rounds: int) -> None:
    print("\n1e6 points, from the processor seconds of one")
    print("| point | seconds | workers for a day |")
    print("|---|---|---|")
    for label, settings in TYPICAL.items():
        task = {**SEARCH, "n_locations": settings.get("n_locations", 8)}
        rest = {key: value for key, value in settings.items() if key != "n_locations"}
        few = Sweep(task, COSTS, {"drift": [4.0, 4.1, 4.2, 4.3][: rounds + 1]}, **rest)
        times = []
        for k in range(rounds + 1):  # the first compiles; each has a drift of its own
            began = time.process_time()
            [outcome] = run_points(few, [k])
            times.append(time.process_time() - began)
            assert not outcome.message, outcome.message
        seconds = min(times[1:])
        workers = int(np.ceil(MILLION * seconds / DAY))
        print(f"| {label} | {seconds:.3g} | {workers} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=240, help="of the scaling")
    parser.add_argument("--trials", type=int, default=200_000, help="of each of them")
    parser.add_argument("--nothings", type=int, default=20_000, help="points that do nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scaling(folder, options.points, options.trials)
        client_rate(folder, options.nothings)
    a_million(rounds=3)


if __name__ == "__main__":
    main()
