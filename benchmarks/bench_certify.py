"""Certificates: gaps and seconds at several set sizes, validity on many tasks, control variates.

``--part gaps`` prints a row per task: both bounds, the gap of the best strategy, the factor in
trials that the control variate saves, the seconds, and the risk of every strategy tried. ``--part
unknown`` does so for unknown distractors, beside thresholds on S. ``--part validity`` compares
bounds with exact optima of random tasks of two to five locations, and counts how often each lies on
the wrong side by more than three standard errors. Seconds are wall-clock, on all cores.
"""

import argparse
import time

import numpy as np

from popout.analysis.certify import certify
from popout.certificate import Certificate
from popout.exact import solve
from popout.task import Costs, MixtureSearchTask, SearchTask

TASKS = ((2.0, 0.5), (4.0, 0.2))
DRIFTS = {0: 4.0, 30: 0.0, 60: -4.0}
DESIGNS = {
    "independent": lambda M: MixtureSearchTask.independent(M, [0], [30, 60], DRIFTS),
    "tied": lambda M: MixtureSearchTask.tied(M, [0], [30, 60], DRIFTS),
    "complexity": lambda M: MixtureSearchTask.scene_complexity(
        M, [0], [30, 60], [max(1, M // 2), M], {**DRIFTS, "blank": -8.0}
    ),
}
HEADINGS = f"{'':14}{'M':>4}{'lower':>20}{'upper':>20}{'gap %':>16}{'by':>9}{'ratio':>8}{'s':>6}"


def row(name: str, found: Certificate) -> str:
    lower = f"{found.lower:.5f} +- {found.lower_se:.5f}"
    upper = f"{found.upper:.5f} +- {found.upper_se:.5f}"
    gap = f"{100 * found.gap:.3f} +- {100 * found.gap_se:.3f}"
    others = ", ".join(f"{label} {risk:.5f}" for label, (risk, _) in found.risks.items())
    return (
        f"{name:14}{found.task.n_locations:>4}{lower:>20}{upper:>20}{gap:>16}{found.label:>9}"
        f"{found.variance_ratio:>8.1f}{found.seconds:>6.0f}  {others}"
    )


def gaps(sizes: list[int], precision: float, seed: int) -> None:
    print(HEADINGS)
    for drift, time_cost in TASKS:
        for M in sizes:
            task = SearchTask(n_locations=M, drift=drift)
            found = certify(task, Costs(time=time_cost), precision=precision, seed=seed)
            print(row(f"{drift:g}, {time_cost:g}", found), flush=True)


def unknown(sizes: list[int], precision: float, seed: int) -> None:
    print(HEADINGS)
    for name, design in DESIGNS.items():
        for M in sizes:
            found = certify(design(M), Costs(time=0.5), precision=precision, seed=seed)
            print(row(name, found), flush=True)


def validity(n_tasks: int, seed: int) -> None:
    began = time.monotonic()
    wrong = {"lower": 0, "upper": 0}
    for number in range(n_tasks):
        chance = np.random.default_rng([seed, number])
        M = 2 + number % 4
        equal = M > 3 or chance.random() < 0.5
        drift = chance.uniform(2, 8) if equal else tuple(chance.uniform(2, 8, M))
        location = tuple(chance.dirichlet(np.full(M, 4.0))) if M < 4 else None
        task = SearchTask(
            n_locations=M,
            drift=drift,
            prior=chance.uniform(0.2, 0.8),
            location_prior=location,
        )
        costs = Costs(
            time=tuple(chance.uniform(0.2, 1.5, 2)),
            miss=chance.uniform(0.5, 2.0),
            false_alarm=chance.uniform(0.5, 2.0),
        )
        exact = solve(task, costs, 1e-3 if M < 5 else 3e-3)
        found = certify(task, costs, method="regression", precision=2e-3, seed=number)
        wrong["lower"] += found.lower > exact.risk + exact.risk_error + 3 * found.lower_se
        wrong["upper"] += found.upper < exact.risk - exact.risk_error - 3 * found.upper_se
        print(
            f"{number:4} M={M} exact {exact.risk:.5f} lower {found.lower:.5f} +- "
            f"{found.lower_se:.5f} upper {found.upper:.5f} gap {100 * found.gap:.3f} %",
            flush=True,
        )
    print(
        f"{n_tasks} tasks, on the wrong side by 3 s.e.: {wrong}; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("gaps", "unknown", "validity"), default="gaps")
    parser.add_argument("--sizes", default="8,16,32,128")
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--precision", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.part == "gaps":
        gaps(sizes, given.precision, given.seed)
    elif given.part == "unknown":
        unknown(sizes, given.precision, given.seed)
    else:
        validity(given.tasks, given.seed)
