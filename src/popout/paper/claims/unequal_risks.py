"""Claims about risks with unequal drifts, and about both risk figures together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import xarray as xr

from popout.paper.claims.bounds import ALMOST_ALL, NEGLIGIBLE, NOTHING, SIMILAR_RATE, SIMILAR_RT
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, computed_excess, each, excess_of, pairs
from popout.paper.claims.risks import similar_in_each_class

UNEQUAL = "Results, Risk comparison; fig-comp-diffSNR"
SUMMARY = "Results, Optimality analysis of current search models, last paragraph"


@claim(
    "The decision mechanisms of existing models, diffusion to a bound (SPRT, SPRT-opt) and maximum "
    "of outputs (Hardmax), are sub-optimal.",
    where="Abstract; Results, Optimality analysis of current search models",
    rule="Somewhere in the two risk figures the excess risk of each is more than negligible.",
    quote="decision strategies employed by existing search models are sub-optimal",
)
def existing_models_suboptimal(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check that every existing strategy is somewhere decidedly sub-optimal."""
    for strategy in ("SPRT", "SPRT-opt", "Hardmax"):
        excesses = {"equal": excess_of(homogeneous_risk, strategy, "a-SPRT")}
        if strategy in unequal_drift_risk["strategy"].to_numpy():
            excesses["unequal"] = computed_excess(unequal_drift_risk, strategy)
        for kind, excess in excesses.items():
            what = f"{strategy}, {kind} drifts: largest excess risk"
            yield above(what, excess.largest, NEGLIGIBLE)


@claim(
    "With unequal drifts SPRT-opt and Hardmax are sub-optimal even at two locations.",
    where=UNEQUAL,
    rule="At each pair of drifts their excess risk is more than negligible at every cost.",
    quote="Both SPRT-opt and Hardmax underperform the optimal test",
)
def unequal_drifts_suboptimal(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess over costs, of both strategies at each pair of drifts."""
    for strategy in ("SPRT-opt", "Hardmax"):
        for drifts, at_drifts in pairs(unequal_drift_risk):
            what = f"{strategy}, {drifts}: excess risk over the optimum"
            yield above(what, computed_excess(at_drifts, strategy), NEGLIGIBLE)


@claim(
    "The more unequal the drifts, the worse SPRT-opt and Hardmax become.",
    where=UNEQUAL,
    rule="From each pair of drifts to the next, the excess risk grows at every cost.",
    quote="progressively more pronounced as the heterogeneity of drift-rates increases",
)
def worse_with_heterogeneity(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check that the excess grows from each pair of drifts to the next, at every cost."""
    for strategy in ("SPRT-opt", "Hardmax"):
        for (before, less), (drifts, more) in pairwise(pairs(unequal_drift_risk)):
            yield above(
                f"{strategy}: excess risk at {drifts}, less that at {before}",
                computed_excess(more, strategy) - computed_excess(less, strategy),
                NOTHING,
            )


@claim(
    "With very unequal drifts Hardmax trades errors for time alike at both locations.",
    where=f"{UNEQUAL} (c)",
    rule="At the largest ratio of drifts, its error rates and mean response times at the two "
    "locations are similar at each cost.",
    quote="near-identical ER vs RT trade-offs at both locations",
)
def hardmax_equal_tradeoff(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check error rate and response time of Hardmax at the two locations, at the largest ratio."""
    *_, (drifts, last) = pairs(unequal_drift_risk)
    for cost, at_cost in each(last.sel(strategy="Hardmax"), "time_cost"):
        easy, hard = (at_cost.sel(condition=kind) for kind in ("easy", "hard"))
        name = f"Hardmax, {drifts}, cost {cost:g}/s: difference of the"
        yield below(
            f"{name} error rates at the two locations",
            100 * abs(hard["error_rate"] - easy["error_rate"]),
            SIMILAR_RATE,
        )
        yield below(
            f"{name} mean response times at the two locations",
            100 * abs(hard["mean_rt"] / easy["mean_rt"] - 1),
            SIMILAR_RT,
        )


@claim(
    "SPRT-opt and a-SPRT sacrifice the error rate at the hard location for faster responses "
    "overall.",
    where=f"{UNEQUAL} (c)",
    rule="At the largest ratio of drifts, at each cost, they miss more targets at the hard "
    "location than at the easy one and respond faster than Hardmax over all trials.",
    quote="learn to sacrifice the ER at the low drift-rate location",
)
def others_sacrifice_hard_location(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check that the others err more at the hard location, and are faster overall than Hardmax."""
    *_, (drifts, last) = pairs(unequal_drift_risk)
    weight = xr.DataArray([0.5, 0.25, 0.25], dims="condition")
    for strategy in ("SPRT-opt", "a-SPRT"):
        for cost, at_cost in each(last, "time_cost"):
            rate = at_cost["error_rate"].sel(strategy=strategy)
            overall = (at_cost["mean_rt"] * weight).sum("condition")
            name = f"{strategy}, {drifts}, cost {cost:g}/s"
            yield above(
                f"{name}: misses at the hard location, more than at the easy one",
                100 * (rate.sel(condition="hard") - rate.sel(condition="easy")),
                SIMILAR_RATE,
            )
            yield above(
                f"{name}: mean response time over all trials, less than Hardmax's",
                100 * (1 - overall.sel(strategy=strategy) / overall.sel(strategy="Hardmax")),
                NOTHING,
            )


@claim(
    "Where SPRT-opt is sub-optimal (dear time, unequal drifts) it remains similar to the optimum "
    "in error rates and response times.",
    where=SUMMARY,
    rule="The largest differences stay below the bounds for similar.",
    quote="remains similar to the optimal strategy in terms of ER and RT",
)
def sprt_opt_similar_to_optimum(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check SPRT-opt against the optimum: unequal drifts, and equal drifts at the highest cost."""
    one, two = (unequal_drift_risk.sel(strategy=name) for name in ("SPRT-opt", "optimal"))
    for (drifts, ours), (_, theirs) in zip(pairs(one), pairs(two), strict=True):
        name = f"{drifts}: largest difference of"
        yield below(
            f"{name} mean response times over conditions",
            100 * abs(ours["mean_rt"] / theirs["mean_rt"] - 1).max("condition"),
            SIMILAR_RT,
        )
        yield below(
            f"{name} error rates over conditions",
            100 * abs(ours["error_rate"] - theirs["error_rate"]).max("condition"),
            SIMILAR_RATE,
        )
    cost = float(homogeneous_risk["time_cost"].max())
    here = homogeneous_risk.sel(time_cost=cost)
    here = here.dropna("set_size", subset=["optimal_mean_rt_absent"])
    optimum = {
        str(name).removeprefix("optimal_"): here[name] for name in here if "optimal" in str(name)
    }
    where = f"equal drifts, cost {cost:g}/s, "
    yield from similar_in_each_class(here.sel(strategy="SPRT-opt"), xr.Dataset(optimum), where)


@claim(
    "Hardmax is sub-optimal in almost all scenarios.",
    where=SUMMARY,
    rule="In most scenarios of either risk figure its excess risk is decidedly more than "
    "negligible.",
    quote="sub-optimal in almost all scenarios",
)
def hardmax_suboptimal_almost_everywhere(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check the share of scenarios in which Hardmax is decidedly sub-optimal."""
    for where, excess in (
        ("equal", excess_of(homogeneous_risk, "Hardmax", "a-SPRT")),
        ("unequal", computed_excess(unequal_drift_risk, "Hardmax")),
    ):
        least = excess.value - excess.margin
        yield above(
            f"{where} drifts: scenarios in which the excess risk of Hardmax is not negligible",
            100 * (least > NEGLIGIBLE.value).where(least.notnull()).mean(),
            ALMOST_ALL,
        )
