r"""Claims about the conjecture and its extension against the exact optimum.

**`biased-prior`.** Thresholds of discrimination when the target is as rare as at one of M
locations.

Methods, "Translating optimal thresholds", II: with a prior of :math:`1/(1+M)` the optimal
thresholds on the log likelihood ratio are those of even odds plus :math:`\log M`. The paper derives
it under thresholds that are far apart. Here both problems are solved by the paper's recursion on
one location, each with its own prior, at two widths of the bins; the change is the error.

**`certified-sets`.** The conjecture where the optimum cannot be solved: a bound on what tuned
a-SPRT loses.

Beyond five locations no table holds the value function. A certificate (`popout.certify`) bounds the
risk of every strategy from below, and with it the share of its risk that tuned a-SPRT could lose.
Part of that share is the bound's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.analysis.tune import tune
from popout.exact.crossings import crossings
from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, NOTICEABLE_NATS
from popout.paper.claims.claim import STANDARD_ERRORS, Check, Claims
from popout.paper.claims.larger_sets import LARGER_SETS, TIME_COSTS
from popout.paper.claims.measure import (
    Measured,
    below,
    cases,
    computed_excess,
    each,
    excess,
    pairs,
    percent,
    within,
)
from popout.paper.claims.surfaces import DECISIONS
from popout.paper.conjecture import certified
from popout.paper.figures.optimal_thresholds import OPTIMAL_THRESHOLDS
from popout.paper.figures.strategies_2d import STRATEGIES_2D
from popout.paper.figures.unequal_drift_risk import UNEQUAL_DRIFT_RISK
from popout.paper.preset import PaperPart, Preset, named_cases
from popout.paper.recursion import PaperGrid, settle
from popout.policies.stopping import ASPRT
from popout.progress import Progress
from popout.reports.cells import NATS, Variables, labelled, over
from popout.task import Costs, SearchTask

CLAIMS = Claims()

PRIOR_CASES = ((2.0, 1.0), (2.0, 0.2), (4.0, 0.2), (12.0, 0.2))
"""Drift and cost of time; the first has thresholds that are close together."""
PRIOR_SIZES = (1, 2, 3, 4, 8)
PRIOR_END, PRIOR_BINS = 16.0, (1600, 3200)


def compute_biased_prior(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the thresholds at each prior; nothing is random."""
    axes = {"case": PRIOR_CASES, "set_size": PRIOR_SIZES, "bins": PRIOR_BINS}
    side = ("side",)

    def cell(drift: float, cost: float, M: int, bins: int) -> Variables:
        task = SearchTask(n_locations=1, drift=drift, prior=1 / (1 + M))
        grid = PaperGrid(task, Costs(time=cost), -PRIOR_END, PRIOR_END, bins)
        return {"": (side, crossings(grid.nodes, grid.log_ratio(settle(grid)[1]))[[0, -1]])}

    threshold = over(axes, cell, progress)[""].values
    shift = threshold - threshold[:, :1] - np.log(PRIOR_SIZES)[None, :, None, None]
    dims = ("case", "set_size", "side")
    return xr.Dataset(
        {
            "threshold": (dims, threshold[:, :, -1], NATS),
            "shift_less_log_m": (dims, shift[:, :, -1], NATS),
            "shift_change": (dims, np.abs(shift[:, :, -1] - shift[:, :, 0]), NATS),
            **named_cases(PRIOR_CASES),
        },
        coords={"set_size": list(PRIOR_SIZES), "side": ["absent", "present"]},
    )


BIASED_PRIOR = PaperPart(
    "biased-prior", "Thresholds under a biased prior", compute_biased_prior, 2.0
)

CERTIFIED_SIZES = (8, 16, 32)
TUNE_TRIALS = 50_000
NAMES = ("risk", "risk_se", "lower", "lower_se", "gap", "gap_se")


def compute_certified_sets(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the risk of tuned a-SPRT, the lower bound, and the share that could be lost."""

    def cell(drift: float, M: int) -> Variables:
        task, costs = SearchTask(n_locations=M, drift=drift), Costs(time=TIME_COSTS[drift])
        strategy = tune(ASPRT, task, costs, n_trials=TUNE_TRIALS, seed=seed).strategy
        certificate = certified(task, costs, strategy, seed)
        bound, label = (certificate.lower, certificate.lower_se), strategy.label
        row = (*certificate.risks[label], *bound, *certificate.gaps[label])
        return dict(zip(NAMES, row, strict=True))

    axes = {"drift": preset.certified_drifts, "set_size": CERTIFIED_SIZES}
    return labelled(over(axes, cell, progress), axes)


CERTIFIED_SETS = PaperPart(
    "certified-sets", "The conjecture where no optimum is solved", compute_certified_sets, 15.0
)

THRESHOLDS = "Methods, Translating optimal thresholds"


def _matches(name: str, distance: xr.DataArray, more: Measured) -> Iterator[Check]:
    """Check distance and excess risk of the fitted surface."""
    what = f"{name}: largest distance of the boundary from the fitted surface"
    yield below(what, distance, NOTICEABLE_NATS)
    yield below(f"{name}: excess risk of a-SPRT with the fitted scales", more, NEGLIGIBLE)


def _every_case(thresholds: xr.Dataset) -> Iterator[Check]:
    """Check every case of the figure."""
    for name, case in cases(thresholds):
        error = case["risk_error_fitted"] + case["risk_error_exact"]
        more = excess(case["risk_fitted"], case["risk_exact"], error)
        yield from _matches(name, case["misfit_largest"].max(), more)


def _equal(thresholds: xr.Dataset) -> xr.DataArray:
    return (thresholds["drift"].diff("location") == 0).all("location")


@CLAIMS.add(
    "With one location the conjecture reduces to SPRT, which is optimal.",
    data=(DECISIONS,),
    where="Results, Conjecture for high-dimensional problems",
    rule="SPRT with the thresholds of discrimination has a negligible excess risk.",
    quote="Conjecture reduces to SPRT, which is optimal for visual discrimination",
)
def one_location_is_sprt(decisions: xr.Dataset) -> Iterator[Check]:
    """Check SPRT at one location against the optimum there."""
    optimal, sprt = decisions["single_risk"].to_numpy()
    what = "one location: excess risk of SPRT with the thresholds of the recursion"
    yield below(what, excess(sprt, optimal, decisions["single_risk_error"].sum()), NEGLIGIBLE)


@CLAIMS.add(
    "When every location but one is ruled out, the optimal boundary lies at the thresholds of "
    "discrimination plus log M.",
    data=(LARGER_SETS,),
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


@CLAIMS.add(
    "A prior of 1/(1+M) moves both optimal thresholds of discrimination by log M.",
    data=(BIASED_PRIOR,),
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


@CLAIMS.add(
    "For two locations with equal drifts the conjecture matches the optimal boundary.",
    data=(OPTIMAL_THRESHOLDS, STRATEGIES_2D),
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


@CLAIMS.add(
    "For two locations with unequal drifts the Extension matches the optimal boundary.",
    data=(OPTIMAL_THRESHOLDS,),
    where="Results, Extension; Figure 3 (c, d)",
    rule="The same as for the conjecture, at the drifts of the figure.",
    quote="match the optimal thresholds from dynamic programming in 2D",
)
def extension_matches(optimal_thresholds: xr.Dataset) -> Iterator[Check]:
    """Check every case of unequal drifts in the figure."""
    yield from _every_case(optimal_thresholds.sel(case=~_equal(optimal_thresholds)))


@CLAIMS.add(
    "The conjecture matches the exact optimum with more than two locations as well.",
    data=(LARGER_SETS,),
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
            more = within(100 * case["excess"], 100 * error)
            yield from _matches(f"{M} locations, drift {drift:g}/s", case["largest"].max(), more)


@CLAIMS.add(
    "The conjecture is as good as optimal with 8, 16 and 32 locations where a second costs little: "
    "0.5 at a drift of 12/s, 0.2 at 4/s.",
    data=(CERTIFIED_SETS,),
    where="Results, Conjecture for high-dimensional problems (not tested in the paper)",
    rule="No strategy could save more than a negligible share of the risk of tuned a-SPRT, at "
    "every set size: both risks are bounded, see the page on certificates. Costs at which looking "
    "hardly pays are another claim.",
    new=True,
)
def conjecture_certified(certified_sets: xr.Dataset) -> Iterator[Check]:
    """Check the certified gap of tuned a-SPRT at every set size."""
    for drift, there in each(certified_sets, "drift"):
        for M, at_size in each(there, "set_size"):
            cost = f"cost {TIME_COSTS[float(drift)]:g}/s"
            what = f"{M} locations, drift {drift:g}/s, {cost}: what a-SPRT could lose at most"
            yield below(what, percent(at_size, "gap"), NEGLIGIBLE)


@CLAIMS.add(
    "The Extension matches the optimum at the drifts of the risk figure as well.",
    data=(UNEQUAL_DRIFT_RISK,),
    where="Results, Extension; drifts of Figure 6",
    rule="a-SPRT, as shown in the figure, has a negligible excess risk at every cost.",
    new=True,
)
def extension_elsewhere(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check the Extension at the drifts of the risk figure."""
    for drifts, at_drifts in pairs(unequal_drift_risk):
        more = computed_excess(at_drifts, "a-SPRT")
        yield below(f"{drifts}: excess risk of a-SPRT", more, NEGLIGIBLE)
