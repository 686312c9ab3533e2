"""Claims about the conjecture and its extension against the exact optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, NOTICEABLE_NATS
from popout.paper.claims.check import STANDARD_ERRORS, Check, ErrorKind, Relation
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import below, hardest, unequal_excess

__all__ = ["EXAMINATIONS"]

THRESHOLDS = "Methods, Translating optimal thresholds"


def single(data: xr.Dataset) -> Iterator[Check]:
    """Check SPRT at one location against the optimum there."""
    optimal, sprt = data["single_risk"].to_numpy()
    yield below(
        "one location: excess risk of SPRT with the thresholds of the recursion",
        100 * (sprt / optimal - 1),
        NEGLIGIBLE,
        100 * data["single_risk_error"].sum() / optimal,
        unit="%",
        error_kind=ErrorKind.BOUND,
    )


def asymptotes(data: xr.Dataset) -> Iterator[Check]:
    """Check the exact boundary where all locations but one are ruled out."""
    for drift in data["drift"].to_numpy():
        for side in data["side"].to_numpy():
            one = data.sel(drift=drift, side=side)
            yield hardest(
                f"{side} boundary far out: distance from tau + log M, drift {drift:g}/s",
                abs(one["asymptote"]),
                Relation.BELOW,
                NEGLIGIBLE_NATS,
                one["asymptote_change"],
                ErrorKind.BOUND,
                unit="nats",
            )


def biased_prior(data: xr.Dataset) -> Iterator[Check]:
    """Check the shift of the thresholds of discrimination."""
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        worst = abs(one["shift_less_log_m"]).max("side")
        yield hardest(
            f"drift {float(one['drift']):g}/s, cost {float(one['time_cost']):g}/s: shift of the "
            "thresholds under a prior of 1/(1+M), less log M",
            worst,
            Relation.BELOW,
            NEGLIGIBLE_NATS,
            one["shift_change"].max("side"),
            ErrorKind.BOUND,
            unit="nats",
        )


def _cases(data: xr.Dataset, equal: bool) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the cases of equal or of unequal drifts, with a name."""
    for case in range(data.sizes["case"]):
        one = data.isel(case=case)
        first, second = one["drift"].to_numpy()
        if (first == second) == equal:
            drifts = f"drift {first:g}/s" if equal else f"drifts {first:g} and {second:g}/s"
            yield f"{drifts}, cost {float(one['time_cost']):g}/s", one


def _matches(name: str, one: xr.Dataset) -> Iterator[Check]:
    """Check distance and excess risk of the fitted surface."""
    yield below(
        f"{name}: largest distance of the boundary from the fitted surface",
        one["misfit_largest"].max(),
        NOTICEABLE_NATS,
        unit="nats",
    )
    yield below(
        f"{name}: excess risk of a-SPRT with the fitted scales",
        100 * (one["risk_fitted"] / one["risk_exact"] - 1),
        NEGLIGIBLE,
        100 * (one["risk_error_fitted"] + one["risk_error_exact"]) / one["risk_exact"],
        unit="%",
        error_kind=ErrorKind.BOUND,
    )


def conjecture(thresholds: xr.Dataset, strategies: xr.Dataset) -> Iterator[Check]:
    """Check every case of equal drifts in the two figures."""
    for name, one in _cases(thresholds, equal=True):
        yield from _matches(name, one)
    sums = strategies["boundary"].sum("location", skipna=False)
    gap = abs(sums.sel(strategy="a-SPRT") - sums.sel(strategy="optimal")).max() / math.sqrt(2.0)
    name = f"drift {strategies.attrs['drift']:g}/s, cost {strategies.attrs['time_cost']:g}/s"
    yield below(
        f"{name}: largest distance of the boundary from the fitted surface",
        gap,
        NOTICEABLE_NATS,
        unit="nats",
    )
    risk, error = strategies["risk"], strategies["risk_error"]
    optimal = float(risk.sel(strategy="optimal"))
    yield below(
        f"{name}: excess risk of a-SPRT with the fitted scales",
        100 * (risk.sel(strategy="a-SPRT") / optimal - 1),
        NEGLIGIBLE,
        100 * error.sel(strategy=["a-SPRT", "optimal"]).sum() / optimal,
        unit="%",
        error_kind=ErrorKind.BOUND,
    )


def extension(thresholds: xr.Dataset) -> Iterator[Check]:
    """Check every case of unequal drifts in the figure."""
    for name, one in _cases(thresholds, equal=False):
        yield from _matches(name, one)


def extension_elsewhere(data: xr.Dataset) -> Iterator[Check]:
    """Check the Extension at the drifts of the risk figure."""
    for k in range(data.sizes["drifts"]):
        one = data.isel(drifts=k)
        first, second = one["drift"].to_numpy()
        value, error = unequal_excess(one, "a-SPRT")
        yield hardest(
            f"drifts {first:g} and {second:g}/s: excess risk of a-SPRT",
            value,
            Relation.BELOW,
            NEGLIGIBLE,
            error,
            ErrorKind.BOUND,
            unit="%",
        )


def larger(data: xr.Dataset) -> Iterator[Check]:
    """Check distance and excess risk at every set size above two."""
    data = data.sel(set_size=data["set_size"] > 2)
    for drift in data["drift"].to_numpy():
        for M in data["set_size"].to_numpy():
            one = data.sel(drift=drift, set_size=M)
            if bool(one["risk"].isnull()):
                continue
            name = f"{M} locations, drift {drift:g}/s"
            yield below(
                f"{name}: largest distance of the boundary from the fitted surface",
                one["largest"].max(),
                NOTICEABLE_NATS,
                unit="nats",
            )
            yield below(
                f"{name}: excess risk of a-SPRT with the fitted scales",
                100 * one["excess"],
                NEGLIGIBLE,
                100 * (STANDARD_ERRORS * one["excess_se"] + one["excess_change"]),
                unit="%",
                error_kind=ErrorKind.BOUND,
            )


EXAMINATIONS = (
    Examination(
        "one-location-is-sprt",
        "With one location the conjecture reduces to SPRT, which is optimal.",
        "Results, Conjecture for high-dimensional problems",
        "SPRT with the thresholds of discrimination has a negligible excess risk.",
        ("decisions",),
        single,
        quote="Conjecture reduces to SPRT, which is optimal for visual discrimination",
    ),
    Examination(
        "asymptotic-thresholds",
        "When every location but one is ruled out, the optimal boundary lies at the thresholds of "
        "discrimination plus log M.",
        f"{THRESHOLDS}, I; Results, Conjecture for high-dimensional problems",
        "The exact boundary, traced to the end of the grid, lies there at every set size.",
        ("larger-sets",),
        asymptotes,
    ),
    Examination(
        "prior-shifts-by-log-m",
        "A prior of 1/(1+M) moves both optimal thresholds of discrimination by log M.",
        f"{THRESHOLDS}, II",
        "Both thresholds move by log M, for close and for distant thresholds.",
        ("biased-prior",),
        biased_prior,
    ),
    Examination(
        "conjecture-matches",
        "For two locations with equal drifts the conjecture matches the optimal boundary.",
        "Results, Conjecture for high-dimensional problems; fig-optthresh2Ddiffsnr (a, b), "
        "fig-optthresh2D",
        "With its scales fitted, the surface lies close to the exact boundary and a-SPRT has a "
        "negligible excess risk, at every cost.",
        ("optimal-thresholds", "strategies-2d"),
        conjecture,
        quote="excellent empirical match",
    ),
    Examination(
        "extension-matches",
        "For two locations with unequal drifts the Extension matches the optimal boundary.",
        "Results, Extension; fig-optthresh2Ddiffsnr (c, d)",
        "The same as for the conjecture, at the drifts of the figure.",
        ("optimal-thresholds",),
        extension,
        quote="match the optimal thresholds from dynamic programming in 2D",
    ),
    Examination(
        "conjecture-larger-sets",
        "The conjecture matches the exact optimum with more than two locations as well.",
        "Results, Conjecture for high-dimensional problems (not tested in the paper)",
        "The same as for two locations, at every set size that was solved.",
        ("larger-sets",),
        larger,
        new=True,
    ),
    Examination(
        "extension-elsewhere",
        "The Extension matches the optimum at the drifts of the risk figure as well.",
        "Results, Extension; drifts of fig-comp-diffSNR",
        "a-SPRT, as shown in the figure, has a negligible excess risk at every cost.",
        ("unequal-drift-risk",),
        extension_elsewhere,
        new=True,
    ),
)
