"""Look for tasks whose `risk_error` does not cover the error: random tasks, solved twice.

Drifts 1 to 20 per second (equal or not), dt 1 to 20 ms, costs of time 0.05 to 2, any priors, costs
of errors within a factor of two. Each task is solved to a tolerance and again to a much smaller
one; the ratio is the difference of the risks over the sum of the two error estimates. Ratios above
one are printed with the task.
"""

import argparse

import numpy as np

import popout as po

SHORTEST = 0.1  # standard deviation of a step, with several locations: shorter ones take long


def random_problem(rng, M):
    """Return a task and costs."""
    drift = np.exp(rng.uniform(0.0, np.log(20.0), M))
    if rng.random() < 0.4:
        drift[:] = drift[0]
    dt, time = (float(np.exp(rng.uniform(*np.log(ends)))) for ends in ((1e-3, 2e-2), (0.05, 2.0)))
    prior = tuple(rng.dirichlet([2.0] * M)) if rng.random() < 0.5 else None
    miss, alarm = np.exp(rng.uniform(-0.7, 0.7, 2))
    task = po.SearchTask(
        drift=tuple(drift), dt=dt, prior=rng.uniform(0.1, 0.9), location_prior=prior
    )
    return task, po.Costs(time=time, miss=miss, false_alarm=alarm)


def search(M, count, rtol, finer, seed):
    """Print one line: how many tasks were tried and the largest and the median ratio."""
    rng = np.random.default_rng(seed)
    ratios = []
    while len(ratios) < count:
        task, costs = random_problem(rng, M)
        if M > 1 and 2 * min(task.drifts) * np.sqrt(task.dt) < SHORTEST:
            continue
        coarse, fine = (po.solve(task, costs, tolerance) for tolerance in (rtol, rtol / finer))
        ratios.append(abs(coarse.risk - fine.risk) / (coarse.risk_error + fine.risk_error + 1e-15))
        if ratios[-1] > 1:
            print(f"ratio {ratios[-1]:.2f}: {task} {costs}")
    print(
        f"M = {M}, rtol {rtol:g}: {count} tasks, largest ratio {max(ratios):.2f}, "
        f"median {np.median(ratios):.2f}, above one {sum(r > 1 for r in ratios)}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    args = parser.parse_args()
    search(1, args.count, 1e-4, 100, args.seed)
    search(2, args.count // 2, 1e-3, 30, args.seed)


if __name__ == "__main__":
    main()
