"""Claims about dynamic programming: time, grid, and how far it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS
from popout.paper.claims.check import Check, ErrorKind
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import above, below

__all__ = ["EXAMINATIONS"]

METHODS = "Methods, Dynamic programming"
T_MAX, FIRST = 15.0, 10.0
"""Seconds: the paper's horizon, and the part of it that has to be settled."""


def _distance(first: xr.DataArray, second: xr.DataArray) -> xr.DataArray:
    """Return the largest distance of two boundaries given by Z1 + Z2 at equal Z1 - Z2."""
    return abs(first - second).max(("side", "difference"), skipna=False) / math.sqrt(2.0)


def _named(one: xr.Dataset) -> str:
    return f"drift {float(one['drift']):g}/s, cost {float(one['time_cost']):g}/s"


def constant(data: xr.Dataset) -> Iterator[Check]:
    """Check that the boundary of a long horizon stands still, and where it stands."""
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        longest = one["boundary_sum"].isel(remaining=-1)
        last = float(one["remaining"].max())
        middle = one["boundary_sum"].sel(remaining=T_MAX, method="nearest")
        yield below(
            f"{_named(one)}: boundary with {T_MAX:g} s left against {last:g} s left",
            _distance(middle, longest),
            NEGLIGIBLE_NATS,
            unit="nats",
        )
        yield below(
            f"{_named(one)}: boundary with {last:g} s left against that without a horizon",
            _distance(longest, one["stationary_boundary_sum"]),
            NEGLIGIBLE_NATS,
            unit="nats",
        )


def horizon(data: xr.Dataset) -> Iterator[Check]:
    """Check that the first ten seconds of fifteen are settled."""
    left = T_MAX - FIRST
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        longest = one.isel(remaining=-1)
        settled = one.sel(remaining=left, method="nearest")
        start = one.sel(remaining=T_MAX, method="nearest")
        yield below(
            f"{_named(one)}: boundary after {FIRST:g} of {T_MAX:g} s against the longest horizon",
            _distance(settled["boundary_sum"], longest["boundary_sum"]),
            NEGLIGIBLE_NATS,
            unit="nats",
        )
        yield below(
            f"{_named(one)}: excess risk of a horizon of {T_MAX:g} s",
            100 * (start["risk"] / longest["risk"] - 1),
            NEGLIGIBLE,
            unit="%",
        )


def sufficient(data: xr.Dataset) -> Iterator[Check]:
    """Check the paper's grid against the exact optimum."""
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        grid = one.isel(bins=-1)
        yield below(
            f"{_named(one)}: risk on {int(grid['bins'])} bins, distance from the exact optimum",
            100 * abs(grid["risk"] / one["risk_exact"] - 1),
            NEGLIGIBLE,
            100 * one["risk_error_exact"] / one["risk_exact"],
            unit="%",
            error_kind=ErrorKind.BOUND,
        )
        yield below(
            f"{_named(one)}: boundary on {int(grid['bins'])} bins, distance from the exact one",
            grid["distance"].max(skipna=False),
            NEGLIGIBLE_NATS,
            unit="nats",
        )


def economic(data: xr.Dataset) -> Iterator[Check]:
    """Check that half the bins, or half the range, would change the result."""
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        full, half = one.isel(bins=-1), one.isel(bins=-2)
        yield above(
            f"{_named(one)}: change of the risk from {int(full['bins'])} to {int(half['bins'])} "
            "bins",
            100 * abs(half["risk"] / full["risk"] - 1),
            NEGLIGIBLE,
            unit="%",
        )
        wide, narrow = one.isel(end=-2), one.isel(end=-3)
        yield above(
            f"{_named(one)}: change of the risk from a range of ±{float(wide['end']):g} to "
            f"±{float(narrow['end']):g}",
            100 * abs(narrow["risk_range"] / wide["risk_range"] - 1),
            NEGLIGIBLE,
            unit="%",
        )


def scaling(data: xr.Dataset) -> Iterator[Check]:
    """Check how the number of states grows, and the largest set size that was solved."""
    for drift in data["drift"].to_numpy():
        nodes = data["nodes"].sel(drift=drift)
        growth = nodes / nodes.shift(set_size=1)
        solved = nodes["set_size"].where(nodes.notnull())
        yield above(
            f"drift {drift:g}/s: states at one tolerance, least factor for one more location",
            growth.min(),
            2.0,
            reason="doubling with every location is exponential",
        )
        yield below(
            f"drift {drift:g}/s: most locations for which the optimum was solved",
            solved.max(),
            4.0,
            unit="locations",
            reason="more than three dimensions",
        )


EXAMINATIONS = (
    Examination(
        "boundaries-constant-in-time",
        "Without a deadline the optimal decision boundaries do not change with time.",
        f"Results, Computational solution; {METHODS}",
        "By backward induction, the boundary no longer moves when much time is left, and stands "
        "where the problem without a horizon has it.",
        ("horizon",),
        constant,
        quote="the optimal decision is constant in time",
    ),
    Examination(
        "horizon-sufficient",
        "A horizon of 15 s is enough: the solution of the first 10 s is settled, for drifts down "
        "to 5/s (the figures use 2/s as well).",
        METHODS,
        "With 5 s left, the boundary lies where it lies with 30 s left, and a horizon of 15 s has "
        "the risk of one of 30 s.",
        ("horizon",),
        horizon,
        quote="Typically T_max = 15 seconds is sufficient",
    ),
    Examination(
        "grid-sufficient",
        "2000 bins between -10 and 10 are enough for two locations.",
        METHODS,
        "The paper's recursion on its own grid has the risk and the boundary of the exact optimum.",
        ("paper-grid",),
        sufficient,
        quote="do not affect the result",
    ),
    Examination(
        "grid-most-economic",
        "That range is the tightest and that number of bins the smallest that do not affect the "
        "result.",
        METHODS,
        "Half the bins, and half the range, change the risk by more than a negligible amount.",
        ("paper-grid",),
        economic,
        quote="the tightest range and the most economic discretization level",
    ),
    Examination(
        "dynamic-programming-scaling",
        "Dynamic programming grows exponentially with the number of locations and does not scale "
        "beyond three.",
        "Results, Conjecture for high-dimensional problems; Discussion",
        "Each location at least doubles the number of states, and no more than three locations "
        "were solved here.",
        ("larger-sets",),
        scaling,
        quote="does not scale to high (more than three) dimensions",
    ),
)
