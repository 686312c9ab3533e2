"""Regret along trials: compiled from the table, against one look at a time from the same risks.

    python benchmarks/bench_regret.py

Both ways give the same losses to the last digits. Nanoseconds are per look of a trial, on one
thread, the best of three; the simulator's share, which both need, is beside them. A look reads 4^M
coefficients of a spline, so that many multiplications are the least one can do.
"""

import argparse
import time

import numpy as np

import popout as po
from popout.analysis.losses import losses_by_looks, losses_by_table
from popout.analysis.regret import advantage_of
from popout.evidence import Condition
from popout.simulation.simulator import trials_of
from popout.simulation.tally import Columns

MOST_STEPS = 10_000


def best_of_three(work, *words):
    """Return the least seconds of three runs, and what the last one returned."""
    seconds, found = [], None
    for _ in range(3):
        began = time.perf_counter()
        found = work(*words)
        seconds.append(time.perf_counter() - began)
    return min(seconds), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locations", default="1,2,3,4", help="default: 1,2,3,4")
    parser.add_argument("--trials", type=int, default=20_000)
    asked = parser.parse_args()
    print("locations  looks per trial  simulate  by table  by looks  ratio  (ns per look)")
    for M in map(int, asked.locations.split(",")):
        task, costs = po.SearchTask(n_locations=M, drift=4.0), po.Costs(time=0.2)
        solution = po.solve(task, costs)
        strategy = po.SPRT.for_task(task, *solution.thresholds[0])
        trials, none = Columns.empty(asked.trials), np.zeros(0)
        run = trials_of(task, strategy, 0, Condition.PRIOR, MOST_STEPS, 1)
        run(0, trials)  # compiles
        simulated, _ = best_of_three(run, 0, trials)
        looks = int((trials.steps + 1).sum())
        spline, advantage = solution.value_grid.risk_spline, advantage_of(solution)
        losses_by_table(spline, task, 0, trials, none, 1)
        fast, a = best_of_three(losses_by_table, spline, task, 0, trials, none, 1)
        slow, b = best_of_three(losses_by_looks, advantage, task, 0, trials, none)
        np.testing.assert_allclose(a.per_trial, b.per_trial, rtol=1e-9, atol=1e-13)
        each = [1e9 * seconds / looks for seconds in (simulated, fast, slow)]
        print(
            f"{M:9d}  {looks / asked.trials:15.1f}  {each[0]:8.1f}  {each[1]:8.1f}  {each[2]:8.1f}"
            f"  {slow / fast:5.1f}"
        )


if __name__ == "__main__":
    main()
