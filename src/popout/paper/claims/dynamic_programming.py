r"""Claims about dynamic programming: time, grid, and how far it goes.

**`horizon`.** How the risk and the boundary depend on the time that is left.

Backward induction from :math:`T_{max}` (Methods, "Dynamic programming"): after k steps the value
function belongs to an observer with :math:`k\,\delta t` seconds left. One induction of 30 s
therefore holds every shorter horizon. Two locations, the drift of 5/s that the paper names and the
2/s of its figures, an expensive and a cheap second. The boundary is followed at several differences
Z1 - Z2; the stationary optimum of `popout.solve` stands beside it.

**`paper-grid`.** The paper's grid: 2000 bins from -10 to 10 (Methods, "Dynamic programming").

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
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.ndimage import zoom

from popout.analysis.curves import SIDES, exact_curves
from popout.exact import solve
from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, Bound
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.larger_sets import LARGER_SETS
from popout.paper.claims.measure import above, below, cases, each, within
from popout.paper.preset import PaperPart, Preset, named_cases
from popout.paper.recursion import PaperGrid, boundary_sums, settle
from popout.progress import Progress
from popout.reports.cells import Variables, labelled, over
from popout.task import Costs, SearchTask

Array = NDArray[np.float64]
HORIZON_CASES = ((5.0, 0.2), (5.0, 0.05), (2.0, 0.2), (2.0, 0.05))
REMAINING = (*(k / 10 for k in range(1, 51)), *(5.0 + k for k in range(1, 26)))
"""Seconds left: every 0.1 s up to 5 s, every second up to 30 s."""
HORIZON_DIFFERENCES = np.arange(0.0, 9.0, 2.0)
LOW, HIGH, HORIZON_BINS = -16.0, 12.0, 210
STILL = 1e-15


def compute_horizon(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risk and boundary for every horizon; nothing is random."""
    nats = {"units": "nats", "long_name": "Z1 + Z2 on the boundary"}
    curve = ("side", "difference")

    def cell(drift: float, cost: float) -> Variables:
        task, costs = SearchTask(n_locations=2, drift=drift), Costs(time=cost)
        risk, sums = _horizons(PaperGrid(task, costs, LOW, HIGH, HORIZON_BINS))
        solution = solve(task, costs, min(preset.rtol, 1e-4))
        exact = exact_curves(solution, HORIZON_DIFFERENCES).sum(axis=-1)
        return {
            "risk": (("remaining",), risk),
            "boundary_sum": (("remaining", *curve), sums, nats),
            "stationary_risk": solution.risk,
            "stationary_risk_error": solution.risk_error,
            "stationary_boundary_sum": (curve, exact, nats),
        }

    return labelled(
        {**over({"case": HORIZON_CASES}, cell, progress), **named_cases(HORIZON_CASES)},
        {"remaining": REMAINING, "side": SIDES, "difference": HORIZON_DIFFERENCES},
    )


def _horizons(grid: PaperGrid) -> tuple[Array, Array]:
    """Return the risk and the boundary at each of the times left."""
    wanted = [round(seconds / grid.task.dt) for seconds in REMAINING]
    risk, sums = np.empty(len(wanted)), np.empty((len(wanted), 2, HORIZON_DIFFERENCES.size))
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
        sums[number] = boundary_sums(grid.nodes, grid.log_ratio(waiting), HORIZON_DIFFERENCES)
    return risk, sums


HORIZON = PaperPart(
    "horizon", "Risk and boundary against the time that is left", compute_horizon, 6.0
)

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


def compute_paper_grid(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks and boundaries on the paper's grid and around it; nothing is random."""
    nats = {"units": "nats", "long_name": "largest distance from the exact boundary"}
    cases = [(drifts, TIME_COST) for drifts in preset.grid_drifts]

    def cell(drifts: tuple[float, float], cost: float) -> Variables:
        task, costs = SearchTask(drift=drifts), Costs(time=cost)
        solution = solve(task, costs, SOLUTION_RTOL)
        curve = exact_curves(solution, DIFFERENCES).sum(axis=-1)
        V, risk, distance = None, [], []
        for bins in BINS:
            grid = PaperGrid(task, costs, -END, END, bins)
            if V is not None:
                V = zoom(V, (bins + 1) / V.shape[0], order=1, grid_mode=False)
            V, waiting = settle(grid, V, CHANGE)
            risk.append(grid.risk(V))
            distance.append(_off(grid, waiting, curve))
        ends = [PaperGrid(task, costs, -end, end, round(2 * end / RANGE_BIN)) for end in ENDS]
        return {
            "risk": (("bins",), risk),
            "distance": (("bins", "side"), distance, nats),
            "risk_range": (("end",), [grid.risk(settle(grid, change=CHANGE)[0]) for grid in ends]),
            "risk_exact": solution.risk,
            "risk_error_exact": solution.risk_error,
        }

    return labelled(
        {**over({"case": cases}, cell, progress), **named_cases(cases)},
        {"bins": BINS, "end": ENDS, "side": SIDES},
    )


def _off(grid: PaperGrid, waiting: Array, exact: Array) -> Array:
    """Return the largest distance of either boundary from the exact one; NaN where one ends."""
    sums = boundary_sums(grid.nodes, grid.log_ratio(waiting), DIFFERENCES)
    return np.asarray(np.abs(sums - exact).max(axis=1) / math.sqrt(2.0))


PAPER_GRID = PaperPart(
    "paper-grid", "The paper's recursion on its own grid", compute_paper_grid, 9.0
)

METHODS = "Methods, Dynamic programming"
T_MAX, FIRST = 15.0, 10.0
"""Seconds: the paper's horizon, and the part of it that has to be settled."""


def _distance(first: xr.DataArray, second: xr.DataArray) -> xr.DataArray:
    """Return the largest distance of two boundaries given by Z1 + Z2 at equal Z1 - Z2."""
    return abs(first - second).max(("side", "difference"), skipna=False) / math.sqrt(2.0)


CLAIMS = Claims(data=(PAPER_GRID,), where=METHODS)


@CLAIMS.add(
    "Without a deadline the optimal decision boundaries do not change with time.",
    data=(HORIZON,),
    where=f"Results, Computational solution; {METHODS}",
    rule="By backward induction, the boundary no longer moves when much time is left, and stands "
    "where the problem without a horizon has it.",
    quote="the optimal decision is constant in time",
)
def boundaries_constant_in_time(horizon: xr.Dataset) -> Iterator[Check]:
    """Check that the boundary of a long horizon stands still, and where it stands."""
    for name, case in cases(horizon):
        longest = case["boundary_sum"].isel(remaining=-1)
        last = float(case["remaining"].max())
        middle = case["boundary_sum"].sel(remaining=T_MAX, method="nearest")
        what = f"{name}: boundary with {T_MAX:g} s left against {last:g} s left"
        yield below(what, _distance(middle, longest), NEGLIGIBLE_NATS)
        what = f"{name}: boundary with {last:g} s left against that without a horizon"
        yield below(what, _distance(longest, case["stationary_boundary_sum"]), NEGLIGIBLE_NATS)


@CLAIMS.add(
    "A horizon of 15 s is enough: the solution of the first 10 s is settled, for drifts down to "
    "5/s (the figures use 2/s as well).",
    data=(HORIZON,),
    rule="With 5 s left, the boundary lies where it lies with 30 s left, and a horizon of 15 s has "
    "the risk of one of 30 s.",
    quote="Typically T_max = 15 seconds is sufficient",
)
def horizon_sufficient(horizon: xr.Dataset) -> Iterator[Check]:
    """Check that the first ten seconds of fifteen are settled."""
    for name, case in cases(horizon):
        longest = case.isel(remaining=-1)
        settled = case.sel(remaining=T_MAX - FIRST, method="nearest")
        start = case.sel(remaining=T_MAX, method="nearest")
        yield below(
            f"{name}: boundary after {FIRST:g} of {T_MAX:g} s against the longest horizon",
            _distance(settled["boundary_sum"], longest["boundary_sum"]),
            NEGLIGIBLE_NATS,
        )
        what = f"{name}: excess risk of a horizon of {T_MAX:g} s"
        yield below(what, 100 * (start["risk"] / longest["risk"] - 1), NEGLIGIBLE)


@CLAIMS.add(
    "2000 bins between -10 and 10 are enough for two locations.",
    rule="The paper's recursion on its own grid has the risk and the boundary of the exact "
    "optimum, at drifts of Figures 3 and 4, where the paper reports it.",
    quote="do not affect the result",
)
def grid_sufficient(paper_grid: xr.Dataset) -> Iterator[Check]:
    """Check the paper's grid against the exact optimum."""
    for name, case in cases(paper_grid):
        grid, exact = case.isel(bins=-1), case["risk_exact"]
        off = within(100 * abs(grid["risk"] / exact - 1), 100 * case["risk_error_exact"] / exact)
        what = f"{name}: risk on {int(grid['bins'])} bins, distance from the exact optimum"
        yield below(what, off, NEGLIGIBLE)
        what = f"{name}: boundary on {int(grid['bins'])} bins, distance from the exact one"
        yield below(what, grid["distance"].max(skipna=False), NEGLIGIBLE_NATS)


@CLAIMS.add(
    "That range is the tightest and that number of bins the smallest that do not affect the "
    "result.",
    rule="Half the bins, and half the range, change the risk by more than a negligible amount.",
    quote="the tightest range and the most economic discretization level",
)
def grid_most_economic(paper_grid: xr.Dataset) -> Iterator[Check]:
    """Check that half the bins, or half the range, would change the result."""
    for name, case in cases(paper_grid):
        full, half = case.isel(bins=-1), case.isel(bins=-2)
        what = f"{name}: change of the risk from {int(full['bins'])} to {int(half['bins'])} bins"
        yield above(what, 100 * abs(half["risk"] / full["risk"] - 1), NEGLIGIBLE)
        wide, narrow = case.isel(end=-2), case.isel(end=-3)
        yield above(
            f"{name}: change of the risk from a range of ±{float(wide['end']):g} to "
            f"±{float(narrow['end']):g}",
            100 * abs(narrow["risk_range"] / wide["risk_range"] - 1),
            NEGLIGIBLE,
        )


@CLAIMS.add(
    "The standard procedure of dynamic programming grows exponentially with the number of "
    "locations and does not scale beyond three.",
    where="Results, Conjecture for high-dimensional problems; Discussion",
    rule="On the paper's grid each location multiplies the number of states by more than two, and "
    "the values of four locations, in double precision, do not fit into a terabyte.",
    quote="does not scale to high (more than three) dimensions",
)
def dynamic_programming_scaling(paper_grid: xr.Dataset) -> Iterator[Check]:
    """Check what the paper's own grid takes; nothing here is about another solver."""
    nodes = float(paper_grid["bins"].where(paper_grid["risk"].notnull().any("case")).max()) + 1
    what = "states on the paper's grid, factor for one more location"
    yield above(what, nodes, Bound(2.0, reason="doubling with every location is exponential"))
    yield above(
        "values of four locations on the paper's grid",
        8 * nodes**4 / 1e12,
        Bound(1.0, "TB", "more than the memory of most machines"),
    )


@CLAIMS.add(
    "A grid that adapts solves more than three locations.",
    data=(LARGER_SETS,),
    where="Discussion (the standard procedure does not)",
    rule="The exact optimum was solved here for four locations or more.",
    new=True,
)
def adaptive_grid_goes_further(larger_sets: xr.Dataset) -> Iterator[Check]:
    """Check the largest set size that was solved."""
    for drift, at_drift in each(larger_sets, "drift"):
        nodes = at_drift["nodes"]
        yield above(
            f"drift {drift:g}/s: most locations for which the optimum was solved",
            nodes["set_size"].where(nodes.notnull()).max(),
            Bound(3.0, "locations", "more than three dimensions"),
        )
