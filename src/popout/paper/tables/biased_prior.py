r"""Thresholds of discrimination when the target is as rare as at one of M locations.

Methods, "Translating optimal thresholds", II: with a prior of :math:`1/(1+M)` the optimal
thresholds on the log likelihood ratio are those of even odds plus :math:`\log M`. The paper derives
it under thresholds that are far apart. Here both problems are solved by the paper's recursion on
one location, each with its own prior, at two widths of the bins; the change is the error.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from popout.exact.crossings import crossings
from popout.paper.preset import Preset
from popout.paper.recursion import PaperGrid, settle
from popout.progress import Progress
from popout.task import Costs, SearchTask

TITLE = "Thresholds under a biased prior"
EFFORT = 2.0

CASES = ((2.0, 1.0), (2.0, 0.2), (4.0, 0.2), (12.0, 0.2))
"""Drift and cost of time; the first has thresholds that are close together."""
SIZES = (1, 2, 3, 4, 8)
END, BINS = 16.0, (1600, 3200)


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the thresholds at each prior; nothing is random."""
    threshold = np.empty((len(CASES), len(SIZES), len(BINS), 2))
    for i, (drift, cost) in enumerate(CASES):
        progress(i / len(CASES), f"drift {drift:g}, cost {cost:g}")
        for j, M in enumerate(SIZES):
            task = SearchTask(n_locations=1, drift=drift, prior=1 / (1 + M))
            for k, bins in enumerate(BINS):
                grid = PaperGrid(task, Costs(time=cost), -END, END, bins)
                log_ratio = grid.log_ratio(settle(grid)[1])
                threshold[i, j, k] = crossings(grid.nodes, log_ratio)[[0, -1]]
    nats = {"units": "nats"}
    shift = threshold - threshold[:, :1] - np.log(SIZES)[None, :, None, None]
    axes = ("case", "set_size", "side")
    return xr.Dataset(
        {
            "threshold": (axes, threshold[:, :, -1], nats),
            "shift_less_log_m": (axes, shift[:, :, -1], nats),
            "shift_change": (axes, np.abs(shift[:, :, -1] - shift[:, :, 0]), nats),
            "drift": (("case",), [drift for drift, _ in CASES], {"units": "1/s"}),
            "time_cost": (("case",), [cost for _, cost in CASES], {"units": "1/s"}),
        },
        coords={
            "set_size": ("set_size", list(SIZES)),
            "side": ("side", ["absent", "present"]),
        },
    )
