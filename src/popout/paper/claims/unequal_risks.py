"""Claims about risks with unequal drifts, and about both risk figures together."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import ALMOST_ALL, NEGLIGIBLE, SIMILAR_RATE, SIMILAR_RT
from popout.paper.claims.check import STANDARD_ERRORS, Check, ErrorKind, Relation
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import (
    above,
    below,
    costs_of,
    excess_of,
    hardest,
    independent,
    largest,
    unequal_excess,
)

__all__ = ["EXAMINATIONS"]

UNEQUAL = "Results, Risk comparison; fig-comp-diffSNR"
CLASSES = ("absent", "present")
SIMILAR = "what some 1k trials of each kind could tell apart"


def _pairs(data: xr.Dataset) -> Iterator[tuple[int, str]]:
    for k, (first, second) in enumerate(data["drift"].to_numpy()):
        yield k, f"drifts {first:g} and {second:g}/s"


def both_suboptimal(data: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess over costs, of both strategies at each pair of drifts."""
    for strategy in ("SPRT-opt", "Hardmax"):
        value, error = unequal_excess(data, strategy)
        for k, drifts in _pairs(data):
            yield hardest(
                f"{strategy}, {drifts}: excess risk over the optimum",
                value.isel(drifts=k),
                Relation.ABOVE,
                NEGLIGIBLE,
                error.isel(drifts=k),
                ErrorKind.BOUND,
                unit="%",
            )


def progressive(data: xr.Dataset) -> Iterator[Check]:
    """Check that the excess grows from each pair of drifts to the next, at every cost."""
    named = dict(_pairs(data))
    for strategy in ("SPRT-opt", "Hardmax"):
        value, error = unequal_excess(data, strategy)
        for k in range(1, data.sizes["drifts"]):
            yield hardest(
                f"{strategy}: excess risk at {named[k]}, less that at {named[k - 1]}",
                value.isel(drifts=k) - value.isel(drifts=k - 1),
                Relation.ABOVE,
                0.0,
                error.isel(drifts=k) + error.isel(drifts=k - 1),
                ErrorKind.BOUND,
                unit="%",
            )


def equal_tradeoff(data: xr.Dataset) -> Iterator[Check]:
    """Check error rate and response time of Hardmax at the two locations, at the largest ratio."""
    k, drifts = list(_pairs(data))[-1]
    one = data.isel(drifts=k).sel(strategy="Hardmax")
    easy, hard = (one.sel(condition=kind) for kind in ("easy", "hard"))
    for cost in costs_of(data):
        yield below(
            f"Hardmax, {drifts}, cost {cost:g}/s: difference of the error rates at the two "
            "locations",
            100 * abs(hard["error_rate"] - easy["error_rate"]).sel(time_cost=cost),
            SIMILAR_RATE,
            unit="percentage points",
            reason=SIMILAR,
        )
        yield below(
            f"Hardmax, {drifts}, cost {cost:g}/s: difference of the mean response times at the "
            "two locations",
            100 * abs(hard["mean_rt"] / easy["mean_rt"] - 1).sel(time_cost=cost),
            SIMILAR_RT,
            unit="%",
            reason=SIMILAR,
        )


def sacrifice(data: xr.Dataset) -> Iterator[Check]:
    """Check that the others err more at the hard location, and are faster overall than Hardmax."""
    k, drifts = list(_pairs(data))[-1]
    one = data.isel(drifts=k)
    weight = xr.DataArray([0.5, 0.25, 0.25], dims="condition")
    overall = (one["mean_rt"] * weight).sum("condition")
    for strategy in ("SPRT-opt", "a-SPRT"):
        rate = one["error_rate"].sel(strategy=strategy)
        faster = 100 * (1 - overall.sel(strategy=strategy) / overall.sel(strategy="Hardmax"))
        for cost in costs_of(data):
            here = rate.sel(time_cost=cost)
            yield above(
                f"{strategy}, {drifts}, cost {cost:g}/s: misses at the hard location, more than "
                "at the easy one",
                100 * (here.sel(condition="hard") - here.sel(condition="easy")),
                SIMILAR_RATE,
                unit="percentage points",
                reason=SIMILAR,
            )
            yield above(
                f"{strategy}, {drifts}, cost {cost:g}/s: mean response time over all trials, less "
                "than Hardmax's",
                faster.sel(time_cost=cost),
                0.0,
                unit="%",
            )


def remains_similar(equal: xr.Dataset, unequal: xr.Dataset) -> Iterator[Check]:
    """Check SPRT-opt against the optimum: unequal drifts, and equal drifts at the highest cost."""
    one, two = (unequal.sel(strategy=name) for name in ("SPRT-opt", "optimal"))
    for k, drifts in _pairs(unequal):
        yield hardest(
            f"{drifts}: largest difference of mean response times over conditions",
            100 * abs(one["mean_rt"] / two["mean_rt"] - 1).isel(drifts=k).max("condition"),
            Relation.BELOW,
            SIMILAR_RT,
            unit="%",
            reason=SIMILAR,
        )
        yield hardest(
            f"{drifts}: largest difference of error rates over conditions",
            100 * abs(one["error_rate"] - two["error_rate"]).isel(drifts=k).max("condition"),
            Relation.BELOW,
            SIMILAR_RATE,
            unit="percentage points",
            reason=SIMILAR,
        )
    here = equal.sel(time_cost=float(equal["time_cost"].max()))
    here = here.dropna("set_size", subset=["optimal_mean_rt_absent"])
    tuned = here.sel(strategy="SPRT-opt")
    cost = f"cost {float(here['time_cost']):g}/s"
    for kind in CLASSES:
        name = f"mean_rt_{kind}"
        best = here[f"optimal_{name}"]
        yield hardest(
            f"equal drifts, {cost}, target {kind}: difference of mean response times",
            100 * abs(tuned[name] / best - 1),
            Relation.BELOW,
            SIMILAR_RT,
            100 * independent(tuned[f"{name}_se"], here[f"optimal_{name}_se"]) / best,
            unit="%",
            reason=SIMILAR,
        )
        name = f"error_rate_{kind}"
        yield hardest(
            f"equal drifts, {cost}, target {kind}: difference of error rates",
            100 * abs(tuned[name] - here[f"optimal_{name}"]),
            Relation.BELOW,
            SIMILAR_RATE,
            100 * independent(tuned[f"{name}_se"], here[f"optimal_{name}_se"]),
            unit="percentage points",
            reason=SIMILAR,
        )


def almost_all(equal: xr.Dataset, unequal: xr.Dataset) -> Iterator[Check]:
    """Check the share of scenarios in which Hardmax is decidedly sub-optimal."""
    value, se = excess_of(equal, "Hardmax", "a-SPRT")
    decided = [value - STANDARD_ERRORS * se]
    value, error = unequal_excess(unequal, "Hardmax")
    decided.append(value - error)
    for where, least in zip(("equal", "unequal"), decided, strict=True):
        yield above(
            f"{where} drifts: scenarios in which the excess risk of Hardmax is not negligible",
            100 * (least > NEGLIGIBLE).where(least.notnull()).mean(),
            ALMOST_ALL,
            unit="%",
            reason="almost all",
        )


def most_suboptimal(equal: xr.Dataset, unequal: xr.Dataset) -> Iterator[Check]:
    """Check that every existing strategy is somewhere decidedly sub-optimal."""
    for strategy in ("SPRT", "SPRT-opt", "Hardmax"):
        found = [excess_of(equal, strategy, "a-SPRT")]
        kinds = [ErrorKind.STANDARD]
        if strategy in unequal["strategy"].to_numpy():
            found.append(unequal_excess(unequal, strategy))
            kinds.append(ErrorKind.BOUND)
        for (value, error), kind in zip(found, kinds, strict=True):
            most = largest(value)
            yield above(
                f"{strategy}, {'equal' if kind is ErrorKind.STANDARD else 'unequal'} drifts: "
                "largest excess risk",
                value.isel(most),
                NEGLIGIBLE,
                error.transpose(*value.dims).isel(most),
                unit="%",
                error_kind=kind,
            )


EXAMINATIONS = (
    Examination(
        "existing-models-suboptimal",
        "The decision mechanisms of existing models, diffusion to a bound (SPRT, SPRT-opt) and "
        "maximum of outputs (Hardmax), are sub-optimal.",
        "Abstract; Results, Optimality analysis of current search models",
        "Somewhere in the two risk figures the excess risk of each is more than negligible.",
        ("homogeneous-risk", "unequal-drift-risk"),
        most_suboptimal,
        quote="decision strategies employed by existing search models are sub-optimal",
    ),
    Examination(
        "unequal-drifts-suboptimal",
        "With unequal drifts SPRT-opt and Hardmax are sub-optimal even at two locations.",
        UNEQUAL,
        "At each pair of drifts their excess risk is more than negligible at every cost.",
        ("unequal-drift-risk",),
        both_suboptimal,
        quote="Both SPRT-opt and Hardmax underperform the optimal test",
    ),
    Examination(
        "worse-with-heterogeneity",
        "The more unequal the drifts, the worse SPRT-opt and Hardmax become.",
        UNEQUAL,
        "From each pair of drifts to the next, the excess risk grows at every cost.",
        ("unequal-drift-risk",),
        progressive,
        quote="progressively more pronounced as the heterogeneity of drift-rates increases",
    ),
    Examination(
        "hardmax-equal-tradeoff",
        "With very unequal drifts Hardmax trades errors for time alike at both locations.",
        f"{UNEQUAL} (c)",
        "At the largest ratio of drifts, its error rates and mean response times at the two "
        "locations are similar at each cost.",
        ("unequal-drift-risk",),
        equal_tradeoff,
        quote="near-identical ER vs RT trade-offs at both locations",
    ),
    Examination(
        "others-sacrifice-hard-location",
        "SPRT-opt and a-SPRT sacrifice the error rate at the hard location for faster responses "
        "overall.",
        f"{UNEQUAL} (c)",
        "At the largest ratio of drifts, at each cost, they miss more targets at the hard location "
        "than at the easy one and respond faster than Hardmax over all trials.",
        ("unequal-drift-risk",),
        sacrifice,
        quote="learn to sacrifice the ER at the low drift-rate location",
    ),
    Examination(
        "sprt-opt-similar-to-optimum",
        "Where SPRT-opt is sub-optimal (dear time, unequal drifts) it remains similar to the "
        "optimum in error rates and response times.",
        "Results, Optimality analysis of current search models, last paragraph",
        "The largest differences stay below the bounds for similar.",
        ("homogeneous-risk", "unequal-drift-risk"),
        remains_similar,
        quote="remains similar to the optimal strategy in terms of ER and RT",
    ),
    Examination(
        "hardmax-suboptimal-almost-everywhere",
        "Hardmax is sub-optimal in almost all scenarios.",
        "Results, Optimality analysis of current search models, last paragraph",
        "In most scenarios of either risk figure its excess risk is decidedly more than "
        "negligible.",
        ("homogeneous-risk", "unequal-drift-risk"),
        almost_all,
        quote="sub-optimal in almost all scenarios",
    ),
)
