"""Claims about dynamic programming: time, grid, and how far it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, Bound
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, cases, each, within

METHODS = "Methods, Dynamic programming"
T_MAX, FIRST = 15.0, 10.0
"""Seconds: the paper's horizon, and the part of it that has to be settled."""


def _distance(first: xr.DataArray, second: xr.DataArray) -> xr.DataArray:
    """Return the largest distance of two boundaries given by Z1 + Z2 at equal Z1 - Z2."""
    return abs(first - second).max(("side", "difference"), skipna=False) / math.sqrt(2.0)


@claim(
    "Without a deadline the optimal decision boundaries do not change with time.",
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
        yield below(
            f"{name}: boundary with {T_MAX:g} s left against {last:g} s left",
            _distance(middle, longest),
            NEGLIGIBLE_NATS,
        )
        yield below(
            f"{name}: boundary with {last:g} s left against that without a horizon",
            _distance(longest, case["stationary_boundary_sum"]),
            NEGLIGIBLE_NATS,
        )


@claim(
    "A horizon of 15 s is enough: the solution of the first 10 s is settled, for drifts down to "
    "5/s (the figures use 2/s as well).",
    where=METHODS,
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
        yield below(
            f"{name}: excess risk of a horizon of {T_MAX:g} s",
            100 * (start["risk"] / longest["risk"] - 1),
            NEGLIGIBLE,
        )


@claim(
    "2000 bins between -10 and 10 are enough for two locations.",
    where=METHODS,
    rule="The paper's recursion on its own grid has the risk and the boundary of the exact "
    "optimum, at drifts of Figures 3 and 4, where the paper reports it.",
    quote="do not affect the result",
)
def grid_sufficient(paper_grid: xr.Dataset) -> Iterator[Check]:
    """Check the paper's grid against the exact optimum."""
    for name, case in cases(paper_grid):
        grid, exact = case.isel(bins=-1), case["risk_exact"]
        yield below(
            f"{name}: risk on {int(grid['bins'])} bins, distance from the exact optimum",
            within(100 * abs(grid["risk"] / exact - 1), 100 * case["risk_error_exact"] / exact),
            NEGLIGIBLE,
        )
        yield below(
            f"{name}: boundary on {int(grid['bins'])} bins, distance from the exact one",
            grid["distance"].max(skipna=False),
            NEGLIGIBLE_NATS,
        )


@claim(
    "That range is the tightest and that number of bins the smallest that do not affect the "
    "result.",
    where=METHODS,
    rule="Half the bins, and half the range, change the risk by more than a negligible amount.",
    quote="the tightest range and the most economic discretization level",
)
def grid_most_economic(paper_grid: xr.Dataset) -> Iterator[Check]:
    """Check that half the bins, or half the range, would change the result."""
    for name, case in cases(paper_grid):
        full, half = case.isel(bins=-1), case.isel(bins=-2)
        yield above(
            f"{name}: change of the risk from {int(full['bins'])} to {int(half['bins'])} bins",
            100 * abs(half["risk"] / full["risk"] - 1),
            NEGLIGIBLE,
        )
        wide, narrow = case.isel(end=-2), case.isel(end=-3)
        yield above(
            f"{name}: change of the risk from a range of ±{float(wide['end']):g} to "
            f"±{float(narrow['end']):g}",
            100 * abs(narrow["risk_range"] / wide["risk_range"] - 1),
            NEGLIGIBLE,
        )


@claim(
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
    yield above(
        "states on the paper's grid, factor for one more location",
        nodes,
        Bound(2.0, reason="doubling with every location is exponential"),
    )
    yield above(
        "values of four locations on the paper's grid",
        8 * nodes**4 / 1e12,
        Bound(1.0, "TB", "more than the memory of most machines"),
    )


@claim(
    "A grid that adapts solves more than three locations.",
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
