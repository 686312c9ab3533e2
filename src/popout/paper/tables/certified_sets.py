"""The conjecture where the optimum cannot be solved: a bound on what tuned a-SPRT loses.

Beyond five locations no table holds the value function. A certificate (`popout.certify`) bounds the
risk of every strategy from below, and with it the share of its risk that tuned a-SPRT could lose.
Part of that share is the bound's own.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from popout.analysis.tune import tune
from popout.paper.certified import certified
from popout.paper.preset import Preset
from popout.paper.tables.larger_sets import TIME_COSTS
from popout.policies.stopping import ASPRT
from popout.progress import Progress
from popout.task import Costs, SearchTask

TITLE = "The conjecture where no optimum is solved"
EFFORT = 15.0

SIZES = (8, 16, 32)
TUNE_TRIALS = 50_000
NAMES = ("risk", "risk_se", "lower", "lower_se", "gap", "gap_se")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the risk of tuned a-SPRT, the lower bound, and the share that could be lost."""
    drifts = preset.certified_drifts
    values = {name: np.full((len(drifts), len(SIZES)), np.nan) for name in NAMES}
    for i, drift in enumerate(drifts):
        for j, M in enumerate(SIZES):
            progress((i + j / len(SIZES)) / len(drifts), f"drift {drift:g}, {M} locations")
            task, costs = SearchTask(n_locations=M, drift=drift), Costs(time=TIME_COSTS[drift])
            strategy = tune(ASPRT, task, costs, n_trials=TUNE_TRIALS, seed=seed).strategy
            found = certified(task, costs, strategy, seed)
            row = (
                *found.risks[strategy.label],
                *(found.lower, found.lower_se),
                *found.gaps[strategy.label],
            )
            for name, value in zip(NAMES, row, strict=True):
                values[name][i, j] = value
    return xr.Dataset(
        {name: (("drift", "set_size"), value) for name, value in values.items()},
        coords={
            "drift": ("drift", list(drifts), {"units": "1/s"}),
            "set_size": ("set_size", list(SIZES)),
        },
    )
