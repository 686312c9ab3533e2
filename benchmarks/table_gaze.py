"""How far from optimal are MAP, ELM and the ideal searcher? Exact risks, for three to five items.

Fixations of 0.2 s, saccades of 0.03 s, visibility exp(-e/e0), errors that cost 1. Each rule has the
stopping that is best for it. The tables of docs/gaze.md; about two minutes of processor time.
`--cases free` has durations that the observer chooses, against fixed ones and against rules with a
length; `--cases places` 19 and 61 places by simulation; `--cases ring5` five items, in some 2 GB.
"""

import argparse
import math
import time

import popout as po
from popout.paper.figures.many_places import lattice

LINE = [(k, 0) for k in range(4)]
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
RING = [(math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k)) for k in range(5)]
EXACT = {
    "line3": (LINE[:3], None, 20.0, 0.8, 0.2),
    "narrow3": (LINE[:3], None, 40.0, 0.4, 0.05),
    "square": (SQUARE, [*SQUARE, (0.5, 0.5)], 20.0, 0.8, 0.2),
    "line4": (LINE, [(k / 2, 0) for k in range(7)], 20.0, 0.8, 0.2),
    "ring5": (RING, [*RING, (0, 0)], 20.0, 0.8, 0.2),
}
PLACES = {19: (40.0, 1.5, 0.05), 61: (40.0, 1.5, 0.05)}
COSTS = po.Costs(time=0.2)
FREE_RTOL = 1e-2


def exact(name, rtol, answer):
    items, gazes, information, falloff, cost = EXACT[name]
    task = po.GazeTask(items, gazes, information=information, falloff=falloff, answer=answer)
    costs, best = po.Costs(time=cost), None
    print(f"\n{name}: information {information:g} /s, e0 {falloff:g}, cost {cost:g} /s")
    rules = [po.MAP, po.ELM, po.IdealSearcher, *map(po.StayAt, range(task.n_gazes))]
    for rule in (None, *rules):
        began = time.process_time()
        solution = po.solve(task, costs, rtol, attention=rule)
        seconds = time.process_time() - began
        best = best or solution
        excess = 100 * (solution.risk / best.risk - 1)
        error = 100 * (solution.risk_error + best.risk_error) / best.risk
        label = "optimum" if rule is None else solution.attention.label
        risk = f"{solution.risk:.6f} +- {solution.risk_error:.6f}"
        lost = "" if rule is None else f"{excess:+8.2f} % +- {error:.2f} %"
        print(f"  {label:15} {risk}  {lost:22} {seconds:5.1f} s", flush=True)


def free(rtol):
    """Durations that the observer chooses, three items on a line."""
    for saccade in (0.03, 0.1):
        print(f"\nfree durations: saccades of {saccade:g} s")
        for step in (0.02, 0.01):
            if (saccade, step) == (0.03, 0.02):
                continue  # no whole steps
            task = po.GazeTask(
                LINE[:3], information=20.0, falloff=0.8, fixation="free", step=step,
                saccade=saccade,
            )  # fmt: skip
            began = time.process_time()
            solution = po.solve(task, COSTS, rtol)
            seconds = time.process_time() - began
            eyes = po.simulate(task, solution.observer, 20_000, seed=1).fixations
            mean, se = eyes.mean_duration
            print(
                f"  steps of {step:g} s: {solution.risk:.6f} +- {solution.risk_error:.6f}; "
                f"fixations last {1e3 * mean:.1f} +- {1e3 * se:.1f} ms, {seconds:.1f} s",
                flush=True,
            )
        for fixation in (0.05, 0.1, 0.15, 0.2, 0.5):
            task = po.GazeTask(
                LINE[:3], information=20.0, falloff=0.8, fixation=fixation, saccade=saccade
            )
            print(f"  fixations of {fixation:g} s: {po.solve(task, COSTS, rtol).risk:.6f}")
    task = po.GazeTask(
        LINE[:3], information=20.0, falloff=0.8, fixation="free", step=0.02, saccade=0.04
    )
    names = ["map:0.1", "elm:0.1", "elm:0.04", "ideal:0.1", "stay:2", "optimal"]
    for card in po.compare(task, COSTS, "sprt-opt", attention=names, n_trials=20_000,
                           tune_trials=8000).cards():  # fmt: skip
        print(card.text())


def places(tune_trials, n_trials):
    """Rules at 19 and 61 places, each with tuned thresholds, on common trials."""
    for M, (information, falloff, cost) in PLACES.items():
        task = po.GazeTask(lattice(M), information=information, falloff=falloff)
        began = time.process_time()
        table = po.compare(
            task, po.Costs(time=cost), "sprt-opt", n_trials=n_trials, tune_trials=tune_trials,
            attention=["map", "elm", "ideal", "random", "random:3"],
        )  # fmt: skip
        for card in table.cards():
            print(card.text())
        print(f"  {time.process_time() - began:.0f} s")
    for M in (19, 61, 91):
        task = po.GazeTask(lattice(M), information=20.0, falloff=0.8)
        for rule in (po.MAP, po.ELM, po.IdealSearcher):
            observer = po.Observer(rule, po.SPRT.for_task(task, -4.0, 4.0))
            po.simulate(task, observer, 2)
            began = time.process_time()
            fixations = po.simulate(task, observer, 200, seed=1, threads=1).steps.sum()
            each = 1e3 * (time.process_time() - began) / fixations
            print(f"{rule.label} at {M} places and gazes: {each:.4f} ms a fixation")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--answer", choices=("presence", "place"), default="presence")
    usual = [name for name in EXACT if name != "ring5"]
    known = [*EXACT, "free", "places"]
    parser.add_argument("--cases", nargs="*", choices=known, default=[*usual, "free", "places"])
    args = parser.parse_args()
    for name in args.cases:
        if name == "free":
            free(max(args.rtol, FREE_RTOL))
        elif name == "places":
            places(8000, 20_000)
        else:
            exact(name, args.rtol, args.answer)


if __name__ == "__main__":
    main()
