"""Certificates: gaps and seconds at several set sizes, and with unknown distractors.

``--part gaps`` prints a row per task: both bounds, the gap of the best strategy, the factor in
trials that the control variate saves, the seconds, and the risk of every strategy tried. ``--part
unknown`` does so for the paper's designs with unknown distractors, beside tuned thresholds on S and
the best fixed time; *gain* is what the best strategy saves over thresholds on S. ``--part looks``
has tasks with gaze and one with limited information, beside the best rule with tuned thresholds,
and seconds of processor time. Other seconds are wall-clock, on all cores. Validity has a table of
its own, `table_validity.py`.
"""

import argparse
import math
import time
from dataclasses import replace

import numpy as np

from popout.analysis.certify import certify, problem_for
from popout.certificate import Certificate, Effort
from popout.paper.figures.search_designs import DESIGNS, tasks
from popout.task import Costs, GazeTask, LimitedSearchTask, SearchTask, Task

COST_AT = {2.0: 0.5, 4.0: 0.2}
"""The cost of time at each drift."""
HEADINGS = f"{'':14}{'M':>4}{'lower':>20}{'upper':>20}{'gap %':>20}{'by':>9}{'ratio':>8}{'s':>6}"


def row(name: str, proof: Certificate) -> str:
    lower = f"{proof.lower:.5f} +- {proof.lower_se:.5f}"
    upper = f"{proof.upper:.5f} +- {proof.upper_se:.5f}"
    gap = f"{100 * proof.gap:.5f} +- {100 * proof.gap_se:.5f}"
    others = ", ".join(f"{label} {risk:.5f}" for label, (risk, _) in proof.risks.items())
    return (
        f"{name:14}{proof.task.n_locations:>4}{lower:>20}{upper:>20}{gap:>20}{proof.label:>9}"
        f"{proof.variance_ratio:>8.1f}{proof.seconds:>6.0f}  {others}"
    )


def learning_effort(given: argparse.Namespace) -> Effort:
    """Return the usual effort of learning, or a share of it."""
    usual = Effort()
    return replace(
        usual,
        first_blocks=round(given.learning * usual.first_blocks),
        later_blocks=round(given.learning * usual.later_blocks),
    )


def gaps(sizes: list[int], given: argparse.Namespace) -> None:
    print(HEADINGS)
    for drift in COST_AT if given.drift is None else [given.drift]:
        for M in sizes:
            proof = certify(
                SearchTask(n_locations=M, drift=drift),
                Costs(time=COST_AT[drift]),
                method="regression",
                effort=learning_effort(given),
                precision=given.precision,
                most_trials=given.most_trials,
                seed=given.seed,
            )
            print(row(f"{drift:g}, {COST_AT[drift]:g}", proof), flush=True)


def around(n: int, radius: float) -> list[tuple[float, float]]:
    """Return places on a circle."""
    angles = [2 * math.pi * k / n for k in range(n)]
    return [(round(radius * math.cos(a), 6), round(radius * math.sin(a), 6)) for a in angles]


CENTRE = (0.0, 0.0)
SQUARE = [(x, y) for x in (-1.5, -0.5, 0.5, 1.5) for y in (-1.5, -0.5, 0.5, 1.5)]
QUARTERS = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
FOURS = [
    [k for k, (x, y) in enumerate(SQUARE) if (x * u > 0.0) and (y * v > 0.0)] for u, v in QUARTERS
]
LOOKS = {
    "3 on a line, 3 gazes": GazeTask([(k, 0) for k in range(3)], information=20.0, falloff=0.8),
    "ring of 8, 5 gazes": GazeTask(
        around(8, 2.0), [*around(4, 1.4), CENTRE], information=20.0, falloff=1.5
    ),
    "4 x 4, 5 gazes": GazeTask(SQUARE, [*QUARTERS, CENTRE], information=20.0, falloff=1.5),
    "4 x 4, 4 groups": GazeTask.of_groups(SQUARE, FOURS, information=40.0, step=0.2),
    "3 locations, one at a time": LimitedSearchTask(n_locations=3, information=20.0, dt=0.05),
}
"""Fixations of 0.2 s and saccades of 0.03 s; the cost of time is 0.2."""


def looks(given: argparse.Namespace) -> None:
    """Print tasks in which the observer chooses where to look."""
    names = "task, lower bound, best found, gap %, best rule, its gap %, trials, processor s"
    columns = names.split(", ")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, task in LOOKS.items():
        if given.design not in (None, name):
            continue
        began = time.process_time()
        proof = certify(
            task,
            Costs(time=0.2),
            precision=given.precision,
            most_trials=given.most_trials,
            seed=given.seed,
        )
        seconds = time.process_time() - began
        rule = next(iter(proof.risks))
        gap, rule_gap = (
            f"{100 * share:.2g} ± {100 * se:.1g}"
            for share, se in ((proof.gap, proof.gap_se), proof.gaps[rule])
        )
        print(
            f"| {name} | {proof.lower:.5f} ± {proof.lower_se:.5f} | {proof.upper:.5f} ± "
            f"{proof.upper_se:.5f} ({proof.label}) | {gap} | {proof.risks[rule][0]:.5f} ({rule}) "
            f"| {rule_gap} | {proof.n_trials} | {seconds:.0f} |",
            flush=True,
        )


def best_fixed_time(task: Task, costs: Costs, seed: int, n_blocks: int = 60) -> float:
    """Return the risk of looking equally long in every trial, for the best such time."""
    problem = problem_for(task, costs)
    statistics = problem.statistics(None)
    steps = math.ceil(task.prior / costs.time_absent / task.dt)
    total = np.zeros(steps)
    for number in range(n_blocks):
        block = problem.block(seed, number, statistics, 5)
        paid = np.zeros(problem.block_size)
        for k in range(steps):
            total[k] += float((paid + problem.prices.stop(block.S[0])).mean())
            paid += problem.prices.wait(block.S[0])
            block.advance()
    return float(total.min()) / n_blocks


def unknown(sizes: list[int], given: argparse.Namespace) -> None:
    """Print the paper's designs, and what the best strategy found gains over thresholds on S."""
    names = "design, M, lower bound, best found, gap %, thresholds on S, gain %, fixed time, s"
    columns = names.split(", ")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    costs = Costs(time=0.5)
    for M in sizes:
        for name, task in zip(DESIGNS, tasks(M), strict=True):
            if given.design not in (None, name):
                continue
            proof = certify(
                task,
                costs,
                effort=learning_effort(given),
                precision=given.precision,
                most_trials=given.most_trials,
                seed=given.seed,
            )
            thresholds = next(label for label in proof.risks if label != "learned")
            risk, _ = proof.risks[thresholds]
            # From the same trials; errors as if independent, which is on the safe side.
            gain = 100 * (1.0 - proof.upper / risk)
            gain_se = 100 * math.hypot(proof.gap_se, proof.gaps[thresholds][1])
            fixed = best_fixed_time(task, costs, given.seed)
            print(
                f"| {name} | {M} | {proof.lower:.5f} ± {proof.lower_se:.5f} | {proof.upper:.5f} ± "
                f"{proof.upper_se:.5f} ({proof.label}) | {100 * proof.gap:.2f} ± "
                f"{100 * proof.gap_se:.2f} | {risk:.5f} | {gain:.2f} ± {gain_se:.2f} | {fixed:.4f} "
                f"| {proof.seconds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("gaps", "unknown", "looks"), default="gaps")
    parser.add_argument("--sizes", default="8,16,32,128")
    parser.add_argument("--drift", type=float, choices=list(COST_AT), help="default: both tasks")
    parser.add_argument("--design", choices=[*DESIGNS, *LOOKS], help="one row; default: all")
    parser.add_argument("--precision", type=float, default=1e-3)
    parser.add_argument("--most-trials", type=int, default=100_000)
    parser.add_argument("--learning", type=float, default=1.0, help="share of the usual trials")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    parts = {"gaps": gaps, "unknown": unknown, "looks": lambda sizes, given: looks(given)}
    parts[given.part](sizes, given)
