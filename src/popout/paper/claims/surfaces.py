"""Claims about decision surfaces: who is conservative, and what S(t) alone cannot do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, NOTICEABLE_NATS, RARE, WIDE
from popout.paper.claims.check import Check, ErrorKind
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import above, below, independent

__all__ = ["EXAMINATIONS"]

COMPARISON = "Results, Decision surfaces comparison; fig-optthresh2D (a, b)"
TIME_VARYING = "Results, Can time-varying threshold make SPRT optimal?"


def _outwards(data: xr.Dataset, strategy: str, side: str) -> xr.DataArray:
    """Return how far a boundary lies outside the optimal one, at each Z1 - Z2, in nats."""
    sums = data["boundary"].sum("location", skipna=False).sel(side=side)
    gap = (sums.sel(strategy=strategy) - sums.sel(strategy="optimal")) / math.sqrt(2.0)
    return gap if side == "present" else -gap


def differ(data: xr.Dataset) -> Iterator[Check]:
    """Check the largest distance of each boundary from the optimal one."""
    for strategy in ("SPRT", "Hardmax"):
        for side in data["side"].to_numpy():
            yield above(
                f"{strategy}, {side} boundary: largest distance from the optimal one",
                abs(_outwards(data, strategy, side)).max(),
                NOTICEABLE_NATS,
                unit="nats",
            )


def _outside(data: xr.Dataset, strategy: str, side: str) -> Check:
    return above(
        f"{strategy}, {side} boundary: least distance outside the optimal one",
        _outwards(data, strategy, side).min(),
        -NEGLIGIBLE_NATS,
        unit="nats",
        reason="nowhere inside, up to what is negligible",
    )


def _slower(times: xr.Dataset, strategy: str, side: str, sign: float) -> Check:
    """Check that a strategy is slower (sign 1) or faster (sign -1) than the optimum in a class."""
    rt = times["mean_rt"].sel({"class": side})
    optimal = float(rt.sel(strategy="optimal"))
    error = times["rt_error"].sel(strategy=[strategy, "optimal"]).sum()
    word = "more" if sign > 0 else "less"
    return above(
        f"{strategy}, target {side}: mean response time, how much {word} than the optimum's",
        100 * sign * (rt.sel(strategy=strategy) / optimal - 1),
        0.0,
        100 * error / optimal,
        unit="%",
        error_kind=ErrorKind.BOUND,
    )


def sprt_conservative(data: xr.Dataset, times: xr.Dataset) -> Iterator[Check]:
    """Check boundaries and response times of SPRT on both sides."""
    for side in ("absent", "present"):
        yield _outside(data, "SPRT", side)
        yield _slower(times, "SPRT", side, 1.0)


def hardmax(data: xr.Dataset, times: xr.Dataset) -> Iterator[Check]:
    """Check Hardmax: inside and faster when absent, outside and slower when present."""
    yield above(
        "Hardmax, absent boundary: least distance inside the optimal one",
        (-_outwards(data, "Hardmax", "absent")).min(),
        -NEGLIGIBLE_NATS,
        unit="nats",
        reason="nowhere outside, up to what is negligible",
    )
    yield _slower(times, "Hardmax", "absent", -1.0)
    yield _outside(data, "Hardmax", "present")
    yield _slower(times, "Hardmax", "present", 1.0)


def _spread(data: xr.Dataset, side: str, statistic: str) -> tuple[float, float]:
    """Return the standard deviation at the decision and its standard error, by the 4th moment."""
    one = data.sel(side=side, statistic=statistic)
    sd = float(one["standard_deviation"])
    count = one["count"]
    n = float(count.sum(skipna=False))
    fourth = float((count * (one["bin"] - float(one["mean"])) ** 4).sum(skipna=False)) / n
    return sd, sd * math.sqrt(max(fourth / sd**4 - 1, 0.0) / (4 * n))


def spread(data: xr.Dataset) -> Iterator[Check]:
    """Check the spread of S(t) at the decision against what discrete time explains."""
    step = float(data["step_sd"])
    for side in data["side"].to_numpy():
        (sd, se), (base, base_se) = (_spread(data, side, s) for s in ("S", "scaled S"))
        name = "S_-" if side == "absent" else "S_+"
        for bound, reason in ((1.0, "more than the overshoot of a step"), (WIDE, "wide")):
            yield above(
                f"target {side}: standard deviation of S at the decision over that of {name}",
                sd / base,
                bound,
                sd / base * math.hypot(se / sd, base_se / base),
                reason=reason,
            )
        yield above(
            f"target {side}: standard deviation of S at the decision over that of one step",
            sd / step,
            1.0,
            se / step,
            reason="more than one step",
        )


def not_optimal(data: xr.Dataset) -> Iterator[Check]:
    """Check that the best thresholds found lose something."""
    for knots in data["knots"].to_numpy():
        one = data.sel(knots=knots)
        words = "constant thresholds" if knots == 1 else f"thresholds with {knots} knots in time"
        yield above(
            f"{words} on S(t): excess risk",
            100 * one["regret"] / data["optimal_risk"],
            0.0,
            100 * one["regret_se"] / data["optimal_risk"],
            unit="%",
        )


def loses(data: xr.Dataset) -> Iterator[Check]:
    """Check how much is gained by letting thresholds vary, and how much is left to lose."""
    best = data.isel(knots=int(np.argmin(data["regret"].to_numpy())))
    risk = float(data["optimal_risk"])
    yield below(
        "what the best time-varying thresholds gain over constant ones",
        100 * best["gain"] / risk,
        NEGLIGIBLE,
        100 * best["gain_se"] / risk,
        unit="%",
    )
    yield above(
        "excess risk of the best time-varying thresholds",
        100 * best["regret"] / risk,
        NEGLIGIBLE,
        100 * best["regret_se"] / risk,
        unit="%",
    )


def rarely(data: xr.Dataset) -> Iterator[Check]:
    """Check how often the optimum decides with both ratios positive."""
    easy, hard = data.isel(drift=-1), data.isel(drift=0)
    yield below(
        f"drift {float(easy['drift']):g}/s, target present: decisions with Z1 > 0 and Z2 > 0",
        100 * easy["both_positive"],
        RARE,
        100 * easy["both_positive_se"],
        unit="%",
        reason="rare",
    )
    yield above(
        f"the same at drift {float(hard['drift']):g}/s, how many more",
        100 * (hard["both_positive"] - easy["both_positive"]),
        0.0,
        100 * independent(hard["both_positive_se"], easy["both_positive_se"]),
        unit="%",
    )


EXAMINATIONS = (
    Examination(
        "surfaces-differ",
        "The decision surfaces of SPRT and of Hardmax differ significantly from the optimal ones.",
        COMPARISON,
        "Somewhere on either boundary the distance is noticeable.",
        ("strategies-2d",),
        differ,
        quote="differ significantly",
    ),
    Examination(
        "sprt-conservative",
        "SPRT is conservative: both boundaries lie outside the optimal ones, and it takes longer "
        "whether the target is present or absent.",
        COMPARISON,
        "Each boundary lies nowhere inside the optimal one, and each mean response time is longer.",
        ("strategies-2d", "decisions"),
        sprt_conservative,
        quote="both thresholds bend outwards",
    ),
    Examination(
        "hardmax-fast-absent-slow-present",
        "Hardmax is faster in declaring target-absent and slower in declaring target-present.",
        COMPARISON,
        "Its absent boundary lies nowhere outside the optimal one and its present boundary "
        "nowhere inside; the mean response times differ accordingly.",
        ("strategies-2d", "decisions"),
        hardmax,
        quote="faster in declaring target-absent but slower in declaring target-present",
    ),
    Examination(
        "s-widely-spread",
        "When the optimum decides, S(t) is spread more widely than discrete time explains.",
        f"{TIME_VARYING}; fig-optthresh2D (c, d)",
        "The standard deviation of S is larger than that of the statistic of the conjecture, by "
        "more than a factor of two, and larger than that of one step.",
        ("strategies-2d",),
        spread,
        quote="we observe a wide spread in the S(t) distribution",
    ),
    Examination(
        "no-time-varying-threshold",
        "No threshold on S(t), constant or varying in time, makes SPRT optimal.",
        TIME_VARYING,
        "The best thresholds found have an excess risk above zero.",
        ("time-varying",),
        not_optimal,
        quote="S(t) is not a sufficient statistic to implement the optimal test",
    ),
    Examination(
        "time-varying-still-loses",
        "Letting thresholds on S(t) vary in time gains next to nothing, and what is left to lose "
        "is more than negligible.",
        f"{TIME_VARYING} (not quantified in the paper)",
        "The gain over constant thresholds is negligible, and the excess risk that remains is not.",
        ("time-varying",),
        loses,
        new=True,
    ),
    Examination(
        "easy-tasks-rarely-ambiguous",
        "In an easy task with a target, decisions are rarely taken where both log likelihood "
        "ratios are positive.",
        "Results, Risk comparison",
        "The share of such decisions is small at drift 12/s, and larger in a hard task.",
        ("decisions",),
        rarely,
        quote="rarely visit the region of {Z1>0, Z2>0}",
    ),
)
