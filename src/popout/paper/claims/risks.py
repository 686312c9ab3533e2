r"""Claims about risks with equal drifts: the order of the strategies, and by how much.

**`short-steps-equal`.** Risk against set size with steps shorter than the paper's 10 ms (beside
Figure 5).

At drift 12/s a step of 10 ms is a third of the response time, so that much of what the strategies
do is overshoot. The figure's computation (`popout.paper.figures.homogeneous_risk`) is repeated with
steps of a millisecond and less, at fewer set sizes, with fewer trials and without lower bounds; the
variables are those of the figure, with the step as one more dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import xarray as xr

from popout.paper.claims.bounds import HIGHLY, NEGLIGIBLE, NOTHING, RARE, SIMILAR_RATE, SIMILAR_RT
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import (
    Measured,
    above,
    below,
    each,
    excess_of,
    independent,
    stored,
    with_se,
)
from popout.paper.claims.surfaces import DECISIONS
from popout.paper.figures.homogeneous_risk import HOMOGENEOUS_RISK, at_step
from popout.paper.preset import PaperPart, Preset, at_short_steps
from popout.progress import Progress

SCORE_SHARE, TUNE_SHARE = 5, 5
"""One in this many of the preset's trials: a trial has ten times as many steps."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the data of the figure for every short step."""
    fewer = replace(
        preset,
        set_sizes=preset.short_sizes,
        exact_sizes=preset.short_sizes[:1],
        score_trials=preset.score_trials // SCORE_SHARE,
        tune_trials=preset.tune_trials // TUNE_SHARE,
    )
    return at_short_steps(
        preset, progress, lambda dt, tell: at_step(dt, fewer, seed, tell, bounded=False)
    )


SHORT_STEPS_EQUAL = PaperPart(
    "short-steps-equal", "Risk against set size with short steps", compute, 15.0
)

HOMOGENEOUS = "Results, Risk comparison; Figure 5"


def _largest(data: xr.Dataset, strategy: str) -> Iterator[tuple[str, Measured]]:
    """Yield the largest excess over set sizes of one strategy at each cost, and its name."""
    for cost, at_cost in each(excess_of(data, strategy, "a-SPRT"), "time_cost"):
        most = at_cost.largest
        where = f"{int(most.value['set_size'])} locations"
        yield f"{strategy}, cost {cost:g}/s: largest excess risk over a-SPRT, {where}", most


def similar_in_each_class(ours: xr.Dataset, theirs: xr.Dataset, where: str = "") -> Iterator[Check]:
    """Check that response times and error rates of two strategies are similar in each class."""
    for kind in ("absent", "present"):
        rt, rate = f"mean_rt_{kind}", f"error_rate_{kind}"
        rt_se, rate_se = (independent(ours[f"{k}_se"], theirs[f"{k}_se"]) for k in (rt, rate))
        yield below(
            f"{where}target {kind}: difference of mean response times",
            with_se(100 * abs(ours[rt] / theirs[rt] - 1), 100 * rt_se / theirs[rt]),
            SIMILAR_RT,
        )
        yield below(
            f"{where}target {kind}: difference of error rates",
            with_se(100 * abs(ours[rate] - theirs[rate]), 100 * rate_se),
            SIMILAR_RATE,
        )


CLAIMS = Claims(data=(HOMOGENEOUS_RISK,), where=HOMOGENEOUS, short=(SHORT_STEPS_EQUAL,))


@CLAIMS.add(
    "In an easy task with a target, decisions are rarely taken where both log likelihood ratios "
    "are positive.",
    data=(DECISIONS,),
    where="Results, Risk comparison",
    rule="The share of such decisions is small at drift 12/s, and larger in a hard task.",
    quote="rarely visit the region of {Z1>0, Z2>0}",
    short=(),
)
def easy_tasks_rarely_ambiguous(decisions: xr.Dataset) -> Iterator[Check]:
    """Check how often the optimum decides with both ratios positive."""
    drift = decisions["drift"].to_numpy()
    share = stored(decisions, "both_positive")
    what = f"drift {drift[-1]:g}/s, target present: decisions with Z1 > 0 and Z2 > 0"
    yield below(what, 100 * share.isel(drift=-1), RARE)
    what = f"the same at drift {drift[0]:g}/s, how many more"
    yield above(what, 100 * (share.isel(drift=0) - share.isel(drift=-1)), NOTHING)


@CLAIMS.add(
    "With equal drifts a-SPRT risks least, then SPRT-opt, then SPRT and Hardmax.",
    rule="At each cost each step of the order is positive at every set size.",
    quote="SPRT-opt slightly under-performs a-SPRT",
)
def risk_order_equal_drifts(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check each step of the order, at each cost, where it is hardest."""
    for worse, better in (("SPRT-opt", "a-SPRT"), ("SPRT", "SPRT-opt"), ("Hardmax", "SPRT-opt")):
        for cost, excess in each(excess_of(homogeneous_risk, worse, better), "time_cost"):
            what = f"{worse} above {better}, cost {cost:g}/s: difference of the risks"
            yield above(what, excess, NOTHING)


@CLAIMS.add(
    "With equal drifts Hardmax and SPRT are highly sub-optimal.",
    rule="At each cost the largest excess risk over set sizes exceeds the bound for highly.",
    quote="Hardmax and SPRT are highly sub-optimal",
)
def hardmax_and_sprt_highly_suboptimal(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check the largest excess of SPRT and Hardmax over set sizes, at each cost."""
    for strategy in ("SPRT", "Hardmax"):
        for what, most in _largest(homogeneous_risk, strategy):
            yield above(what, most, HIGHLY)


@CLAIMS.add(
    "With equal drifts Hardmax is sub-optimal at every cost and set size.",
    where=f"{HOMOGENEOUS}, caption",
    rule="At each cost its excess risk is above zero at every set size.",
    quote="Hardmax is sub-optimal in all cases",
)
def hardmax_suboptimal_in_all_cases(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess of Hardmax over set sizes, at each cost."""
    for cost, excess in each(excess_of(homogeneous_risk, "Hardmax", "a-SPRT"), "time_cost"):
        yield above(f"Hardmax, cost {cost:g}/s: excess risk over a-SPRT", excess, NOTHING)


@CLAIMS.add(
    "SPRT with the thresholds of discrimination is sub-optimal when time is expensive.",
    where=f"{HOMOGENEOUS}, caption",
    rule="At the highest cost its excess risk is above zero, at each set size.",
    quote="Regular SPRT is sub-optimal in the high cost scenario",
)
def sprt_suboptimal_at_high_cost(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check the excess of SPRT at each set size, at the highest cost."""
    cost = float(homogeneous_risk["time_cost"].max())
    excess = excess_of(homogeneous_risk, "SPRT", "a-SPRT").sel(time_cost=cost)
    for size, at_size in each(excess, "set_size"):
        what = f"SPRT, cost {cost:g}/s, {size} locations: excess risk over a-SPRT"
        yield above(what, at_size, NOTHING)


@CLAIMS.add(
    "SPRT-opt can hardly be told from a-SPRT, and is near-optimal, when time is cheap.",
    rule="At the lowest cost its excess risk over a-SPRT and over the optimum is negligible at "
    "every set size.",
    quote="almost indistinguishable from a-SPRT in the low time-cost scenario",
)
def sprt_opt_close_at_low_cost(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check SPRT-opt against a-SPRT and against the optimum at the lowest cost."""
    cost = float(homogeneous_risk["time_cost"].min())
    for over, words in (("a-SPRT", "a-SPRT"), ("optimal", "the optimum, where solved")):
        excess = excess_of(homogeneous_risk, "SPRT-opt", over).sel(time_cost=cost)
        yield below(f"SPRT-opt, cost {cost:g}/s: excess risk over {words}", excess, NEGLIGIBLE)


@CLAIMS.add(
    "SPRT-opt becomes sub-optimal when time is expensive.",
    rule="At the highest cost its excess risk is above zero at every set size, and larger than at "
    "the lowest cost.",
    quote="becomes sub-optimal when the cost of time becomes very high",
)
def sprt_opt_worse_at_high_cost(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check SPRT-opt at the highest cost, and against the lowest."""
    costs = homogeneous_risk["time_cost"]
    low, high = float(costs.min()), float(costs.max())
    excess = excess_of(homogeneous_risk, "SPRT-opt", "a-SPRT")
    what = f"SPRT-opt, cost {high:g}/s: excess risk over a-SPRT"
    yield above(what, excess.sel(time_cost=high), NOTHING)
    what = f"SPRT-opt: excess risk at cost {high:g}/s, less that at cost {low:g}/s"
    yield above(what, excess.sel(time_cost=high) - excess.sel(time_cost=low), NOTHING)


@CLAIMS.add(
    "SPRT-opt under-performs a-SPRT only slightly.",
    where=f"{HOMOGENEOUS}, caption",
    rule="At each cost its excess risk stays below the bound for highly at every set size.",
    quote="slightly under-performs",
)
def sprt_opt_slightly_worse(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check that SPRT-opt is never far above a-SPRT."""
    for cost, excess in each(excess_of(homogeneous_risk, "SPRT-opt", "a-SPRT"), "time_cost"):
        yield below(f"SPRT-opt, cost {cost:g}/s: excess risk over a-SPRT", excess, HIGHLY)


@CLAIMS.add(
    "a-SPRT and SPRT-opt are similar in response times and in error rates.",
    where=f"{HOMOGENEOUS}, caption",
    rule="The largest differences over costs and set sizes stay below the bounds for similar.",
    quote="a-SPRT and SPRT-opt are similar in terms of the RT",
)
def sprt_opt_similar_to_a_sprt(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check response times and error rates of SPRT-opt against those of a-SPRT."""
    ours, theirs = (homogeneous_risk.sel(strategy=name) for name in ("SPRT-opt", "a-SPRT"))
    yield from similar_in_each_class(ours, theirs)


@CLAIMS.add(
    "With equal drifts SPRT-opt, SPRT and Hardmax lose more than a tenth of a percent.",
    where=f"{HOMOGENEOUS} (sub-optimal, by how much)",
    rule="At each cost the largest excess risk over set sizes is more than negligible.",
    new=True,
)
def losses_noticeable_equal_drifts(homogeneous_risk: xr.Dataset) -> Iterator[Check]:
    """Check the largest excess of each strategy over set sizes, at each cost."""
    for strategy in ("SPRT-opt", "SPRT", "Hardmax"):
        for what, most in _largest(homogeneous_risk, strategy):
            yield above(what, most, NEGLIGIBLE)
