r"""The paper's grid: 2000 bins from -10 to 10 (Methods, "Dynamic programming").

The paper's recursion is solved on its own grid, on coarser ones and on shorter and longer ranges,
at the drifts for which the paper reports it (Figures 3 and 4), and compared with the exact optimum
of `popout.solve`, whose grid adapts to a tolerance. Distances
of boundaries are between points of equal Z1 - Z2. Each refinement starts from the solution before
it, which changes how fast the recursion settles and not where.

Notes
-----
The range is varied with bins of 0.04, four times the paper's; that error is common to all.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.ndimage import zoom

from popout.analysis.curves import SIDES, exact_curves
from popout.exact import solve
from popout.paper.preset import Preset
from popout.paper.recursion import PaperGrid, boundary_sums, settle
from popout.progress import Progress
from popout.task import Costs, SearchTask

TITLE = "The paper's recursion on its own grid"
EFFORT = 9.0

Array = NDArray[np.float64]
TIME_COST = 0.2
BINS = (200, 500, 1000, 2000)
END = 10.0
ENDS = (5.0, 10.0, 20.0)
RANGE_BIN = 0.04
DIFFERENCES = np.arange(-2.0, 5.0)
"""Further out the lower boundary leaves the paper's range."""
SOLUTION_RTOL = 1e-6
CHANGE = 1e-8
"""Of V in the last step; some 1e-6 of the risk is then still to come."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks and boundaries on the paper's grid and around it; nothing is random."""
    drifts = preset.grid_drifts
    n = len(drifts)
    risk, distance = np.empty((n, len(BINS))), np.empty((n, len(BINS), 2))
    risk_range = np.empty((n, len(ENDS)))
    exact, error = np.empty(n), np.empty(n)
    costs = Costs(time=TIME_COST)
    for k, pair in enumerate(drifts):
        task, drift = SearchTask(drift=pair), " and ".join(f"{each:g}" for each in pair)
        solution = solve(task, costs, SOLUTION_RTOL)
        exact[k], error[k] = solution.risk, solution.risk_error
        curve = exact_curves(solution, DIFFERENCES).sum(axis=-1)
        V = None
        for j, bins in enumerate(BINS):
            progress((k + 0.8 * (bins / sum(BINS))) / n, f"drifts {drift}, {bins} bins")
            grid = PaperGrid(task, costs, -END, END, bins)
            if V is not None:
                V = zoom(V, (bins + 1) / V.shape[0], order=1, grid_mode=False)
            V, waiting = settle(grid, V, CHANGE)
            risk[k, j], distance[k, j] = grid.risk(V), _distance(grid, waiting, curve)
        for j, end in enumerate(ENDS):
            progress((k + 0.8 + 0.2 * j / len(ENDS)) / n, f"drifts {drift}, range {end:g}")
            grid = PaperGrid(task, costs, -end, end, round(2 * end / RANGE_BIN))
            risk_range[k, j] = grid.risk(settle(grid, change=CHANGE)[0])
    nats = {"units": "nats", "long_name": "largest distance from the exact boundary"}
    return xr.Dataset(
        {
            "risk": (("case", "bins"), risk),
            "distance": (("case", "bins", "side"), distance, nats),
            "risk_range": (("case", "end"), risk_range),
            "risk_exact": (("case",), exact),
            "risk_error_exact": (("case",), error),
            "drift": (("case", "location"), [list(pair) for pair in drifts], {"units": "1/s"}),
            "time_cost": (("case",), [TIME_COST] * n, {"units": "1/s"}),
        },
        coords={
            "bins": ("bins", list(BINS)),
            "end": ("end", list(ENDS), {"units": "nats"}),
            "side": ("side", list(SIDES)),
        },
    )


def _distance(grid: PaperGrid, waiting: Array, exact: Array) -> Array:
    """Return the largest distance of either boundary from the exact one; NaN where one ends."""
    found = boundary_sums(grid.nodes, grid.log_ratio(waiting), DIFFERENCES)
    return np.asarray(np.abs(found - exact).max(axis=1) / math.sqrt(2.0))
