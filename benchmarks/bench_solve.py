"""Time to accuracy of the exact solver, beside the paper's own procedure.

First table: `popout.solve` at drift 4/s, cost of time 0.2/s, dt 10 ms, from a cold start to the
named tolerance, best of several runs.

Second table: the paper's procedure for two locations (Methods, "Dynamic programming"): 2000 bins
per axis on [-10, 10], a mixture of three Gaussians, backward induction until the boundary stops
moving. Five products of 2001 x 2001 matrices make a step. A sample of steps is timed and multiplied
by the steps that are needed: those after which no bin of the one-location problem on the same axis
changes its decision any more.
"""

import argparse
import time

import numpy as np

import popout as po

DRIFT, COST, DT = 4.0, 0.2, 0.01
CPU_GOALS = [(1, 1e-6), (2, 1e-4), (3, 1e-4), (4, 1e-3), (5, 2e-3)]
DEVICE_GOALS = [(4, 1e-3), (5, 1e-3), (6, 2e-3), (7, 5e-3), (8, 1e-2)]
"""With any other back end than NumPy."""


def best_of(function, repeats):
    """Return the last result and the shortest time."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return result, min(times)


def solver_table(goals, backend, device):
    """Print the first table and return the seconds for two locations."""
    costs = po.Costs(time=COST)
    print(
        f"{'M':>2} {'rtol':>7} {'risk':>10} {'error':>8} {'seconds':>9} {'nodes/axis':>10}", end=""
    )
    print(f" {'stored':>9} {'steps':>5} {'GiB':>6}")
    seconds = {}
    for M, rtol in goals:
        task = po.SearchTask(n_locations=M, drift=DRIFT, dt=DT)
        repeats = 7 if M <= 2 else 3 if M <= 4 else 1
        solution, seconds[M] = best_of(
            lambda task=task, rtol=rtol: po.solve(
                task, costs, rtol, backend=backend, device=device
            ),
            repeats,
        )
        d = solution.diagnostics
        print(
            f"{M:2d} {rtol:7.0e} {solution.risk:10.7f} {solution.risk_error:8.1e} "
            f"{seconds[M]:9.3f} {d.nodes_per_axis[0]:10d} {d.nodes:9d} {d.iterations:5d} "
            f"{d.peak_bytes / 2**30:6.2f}",
            flush=True,
        )
    return seconds


def paper_kernels(z):
    """Return the laws of a step at a distractor and at the target, sampled and normalised."""
    mean, sd = 2 * DRIFT**2 * DT, 2 * DRIFT * np.sqrt(DT)
    kernels = []
    for shift in (-mean, mean):
        K = np.exp(-0.5 * ((z[None, :] - z[:, None] - shift) / sd) ** 2)
        kernels.append(K / K.sum(axis=1, keepdims=True))
    return kernels


def paper_step(R, K0, K1, posterior, stop):
    """One step of Equation 7 for two locations: expectation over the mixture of three Gaussians."""
    A0, A1 = K0 @ R, K1 @ R
    expected = posterior[0] * (A0 @ K0.T) + posterior[1] * (A1 @ K0.T) + posterior[2] * (A0 @ K1.T)
    return np.minimum(stop, COST * DT + expected)


def steps_needed(z):
    """Return after how many steps no bin of the one-location problem changes its decision."""
    K0, K1 = paper_kernels(z)
    P0 = 1 / (1 + np.exp(z))
    stop = np.minimum(P0, 1 - P0)
    R, waits, last = stop, None, 0
    for step in range(1, 1501):  # 15 s, the paper's horizon
        wait = COST * DT + P0 * (K0 @ R) + (1 - P0) * (K1 @ R)
        now = wait < stop
        if waits is None or (now != waits).any():
            last = step
        waits, R = now, np.minimum(stop, wait)
    return last


def paper_table(seconds, bins, sample):
    """Print the second table."""
    z = np.linspace(-10, 10, bins + 1)
    K0, K1 = paper_kernels(z)
    e1, e2 = np.exp(z)[:, None] / 2, np.exp(z)[None, :] / 2
    total = 1 + e1 + e2
    posterior = [1 / total, e1 / total, e2 / total]
    stop = np.minimum(posterior[0], 1 - posterior[0])
    R = paper_step(stop, K0, K1, posterior, stop)
    start = time.perf_counter()
    for _ in range(sample):
        R = paper_step(R, K0, K1, posterior, stop)
    each = (time.perf_counter() - start) / sample
    steps = steps_needed(z)
    print(f"\npaper's procedure, M = 2, {bins} bins per axis: {each:.3f} s a step ({sample} timed)")
    for name, n in (("until the boundary stops moving", steps), ("T_max = 15 s", 1500)):
        print(f"  {n:5d} steps {name}: {n * each:8.1f} s, {n * each / seconds:8.0f} times popout's")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--device", default=None)
    parser.add_argument("--goal", action="append", metavar="M:RTOL", help="e.g. 6:2e-3; repeatable")
    parser.add_argument("--bins", type=int, default=2000)
    parser.add_argument("--sample", type=int, default=3)
    args = parser.parse_args()
    goals = CPU_GOALS if args.backend == "numpy" else DEVICE_GOALS
    if args.goal:
        goals = [(int(M), float(rtol)) for M, rtol in (goal.split(":") for goal in args.goal)]
    po.solve(po.SearchTask(n_locations=2, drift=DRIFT), po.Costs(time=COST), 1e-2)  # imports
    seconds = solver_table(goals, args.backend, args.device)
    if args.backend == "numpy" and 2 in seconds:
        paper_table(seconds[2], args.bins, args.sample)


if __name__ == "__main__":
    main()
