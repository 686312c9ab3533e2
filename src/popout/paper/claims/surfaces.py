"""Claims about decision surfaces: who is conservative, and what S(t) alone cannot do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import (
    NEGLIGIBLE,
    NEGLIGIBLE_NATS,
    NOTHING,
    NOTICEABLE_NATS,
    RARE,
    WIDE,
    Bound,
)
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import Measured, above, below, each, with_se, within

COMPARISON = "Results, Decision surfaces comparison; Figure 4 (a, b)"
TIME_VARYING = "Results, Can time-varying threshold make SPRT optimal?"


def _outwards(data: xr.Dataset, strategy: str, side: str) -> xr.DataArray:
    """Return how far a boundary lies outside the optimal one, at each Z1 - Z2, in nats."""
    sums = data["boundary"].sum("location", skipna=False).sel(side=side)
    gap = (sums.sel(strategy=strategy) - sums.sel(strategy="optimal")) / math.sqrt(2.0)
    return gap if side == "present" else -gap


def _nowhere(data: xr.Dataset, strategy: str, side: str, sign: float = 1.0) -> Check:
    """Check that a boundary lies nowhere inside (sign 1) or outside (sign -1) the optimal one."""
    there, elsewhere = ("outside", "inside") if sign > 0 else ("inside", "outside")
    return above(
        f"{strategy}, {side} boundary: least distance {there} the optimal one",
        (sign * _outwards(data, strategy, side)).min(),
        (-NEGLIGIBLE_NATS).because(f"nowhere {elsewhere}, up to what is negligible"),
    )


def _slower(times: xr.Dataset, strategy: str, side: str, sign: float = 1.0) -> Check:
    """Check that a strategy is slower (sign 1) or faster (sign -1) than the optimum in a class."""
    rt = times["mean_rt"].sel({"class": side})
    optimal = float(rt.sel(strategy="optimal"))
    error = times["rt_error"].sel(strategy=[strategy, "optimal"]).sum()
    word = "more" if sign > 0 else "less"
    return above(
        f"{strategy}, target {side}: mean response time, how much {word} than the optimum's",
        within(100 * sign * (rt.sel(strategy=strategy) / optimal - 1), 100 * error / optimal),
        NOTHING,
    )


@claim(
    "The decision surfaces of SPRT and of Hardmax differ significantly from the optimal ones.",
    where=COMPARISON,
    rule="Somewhere on either boundary the distance is noticeable.",
    quote="differ significantly",
    short_steps=True,
)
def surfaces_differ(strategies_2d: xr.Dataset) -> Iterator[Check]:
    """Check the largest distance of each boundary from the optimal one."""
    for strategy in ("SPRT", "Hardmax"):
        for side in strategies_2d["side"].to_numpy():
            yield above(
                f"{strategy}, {side} boundary: largest distance from the optimal one",
                abs(_outwards(strategies_2d, strategy, side)).max(),
                NOTICEABLE_NATS,
            )


@claim(
    "SPRT is conservative: both boundaries lie outside the optimal ones, and it takes longer "
    "whether the target is present or absent.",
    where=COMPARISON,
    rule="Each boundary lies nowhere inside the optimal one, and each mean response time is "
    "longer.",
    quote="both thresholds bend outwards",
    short_steps=True,
)
def sprt_conservative(strategies_2d: xr.Dataset, decisions: xr.Dataset) -> Iterator[Check]:
    """Check boundaries and response times of SPRT on both sides."""
    for side in ("absent", "present"):
        yield _nowhere(strategies_2d, "SPRT", side)
        yield _slower(decisions, "SPRT", side)


@claim(
    "Hardmax is faster in declaring target-absent and slower in declaring target-present.",
    where=COMPARISON,
    rule="Its absent boundary lies nowhere outside the optimal one and its present boundary "
    "nowhere inside; the mean response times differ accordingly.",
    quote="faster in declaring target-absent but slower in declaring target-present",
    short_steps=True,
)
def hardmax_fast_absent_slow_present(
    strategies_2d: xr.Dataset, decisions: xr.Dataset
) -> Iterator[Check]:
    """Check Hardmax: inside and faster when absent, outside and slower when present."""
    for side, sign in (("absent", -1.0), ("present", 1.0)):
        yield _nowhere(strategies_2d, "Hardmax", side, sign)
        yield _slower(decisions, "Hardmax", side, sign)


def _spread(data: xr.Dataset, side: str, statistic: str) -> tuple[float, float]:
    """Return the standard deviation at the decision and its standard error, by the 4th moment."""
    at_decision = data.sel(side=side, statistic=statistic)
    sd = float(at_decision["standard_deviation"])
    count = at_decision["count"]
    n = float(count.sum(skipna=False))
    away = at_decision["bin"] - float(at_decision["mean"])
    fourth = float((count * away**4).sum(skipna=False)) / n
    return sd, sd * math.sqrt(max(fourth / sd**4 - 1, 0.0) / (4 * n))


def _ratio(first: tuple[float, float], second: tuple[float, float]) -> Measured:
    """Return the ratio of two numbers that come with standard errors."""
    (one, se), (other, other_se) = first, second
    return with_se(one / other, one / other * math.hypot(se / one, other_se / other))


@claim(
    "When the optimum decides, S(t) is spread more widely than discrete time explains.",
    where=f"{TIME_VARYING}; Figure 4 (c, d)",
    rule="Among trials of equal decision time, as a threshold that varies in time would have it, "
    "the standard deviation of S is larger than that of the statistic of the conjecture, and by "
    "more than a factor of two; over all trials it is larger than that of one step.",
    quote="we observe a wide spread in the S(t) distribution",
    short_steps=True,
)
def s_widely_spread(strategies_2d: xr.Dataset) -> Iterator[Check]:
    """Check the spread of S(t) at the decision against what discrete time explains."""
    step = float(strategies_2d["step_sd"])
    for side, name in (("absent", "S_-"), ("present", "S_+")):
        at_time = strategies_2d.sel(side=side)
        S, scaled = (
            (float(one["spread_at_time"]), float(one["spread_at_time_se"]))
            for one in (at_time.sel(statistic=kind) for kind in ("S", "scaled S"))
        )
        what = f"target {side}, equal decision times: standard deviation of S over that of {name}"
        yield above(what, _ratio(S, scaled), Bound(1.0, reason="more than the overshoot of a step"))
        yield above(what, _ratio(S, scaled), WIDE)
        sd, se = _spread(strategies_2d, side, "S")
        yield above(
            f"target {side}: standard deviation of S at the decision over that of one step",
            with_se(sd / step, se / step),
            Bound(1.0, reason="more than one step"),
        )


@claim(
    "No threshold on S(t), constant or varying in time, makes SPRT optimal.",
    where=TIME_VARYING,
    rule="The best thresholds found have an excess risk above zero.",
    quote="S(t) is not a sufficient statistic to implement the optimal test",
)
def no_time_varying_threshold(time_varying: xr.Dataset) -> Iterator[Check]:
    """Check that the best thresholds found lose something."""
    risk = time_varying["optimal_risk"]
    for knots, thresholds in each(time_varying, "knots"):
        words = "constant thresholds" if knots == 1 else f"thresholds with {knots} knots in time"
        excess = with_se(100 * thresholds["regret"] / risk, 100 * thresholds["regret_se"] / risk)
        yield above(f"{words} on S(t): excess risk", excess, NOTHING)


@claim(
    "Letting thresholds on S(t) vary in time gains next to nothing, and leaves something to lose.",
    where=f"{TIME_VARYING} (not quantified in the paper)",
    rule="The gain over constant thresholds is negligible, and the excess risk that remains is "
    "above zero.",
    new=True,
)
def time_varying_still_loses(time_varying: xr.Dataset) -> Iterator[Check]:
    """Check how much is gained by letting thresholds vary, and how much is left to lose."""
    best = time_varying.isel(knots=int(np.argmin(time_varying["regret"].to_numpy())))
    risk = float(time_varying["optimal_risk"])
    yield below(
        "what the best time-varying thresholds gain over constant ones",
        with_se(100 * best["gain"] / risk, 100 * best["gain_se"] / risk),
        NEGLIGIBLE,
    )
    yield above(
        "excess risk of the best time-varying thresholds",
        with_se(100 * best["regret"] / risk, 100 * best["regret_se"] / risk),
        NOTHING,
    )


@claim(
    "In an easy task with a target, decisions are rarely taken where both log likelihood ratios "
    "are positive.",
    where="Results, Risk comparison",
    rule="The share of such decisions is small at drift 12/s, and larger in a hard task.",
    quote="rarely visit the region of {Z1>0, Z2>0}",
)
def easy_tasks_rarely_ambiguous(decisions: xr.Dataset) -> Iterator[Check]:
    """Check how often the optimum decides with both ratios positive."""
    drift = decisions["drift"].to_numpy()
    share = with_se(decisions["both_positive"], decisions["both_positive_se"])
    yield below(
        f"drift {drift[-1]:g}/s, target present: decisions with Z1 > 0 and Z2 > 0",
        100 * share.isel(drift=-1),
        RARE,
    )
    yield above(
        f"the same at drift {drift[0]:g}/s, how many more",
        100 * (share.isel(drift=0) - share.isel(drift=-1)),
        NOTHING,
    )
