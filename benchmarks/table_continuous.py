"""Continuous time: risk and scales of the paper's task; which locations are worth a look.

First table: `popout.continuous_time` at equal drifts mu, over c / mu^2 and the number of locations:
risk, thresholds and scales of the conjecture in the limit of short steps, each with its error.
Second table: the visibility from which on the second of two locations is surely worth a look, over
c / Lambda. The first takes minutes with three locations, and a GPU (``--backend torch --device
cuda``) with more.

``--search N`` instead looks for tasks whose `risk_error` does not cover the error: four fifths of
them with one location, against Wald's formulas minimised over both thresholds, the others with two
against short steps. Costs of time, errors and priors reach from a look that always pays to one that
never does; starts lie on both sides of every threshold and close to it.
"""

import argparse
import math
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

import popout as po
from popout.exact.worth_a_look import own_look

COSTS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)


def scales(sizes, costs, rtol, **where):
    print("| locations | c / mu^2 | risk | thresholds | a_plus | a_minus |")
    print("|---|---|---|---|---|---|")
    for M in sizes:
        for cost in costs:
            task = po.SearchTask(n_locations=M, drift=1.0)
            goal = rtol if M <= 2 else 3 * rtol if M == 3 else 10 * rtol
            limit = po.continuous_time(task, po.Costs(time=cost), goal, **where)
            print(
                f"| {M} | {cost:g} | {limit.risk:.5f} ± {limit.risk_error:.5f} "
                f"| ±{limit.thresholds[0][1]:.4f} "
                f"| {limit.a_plus:.3f} ± {limit.a_plus_error:.3f} "
                f"| {limit.a_minus:.3f} ± {limit.a_minus_error:.3f} |",
                flush=True,
            )


def visibilities(costs):
    print("\n| c / Lambda | least visibility | odds left at location 1 |\n|---|---|---|")
    task = po.LimitedSearchTask(n_locations=2, information=1.0)
    for cost in costs:
        seen = po.least_visibility(task, po.Costs(time=cost))
        left, _ = own_look(task.information, po.Costs(time=cost), 0.5)  # which location 2 keeps
        print(f"| {cost:g} | {seen:.4f} | {left:.4f} |", flush=True)


def wald(low, high, x, drift, costs):
    """Risk, times one plus the odds exp(x), of stopping at two log odds; nothing is overshot."""
    p, q, start, rate = *np.exp([low, high, x]), 2 * drift**2
    up_absent = (start - p) / (q - p)  # the odds are a martingale under "absent"
    down_present = (1 / start - 1 / q) / (1 / p - 1 / q)  # and their inverse under "present"
    absent = (x - up_absent * high - (1 - up_absent) * low) / rate
    present = (down_present * low + (1 - down_present) * high - x) / rate
    return (costs.false_alarm * up_absent + costs.time_absent * absent) + start * (
        costs.miss * down_present + costs.time_present * present
    )


def one_location(drift, costs, prior):
    """Return the risk of one location: the best of an answer at once and two thresholds."""
    x, kink = math.log(prior / (1 - prior)), math.log(costs.false_alarm / costs.miss)
    at_once = min(prior * costs.miss, (1 - prior) * costs.false_alarm)
    options = {"xatol": 1e-10, "fatol": 1e-18, "maxiter": 4000, "maxfev": 4000}
    best = at_once
    for width in (1e-3, 0.1, 1.0):  # thresholds on both sides of the start, and of the kink

        def risk(u):
            ends = x - math.exp(min(u[0], 5.0)), x + math.exp(min(u[1], 5.0))
            return (1 - prior) * wald(*ends, x, drift, costs)

        first = [max(x - kink, 0.0) + width, max(kink - x, 0.0) + width]
        best = min(best, minimize(risk, np.log(first), method="Nelder-Mead", options=options).fun)
    return best


def two_locations(task, costs, rtol, drift):
    """Return two bounds on the risk of two locations, from two short steps."""
    limited = isinstance(task, po.LimitedSearchTask)
    steps = [0.32 / drift**2 / 2**k for k in ((4, 5) if limited else (5, 6))]
    longer, shorter = (po.solve(replace(task, dt=dt), costs, rtol) for dt in steps)
    saved, error = longer.risk - shorter.risk, longer.risk_error + shorter.risk_error
    if longer.waits_around(1.0):  # what the last halving saved is saved again, to about a third
        return shorter.risk - 1.35 * saved - error, shorter.risk - 0.65 * saved + error
    if limited:  # told the location, with all information there
        return one_location(drift, costs, task.prior), shorter.risk + error
    # An answer is postponed by less than a step.
    late = (1 - task.prior) * costs.time_absent + task.prior * costs.time_present
    return shorter.risk - steps[1] * late - error, shorter.risk + error


def random_task(rng, M):
    """Return a task, its costs and the larger drift; the start on either side of a threshold."""
    drift = float(np.exp(rng.uniform(-1.0, 3.0)))
    ratio = 1.0 if M == 1 or rng.random() < 0.5 else float(rng.uniform(0.3, 1.0))
    k, hard = 10 ** rng.uniform(-2.3, 0.7 if M == 1 else 0.2), rng.random() < 0.5
    spread = 10 ** rng.uniform(-1.0, 1.0, 3) if hard else np.ones(3)
    time = (k * drift**2 * spread[0], k * drift**2)
    costs = po.Costs(time=time, miss=spread[1], false_alarm=spread[2])
    pair = po.thresholds(drift, costs, dt=0)
    width, ends = pair.upper - pair.lower, (pair.lower, pair.upper)
    close = rng.random() < 0.3
    x = rng.choice(ends) + 0.05 * width * rng.normal()
    x = x if close else pair.lower + width * rng.uniform(-0.1, 1.1)
    prior = 1 / (1 + math.exp(-x))
    if M == 2 and rng.random() < 0.3:
        seen = (1.0, ratio**2)
        limited = po.LimitedSearchTask(information=drift**2, visibility=seen, prior=prior)
        return limited, costs, drift
    return po.SearchTask(drift=(drift, ratio * drift)[:M], prior=prior), costs, drift


def search(count, seed, rtol):
    """Print how far from the truth the limits are, in units of their errors."""
    rng = np.random.default_rng(seed)
    print("| locations | tasks | found by | largest z | beyond |\n|---|---|---|---|---|")
    for M, tasks in ((1, count - count // 5), (2, count // 5)):
        ratios = {}
        for _ in range(tasks):
            task, costs, drift = random_task(rng, M)
            limit = po.continuous_time(task, costs, rtol)
            if M == 1:
                low = high = one_location(drift, costs, task.prior)
            else:
                low, high = two_locations(task, costs, rtol / 3, drift)
            off = max(low - limit.risk, limit.risk - high, 0.0)
            ratios.setdefault(limit.method, []).append(off / limit.risk_error)
            if off > limit.risk_error:
                print(f"beyond: {low:.7g} to {high:.7g}, {limit!r}\n{task}\n{costs}", flush=True)
        for method, sizes in ratios.items():
            beyond = sum(z > 1 for z in sizes)
            print(f"| {M} | {len(sizes)} | {method} | {max(sizes):.2f} | {beyond} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--costs", type=float, nargs="+", default=list(COSTS))
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--longest", type=float, default=0.32, help="information of a step")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--device")
    parser.add_argument("--search", type=int, help="random tasks; no tables then")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.search is not None:
        search(args.search, args.seed, args.rtol)
        return
    visibilities(args.costs)
    print()
    where = {"longest": args.longest, "backend": args.backend, "device": args.device}
    scales(args.sizes, args.costs, args.rtol, **where)


if __name__ == "__main__":
    main()
