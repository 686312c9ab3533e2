"""Sweeps: speed on one and two workers, cost of scheduling, cost of a point, a million points.

1. Points per second of one grid on one and on two workers, in one run. The workers have loaded and
   compiled everything before the clock starts; journal and store are written as always. Where the
   machine has other work to do, the ratio suffers; the share of the processor that each run got
   is printed beside it.
2. Points that only sleep for a second, on two workers: what the cluster, the journal and the last
   units add to it.
3. Points that do nothing: how many one client can hand out and write down.
4. Processor seconds of typical points, the best of three, and from these what 1e6 points take:
   workers for a day, size of the store (random numbers do not compress) and of the journal.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import psutil

from popout.analysis.sweep import Sweep, run_sweep
from popout.analysis.sweep import run as run_module
from popout.analysis.sweep.cluster import cluster
from popout.analysis.sweep.journal import Journal
from popout.analysis.sweep.point import Outcome, run_points
from popout.analysis.sweep.store import dataset, variables, write_store

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


def sleep_a_second(sweep: Sweep, indices: tuple[int, ...], version: str) -> list[Outcome]:
    outcomes = []
    for index in indices:
        time.sleep(1.0)
        outcomes.append(Outcome(index, 1.0, {"risk": 0.0}))
    return outcomes


def do_nothing(sweep: Sweep, indices: tuple[int, ...], version: str) -> list[Outcome]:
    return [Outcome(index, 1e-4, {"risk": 0.1 + index}) for index in indices]


@contextmanager
def instead(points: object) -> Iterator[None]:
    """Let the workers run something else than the points."""
    real, run_module.run_points = run_module.run_points, points
    try:
        yield
    finally:
        run_module.run_points = real


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


def overhead(folder: Path, n: int) -> None:
    with instead(sleep_a_second), cluster(2) as client:
        summary = run_sweep(grid(n), folder / "sleep.zarr", scheduler=client.scheduler.address)
    extra = summary.seconds / (n / 2) - 1
    print(
        f"\n{n} points that sleep 1 s, 2 workers: {summary.seconds:.2f} s, {extra:.1%} over {n / 2}"
    )


def client_rate(folder: Path, n: int) -> None:
    with instead(do_nothing), cluster(2) as client:
        summary = run_sweep(grid(n), folder / "nothing.zarr", scheduler=client.scheduler.address)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"\n{n} points that do nothing, 2 workers: {n / summary.seconds:.0f} points/s, "
        f"peak memory of the client {peak:.0f} MiB"
    )


def bytes_per_point(folder: Path, sweep: Sweep, n: int) -> tuple[float, float]:
    """Return the bytes of store and journal for each point, from n points of random numbers."""
    names = tuple(variables(sweep))
    rng = np.random.default_rng(0)

    def outcome(index: int) -> Outcome:
        values = dict(zip(names, rng.random(len(names)).tolist(), strict=True))
        seed = int(rng.integers(2**63))
        return Outcome(index, rng.random(), {**values, "point_seed": seed})

    store = folder / "size.zarr"
    with closing(Journal(store, "size", names)) as journal:
        for start in range(0, n, 1000):
            journal.append([outcome(k) for k in range(start, start + 1000)])
        write_store(dataset(sweep, journal.outcomes()), store)
        journal_size = journal.path.stat().st_size
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    return size / n, journal_size / n


def a_million(folder: Path, rounds: int, n: int) -> None:
    print("\n1e6 points, from the processor seconds of one")
    print("| point | seconds | workers for a day | store, MB | journal, MB |")
    print("|---|---|---|---|---|")
    for label, settings in TYPICAL.items():
        task = {**SEARCH, "n_locations": settings.get("n_locations", 8)}
        rest = {key: value for key, value in settings.items() if key != "n_locations"}
        one = Sweep(task, COSTS, {"drift": [4.0, 4.1, 4.2, 4.3][: rounds + 1]}, **rest)
        times = []
        for k in range(rounds + 1):  # the first compiles; each has a drift of its own
            began = time.process_time()
            (outcome,) = run_points(one, (k,))
            times.append(time.process_time() - began)
            assert not outcome.message, outcome.message
        seconds = min(times[1:])
        with tempfile.TemporaryDirectory(dir=folder) as place:
            many = Sweep(task, COSTS, {"drift": np.linspace(1, 9, n)}, **rest)
            sizes = bytes_per_point(Path(place), many, n)
        workers = int(np.ceil(MILLION * seconds / DAY))
        store, journal = (MILLION * size / 1e6 for size in sizes)
        print(f"| {label} | {seconds:.3g} | {workers} | {store:.0f} | {journal:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=240, help="of the scaling")
    parser.add_argument("--trials", type=int, default=200_000, help="of each of them")
    parser.add_argument("--seconds", type=int, default=40, help="points that sleep")
    parser.add_argument("--nothings", type=int, default=50_000, help="points that do nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scaling(folder, options.points, options.trials)
        overhead(folder, options.seconds)
        client_rate(folder, options.nothings)
        a_million(folder, rounds=3, n=20_000)


if __name__ == "__main__":
    main()
