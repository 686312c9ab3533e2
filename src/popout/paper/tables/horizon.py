r"""How the risk and the boundary depend on the time that is left.

Backward induction from :math:`T_{max}` (Methods, "Dynamic programming"): after k steps the value
function belongs to an observer with :math:`k\,\delta t` seconds left. One induction of 30 s
therefore holds every shorter horizon. Two locations, the drift of 5/s that the paper names and the
2/s of its figures, an expensive and a cheap second. The boundary is followed at several differences
Z1 - Z2; the stationary optimum of `popout.solve` stands beside it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, exact_curves
from popout.exact import solve
from popout.paper.preset import Preset
from popout.paper.recursion import PaperGrid, boundary_sums
from popout.progress import Progress
from popout.task import Costs, SearchTask

TITLE = "Risk and boundary against the time that is left"
EFFORT = 6.0

Array = NDArray[np.float64]
CASES = ((5.0, 0.2), (5.0, 0.05), (2.0, 0.2), (2.0, 0.05))
REMAINING = (*(k / 10 for k in range(1, 51)), *(5.0 + k for k in range(1, 26)))
"""Seconds left: every 0.1 s up to 5 s, every second up to 30 s."""
DIFFERENCES = np.arange(0.0, 9.0, 2.0)
LOW, HIGH, BINS = -16.0, 12.0, 210
STILL = 1e-15


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risk and boundary for every horizon; nothing is random."""
    shape = (len(CASES), len(REMAINING))
    risk, sums = np.empty(shape), np.empty((*shape, 2, DIFFERENCES.size))
    stationary, error = np.empty(len(CASES)), np.empty(len(CASES))
    exact = np.empty((len(CASES), 2, DIFFERENCES.size))
    for k, (drift, cost) in enumerate(CASES):
        progress(k / len(CASES), f"drift {drift:g}, cost {cost:g}")
        task, costs = SearchTask(n_locations=2, drift=drift), Costs(time=cost)
        risk[k], sums[k] = _horizons(PaperGrid(task, costs, LOW, HIGH, BINS))
        solution = solve(task, costs, min(preset.rtol, 1e-4))
        stationary[k], error[k] = solution.risk, solution.risk_error
        exact[k] = exact_curves(solution, DIFFERENCES).sum(axis=-1)
    nats = {"units": "nats", "long_name": "Z1 + Z2 on the boundary"}
    return xr.Dataset(
        {
            "risk": (("case", "remaining"), risk),
            "boundary_sum": (("case", "remaining", "side", "difference"), sums, nats),
            "stationary_risk": (("case",), stationary),
            "stationary_risk_error": (("case",), error),
            "stationary_boundary_sum": (("case", "side", "difference"), exact, nats),
            "drift": (("case",), [drift for drift, _ in CASES], {"units": "1/s"}),
            "time_cost": (("case",), [cost for _, cost in CASES], {"units": "1/s"}),
        },
        coords={
            "remaining": ("remaining", list(REMAINING), {"units": "s"}),
            "side": ("side", list(SIDES)),
            "difference": ("difference", DIFFERENCES, {"units": "nats", "long_name": "Z1 - Z2"}),
        },
    )


def _horizons(grid: PaperGrid) -> tuple[Array, Array]:
    """Return the risk and the boundary at each of the times left."""
    wanted = [round(seconds / grid.task.dt) for seconds in REMAINING]
    risk, sums = np.empty(len(wanted)), np.empty((len(wanted), 2, DIFFERENCES.size))
    V = grid.stop()
    steps, still = grid.steps(V), False
    for number, (done, target) in enumerate(pairwise((0, *wanted))):
        if still:
            risk[number], sums[number] = risk[number - 1], sums[number - 1]
            continue
        for _ in range(target - done):
            new, waiting = next(steps)
            still = float(np.abs(new - V).max()) < STILL
            V = new
        risk[number] = grid.risk(V)
        sums[number] = boundary_sums(grid.nodes, grid.log_ratio(waiting), DIFFERENCES)
    return risk, sums
