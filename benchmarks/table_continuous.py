"""Continuous time: risk and scales of the paper's task; which locations are worth a look.

First table: `popout.continuous_time` at equal drifts mu, over c / mu^2 and the number of locations:
risk, thresholds and scales of the conjecture in the limit of short steps, each with its error.
Second table: the visibility from which on the second of two locations is surely worth a look, over
c / Lambda. The first takes minutes with three locations, and a GPU (``--backend torch --device
cuda``) with more.
"""

import argparse

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
            found = po.continuous_time(task, po.Costs(time=cost), goal, **where)
            print(
                f"| {M} | {cost:g} | {found.risk:.5f} ± {found.risk_error:.5f} "
                f"| ±{found.thresholds[0][1]:.4f} "
                f"| {found.a_plus:.3f} ± {found.a_plus_error:.3f} "
                f"| {found.a_minus:.3f} ± {found.a_minus_error:.3f} |",
                flush=True,
            )


def visibilities(costs):
    print("\n| c / Lambda | least visibility | odds left at location 1 |\n|---|---|---|")
    task = po.LimitedSearchTask(n_locations=2, information=1.0)
    for cost in costs:
        seen = po.least_visibility(task, po.Costs(time=cost))
        left, _ = own_look(task.information, po.Costs(time=cost), 0.5)  # which location 2 keeps
        print(f"| {cost:g} | {seen:.4f} | {left:.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--costs", type=float, nargs="+", default=list(COSTS))
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--longest", type=float, default=0.32, help="information of a step")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--device")
    args = parser.parse_args()
    visibilities(args.costs)
    print()
    where = {"longest": args.longest, "backend": args.backend, "device": args.device}
    scales(args.sizes, args.costs, args.rtol, **where)


if __name__ == "__main__":
    main()
