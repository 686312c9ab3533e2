"""Beside HSSM on two-choice trials, and beside QuantEcon on the recursion; `make peers` has both.

First table: the same trials of one item (which is the Wiener process between two boundaries), each
package with the model that it has: HSSM its analytical diffusion model (drift, boundary, start and
a fixed non-decision time), popout the observer of `bench_people.py`, whose non-decision time varies
and who lapses. The first result is the first likelihood, libraries and compilation included, in a
process of its own; a fit is the maximum a posteriori of HSSM, the maximum of the likelihood and
its intervals of popout. Processor seconds.

Second table: the lowest risk of a search as a discrete dynamic programme. QuantEcon's policy
iteration gets the log odds of the locations on a grid, with every transition under the absent law
(`w V` in place of the value, as in `popout.exact.bellman`); popout chooses its grid itself. The
error of QuantEcon's answer is its distance from popout's at a hundredfold accuracy. Seconds.
"""

import importlib.util
import itertools
import subprocess
import sys
import time

import numpy as np
from scipy.stats import norm

import popout as po

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
    trials, model, truth, tables = trials_of_one_item(1000)
    likelihood = model.likelihood(trials, tables)
    each = per_call(lambda: likelihood.total(truth))
    began = time.process_time()
    model.fit(trials, tables)
    return each, time.process_time() - began


def their_model():
    import warnings

    import hssm
    import pandas as pd

    warnings.filterwarnings("ignore")
    trials, *_ = trials_of_one_item(1000)
    said = np.where(trials.response == po.Action.PRESENT, 1, -1)
    table = pd.DataFrame({"rt": trials.rt, "response": said})
    table["side"] = np.where(trials.present, 1.0, -1.0)
    drift = {"name": "v", "formula": "v ~ 0 + side"}
    model = hssm.HSSM(
        data=table, model="ddm", loglik_kind="analytical", p_outlier=0.0, include=[drift]
    )
    log_density = model.pymc_model.compile_logp()
    point = model.pymc_model.initial_point()
    log_density(point)
    return model, lambda: log_density(point)


def their_row():
    model, evaluate = their_model()
    each = per_call(evaluate)
    began = time.process_time()
    model.find_MAP(progressbar=False)
    return each, time.process_time() - began


def per_call(function, repeats=200):
    """Return the processor milliseconds of a call."""
    function()
    began = time.process_time()
    for _ in range(repeats):
        function()
    return 1e3 * (time.process_time() - began) / repeats


def first_result(function):
    """Return the processor seconds of a function in a process of its own, libraries included."""
    code = (
        f"{HEAD}; import bench_peers; bench_peers.{function}(); print(time.process_time() - began)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=sys.path[0]
    )
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


def recursion():
    print(f"\nLowest risk, drift {DRIFT:g}/s, cost of time {COST:g}/s, steps of 10 ms")
    print(f"{'M':>2}  {'':28} {'risk':>10} {'error':>9} {'seconds':>8}")
    for M, sizes in ((1, (201, 801)), (2, (31, 61))):
        task, costs = po.SearchTask(n_locations=M, drift=DRIFT, dt=DT), po.Costs(time=COST)
        po.solve(task, costs, rtol=1e-2)
        exact = po.solve(task, costs, rtol=1e-6).risk
        for n in sizes:
            risk, seconds = quantecon_risk(M, n, 8.0)
            print(f"{M:2}  {f'QuantEcon, {n} nodes an axis':28} {risk:10.6f} "
                  f"{risk - exact:+9.1e} {seconds:8.2f}")  # fmt: skip
        began = time.perf_counter()
        solution = po.solve(task, costs, rtol=1e-4)
        print(f"{M:2}  {'popout, rtol 1e-4':28} {solution.risk:10.6f} "
              f"{solution.risk - exact:+9.1e} {time.perf_counter() - began:8.2f}")  # fmt: skip


def main():
    peer = importlib.util.find_spec("hssm") is not None
    print(
        "1,000 two-choice trials: processor seconds to the first result, of a likelihood, of a fit"
    )
    print(f"{'':8} {'first s':>8} {'likelihood ms':>14} {'fit s':>7}")
    rows = [("popout", "our_first", our_row)] + [("HSSM", "their_model", their_row)] * peer
    for name, first, row in rows:
        began = first_result(first)
        each, fit = row()
        print(f"{name:8} {began:8.1f} {each:14.3f} {fit:7.1f}", flush=True)
    if not peer:
        print("HSSM is not here: make peers")
    if importlib.util.find_spec("quantecon") is not None:
        recursion()
    else:
        print("QuantEcon is not here: make peers")


if __name__ == "__main__":
    main()
