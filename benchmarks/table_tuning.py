"""Tuned a-SPRT against the best rival, over set sizes, drifts and costs of time.

Where answering at once is nearly as good as looking, a search for the scales of a-SPRT can end in a
guess. The table shows, for every cell, the risk of tuned a-SPRT less that of the best of its rivals
(SPRT-opt, SPRT, Hardmax, a guess) on common trials, in standard errors of that difference. A cell
fails if a-SPRT is worse by more than three.

    python benchmarks/table_tuning.py --locations 2,8,32 --drifts 1,4 --costs 0.5,2
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import popout as po

SIZES = (2, 4, 8, 16, 32, 64, 128)
DRIFTS = (1.0, 2.0, 4.0, 8.0, 12.0)
COSTS = (0.1, 0.2, 0.5, 1.0, 2.0)
RIVALS = (po.SPRTOpt, po.SPRT, po.Hardmax)
WORSE = 3.0


def numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--locations", type=numbers, default=SIZES)
    parser.add_argument("--drifts", type=numbers, default=DRIFTS)
    parser.add_argument("--costs", type=numbers, default=COSTS)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--tune-trials", type=int, default=40_000)
    options = parser.parse_args()
    print("| M | drift | cost | a-SPRT | best rival | its risk | difference | s.e. | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    failed = 0
    for n in options.locations:
        for drift in options.drifts:
            for cost in options.costs:
                failed += row(int(n), drift, cost, options.trials, options.tune_trials)
    print(f"\n{failed} cells in which a-SPRT is worse by more than {WORSE:g} standard errors")
    return min(failed, 1)


def row(n: int, drift: float, cost: float, trials: int, tune_trials: int) -> int:
    began = time.perf_counter()
    task, costs = po.SearchTask(n_locations=n, drift=drift), po.Costs(time=cost)
    table = po.compare(
        task, costs, [po.ASPRT, *RIVALS], n_trials=trials, tune_trials=tune_trials, seed=1
    ).set_index("strategy")
    ours = table.loc["a-SPRT"]
    rivals = table.drop(index="a-SPRT")
    best = rivals.excess.idxmin()
    theirs = rivals.loc[best]
    difference = ours.excess - theirs.excess
    error = math.hypot(ours.excess_se, theirs.excess_se)
    guess = 0.5 - ours.risk
    if guess < difference * -1.0 and guess < 0:
        best, difference, error = "guess", -guess, ours.risk_se
    bad = difference > WORSE * error + 1e-9
    print(
        f"| {n} | {drift:g} | {cost:g} | {ours.risk:.5f} | {best} | {theirs.risk:.5f} | "
        f"{difference:+.1e} | {error:.0e} | {time.perf_counter() - began:.0f} |"
        + (" WORSE" if bad else ""),
        flush=True,
    )
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
