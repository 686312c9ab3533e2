"""Tuned a-SPRT against the best rival, over set sizes, drifts and costs of time: a table for docs.

Where answering at once is nearly as good as looking, a search for the scales of a-SPRT can end in a
guess. For every cell: the risk of tuned a-SPRT less that of the best of its rivals (tuned SPRT-opt,
SPRT, Hardmax, a guess), paired on trials that no tuning has seen, with its standard error.

Where a-SPRT is worse by more than three standard errors, its scales are scanned on the same trials,
from three steps before to three steps behind the tuned ones, each way: what is left of the
difference at the best point of the scan is due to a-SPRT and not to its tuning. That point is the
lowest of 49, so noise makes it lower rather than higher. Where tuned a-SPRT is a guess, the scan is
over scales with which it looks, from the nearest to a guess to ten steps away.

    python benchmarks/table_tuning.py --results tuning.jsonl

Finished cells are kept in the file of results, and a run that was interrupted goes on from there.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

import popout as po
from popout.analysis.score import Estimate, expected_losses, paired_difference, stratified
from popout.analysis.thresholds import threshold_pair

SIZES = (2, 4, 8, 16, 32, 64, 128)
DRIFTS = (1.0, 2.0, 4.0, 8.0, 12.0)
COSTS = (0.1, 0.2, 0.5, 1.0, 2.0)
GUESS = "guess"
WORSE = 3.0
SCAN = (-3.0, -1.5, -0.5, 0.0, 0.5, 1.5, 3.0)
INWARDS, SCAN_TRIALS = (0.0, 2.0, 4.0, 5.5, 7.0, 8.5, 10.0), 2000
"""Steps from a guess, and trials of a scan there."""
PILOT, STEPS = 1000, 1e8
"""Trials of SPRT that tell how long trials are; steps at single locations that a strategy gets."""
TRIALS, TUNE_TRIALS = (5_000, 100_000), (8_000, 40_000)
"""Fewest and most of the score and of the tuning."""


@dataclass(frozen=True)
class Cell:
    """One task under one cost: what tuned a-SPRT risks, and how much more than its best rival."""

    locations: int
    drift: float
    cost: float
    risk: float
    rival: str
    difference: float
    se: float
    least: float
    least_se: float
    trials: int
    seconds: float
    looks: bool = False

    @property
    def place(self):
        """What tells it from the others."""
        return self.locations, self.drift, self.cost

    @property
    def is_worse(self):
        """Whether a-SPRT is, by more than the noise."""
        return self.difference > WORSE * self.se + 1e-9

    @property
    def words(self):
        """The difference in units of 1e-5."""
        text = f"{1e5 * self.difference:+.0f} ± {1e5 * self.se:.0f}"
        if self.difference == self.se == 0.0:
            text = "same"
        return f"**{text}**" if self.is_worse else text


def cell(locations, drift, cost):
    """Tune, score and, where a-SPRT is worse, scan its scales."""
    began = time.perf_counter()
    task, costs = po.SearchTask(n_locations=locations, drift=drift), po.Costs(time=cost)
    pilot = po.simulate(task, po.SPRT.for_task(task, costs), PILOT, seed=3)
    affordable = STEPS / (locations * max(1.0, float(pilot.steps.mean())))
    trials, tune_trials = (int(np.clip(affordable, *range_)) for range_ in (TRIALS, TUNE_TRIALS))
    tuned = {
        recipe: po.tune(recipe, task, costs, n_trials=tune_trials, seed=1)
        for recipe in (po.ASPRT, po.SPRTOpt)
    }

    def run(strategy):
        return po.simulate(task, strategy, trials, seed=2)

    ours = run(tuned[po.ASPRT].strategy)
    rivals = {
        "SPRT-opt": run(tuned[po.SPRTOpt].strategy),
        "SPRT": run(po.SPRT.for_task(task, costs)),
        "Hardmax": run(po.Hardmax.for_task(task, costs)),
    }
    differences = {name: paired_difference(ours, theirs, costs) for name, theirs in rivals.items()}
    own = stratified(expected_losses(ours, costs), ours.present, task.prior)
    differences[GUESS] = Estimate(own.value - 0.5, own.se)
    rival = max(differences, key=lambda name: differences[name].value)
    best = least = differences[rival]
    if best.value > WORSE * best.se + 1e-9 and rival != GUESS and own.value < 0.5:
        scans = [
            paired_difference(run(strategy), rivals[rival], costs)
            for strategy in scanned(
                task, costs, tuned[po.ASPRT].parameters, {"a_minus": SCAN, "a_plus": SCAN}
            )
        ]
        least = min([best, *scans], key=lambda each: each.value)
    return Cell(
        locations,
        drift,
        cost,
        own.value,
        rival,
        best.value,
        best.se,
        least.value,
        least.se,
        trials,
        time.perf_counter() - began,
    )


def scanned(task, costs, centre, steps):
    """Yield a-SPRT with scales some steps from a centre, each way."""
    pair = threshold_pair(task, costs)
    ways = []
    for p in po.ASPRT.tunable(task, *pair).parameters:
        middle = p.steps_to(centre[p.name])
        ways.append([(p.name, p.at(middle + step)) for step in steps[p.name]])
    for scales in product(*ways):
        yield po.ASPRT.for_task(task, *pair, **dict(scales))


def with_looks(cell):
    """Return a cell in which tuned a-SPRT is a guess, with the least it loses if it looks."""
    task = po.SearchTask(n_locations=cell.locations, drift=cell.drift)
    costs = po.Costs(time=cell.cost)
    cliffs = {p.name: p for p in po.ASPRT.tunable(task, *threshold_pair(task, costs)).parameters}
    centre = {name: p.cliff for name, p in cliffs.items()}
    steps = {
        name: [step if p.cliff == p.lower else -step for step in INWARDS]
        for name, p in cliffs.items()
    }
    risks = []
    for strategy in scanned(task, costs, centre, steps):
        trials = po.simulate(task, strategy, SCAN_TRIALS, seed=2)
        risks.append(stratified(expected_losses(trials, costs), trials.present, task.prior))
    least = min(risks, key=lambda risk: risk.value)
    theirs = cell.risk - cell.difference
    return replace(
        cell, least=least.value - theirs, least_se=math.hypot(least.se, cell.se), looks=True
    )


def show(cells, sizes, drifts, costs):
    """Print the table, and what the scans have found."""
    known = {each.place: each for each in cells}
    print("| drift (1/s) | cost (1/s) | " + " | ".join(f"M = {n}" for n in sizes) + " |")
    print("|---" * (2 + len(sizes)) + "|")
    for drift, cost in product(drifts, costs):
        row = [known[n, drift, cost].words if (n, drift, cost) in known else "" for n in sizes]
        if any(row):
            print(f"| {drift:g} | {cost:g} | " + " | ".join(row) + " |")
    worse = [each for each in cells if each.is_worse]
    wanted = len(sizes) * len(drifts) * len(costs)
    print(f"\n{len(cells)} cells of {wanted}; a-SPRT is worse in {len(worse)}")
    if worse:
        print("\n| M | drift (1/s) | cost (1/s) | risk | best rival | worse by | best of scan |")
        print("|---" * 7 + "|")
    for each in sorted(worse, key=lambda each: each.place):
        print(
            f"| {each.locations} | {each.drift:g} | {each.cost:g} | {each.risk:.5f} "
            f"| {each.rival} | {1e5 * each.difference:.1f} ± {1e5 * each.se:.1f} | "
            f"{1e5 * each.least:.1f} ± {1e5 * each.least_se:.1f}{' (looks)' * each.looks} |"
        )
    return worse


def numbers(text):
    return tuple(float(part) for part in text.split(","))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locations", type=numbers, default=SIZES)
    parser.add_argument("--drifts", type=numbers, default=DRIFTS)
    parser.add_argument("--costs", type=numbers, default=COSTS)
    parser.add_argument("--results", type=Path, default=Path("tuning.jsonl"))
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no cell after that")
    options = parser.parse_args()
    sizes = tuple(int(n) for n in options.locations)
    stop = time.perf_counter() + 60.0 * options.minutes
    done = {}
    if options.results.exists():
        for line in options.results.read_text().splitlines():
            each = Cell(**json.loads(line))
            done[each.place] = each
    # The small tasks from which tuning starts are the same for all set sizes: these go last.
    wanted = [(n, drift, cost) for drift, cost, n in product(options.drifts, options.costs, sizes)]
    for place in wanted:
        if place not in done and time.perf_counter() < stop:
            done[place] = cell(*place)
            with options.results.open("a") as file:
                file.write(json.dumps(asdict(done[place])) + "\n")
            print(place, done[place].words, f"{done[place].seconds:.0f} s", file=sys.stderr)
    for place, each in done.items():
        if each.is_worse and each.risk == 0.5 and not each.looks and time.perf_counter() < stop:
            done[place] = with_looks(each)
            with options.results.open("a") as file:
                file.write(json.dumps(asdict(done[place])) + "\n")
    cells = [done[place] for place in wanted if place in done]
    show(cells, sizes, options.drifts, options.costs)


if __name__ == "__main__":
    main()
