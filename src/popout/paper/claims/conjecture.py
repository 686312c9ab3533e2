"""Claims about the conjecture and its extension against the exact optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, NOTICEABLE_NATS
from popout.paper.claims.check import STANDARD_ERRORS, Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import (
    Measured,
    below,
    cases,
    computed_excess,
    each,
    pairs,
    with_se,
    within,
)
from popout.paper.tables.larger_sets import TIME_COSTS

THRESHOLDS = "Methods, Translating optimal thresholds"


def _matches(name: str, distance: xr.DataArray, excess: Measured) -> Iterator[Check]:
    """Check distance and excess risk of the fitted surface."""
    what = f"{name}: largest distance of the boundary from the fitted surface"
    yield below(what, distance, NOTICEABLE_NATS)
    yield below(f"{name}: excess risk of a-SPRT with the fitted scales", excess, NEGLIGIBLE)


def _every_case(thresholds: xr.Dataset) -> Iterator[Check]:
    """Check every case of the figure."""
    for name, case in cases(thresholds):
        exact = case["risk_exact"]
        error = case["risk_error_fitted"] + case["risk_error_exact"]
        excess = within(100 * (case["risk_fitted"] / exact - 1), 100 * error / exact)
        yield from _matches(name, case["misfit_largest"].max(), excess)


def _equal(thresholds: xr.Dataset) -> xr.DataArray:
    return (thresholds["drift"].diff("location") == 0).all("location")


@claim(
    "With one location the conjecture reduces to SPRT, which is optimal.",
    where="Results, Conjecture for high-dimensional problems",
    rule="SPRT with the thresholds of discrimination has a negligible excess risk.",
    quote="Conjecture reduces to SPRT, which is optimal for visual discrimination",
)
def one_location_is_sprt(decisions: xr.Dataset) -> Iterator[Check]:
    """Check SPRT at one location against the optimum there."""
    optimal, sprt = decisions["single_risk"].to_numpy()
    yield below(
        "one location: excess risk of SPRT with the thresholds of the recursion",
        within(100 * (sprt / optimal - 1), 100 * decisions["single_risk_error"].sum() / optimal),
        NEGLIGIBLE,
    )


@claim(
    "When every location but one is ruled out, the optimal boundary lies at the thresholds of "
    "discrimination plus log M.",
    where=f"{THRESHOLDS}, I; Results, Conjecture for high-dimensional problems",
    rule="The exact boundary, traced to the end of the grid, lies there at every set size.",
)
def asymptotic_thresholds(larger_sets: xr.Dataset) -> Iterator[Check]:
    """Check the exact boundary where all locations but one are ruled out."""
    for drift, there in each(larger_sets, "drift"):
        for side, boundary in each(there, "side"):
            yield below(
                f"{side} boundary far out: distance from tau + log M, drift {drift:g}/s",
                within(abs(boundary["asymptote"]), boundary["asymptote_change"]),
                NEGLIGIBLE_NATS,
            )


@claim(
    "A prior of 1/(1+M) moves both optimal thresholds of discrimination by log M.",
    where=f"{THRESHOLDS}, II",
    rule="Both thresholds move by log M, for close and for distant thresholds.",
)
def prior_shifts_by_log_m(biased_prior: xr.Dataset) -> Iterator[Check]:
    """Check the shift of the thresholds of discrimination."""
    for name, case in cases(biased_prior):
        yield below(
            f"{name}: shift of the thresholds under a prior of 1/(1+M), less log M",
            within(abs(case["shift_less_log_m"]).max("side"), case["shift_change"].max("side")),
            NEGLIGIBLE_NATS,
        )


@claim(
    "For two locations with equal drifts the conjecture matches the optimal boundary.",
    where="Results, Conjecture for high-dimensional problems; Figure 3 (a, b), Figure 4",
    rule="With its scales fitted, the surface lies close to the exact boundary and a-SPRT has a "
    "negligible excess risk, at every cost.",
    quote="excellent empirical match",
)
def conjecture_matches(
    optimal_thresholds: xr.Dataset, strategies_2d: xr.Dataset
) -> Iterator[Check]:
    """Check every case of equal drifts in the two figures."""
    yield from _every_case(optimal_thresholds.sel(case=_equal(optimal_thresholds)))
    sums = strategies_2d["boundary"].sum("location", skipna=False)
    gap = abs(sums.sel(strategy="a-SPRT") - sums.sel(strategy="optimal")).max() / math.sqrt(2.0)
    at = strategies_2d.attrs
    name = f"drift {at['drift']:g}/s, cost {at['time_cost']:g}/s"
    yield from _matches(name, gap, computed_excess(strategies_2d, "a-SPRT"))


@claim(
    "For two locations with unequal drifts the Extension matches the optimal boundary.",
    where="Results, Extension; Figure 3 (c, d)",
    rule="The same as for the conjecture, at the drifts of the figure.",
    quote="match the optimal thresholds from dynamic programming in 2D",
)
def extension_matches(optimal_thresholds: xr.Dataset) -> Iterator[Check]:
    """Check every case of unequal drifts in the figure."""
    yield from _every_case(optimal_thresholds.sel(case=~_equal(optimal_thresholds)))


@claim(
    "The conjecture matches the exact optimum with more than two locations as well.",
    where="Results, Conjecture for high-dimensional problems (not tested in the paper)",
    rule="The same as for two locations, at every set size that was solved.",
    new=True,
)
def conjecture_larger_sets(larger_sets: xr.Dataset) -> Iterator[Check]:
    """Check distance and excess risk at every set size above two."""
    for drift, there in each(larger_sets.sel(set_size=larger_sets["set_size"] > 2), "drift"):
        for M, case in each(there, "set_size"):
            if bool(case["risk"].isnull()):
                continue
            error = STANDARD_ERRORS * case["excess_se"] + case["excess_change"]
            excess = within(100 * case["excess"], 100 * error)
            yield from _matches(f"{M} locations, drift {drift:g}/s", case["largest"].max(), excess)


@claim(
    "The conjecture is as good as optimal with 8, 16 and 32 locations where a second costs little: "
    "0.5 at a drift of 12/s, 0.2 at 4/s.",
    where="Results, Conjecture for high-dimensional problems (not tested in the paper)",
    rule="No strategy could save more than a negligible share of the risk of tuned a-SPRT, at "
    "every set size: both risks are bounded, see the page on certificates. Costs at which looking "
    "hardly pays are another claim.",
    new=True,
)
def conjecture_certified(certified_sets: xr.Dataset) -> Iterator[Check]:
    """Check the certified gap of tuned a-SPRT at every set size."""
    for drift, there in each(certified_sets, "drift"):
        for M, one in each(there, "set_size"):
            gap = with_se(100 * one["gap"], 100 * one["gap_se"])
            cost = f"cost {TIME_COSTS[float(drift)]:g}/s"
            what = f"{M} locations, drift {drift:g}/s, {cost}: what a-SPRT could lose at most"
            yield below(what, gap, NEGLIGIBLE)


@claim(
    "The Extension matches the optimum at the drifts of the risk figure as well.",
    where="Results, Extension; drifts of Figure 6",
    rule="a-SPRT, as shown in the figure, has a negligible excess risk at every cost.",
    new=True,
)
def extension_elsewhere(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check the Extension at the drifts of the risk figure."""
    for drifts, at_drifts in pairs(unequal_drift_risk):
        excess = computed_excess(at_drifts, "a-SPRT")
        yield below(f"{drifts}: excess risk of a-SPRT", excess, NEGLIGIBLE)
