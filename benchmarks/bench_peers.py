"""Beside PyDDM, HSSM, ssm-simulators, SciPy and QuantEcon, which `make peers` installs.

Two choices: the same 1,000 trials of one item (which is the Wiener process between two boundaries),
each package with the model that it has. PyDDM and popout fit the same six parameters
(`bench_people.py`); HSSM its analytical diffusion model (drift, boundary, start and a fixed
non-decision time), by its maximum a posteriori. The first result is the first likelihood, libraries
and compilation included, in a process of its own. Processor seconds.

Paths: trials of one location in steps of 1 ms (`bench_simulate.py`). Evidence: the equations of the
paper in SciPy, for 10,000 trials of 100 steps (`bench_evidence.py`). Best of several rounds.

Recursion: the lowest risk of a search as a discrete dynamic programme. QuantEcon's policy iteration
gets the log odds of the locations on a grid, with every transition under the absent law (`w V` in
place of the value, as in `popout.exact.bellman`); popout chooses its grid itself. The error is the
distance from popout's answer at a hundredfold accuracy. Seconds.
"""

import contextlib
import importlib.metadata
import itertools
import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.stats import norm

import popout as po
from popout.reports.publish import machine

DRIFT, COST, DT = 4.0, 0.2, 0.01
HEAD = "import time; began = time.process_time()"


def trials_of_one_item(n_trials):
    """Return trials of the observer of `bench_people.py`, and their likelihood."""
    from bench_people import TRUTH, Design, PassageTables, TwoChoices, synthetic_observer

    tables = PassageTables([1])
    trials = synthetic_observer(TwoChoices(), TRUTH, Design((1,), n_trials // 2), tables, seed=1)
    return trials, TwoChoices(), TRUTH, tables


def our_first():
    trials, model, truth, tables = trials_of_one_item(1000)
    model.likelihood(trials, tables).total(truth)


def our_row():
    from bench_people import milliseconds, ours

    trials, model, truth, tables = trials_of_one_item(1000)
    likelihood = model.likelihood(trials, tables)
    each = milliseconds(lambda: likelihood.total(truth))
    return first_result("our_first"), each, ours(trials, tables)["processor"]


def pyddm_row():
    from bench_people import theirs

    fit = theirs(sys.executable, trials_of_one_item(1000)[0])
    return fit["first"], 1e3 * fit["processor"] / fit["evaluations"], fit["processor"]


def hssm_first():
    import warnings

    import hssm
    import pandas as pd

    warnings.filterwarnings("ignore")
    trials, *_ = trials_of_one_item(1000)
    said = np.where(trials.response == po.Action.PRESENT, 1, -1)
    table = pd.DataFrame({"rt": trials.rt, "response": said})
    table["side"] = np.where(trials.present, 1.0, -1.0)
    drift = {"name": "v", "formula": "v ~ 0 + side"}
    with contextlib.redirect_stdout(sys.stderr):
        model = hssm.HSSM(
            data=table, model="ddm", loglik_kind="analytical", p_outlier=0.0, include=[drift]
        )
    log_density = model.pymc_model.compile_logp()
    point = model.pymc_model.initial_point()
    log_density(point)
    return model, lambda: log_density(point)


def hssm_row():
    from bench_people import milliseconds

    first = first_result("hssm_first")
    model, evaluate = hssm_first()
    each = milliseconds(evaluate)
    began = time.process_time()
    model.find_MAP(progressbar=False)
    return first, each, time.process_time() - began


def first_result(function):
    """Return the processor seconds of a function in a process of its own, libraries included."""
    code = (
        f"{HEAD}; import bench_peers; bench_peers.{function}(); print(time.process_time() - began)"
    )
    with tempfile.TemporaryDirectory() as empty:  # nothing was compiled before
        flags = {"NUMBA_CACHE_DIR": empty, "PYTENSOR_FLAGS": f"base_compiledir={empty}"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, check=True, cwd=sys.path[0], env=os.environ | flags,
        )  # fmt: skip
    return float(done.stdout.splitlines()[-1])


def quantecon_risk(M, n, edge):
    """Return the risk at even odds by QuantEcon's policy iteration, and its seconds."""
    from quantecon.markov import DiscreteDP

    z = np.linspace(-edge, edge, n)
    edges = np.concatenate([[-np.inf], (z[1:] + z[:-1]) / 2, [np.inf]])
    mean, sd = -2 * DRIFT**2 * DT, 2 * DRIFT * np.sqrt(DT)
    step = np.diff(norm.cdf((edges - z[:, None] - mean) / sd), axis=1)
    look = step
    for _ in range(M - 1):
        look = np.kron(look, step)
    odds = np.array([np.mean(np.exp(Z)) for Z in itertools.product(z, repeat=M)])
    # Costs under the absent law; an answer leads to a last state, where nothing costs anything.
    size = len(odds) + 1
    reward, move = np.zeros((size, 3)), np.zeros((size, 3, size))
    reward[:-1, 0], reward[:-1, 1], reward[:-1, 2] = -odds, -1.0, -COST * DT * (1.0 + odds)
    move[:, :, -1] = 1.0
    move[:-1, 2, :-1], move[:-1, 2, -1] = look, 0.0
    began = time.perf_counter()
    # It asks for a discount, here one that changes nothing in the digits shown.
    value = DiscreteDP(reward, move, 1 - 1e-10).solve(method="policy_iteration").v
    middle = (len(odds) - 1) // 2
    return -value[middle] / 2, time.perf_counter() - began


def installed(name):
    """Return a package with its version; nothing, and a line that says so, if it is not here."""
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        print(f"{name} is not here and left out: make peers", file=sys.stderr)
        return None


def table(head, rows):
    print(f"\n| {head} |\n" + "|---" * (head.count(" | ") + 1) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def two_choices():
    for name, row in (("popout", our_row), ("pyddm", pyddm_row), ("hssm", hssm_row)):
        if label := installed(name):
            first, each, fit = row()
            yield label, f"{first:.1f}", f"{each:.2f}", f"{fit:.1f}"


def kernels():
    from bench_evidence import PAPER, TASK, TRAJECTORY, time_all
    from bench_simulate import against_ssm
    from popout.evidence import Evidence

    if label := installed("ssm-simulators"):
        theirs, ours, _ = against_ssm(5, 200_000).values()
        yield "paths (ns per step)", label, f"{theirs:.2f}", f"{ours:.2f}", f"{theirs / ours:.1f}"
    best, _ = time_all(Evidence(TASK).sample(10_000, 100, seed=1).increments)
    theirs, ours = best[PAPER], best[TRAJECTORY]
    label = installed("scipy")
    yield "evidence (s)", label, f"{theirs:.2f}", f"{ours:.2f}", f"{theirs / ours:.0f}"


def recursion():
    label = installed("quantecon")
    for M, sizes in ((1, (201, 801)), (2, (31, 61))):
        task, costs = po.SearchTask(n_locations=M, drift=DRIFT, dt=DT), po.Costs(time=COST)
        po.solve(task, costs, rtol=1e-2)
        exact = po.solve(task, costs, rtol=1e-6).risk
        for n in sizes if label else ():
            risk, seconds = quantecon_risk(M, n, 8.0)
            nodes = f"{label}, {n} nodes an axis"
            yield str(M), nodes, f"{risk:.6f}", f"{risk - exact:+.0e}", f"{seconds:.2f}"
        began = time.perf_counter()
        risk = po.solve(task, costs, rtol=1e-4).risk
        seconds = time.perf_counter() - began
        yield str(M), "popout, rtol 1e-4", f"{risk:.6f}", f"{risk - exact:+.0e}", f"{seconds:.2f}"


def main():
    print(", ".join(machine().values()) + f", Python {platform.python_version()}")
    table("1,000 two-choice trials | first result (s) | likelihood (ms) | fit (s)", two_choices())
    table("what | peer | peer's | popout's | ratio", kernels())
    table("M | lowest risk by | risk | error | seconds", recursion())


if __name__ == "__main__":
    main()
