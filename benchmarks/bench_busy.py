"""The solver on a busy machine: how much longer it takes while every core has other work.

`popout.solve` at M = 4 (drift 4/s, cost of time 0.2/s, dt 10 ms, tolerance 1e-3) is timed by turns
on the machine as it is and with one spinning process for each core; medians of several turns, and
their ratio, which must be at most 3. Beside them is the time on all cores together and its ratio,
which tells whose fault it is: near 1, the solver does the same work and only waits for its share of
the cores (with as many spinning processes as cores, a half: a ratio of 2 by the clock); well above
1, its own threads spin against the others. For comparison the same with as many BLAS threads as
BLAS would choose for itself. Other work that the machine has anyway is in both times: run it on a
quiet one.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import time

import popout as po
from popout.exact import backend

TASK, COSTS, RTOL = po.SearchTask(n_locations=4, drift=4.0), po.Costs(time=0.2), 1e-3
MOST = 3.0


@contextlib.contextmanager
def busy(cores):
    """Keep some cores busy with processes that do nothing else."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def seconds():
    """Return the time by the clock, and that of all cores together, for one solution."""
    start, cores = time.perf_counter(), time.process_time()
    po.solve(TASK, COSTS, RTOL)
    return time.perf_counter() - start, time.process_time() - cores


def row(name, turns, cores):
    """Time it on the idle and on the busy machine by turns, and return the ratio of the medians."""
    idle, loaded = [], []
    for _ in range(turns):
        idle.append(seconds())
        with busy(cores):
            loaded.append(seconds())
    a, cpu_a = map(statistics.median, zip(*idle, strict=True))
    b, cpu_b = map(statistics.median, zip(*loaded, strict=True))
    by_clock, by_cores = f"{a:9.2f} {b:9.2f} {b / a:6.2f}", f"{cpu_a:9.2f} {cpu_b:9.2f}"
    print(f"{name:>22} {by_clock} {by_cores} {cpu_b / cpu_a:6.2f}", flush=True)
    return b / a


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(
        f"M = 4, {cores} cores, {cores} spinning processes; load before: {os.getloadavg()[0]:.1f}"
    )
    times = f"{'idle (s)':>9} {'busy (s)':>9} {'ratio':>6}"
    print(f"{'':>22} {times} {'CPU idle':>9} {'CPU busy':>9} {'ratio':>6}")
    seconds()  # imports
    ratio = row("one thread (as it is)", args.turns, cores)
    backend.ONE_THREAD = contextlib.nullcontext()
    row("BLAS' own choice", max(1, args.turns // 3), cores)
    return ratio > MOST


if __name__ == "__main__":
    sys.exit(main())
