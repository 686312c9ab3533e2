"""Certificates: gaps and seconds at several set sizes, and with unknown distractors.

``--part gaps`` prints a row per task: both bounds, the gap of the best strategy, the factor in
trials that the control variate saves, the seconds, and the risk of every strategy tried; with
``--net --device cuda`` value functions are networks and trials live on the GPU. ``--part unknown``
does so for the paper's designs with unknown distractors, beside tuned thresholds on S and the best
fixed time; *gain* is what the best strategy found saves over thresholds on S. Seconds are
wall-clock, on all cores. ``--part control`` weighs what the control variate saves in trials against
what it takes in time. Validity has a table of its own, `table_validity.py`.
"""

import argparse
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from popout.analysis.certify import certify
from popout.analysis.score import expected_losses, has_quick_posterior
from popout.analysis.tune import tune
from popout.certificate import Certificate, Effort
from popout.certificate.bound import policy_of
from popout.certificate.estimate import estimate
from popout.certificate.learn import learn
from popout.certificate.net import NetEffort
from popout.certificate.problems import problem_for
from popout.paper.figures.search_designs import DESIGNS, tasks
from popout.policies.stopping import ASPRT, SPRTOpt
from popout.simulation import simulate
from popout.task import Costs, SearchTask, Task

COST_AT = {2.0: 0.5, 4.0: 0.2}
"""The cost of time at each drift."""
NET = NetEffort(width=192, depth=3, steps=3000, batch=8192)
CONTROL_TRIALS, CONTROL_BLOCKS = 100_000, 16
CONTROL_LEARNING = Effort(first_blocks=60, later_blocks=16, passes=2)
NET_LEARNING = Effort(first_blocks=320, later_blocks=160, passes=2)
HEADINGS = f"{'':14}{'M':>4}{'lower':>20}{'upper':>20}{'gap %':>20}{'by':>9}{'ratio':>8}{'s':>6}"


def row(name: str, found: Certificate) -> str:
    lower = f"{found.lower:.5f} +- {found.lower_se:.5f}"
    upper = f"{found.upper:.5f} +- {found.upper_se:.5f}"
    gap = f"{100 * found.gap:.5f} +- {100 * found.gap_se:.5f}"
    others = ", ".join(f"{label} {risk:.5f}" for label, (risk, _) in found.risks.items())
    return (
        f"{name:14}{found.task.n_locations:>4}{lower:>20}{upper:>20}{gap:>20}{found.label:>9}"
        f"{found.variance_ratio:>8.1f}{found.seconds:>6.0f}  {others}"
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
    how: dict[str, Any] = {"method": "regression", "effort": learning_effort(given)}
    if given.net:
        how = {"method": "net", "net": replace(NET, device=given.device), "effort": NET_LEARNING}
    for drift in COST_AT if given.drift is None else [given.drift]:
        for M in sizes:
            found = certify(
                SearchTask(n_locations=M, drift=drift),
                Costs(time=COST_AT[drift]),
                precision=given.precision,
                most_trials=given.most_trials,
                seed=given.seed,
                **how,
            )
            print(row(f"{drift:g}, {COST_AT[drift]:g}", found), flush=True)


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
            found = certify(
                task,
                costs,
                effort=learning_effort(given),
                precision=given.precision,
                most_trials=given.most_trials,
                seed=given.seed,
            )
            thresholds = next(label for label in found.risks if label != "learned")
            risk, _ = found.risks[thresholds]
            # From the same trials; errors as if independent, which is on the safe side.
            gain = 100 * (1.0 - found.upper / risk)
            gain_se = 100 * math.hypot(found.gap_se, found.gaps[thresholds][1])
            fixed = best_fixed_time(task, costs, given.seed)
            print(
                f"| {name} | {M} | {found.lower:.5f} ± {found.lower_se:.5f} | {found.upper:.5f} ± "
                f"{found.upper_se:.5f} ({found.label}) | {100 * found.gap:.2f} ± "
                f"{100 * found.gap_se:.2f} | {risk:.5f} | {gain:.2f} ± {gain_se:.2f} | {fixed:.4f} "
                f"| {found.seconds:.0f} |",
                flush=True,
            )


def control(given: argparse.Namespace) -> None:
    """Print the variance of a trial and its processor time, with the control variate and without.

    *worth* is how many times the precision per second of plain trials the controlled ones have,
    when the value function has been learned. Errors of plain trials count by their probability
    where that is known at once, as in `popout.compare`.
    """
    names = "task, strategy, variance ratio, plain ms/trial, controlled ms/trial, worth, learning s"
    columns = names.split(", ")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    rows = [
        (f"M = 8, drift {drift:g}, cost {cost:g}", SearchTask(n_locations=8, drift=drift), cost)
        for drift, cost in ((12.0, 0.5), *COST_AT.items())
    ]
    rows.append((f"{DESIGNS[0]}, M = 4, cost 0.5", tasks(4)[0], 0.5))
    for name, task, cost in rows:
        costs = Costs(time=cost)
        n = CONTROL_TRIALS if task.search is not None else CONTROL_TRIALS // 10
        recipe = ASPRT if task.search is not None else SPRTOpt
        strategy = tune(recipe, task, costs, n_trials=max(4000, n // 4), seed=given.seed).strategy
        simulate(task, strategy, 1000, given.seed)  # compiled before the clock starts
        start = time.process_time()
        trials = simulate(task, strategy, n, given.seed)
        quick = has_quick_posterior(task)
        losses = expected_losses(trials, costs) if quick else trials.losses(costs)
        plain = (time.process_time() - start) / n
        problem = problem_for(task, costs)
        start = time.process_time()
        value = learn(problem, strategy, effort=CONTROL_LEARNING, seed=given.seed)
        learning = time.process_time() - start
        points = CONTROL_LEARNING.points(problem.information)
        start = time.process_time()
        found = estimate(
            lambda n, problem=problem, value=value, points=points: problem.block(
                given.seed, n, value.statistics, points
            ),
            value,
            [policy_of(strategy)],
            precision=1e-9,
            most_blocks=CONTROL_BLOCKS,
        )
        controlled = (time.process_time() - start) / found.n_trials
        ratio = float(losses.var()) / (found.risk(0).risk_se ** 2 * found.n_trials)
        print(
            f"| {name} | {strategy.label} | {ratio:.1f} | {1e3 * plain:.4f} "
            f"| {1e3 * controlled:.2f} | {ratio * plain / controlled:.3g} | {learning:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("gaps", "unknown", "control"), default="gaps")
    parser.add_argument("--sizes", default="8,16,32,128")
    parser.add_argument("--drift", type=float, choices=list(COST_AT), help="default: both tasks")
    parser.add_argument("--design", choices=DESIGNS, help="of --part unknown; default: all three")
    parser.add_argument("--precision", type=float, default=1e-3)
    parser.add_argument("--most-trials", type=int, default=100_000)
    parser.add_argument("--learning", type=float, default=1.0, help="share of the usual trials")
    parser.add_argument("--net", action="store_true", help="a network in place of splines")
    parser.add_argument("--device", default="cpu", help="of the network: cpu, cuda, ...")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.part == "gaps":
        gaps(sizes, given)
    elif given.part == "unknown":
        unknown(sizes, given)
    else:
        control(given)
