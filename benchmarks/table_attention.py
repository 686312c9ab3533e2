"""Limited information: exact risks of attention policies, and their limits in continuous time.

First table: the exact risks at two and three locations, each with its own best stopping. Second:
the limits of short steps at two. Both are tables of docs/attention.md; its figures and slopes come
from ``popout reproduce where-to-look slopes-and-errors worth-a-look``.
"""

import argparse

import popout as po
from popout.policies.looking import Guided, Parallel, Serial
from popout.task import LimitedSearchTask


def policies(task):
    return [Parallel.for_task(task), Guided.for_task(task, 1.0), Serial.for_task(task)]


def exact_risks(rtol):
    """Print the exact risks of the probe's three cases, and of three locations."""
    cases = [(2, 4.0, 0.2), (2, 2.0, 0.5), (2, 2.0, 0.1), (3, 4.0, 0.2)]
    print(f"\n{'M':>2} {'drift':>5} {'cost':>5}  exact risks, each with its own best stopping")
    for M, drift, cost in cases:
        task = LimitedSearchTask(n_locations=M, information=M * drift**2)
        costs = po.Costs(time=cost)
        chosen = [Parallel.for_task(task), *(Guided.for_task(task, g) for g in (0.5, 1.0, 2.0))]
        chosen.append(Serial.for_task(task))
        goal = rtol if M == 2 else 10 * rtol
        solutions = [po.solve(task, costs, goal, attention=policy) for policy in (*chosen, None)]
        numbers = "  ".join(f"{s.risk:.6f} ({s.risk_error:.0e})" for s in solutions)
        print(f"{M:2d} {drift:5g} {cost:5g}  {numbers}", flush=True)


def limits(rtol):
    """Print the risks of two locations in continuous time."""
    task, costs = LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    print("\ncontinuous time, 2 locations, information 32 /s, cost 0.2 /s")
    for attention in (*policies(task), None):
        limit = po.continuous_time(task, costs, rtol, attention=attention)
        label = "optimum" if attention is None else attention.label
        steps = "  ".join(
            f"{1e3 * dt:g} ms {r:.6f}" for dt, r in zip(limit.dt, limit.risks, strict=True)
        )
        print(f"{label:14} {limit.risk:.6f} +- {limit.risk_error:.6f}   {steps}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtol", type=float, default=1e-4)
    args = parser.parse_args()
    exact_risks(args.rtol)
    limits(10 * args.rtol)


if __name__ == "__main__":
    main()
