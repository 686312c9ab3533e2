"""Where the conjecture holds and where it fails, beyond `popout reproduce conjecture-regime`.

Many locations, at mu^2 dt = 0.04: what two rivals save of the risk of tuned a-SPRT, paired on
trials that no tuning has seen: SPRT-opt, and two scaled SPRTs whose thresholds are free as well as
their scales. Certificate: what the strategy learned for one saves, and what any could save at most.

Diagonals: the scale that each of them asks for, log(m) / (tau - z) where m locations are level at
z and the others are ruled out. Were the conjecture exact these would be one number. Axis: how the
exact boundary leaves an axis, beside the limit of cheap time and the fitted surface.

    python benchmarks/table_regime.py many
    python benchmarks/table_regime.py certificate
    python benchmarks/table_regime.py diagonals
    python benchmarks/table_regime.py axis
"""

import argparse
import math
import time

import numpy as np
from scipy.optimize import brentq

import popout as po
from popout.analysis.score import expected_losses, paired_difference, stratified
from popout.analysis.thresholds import threshold_pair
from popout.paper.claims import conjecture_regime as regime
from popout.paper.conjecture import certified
from popout.policies.stopping import ASPRT, Parameter, Recipe, Tunable

MANY = [(8, 0.05), (8, 0.25), (8, 0.5), (32, 0.125), (32, 0.25)]
CERTIFIED = [(32, 0.25)]
TUNE_TRIALS, SCORE_TRIALS, SEED = 40_000, 100_000, 1


class FreeASPRT(Recipe):
    """Two scaled SPRTs whose thresholds are free as well, from tuned rivals on."""

    name = "free-a-sprt"
    is_local = True
    known = ()
    """What a-SPRT and SPRT-opt were tuned to, which it contains."""

    @classmethod
    def tunable(cls, task, tau_minus, tau_plus):
        """Begin with both."""
        free = (
            Parameter("a_minus", 1.7, 0.05, 60.0, scale=0.35, logarithmic=True),
            Parameter("a_plus", 0.7, 0.05, 60.0, scale=0.35, logarithmic=True),
            Parameter("lower", -1.0, -25.0, 25.0, scale=0.3),
            Parameter("upper", 1.0, -25.0, 25.0, scale=0.3),
        )
        return Tunable(free, cls.known, cls.known)

    @classmethod
    def for_task(cls, task, tau_minus, tau_plus, *, a_minus, a_plus, lower, upper):
        """Return a-SPRT with these thresholds, which wait in between at least."""
        return ASPRT.for_task(task, min(lower, upper), upper, a_minus=a_minus, a_plus=a_plus)


def many():
    """Print what rivals save with many locations."""
    print(
        "| M | c/µ² | risk of a-SPRT | SPRT-opt saves (%) | free saves (%) | s |\n"
        + "|---" * 6
        + "|"
    )
    for M, k in MANY:
        began = time.perf_counter()
        task = po.SearchTask(n_locations=M, drift=1.0, dt=regime.MANY_STEP)
        costs = po.Costs(time=k)
        tuned = [
            po.tune(recipe, task, costs, n_trials=TUNE_TRIALS, seed=SEED).strategy
            for recipe in (ASPRT, po.SPRTOpt)
        ]
        FreeASPRT.known = tuple(
            {"a_minus": s.a_minus, "a_plus": s.a_plus, "lower": s.tau_minus, "upper": s.tau_plus}
            for s in tuned
        )
        tuned.append(po.tune(FreeASPRT, task, costs, n_trials=TUNE_TRIALS, seed=SEED).strategy)
        ours, *theirs = (po.simulate(task, each, SCORE_TRIALS, seed=2) for each in tuned)
        own = stratified(expected_losses(ours, costs), ours.present, task.prior)
        saved = [paired_difference(ours, other, costs) for other in theirs]
        cells = [f"{100 * d.value / own.value:+.3f} ± {100 * d.se / own.value:.3f}" for d in saved]
        seconds = time.perf_counter() - began
        row = [str(M), f"{k:g}", f"{own.value:.5f} ± {own.se:.5f}", *cells, f"{seconds:.0f}"]
        print(f"| {' | '.join(row)} |", flush=True)


def certificate():
    """Print what the learned strategy saves, and what any could save at most."""
    print("| M | c/µ² | risk of a-SPRT | learned saves (%) | any saves at most (%) |")
    print("|---" * 5 + "|")
    for M, k in CERTIFIED:
        task = po.SearchTask(n_locations=M, drift=1.0, dt=regime.MANY_STEP)
        costs = po.Costs(time=k)
        ours = po.tune(ASPRT, task, costs, n_trials=TUNE_TRIALS, seed=SEED).strategy
        certificate = certified(task, costs, ours, SEED)
        (risk, se), (less, less_se) = certificate.risks["a-SPRT"], certificate.risks["learned"]
        gap, gap_se = certificate.gaps["a-SPRT"]
        saved = f"{100 * (1 - less / risk):+.2f} ± {100 * math.hypot(se, less_se) / risk:.2f}"
        most = f"{100 * gap:.2f} ± {100 * gap_se:.2f}"
        print(f"| {M} | {k:g} | {risk:.5f} ± {se:.5f} | {saved} | {most} |", flush=True)


def diagonals():
    """Print the scale that each diagonal asks for."""
    print("| M | c/µ² | side | m = 2 | m = 3 | m = 4 | fitted |\n" + "|---" * 7 + "|")
    for M, k, rtol in ((3, 0.05, 1e-4), (3, 0.2, 1e-4), (4, 0.2, 1e-3)):
        task = po.SearchTask(n_locations=M, drift=1.0, dt=regime.step_of(k, regime.STEPS[M]))
        costs = po.Costs(time=k)
        solution = po.solve(task, costs, rtol)
        (lower, *_), (upper, *_) = threshold_pair(task, costs)
        for side, tau in (("present", upper), ("absent", lower)):
            cells = []
            for m in range(2, M + 1):
                z = level_at(solution, m, tau)
                cells.append(f"{math.log(m) / (tau + math.log(M) - z):.3f}")
            cells += [""] * (3 - len(cells))
            scales = solution.scales
            fitted = scales.a_plus if side == "present" else scales.a_minus
            print(
                f"| {M} | {k:g} | {side} | " + " | ".join(cells) + f" | {fitted:.3f} |", flush=True
            )


def level_at(solution, m, tau):
    """Return Z on the boundary where m locations are level and the others are ruled out."""
    M = solution.task.n_locations

    def waiting(z):
        Z = np.full((1, M), -12.0)
        Z[0, :m] = z
        return float(np.ravel(solution.strategy.log_ratio(Z))[0])

    # From beyond the boundary towards the middle: the first change of sign.
    z = tau + math.log(M) + (0.5 if tau > 0 else -3.0 * math.log(m))
    step = -0.05 if tau > 0 else 0.05
    while (waiting(z) < 0) == (waiting(z + step) < 0):
        z += step
    return brentq(waiting, z, z + step)


def axis(ratio=0.01):
    """Print how the present boundary of two locations leaves an axis."""
    task = po.SearchTask(n_locations=2, drift=1.0, dt=regime.step_of(ratio, regime.STEPS[2]))
    solution = po.solve(task, po.Costs(time=ratio), regime.RTOLS[2])
    a, (_, tau) = solution.scales.a_plus, solution.thresholds[0]
    end = tau + math.log(2)

    def boundary(z2):
        def waiting(z1):
            return float(np.ravel(solution.strategy.log_ratio(np.array([[z1, z2]])))[0])

        return brentq(waiting, end - 2.0, end + 0.5)

    alone = boundary(-12.0)
    print("| Z2 below tau + log 2 | exact, P1 - 1 | limit, -P2 (2 - log P2) | a-SPRT |")
    print("|---" * 4 + "|")
    for below in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0):
        P2 = math.exp(-below)
        exact = math.expm1(boundary(end - below) - alone)
        print(f"| {below:g} | {exact:.3f} | {-P2 * (2 + below):.3f} "
              f"| {(1 - P2**a) ** (1 / a) - 1:.3f} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = {each.__name__: each for each in (many, certificate, diagonals, axis)}
    parser.add_argument("part", choices=list(parts))
    parts[parser.parse_args().part]()


if __name__ == "__main__":
    main()
