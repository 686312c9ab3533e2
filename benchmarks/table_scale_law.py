"""The law of the scales of a-SPRT: exact boundaries, the fit, and what is left of it.

Over c / mu^2, mu^2 dt and two to four locations the scales are fitted to exact boundaries, and the
law of `popout.analysis.expected_optimum` to their logarithms by least squares (of log |log a|).
Printed: the coefficients, the largest and the root mean square difference of log a, for each set
size; then tuned a-SPRT at larger set sizes beside the law. Last, what the law saves a search:
processor seconds with it and with the small tasks that are solved otherwise, and the difference in
risk on common trials.

    python benchmarks/table_scale_law.py            # some three minutes
    python benchmarks/table_scale_law.py --sizes 2  # half a minute
"""

import argparse
import time
from unittest.mock import patch

import numpy as np

import popout as po
from popout.analysis import tune as tuning
from popout.analysis.expected_optimum import (
    COEFFICIENTS,
    LARGEST_RATIO,
    LEAST_THRESHOLD,
    scales_by_law,
)
from popout.analysis.score import paired_difference

RATIOS = (0.0014, 0.005, 0.0125, 0.05, 0.125, 0.25)
STEPS = {2: (0.01, 0.04, 0.16, 0.64, 1.44), 3: (0.04, 0.16, 0.64, 1.44), 4: (0.04, 0.16, 1.44)}
RTOLS = {2: 1e-4, 3: 1e-3, 4: 3e-3}
LARGER = ((8, 2.0, 0.2), (16, 4.0, 0.2), (32, 2.0, 0.5), (128, 4.0, 0.2))
TIMED = ((8, 2.0, 0.2, 0.01), (8, 4.0, 0.2, 0.01), (16, 4.0, 0.2, 0.002), (32, 2.0, 0.5, 0.01),
         (8, 2.0, 0.5, 0.002), (8, 12.0, 0.5, 0.01))  # fmt: skip


def affordable(M, ratio, step):
    """Whether a boundary takes seconds."""
    return ratio >= {2: 0.0, 3: 0.01, 4: 0.01}[M] or step >= {2: 0.03, 3: 0.1, 4: 9.0}[M]


def boundaries(sizes):
    """Solve, and return rows of M, ratio, step, a_minus, a_plus."""
    rows = []
    for M in sizes:
        for ratio in RATIOS:
            for step in STEPS[M]:
                if not affordable(M, ratio, step):
                    continue
                task = po.SearchTask(n_locations=M, drift=1.0, dt=step)
                solution = po.solve(task, po.Costs(time=ratio), RTOLS[M])
                if solution.thresholds[0][1] >= LEAST_THRESHOLD and ratio <= LARGEST_RATIO:
                    scales = solution.scales
                    rows.append((M, ratio, step, scales.a_minus, scales.a_plus))
    return np.array(rows)


def fit(rows):
    """Print the coefficients and what they leave."""
    M, ratio, step, *scales = rows.T
    terms = [np.ones_like(M), np.sqrt(ratio), np.sqrt(step), step, np.log(M / 2)]
    X = np.stack(terms, axis=1)
    print("| scale | alpha | beta | gamma | delta | epsilon | rms of log a | largest |")
    print("|---" * 8 + "|")
    for name, a in zip(COEFFICIENTS, scales, strict=True):
        sign = COEFFICIENTS[name][0]
        w = np.linalg.lstsq(X, np.log(sign * np.log(a)), rcond=None)[0]
        left = sign * np.exp(X @ w) - np.log(a)
        w = w * (1, 1, -1, -1, 1)
        print(f"| {name} | " + " | ".join(f"{v:.3f}" for v in w), end=" | ")
        print(f"{left.std():.3f} | {np.abs(left).max():.3f} |")
    print(f"\n{len(rows)} boundaries")


def larger():
    """Print tuned scales beside the law."""
    print("\n| M | drift (1/s) | cost (1/s) | a_-, tuned | law | a_+, tuned | law |")
    print("|---" * 7 + "|")
    for M, drift, cost in LARGER:
        task, costs = po.SearchTask(n_locations=M, drift=drift), po.Costs(time=cost)
        law = scales_by_law(task, costs)
        with patch.object(tuning, "lawful_optimum", lambda *_: None):
            tuned = po.tune(po.ASPRT, task, costs, n_trials=80_000, seed=1)
        cells = [
            f"{tuned.parameters[n]:.3f} ± {tuned.parameters_se[n]:.3f} | {law[n]:.3f}" for n in law
        ]
        print(f"| {M} | {drift:g} | {cost:g} | " + " | ".join(cells) + " |", flush=True)


def timed():
    """Print what a search takes with the law and without."""
    po.tune(po.ASPRT, po.SearchTask(n_locations=4, drift=12.0), po.Costs(time=1.0), n_trials=8000)
    spent = "s, small tasks | s, law | risk, law less small (%)"
    print(f"\n| M | drift (1/s) | cost (1/s) | dt (ms) | {spent} |")
    print("|---" * 7 + "|")
    for M, drift, cost, dt in TIMED:
        task, costs = po.SearchTask(n_locations=M, drift=drift, dt=dt), po.Costs(time=cost)
        tuned, seconds = [], []
        for without in (True, False):
            tuning._small_optimum.cache_clear()
            hidden = patch.object(tuning, "lawful_optimum", lambda *_: None)
            began = time.process_time()
            if without:
                hidden.start()
            tuned.append(po.tune(po.ASPRT, task, costs, n_trials=8000, seed=1))
            if without:
                hidden.stop()
            seconds.append(time.process_time() - began)
        without, with_law = (po.simulate(task, each.strategy, 20_000, seed=2) for each in tuned)
        d = paired_difference(with_law, without, costs)
        shares = f"{100 * d.value / tuned[0].risk:+.3f} ± {100 * d.se / tuned[0].risk:.3f}"
        print(f"| {M} | {drift:g} | {cost:g} | {1e3 * dt:g} | {seconds[0]:.1f} | {seconds[1]:.1f} "
              f"| {shares} |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 3, 4])
    fit(boundaries(parser.parse_args().sizes))
    larger()
    timed()


if __name__ == "__main__":
    main()
