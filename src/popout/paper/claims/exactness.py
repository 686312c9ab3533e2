"""Claims about the conjecture itself: the surfaces, the risk, and where it fails."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS
from popout.paper.claims.check import STANDARD_ERRORS, Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import below, with_se, within

SURFACES = "Results, Conjecture for high-dimensional problems"


def _cases(data: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield every task with its size and cost in words."""
    for number in range(data.sizes["case"]):
        case = data.isel(case=number)
        yield f"{int(case['set_size'])} locations, c/µ² = {float(case['ratio']):g}", case


@claim(
    "The optimal surfaces are those of two scaled SPRTs.",
    where=f"{SURFACES}; Eqs. upper-approx, lower-approx",
    rule="With the best scale the exact boundary is nowhere more than a negligible distance from "
    "the conjectured surface, on either side, at every set size and cost. In continuous time no "
    "scale can be exact: see the page on the conjecture.",
)
def conjecture_exact(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the distance of either boundary from the fitted surface."""
    for name, case in _cases(conjecture_regime):
        for side in case["side"].to_numpy():
            what = f"{name}: largest distance of the {side} boundary from the fitted surface"
            yield below(what, case["largest"].sel(side=side), NEGLIGIBLE_NATS)


@claim(
    "Two scaled SPRTs risk as little as the optimum with few locations of equal drift, be time "
    "cheap or expensive.",
    where=f"{SURFACES} (steps short against a decision, not tested in the paper)",
    rule="With the best scales the excess risk over the exact optimum is negligible at every set "
    "size and cost; its error counts what steps of twice the length change.",
    new=True,
)
def conjecture_in_risk(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the excess of a-SPRT with the best scales."""
    for name, case in _cases(conjecture_regime):
        error = STANDARD_ERRORS * case["excess_se"] + case["excess_change"]
        yield below(
            f"{name}: excess risk of a-SPRT with the best scales",
            within(100 * case["excess"], 100 * error),
            NEGLIGIBLE,
        )


@claim(
    "The same holds for unequal priors and unequal costs.",
    where="footnote on the risk (without affecting the overall analysis)",
    rule="With two locations the excess risk of a-SPRT with the best scales is negligible for "
    "every prior of presence and every ratio of the costs of time at which looking pays. Unequal "
    "costs of errors are equivalent to these: see the page on the conjecture.",
)
def conjecture_unequal_costs(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the excess over priors and ratios of costs."""
    for prior in conjecture_regime["prior"].to_numpy():
        for ratio in conjecture_regime["time_ratio"].to_numpy():
            at = conjecture_regime.sel(prior=prior, time_ratio=ratio)
            if at["skewed_excess"].isnull():  # the best is to answer at once
                continue
            excess = with_se(100 * at["skewed_excess"], 100 * at["skewed_excess_se"])
            what = f"prior {prior:g}, cost of time {ratio:g} times as high with a target: excess"
            yield below(what, excess, NEGLIGIBLE)


@claim(
    "Two scaled SPRTs risk as little as the optimum with many locations, even where looking hardly "
    "pays.",
    where=f"{SURFACES} (not tested in the paper)",
    rule="SPRT with free thresholds does not save more than a negligible share of the risk of "
    "tuned a-SPRT, on common trials.",
    new=True,
)
def conjecture_where_looking_hardly_pays(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check what SPRT-opt saves where time is expensive."""
    for number in range(conjecture_regime.sizes["many"]):
        at = conjecture_regime.isel(many=number)
        name = f"{int(at['many_size'])} locations, c/µ² = {float(at['many_ratio']):g}"
        gain = with_se(100 * at["rival_gain"], 100 * at["rival_gain_se"])
        yield below(f"{name}: share of the risk that SPRT-opt saves", gain, NEGLIGIBLE)
