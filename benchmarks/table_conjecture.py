"""The exact optimum beside the conjecture, over the paper's drifts and costs: a table for the docs.

For every task: the exact risk with its error, the least-squares scales of the conjecture (or, for
unequal drifts, of its extension) against the exact boundary, the distance of the boundary from the
fitted surface in units of Z (root mean square, largest), and, for two and three locations, the
excess risk of a-SPRT with these scales, both risks computed on grids without noise.

``python benchmarks/table_conjecture.py`` takes minutes for up to four locations; more on
a GPU with ``--backend torch --device cuda --locations 2,3,4,5,6``.
"""

import argparse
import sys
import time

import popout as po
from popout.exact.scales import conjecture

EQUAL = [(4.0, 0.2)] + [(12.0, c) for c in (0.2, 0.5, 1.0)]
EQUAL += [(2.0, c) for c in (0.5, 0.2, 0.1, 0.05)]
UNEQUAL = [((8.0, 3.0), 0.2), ((15.0, 3.0), 0.2)]
UNEQUAL += [(pair, c) for pair in ((5.0, 1.0), (10.0, 1.0), (20.0, 1.0)) for c in (0.2, 1.0)]
RTOL = {2: 1e-6, 3: 1e-5, 4: 1e-4, 5: 1e-3, 6: 2e-3}
HEAD = (
    "| M | drift (1/s) | cost (1/s) | exact risk | error | a_+ | rms | max | a_- | rms | max "
    "| excess of a-SPRT | s |"
)


def row(M, drift, cost, backend, device):
    """Solve one task and return its line of the table."""
    task = po.SearchTask(n_locations=M, drift=drift)
    costs = po.Costs(time=cost)
    start = time.perf_counter()
    solution = po.solve(task, costs, RTOL[M], backend=backend, device=device)
    seconds = time.perf_counter() - start
    plus, minus = solution.scales.plus, solution.scales.minus
    excess = ""
    if M <= 3:
        strategy = conjecture(solution, minus.a, plus.a)
        evaluated = po.evaluate(task, strategy, costs, 3 * RTOL[M])
        value = evaluated.risk / solution.risk - 1.0
        error = (evaluated.risk_error + solution.risk_error) / solution.risk
        excess = f"{value:.1e} ± {error:.0e}"
    shown = ", ".join(f"{mu:g}" for mu in task.drifts[:1] if task.is_homogeneous)
    shown = shown or ", ".join(f"{mu:g}" for mu in task.drifts)
    fits = " | ".join(f"{f.a:.3f} | {f.rms:.4f} | {f.largest:.4f}" for f in (plus, minus))
    return (
        f"| {M} | {shown} | {cost:g} | {solution.risk:.7f} | {solution.risk_error:.0e} | {fits} "
        f"| {excess} | {seconds:.1f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locations", default="2,3,4")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--device", default=None)
    args = parser.parse_args()
    print(HEAD)
    print("|" + "---|" * (HEAD.count("|") - 1))
    for M in (int(m) for m in args.locations.split(",")):
        tasks = EQUAL + (UNEQUAL if M == 2 else [])
        for drift, cost in tasks:
            try:
                print(row(M, drift, cost, args.backend, args.device), flush=True)
            except po.NotConvergedError as error:
                print(f"M={M}, drift {drift}, cost {cost}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
