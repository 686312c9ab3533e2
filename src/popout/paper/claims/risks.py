"""Claims about risks with equal drifts: the order of the strategies, and by how much."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import HIGHLY, NEGLIGIBLE, SIMILAR_RATE, SIMILAR_RT
from popout.paper.claims.check import Check, Relation
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import (
    above,
    costs_of,
    excess_of,
    hardest,
    independent,
    largest,
)

__all__ = ["EXAMINATIONS"]

HOMOGENEOUS = "Results, Risk comparison; fig-comp"
CLASSES = ("absent", "present")
SIMILAR = "what some 1k trials of each kind could tell apart"


def _at_each_cost(
    data: xr.Dataset, pair: tuple[str, str], words: str, relation: Relation, bound: float
) -> Iterator[Check]:
    """Check the excess of one strategy over another where it is hardest, at each cost."""
    value, se = excess_of(data, *pair)
    for cost in costs_of(data):
        here = {"time_cost": cost}
        what = words.format(f"{cost:g}")
        yield hardest(what, value.sel(here), relation, bound, se.sel(here), unit="%")


def highly(data: xr.Dataset) -> Iterator[Check]:
    """Check the largest excess of SPRT and Hardmax over set sizes, at each cost."""
    for strategy in ("SPRT", "Hardmax"):
        value, se = excess_of(data, strategy, "a-SPRT")
        for cost in costs_of(data):
            here = value.sel(time_cost=cost)
            most = here.isel(largest(here))
            yield above(
                f"{strategy}, cost {cost:g}/s: largest excess risk over a-SPRT, "
                f"{int(most['set_size'])} locations",
                most,
                HIGHLY,
                se.sel(time_cost=cost).isel(largest(here)),
                unit="%",
            )


def hardmax_always(data: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess of Hardmax over set sizes, at each cost."""
    words = "Hardmax, cost {}/s: excess risk over a-SPRT"
    yield from _at_each_cost(data, ("Hardmax", "a-SPRT"), words, Relation.ABOVE, NEGLIGIBLE)


def sprt_high_cost(data: xr.Dataset) -> Iterator[Check]:
    """Check the excess of SPRT at each set size, at the highest cost."""
    cost = float(data["time_cost"].max())
    value, se = (one.sel(time_cost=cost) for one in excess_of(data, "SPRT", "a-SPRT"))
    for size in data["set_size"].to_numpy():
        yield above(
            f"SPRT, cost {cost:g}/s, {size} locations: excess risk over a-SPRT",
            value.sel(set_size=size),
            NEGLIGIBLE,
            se.sel(set_size=size),
            unit="%",
        )


def close_at_low_cost(data: xr.Dataset) -> Iterator[Check]:
    """Check SPRT-opt against a-SPRT and against the optimum at the lowest cost."""
    cost = float(data["time_cost"].min())
    for over in ("a-SPRT", "optimal"):
        value, se = (one.sel(time_cost=cost) for one in excess_of(data, "SPRT-opt", over))
        words = "the optimum, where solved" if over == "optimal" else over
        yield hardest(
            f"SPRT-opt, cost {cost:g}/s: excess risk over {words}",
            value,
            Relation.BELOW,
            NEGLIGIBLE,
            se,
            unit="%",
        )


def worse_at_high_cost(data: xr.Dataset) -> Iterator[Check]:
    """Check SPRT-opt at the highest cost, and against the lowest."""
    value, se = excess_of(data, "SPRT-opt", "a-SPRT")
    low, high = float(data["time_cost"].min()), float(data["time_cost"].max())
    at_high = value.sel(time_cost=high)
    most = at_high.isel(largest(at_high))
    yield above(
        f"SPRT-opt, cost {high:g}/s: largest excess risk over a-SPRT, "
        f"{int(most['set_size'])} locations",
        most,
        NEGLIGIBLE,
        se.sel(time_cost=high).isel(largest(at_high)),
        unit="%",
    )
    yield hardest(
        f"SPRT-opt: excess risk at cost {high:g}/s, less that at cost {low:g}/s",
        at_high - value.sel(time_cost=low),
        Relation.ABOVE,
        0.0,
        independent(se.sel(time_cost=high), se.sel(time_cost=low)),
        unit="%",
    )


def order(data: xr.Dataset) -> Iterator[Check]:
    """Check each step of the order, at each cost, where it is hardest."""
    for worse, better in (("SPRT-opt", "a-SPRT"), ("SPRT", "SPRT-opt"), ("Hardmax", "SPRT-opt")):
        words = f"{worse} above {better}, cost {{}}/s: difference of the risks"
        yield from _at_each_cost(data, (worse, better), words, Relation.ABOVE, 0.0)


def slightly(data: xr.Dataset) -> Iterator[Check]:
    """Check that SPRT-opt is never far above a-SPRT."""
    words = "SPRT-opt, cost {}/s: excess risk over a-SPRT"
    yield from _at_each_cost(data, ("SPRT-opt", "a-SPRT"), words, Relation.BELOW, HIGHLY)


def similar(data: xr.Dataset) -> Iterator[Check]:
    """Check response times and error rates of SPRT-opt against those of a-SPRT."""
    one, two = data.sel(strategy="SPRT-opt"), data.sel(strategy="a-SPRT")
    for kind in CLASSES:
        rt = f"mean_rt_{kind}"
        yield hardest(
            f"target {kind}: difference of mean response times",
            100 * abs(one[rt] / two[rt] - 1),
            Relation.BELOW,
            SIMILAR_RT,
            100 * independent(one[f"{rt}_se"], two[f"{rt}_se"]) / two[rt],
            unit="%",
            reason=SIMILAR,
        )
        rate = f"error_rate_{kind}"
        yield hardest(
            f"target {kind}: difference of error rates",
            100 * abs(one[rate] - two[rate]),
            Relation.BELOW,
            SIMILAR_RATE,
            100 * independent(one[f"{rate}_se"], two[f"{rate}_se"]),
            unit="percentage points",
            reason=SIMILAR,
        )


EXAMINATIONS = (
    Examination(
        "risk-order-equal-drifts",
        "With equal drifts a-SPRT risks least, then SPRT-opt, then SPRT and Hardmax.",
        HOMOGENEOUS,
        "At each cost each step of the order is positive at every set size.",
        ("homogeneous-risk",),
        order,
        quote="SPRT-opt slightly under-performs a-SPRT",
    ),
    Examination(
        "hardmax-and-sprt-highly-suboptimal",
        "With equal drifts Hardmax and SPRT are highly sub-optimal.",
        HOMOGENEOUS,
        "At each cost the largest excess risk over set sizes exceeds the bound for highly.",
        ("homogeneous-risk",),
        highly,
        quote="Hardmax and SPRT are highly sub-optimal",
    ),
    Examination(
        "hardmax-suboptimal-in-all-cases",
        "With equal drifts Hardmax is sub-optimal at every cost and set size.",
        f"{HOMOGENEOUS}, caption",
        "At each cost its excess risk is more than negligible at every set size.",
        ("homogeneous-risk",),
        hardmax_always,
        quote="Hardmax is sub-optimal in all cases",
    ),
    Examination(
        "sprt-suboptimal-at-high-cost",
        "SPRT with the thresholds of discrimination is sub-optimal when time is dear.",
        f"{HOMOGENEOUS}, caption",
        "At the highest cost its excess risk is more than negligible, at each set size.",
        ("homogeneous-risk",),
        sprt_high_cost,
        quote="Regular SPRT is sub-optimal in the high cost scenario",
    ),
    Examination(
        "sprt-opt-close-at-low-cost",
        "SPRT-opt can hardly be told from a-SPRT, and is near-optimal, when time is cheap.",
        HOMOGENEOUS,
        "At the lowest cost its excess risk over a-SPRT and over the optimum is negligible at "
        "every set size.",
        ("homogeneous-risk",),
        close_at_low_cost,
        quote="almost indistinguishable from a-SPRT in the low time-cost scenario",
    ),
    Examination(
        "sprt-opt-worse-at-high-cost",
        "SPRT-opt becomes sub-optimal when time is dear.",
        HOMOGENEOUS,
        "At the highest cost its largest excess risk is more than negligible, and it is larger "
        "than at the lowest cost at every set size.",
        ("homogeneous-risk",),
        worse_at_high_cost,
        quote="becomes sub-optimal when the cost of time becomes very high",
    ),
    Examination(
        "sprt-opt-slightly-worse",
        "SPRT-opt under-performs a-SPRT only slightly.",
        f"{HOMOGENEOUS}, caption",
        "At each cost its excess risk stays below the bound for highly at every set size.",
        ("homogeneous-risk",),
        slightly,
        quote="slightly under-performs",
    ),
    Examination(
        "sprt-opt-similar-to-a-sprt",
        "a-SPRT and SPRT-opt are similar in response times and in error rates.",
        f"{HOMOGENEOUS}, caption",
        "The largest differences over costs and set sizes stay below the bounds for similar.",
        ("homogeneous-risk",),
        similar,
        quote="a-SPRT and SPRT-opt are similar in terms of the RT",
    ),
)
