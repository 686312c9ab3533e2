"""Log likelihood ratio trajectories: compiled kernels against the paper's equations in SciPy.

Job: 1e4 trials x 100 steps x 8 locations x 3 orientations x 3 mixtures, from observations to S at
every step. Both sides read the same observations and must agree to 1e-9. Each side runs in its own
process; times exclude compilation and are the best of three; memory is the growth of the peak
resident set over what was resident before (observations and libraries). Ratios of one run are what
the table is for: absolute times depend on the machine.

The reference transcribes eq:hetero-search, eq:hetero-search-target, eq:hetero-search-distractor and
the gain control with `scipy.special.logsumexp`, whole arrays at a time; it needs about 5 GB.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
from scipy.special import logsumexp

from popout.evidence import Evidence
from popout.task import GaussianWalk, MixtureSearchTask

REPEATS = 3
TASK = MixtureSearchTask(
    n_locations=8,
    orientations=[0, 20, 40],
    observation=GaussianWalk([-3.0, 0.0, 3.0]),
    target_prior=[0.5, 0.0, 0.5],
    mixtures=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.0, 0.5, 0.5]],
    mixture_prior=[0.5, 0.25, 0.25],
)


def paper_trajectory(increments):
    """Return S of shape (trial, step) from the equations as printed."""
    mu = np.array(TASK.observation.drift)
    with np.errstate(divide="ignore"):
        log_phi, log_target = np.log(TASK.mixtures), np.log(TASK.target_prior)
    x = np.cumsum(increments, axis=1)
    t = TASK.dt * np.arange(1, x.shape[1] + 1)
    L = mu * x[..., None] - mu**2 / 2 * t[:, None, None]
    D = logsumexp(L[..., None, :] + log_phi, axis=-1)
    A = np.log(TASK.mixture_prior) + D.sum(axis=-2)
    Q = A - logsumexp(A, axis=-1, keepdims=True)
    L1 = logsumexp(L + log_target, axis=-1)
    L0 = -logsumexp(-D + Q[..., None, :], axis=-1)
    return logsumexp(L1 - L0, axis=-1) - np.log(TASK.n_locations)


def on_one_thread(increments):
    """Return the trajectory computed by a single thread, as SciPy's is."""
    numba.set_num_threads(1)
    return Evidence(TASK).trajectory(increments)


SIDES = {
    "SciPy, equations of the paper": paper_trajectory,
    "popout, trajectory": Evidence(TASK).trajectory,
    "popout, trajectory, one thread": on_one_thread,
    "popout, final ratio": Evidence(TASK).final,
}


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def reset_peak():
    """Forget the peak so far where the system can (Linux), and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024
    except OSError:
        return peak_bytes()


def peak_since_reset():
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except OSError:
        return peak_bytes()


def measure(side, n_trials, n_steps):
    """Run one side in this process and print its figures as JSON."""
    compute = SIDES[side]
    increments = Evidence(TASK).sample(n_trials, n_steps, seed=1).increments
    compute(increments[:100])  # compile, or read the cache
    before = reset_peak()
    S = compute(increments)
    memory = max(peak_since_reset() - before, 1)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        S = compute(increments)
        times.append(time.perf_counter() - start)
    last = S[:, -1] if S.ndim == 2 else S
    print(json.dumps({"seconds": min(times), "bytes": memory, "last": last[:200].tolist()}))


def run(side, n_trials, n_steps):
    command = [sys.executable, __file__, "--side", side]
    command += ["--trials", str(n_trials), "--steps", str(n_steps)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", choices=SIDES)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    if options.side:
        measure(options.side, options.trials, options.steps)
        return 0

    size = f"{options.trials} trials x {options.steps} steps"
    print(f"{size} x 8 locations x 3 orientations x 3 mixtures, {numba.get_num_threads()} threads")
    results = {side: run(side, options.trials, options.steps) for side in SIDES}
    reference, trajectory, _, final = results.values()
    last = [result["last"] for result in results.values()]
    difference = np.max(np.abs(np.subtract(last, last[0])))
    print(f"{'':32}{'seconds':>10}{'times faster':>14}{'MB':>9}{'share of memory':>17}")
    for side, result in results.items():
        print(
            f"{side:32}{result['seconds']:10.3f}{reference['seconds'] / result['seconds']:14.1f}"
            f"{result['bytes'] / 1e6:9.1f}{result['bytes'] / reference['bytes']:17.3f}"
        )
    longer = run("popout, final ratio", options.trials, 4 * options.steps)
    print(f"final ratio with {4 * options.steps} steps: {longer['bytes'] / 1e6:.1f} MB")
    print(f"largest difference in S: {difference:.1e}")
    aims = {
        "agrees to 1e-9": difference < 1e-9,
        "5 times faster": 5 * trajectory["seconds"] <= reference["seconds"],
        "a fifth of the memory": 5 * trajectory["bytes"] <= reference["bytes"],
        "final ratio: memory independent of the steps": longer["bytes"] < 2 * final["bytes"] + 2e6,
    }
    for aim, met in aims.items():
        print(f"{'met   ' if met else 'MISSED'} {aim}")
    return int(not all(aims.values()))


if __name__ == "__main__":
    sys.exit(main())
