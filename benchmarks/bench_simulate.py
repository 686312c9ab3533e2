"""Cost of a simulated location-step, beside NumPy's normals and ssm-simulators, in one run.

(a) NumPy: `Generator.standard_normal` filling as many numbers as the simulation used, one thread.
(b) ssm-simulators (PyPI; measured where it is installed): the drift diffusion model, which is the
    search task with one location, on the same job: same bounds, dt = 1 ms, same number of trials.

A location-step is one location receiving one step of evidence; the whole simulation is counted:
displays, noise, accumulation, both tests, book-keeping. Times are the best of several rounds, taken
in turns, so that a busy machine disturbs both sides of a ratio alike.
"""

import argparse
import importlib.util
import math
import os
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from popout.policies.stopping import ASPRT, SPRT, Hardmax, ScaledSPRT
from popout.simulation import simulate
from popout.task import SearchTask

DRIFT, TIME_COST = 4.0, 0.2
RECIPES = (("a-SPRT", ASPRT), ("SPRT", SPRT), ("Hardmax", Hardmax))


def best_bound(drift: float, time_cost: float) -> float:
    """Return the optimal symmetric bound of one location as dt goes to 0, in closed form."""

    def risk(b: float) -> float:
        return 1 / (1 + math.exp(b)) + time_cost * b / (2 * drift**2) * math.tanh(b / 2)

    return float(minimize_scalar(risk, bounds=(0.1, 20), method="bounded").x)


def seconds(jobs: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the best time of each job; the jobs take turns."""
    best = [math.inf] * len(jobs)
    for _ in range(rounds):
        for i, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def make(recipe: type, task: SearchTask) -> ScaledSPRT:
    bound = best_bound(DRIFT, TIME_COST)
    strategy: ScaledSPRT = recipe.for_task(task, -bound, bound)
    return strategy


def per_location_step(rounds: int, numbers: float) -> None:
    print(f"Drift {DRIFT:g}/s, time cost {TIME_COST:g}/s, one thread; ns per location-step")
    print(f"{'dt':>6}{'M':>5}  {'strategy':9}{'steps':>7}{'popout':>9}{'NumPy':>8}{'ratio':>8}")
    rng = np.random.default_rng(0)
    for dt in (0.001, 0.01):
        for M in (1, 8, 32, 128):
            task = SearchTask(n_locations=M, drift=DRIFT, dt=dt)
            for label, recipe in RECIPES:
                strategy = make(recipe, task)
                probe = simulate(task, strategy, 2000, seed=1, threads=1)
                mean_steps = max(float(probe.steps.mean()), 1.0)
                n = max(2000, int(numbers / (mean_steps * M)))
                total = int(simulate(task, strategy, n, seed=2, threads=1).steps.sum()) * M
                if total == 0:
                    continue
                buffer = np.empty(min(total, 1 << 16))
                repeats = max(1, total // len(buffer))

                def ours(n: int = n, task: SearchTask = task, s: ScaledSPRT = strategy) -> None:
                    simulate(task, s, n, seed=2, threads=1, keep=False)

                def normals(buffer: np.ndarray = buffer, repeats: int = repeats) -> None:
                    for _ in range(repeats):
                        rng.standard_normal(out=buffer)

                a, b = seconds([ours, normals], rounds)
                a, b = a / total * 1e9, b / (repeats * len(buffer)) * 1e9
                print(
                    f"{dt:6g}{M:5d}  {label:9}{mean_steps:7.1f}{a:9.2f}{b:8.2f}{a / b:8.2f}",
                    flush=True,
                )


def threads_and_memory(rounds: int) -> None:
    task = SearchTask(n_locations=8, drift=DRIFT)
    strategy = make(ASPRT, task)
    cores = os.cpu_count() or 1
    n = 200_000
    alone, many = seconds(
        [
            lambda: simulate(task, strategy, n, seed=1, threads=1, keep=False),
            lambda: simulate(task, strategy, n, seed=1, threads=cores, keep=False),
        ],
        rounds,
    )
    print(f"\na-SPRT, M = 8, {n} trials: {alone:.3f} s on one thread, {many:.3f} s on {cores}")
    peaks = []
    for trials in (400_000, 1_600_000):
        tracemalloc.start()
        simulate(task, strategy, trials, seed=1, keep=False)
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
    print(
        f"peak memory when summarised: {peaks[0]:.1f} MiB for 4e5 trials, {peaks[1]:.1f} for 1.6e6"
    )


def against_ssm(rounds: int, n: int) -> dict[str, float]:
    """Return nanoseconds per step of one location in steps of 1 ms, where the peer is here."""
    if importlib.util.find_spec("ssms") is None:
        return {}
    from ssms.basic_simulators.simulator import simulator

    bound = best_bound(DRIFT, TIME_COST)
    task = SearchTask(n_locations=1, drift=DRIFT, dt=0.001)
    strategy = make(SPRT, task)
    cores = os.cpu_count() or 1
    # Z = 2 mu x, so the bound on x is bound / (2 mu); ssms counts `a` from the middle, z = 1/2.
    theta = {"v": DRIFT, "a": bound / (2 * DRIFT), "z": 0.5, "t": 0.0}

    def theirs() -> dict[str, np.ndarray]:
        return simulator(
            theta=theta, model="ddm", n_samples=n, delta_t=0.001, max_t=60.0, n_threads=1
        )

    def ours(threads: int) -> object:
        return simulate(task, strategy, n, seed=1, condition="present", threads=threads)

    rt = float(np.mean(np.abs(theirs()["rts"])))
    own = simulate(task, strategy, n, seed=1, condition="present")
    assert abs(rt - own.rt.mean()) < 0.02 * rt  # the same trials, but for their noise
    names = ("ssm-simulators, 1 thread", "popout, 1 thread", f"popout, {cores} threads")
    spent = seconds([theirs, lambda: ours(1), lambda: ours(cores)], rounds)
    return dict(zip(names, (1e9 * s / float(own.steps.sum()) for s in spent), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--numbers", type=float, default=1e7, help="normals per measurement")
    options = parser.parse_args()
    per_location_step(options.rounds, options.numbers)
    threads_and_memory(options.rounds)
    print("\nOne location, dt = 1 ms, 200,000 present trials; ns per step")
    for label, value in against_ssm(options.rounds, n=200_000).items():
        print(f"{label:26}{value:8.2f}")


if __name__ == "__main__":
    main()
