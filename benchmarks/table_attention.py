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
    policies = "parallel | guided 0.5 | guided 1 | guided 2 | serial | optimum"
    print(f"| locations | drift of equal shares | cost | {policies} |\n" + "|---" * 9 + "|")
    for M, drift, cost in cases:
        task = LimitedSearchTask(n_locations=M, information=M * drift**2)
        costs = po.Costs(time=cost)
        chosen = [Parallel.for_task(task), *(Guided.for_task(task, g) for g in (0.5, 1.0, 2.0))]
        chosen.append(Serial.for_task(task))
        goal = rtol if M == 2 else 10 * rtol
        solutions = [po.solve(task, costs, goal, attention=policy) for policy in (*chosen, None)]
        numbers = " | ".join(f"{s.risk:.6f} ({s.risk_error:.0e})" for s in solutions)
        print(f"| {M} | {drift:g} | {cost:g} | {numbers} |", flush=True)


def limits(rtol):
    """Print the risks of two locations in continuous time."""
    task, costs = LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    print(
        "\n| attention | 10 ms | 5 ms | 2.5 ms | 1.25 ms | continuous time |\n" + "|---" * 6 + "|"
    )
    for attention in (*policies(task), None):
        limit = po.continuous_time(task, costs, rtol, attention=attention)
        label = "optimum" if attention is None else attention.label
        by_step = {f"{1e3 * dt:g}": r for dt, r in zip(limit.dt, limit.risks, strict=True)}
        steps = " | ".join(f"{by_step[ms]:.6f}" for ms in ("10", "5", "2.5", "1.25"))
        print(f"| {label} | {steps} | {limit.risk:.6f} ± {limit.risk_error:.6f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtol", type=float, default=1e-4)
    args = parser.parse_args()
    exact_risks(args.rtol)
    limits(10 * args.rtol)


if __name__ == "__main__":
    main()
