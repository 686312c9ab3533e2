"""How far from optimal are MAP, ELM and the ideal searcher? Exact risks, for three and four items.

Fixations of 0.2 s, saccades of 0.03 s, visibility exp(-e/e0), errors that cost 1. Each rule has the
stopping that is best for it. The table of docs/gaze.md; about two minutes of processor time.
"""

import argparse
import time

import popout as po

LINE = [(k, 0) for k in range(4)]
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
CASES = {
    "3 on a line": (LINE[:3], None, 20.0, 0.8, 0.2),
    "3 on a line, narrow": (LINE[:3], None, 40.0, 0.4, 0.05),
    "square and its centre": (SQUARE, [*SQUARE, (0.5, 0.5)], 20.0, 0.8, 0.2),
    "4 on a line, 7 gazes": (LINE, [(k / 2, 0) for k in range(7)], 20.0, 0.8, 0.2),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--cases", nargs="*", choices=CASES, default=list(CASES))
    args = parser.parse_args()
    for name in args.cases:
        items, gazes, information, falloff, cost = CASES[name]
        task = po.GazeTask(items, gazes, information=information, falloff=falloff)
        costs = po.Costs(time=cost)
        best = None
        print(f"\n{name}: information {information:g} /s, e0 {falloff:g}, cost {cost:g} /s")
        rules = [po.MAP, po.ELM, po.IdealSearcher, *map(po.StayAt, range(task.n_gazes))]
        for rule in (None, *rules):
            began = time.process_time()
            solution = po.solve(task, costs, args.rtol, attention=rule)
            seconds = time.process_time() - began
            best = best or solution
            excess = 100 * (solution.risk / best.risk - 1)
            error = 100 * (solution.risk_error + best.risk_error) / best.risk
            label = "optimum" if rule is None else solution.attention.label
            risk = f"{solution.risk:.6f} +- {solution.risk_error:.6f}"
            lost = "" if rule is None else f"{excess:+8.2f} % +- {error:.2f} %"
            print(f"  {label:15} {risk}  {lost:22} {seconds:5.1f} s", flush=True)


if __name__ == "__main__":
    main()
