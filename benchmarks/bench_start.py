"""From ``pip install`` to the first result, and how long the start takes, beside its peers.

Each package gets an environment of its own, made from nothing by this script, with pip's cache as
it is (run it twice, and the second shows what a cache is worth). *install* is ``pip install``;
popout is installed from this folder. *first result* is the first run of a script in that
environment, with nothing compiled: the ideal observer of two locations and 10,000 of its trials
for popout, the likelihood of 1,000 trials under a simple diffusion model for PyDDM and HSSM.
*import* and ``--help`` are medians of several runs in new processes, after the first. A package
that cannot be installed is left out with a line that says why. ``python benchmarks/bench_start.py
--only popout,pyddm``
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 900.0
"""Seconds after which an installation is given up."""


@dataclass(frozen=True)
class Package:
    """What is installed, imported and run first."""

    requirements: tuple[str, ...]
    module: str
    first: str


DRAWN = """
import numpy as np, pandas as pd
random = np.random.default_rng(1)
data = pd.DataFrame({"rt": 0.3 + random.gamma(2.0, 0.2, 1000), "response": 1})
data.loc[::5, "response"] = WRONG
"""
PACKAGES = {
    "popout": Package(
        (str(ROOT),),
        "popout",
        "import popout as po\n"
        "task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)\n"
        "best = po.solve(task, costs)\n"
        "print(po.simulate(task, best.strategy, n_trials=10_000, seed=1).summary(costs))\n",
    ),
    "PyDDM": Package(
        ("pyddm",),
        "pyddm",
        DRAWN.replace("WRONG", "0") + "import pyddm\n"
        "model = pyddm.gddm(drift=1.0, bound=1.0, nondecision=0.2, T_dur=5.0)\n"
        "sample = pyddm.Sample.from_pandas_dataframe(\n"
        "    data, rt_column_name='rt', choice_column_name='response')\n"
        "print(pyddm.get_model_loss(model, sample))\n",
    ),
    "HSSM": Package(
        ("hssm", "matplotlib<3.11"),  # HSSM 0.3 cannot be imported with a newer one
        "hssm",
        DRAWN.replace("WRONG", "-1") + "import hssm\n"
        "model = hssm.HSSM(data=data, model='ddm')\n"
        "print(model.pymc_model.compile_logp()(model.pymc_model.initial_point()))\n",
    ),
}


def seconds(command, **settings):
    """Run a command that has to succeed, and return the wall-clock seconds it took."""
    start = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, **settings)
    if ran.returncode:
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        raise RuntimeError(next((x for x in lines if "ERROR" in x), lines[-1]))
    return time.perf_counter() - start


def measure(package, folder, runs):
    """Return the columns of one row."""
    venv.create(folder, with_pip=True)
    bin_folder = folder / "bin"
    environment = {name: x for name, x in os.environ.items() if name != "PYTHONPATH"}
    settings = {"env": environment | {"MPLBACKEND": "Agg"}, "cwd": folder}
    python = bin_folder / "python"
    install = seconds(
        [python, "-m", "pip", "install", "--quiet", *package.requirements], **settings
    )
    first = seconds([python, "-c", package.first], **settings)
    again = seconds([python, "-c", package.first], **settings)
    imports = [seconds([python, "-c", f"import {package.module}"], **settings) for _ in range(runs)]
    disk = subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=True).stdout
    row = [install, first, install + first, again, statistics.median(imports)]
    script = bin_folder / package.module
    if script.exists():
        helps = [seconds([script, "--help"], **settings) for _ in range(runs)]
        row.append(statistics.median(helps))
    else:
        row.append(None)
    return row, int(disk.split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PACKAGES), help="names with commas")
    parser.add_argument("--runs", type=int, default=9, help="of import and --help")
    given = parser.parse_args()
    wanted = [name.lower() for name in given.only.split(",")]
    nothing = statistics.median(seconds([sys.executable, "-c", "pass"]) for _ in range(given.runs))
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; seconds")
    print(f"(Python alone takes {nothing:.3f} s, which is in every column.)")
    print("| package | install | first result | both | again | import | --help | MB on disk |")
    print("|---|---|---|---|---|---|---|---|")
    for name, package in PACKAGES.items():
        if name.lower() not in wanted:
            continue
        with tempfile.TemporaryDirectory() as place:
            try:
                row, disk = measure(package, Path(place), given.runs)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{name} left out: {error}", flush=True)
                continue
        cells = ["-" if x is None else f"{x:.2f}" for x in row]
        print(f"| {name} | {' | '.join(cells)} | {disk} |", flush=True)


if __name__ == "__main__":
    main()
