"""Regret along trials, against the simulation of the same trials.

    python benchmarks/bench_regret.py

Nanoseconds are per look of a trial, on one thread, the best of three. A look reads 4^M coefficients
of a spline, and as many multiplications are the least one can do.
"""

import argparse
import time

import popout as po
from popout.analysis.losses import losses_by_table
from popout.evidence import Condition
from popout.simulation.simulator import trials_of
from popout.simulation.tally import Columns

MOST_STEPS = 10_000


def best_of_three(work, *words):
    """Return the least seconds of three runs."""
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        work(*words)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locations", default="1,2,3,4", help="default: 1,2,3,4")
    parser.add_argument("--trials", type=int, default=20_000)
    asked = parser.parse_args()
    print("locations  looks per trial  simulate  regret  ratio  (ns per look)")
    for M in map(int, asked.locations.split(",")):
        task, costs = po.SearchTask(n_locations=M, drift=4.0), po.Costs(time=0.2)
        solution = po.solve(task, costs)
        strategy = po.SPRT.for_task(task, *solution.thresholds[0])
        trials = Columns.empty(asked.trials)
        run = trials_of(task, po.Observer(None, strategy), 0, Condition.PRIOR, MOST_STEPS, 1)
        run(0, trials)  # compiles
        simulated = best_of_three(run, 0, trials)
        looks = int((trials.steps + 1).sum())
        spline = solution.value_grid.risk_spline
        losses_by_table(spline, task, 0, trials, 1)
        lost = best_of_three(losses_by_table, spline, task, 0, trials, 1)
        first, then = (1e9 * seconds / looks for seconds in (simulated, lost))
        per_trial = looks / asked.trials
        print(f"{M:9d}  {per_trial:15.1f}  {first:8.1f}  {then:6.1f}  {then / first:5.1f}")


if __name__ == "__main__":
    main()
