r"""Claims about decision surfaces: who is conservative, and what S(t) alone cannot do.

**`decisions`.** How long each strategy takes, and where the optimum decides.

At drift 4/s and cost 0.2/s, as in the comparison of decision surfaces (Figure 4): mean
response times of the optimum, SPRT and Hardmax when the target is absent and when
it is present. The rules of SPRT and Hardmax are evaluated on grids. The response times of the
optimum are derivatives of its risk: since it is best, a small change of the cost of time in one
class changes the risk by that class's response time alone,
:math:`\partial R^* / \partial C_{time,0} = (1 - p)\,E_0[T]`.

At a hard, a medium and an easy drift: the share of trials with a target in which the optimum
decides with Z1 > 0 and Z2 > 0, the region where boundaries differ most ("Risk comparison").

With one location the conjecture is SPRT and should be optimal; its risk stands beside the optimum.

**`short-steps-2d`.** Boundaries, response times and S(t) at the decision with short steps (beside
Figure 4).

The boundaries and the distributions of `popout.paper.figures.strategies_2d` and the response times
of `decisions`, for steps of a millisecond and less; the variables are those of
the figure and of the table, with the step as one more dimension.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.analysis.thresholds import threshold_pair
from popout.exact import Solution, evaluate, solve
from popout.paper.claims.bounds import NEGLIGIBLE_NATS, NOTHING, NOTICEABLE_NATS, WIDE, Bound
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import Measured, above, with_se, within
from popout.paper.figures.strategies_2d import (
    COSTS,
    DRIFT,
    SLOW_DRIFT,
    STRATEGIES_2D,
    at_decision,
    boundaries,
)
from popout.paper.preset import PaperPart, Preset, at_short_steps
from popout.policies.stopping import SPRT, Hardmax
from popout.progress import Progress, stretch
from popout.reports.cells import Variables, labelled, over
from popout.simulation import simulate
from popout.task import Costs, SearchTask

TASK = SearchTask(n_locations=2, drift=4.0)
STRATEGIES, CLASSES = ("optimal", "SPRT", "Hardmax"), ("absent", "present")
TILT = 0.02
"""Relative change of the cost of time for the derivatives."""
DRIFTS = (2.0, 4.0, 12.0)
RTOL = 1e-5
FINE_RTOL = 3e-7


def compute_decisions(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return response times, shares of trials, and the risks at one location."""
    progress(0.0, "response times")
    pair = threshold_pair(TASK, COSTS)
    rt, error = zip(*(optimal_rt(TASK, COSTS, present) for present in (False, True)), strict=True)
    times, errors = [rt], [max(error)]
    for recipe in (SPRT, Hardmax):
        evaluation = evaluate(TASK, recipe.for_task(TASK, *pair), COSTS, RTOL)
        times.append((evaluation.rt_absent, evaluation.rt_present))
        errors.append(evaluation.rt_error)
    n = preset.decision_trials

    def ambiguous(drift: float) -> Variables:
        task = SearchTask(n_locations=2, drift=drift)
        trials = simulate(task, solve(task, COSTS, RTOL).strategy, n, seed, condition="present")
        share = (trials.states(np.arange(n)) > 0).all(axis=1).mean()
        return {"both_positive": share, "both_positive_se": np.sqrt(share * (1 - share) / n)}

    shares = over({"drift": DRIFTS}, ambiguous, stretch(progress, 0.5, 0.9))
    progress(0.9, "one location")
    single = SearchTask(n_locations=1, drift=4.0)
    sprt = SPRT.for_task(single, *threshold_pair(single, COSTS))
    both = solve(single, COSTS, RTOL), evaluate(single, sprt, COSTS, RTOL)
    return labelled(
        {
            "mean_rt": (("strategy", "class"), times, {"units": "s"}),
            "rt_error": (("strategy",), errors),
            **shares,
            "single_risk": (("single",), [each.risk for each in both]),
            "single_risk_error": (("single",), [each.risk_error for each in both]),
        },
        {"strategy": STRATEGIES, "class": CLASSES, "drift": DRIFTS, "single": ["optimal", "SPRT"]},
        {"drift_strategies": 4.0, "time_cost": COSTS.time_absent, "trials": n},
    )


def optimal_rt(task: SearchTask, costs: Costs, present: bool) -> tuple[float, float]:
    """Return the mean response time of the optimum in one class, and its error, in seconds.

    Central differences of the optimal risk at one and at two tilts, extrapolated; the error is what
    the extrapolation changed, with that of the risks.

    Examples
    --------
    >>> rt, error = optimal_rt(SearchTask(n_locations=1, drift=12.0), Costs(time=0.5), True)
    >>> bool(0 < error < rt / 100)
    True
    """
    base = (costs.time_absent, costs.time_present)
    share = task.prior if present else 1 - task.prior

    def tilted(tilt: float) -> Solution:
        absent, target = (time * (1 + tilt * (k == present)) for k, time in enumerate(base))
        return solve(task, Costs((absent, target), costs.miss, costs.false_alarm), FINE_RTOL)

    slopes, noise = [], []
    for tilt in (TILT, 2 * TILT):
        low, high = tilted(-tilt), tilted(tilt)
        step = 2 * tilt * base[present] * share
        slopes.append((high.risk - low.risk) / step)
        noise.append((low.risk_error + high.risk_error) / step)
    best = (4 * slopes[0] - slopes[1]) / 3
    return best, abs(best - slopes[0]) + max(noise)


TITLE = "Response times at two locations, and where the optimum decides"
DECISIONS = PaperPart("decisions", TITLE, compute_decisions, 6.0)

MOST_TRIALS = 20_000
"""Of each class: the optimum has no compiled form."""
SHORT_RTOL = 1e-3


def compute_short_steps(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return boundaries, response times and distributions for every short step."""
    n = min(2 * preset.decision_trials // 5, MOST_TRIALS)

    def compute_at(dt: float, tell: Progress) -> xr.Dataset:
        tell(0.0, f"steps of {1e3 * dt:g} ms")
        task, slow = (
            SearchTask(n_locations=2, drift=drift, dt=dt) for drift in (DRIFT, SLOW_DRIFT)
        )
        made, surfaces = boundaries(task, preset)
        evaluated = [evaluate(task, made[name], COSTS, SHORT_RTOL) for name in STRATEGIES]
        rt = [(each.rt_absent, each.rt_present) for each in evaluated]
        error = [each.rt_error for each in evaluated]
        times = labelled(
            {"mean_rt": (("strategy", "class"), rt), "rt_error": (("strategy",), error)},
            {"strategy": STRATEGIES, "class": CLASSES},
        )
        return xr.merge([surfaces, times, at_decision(slow, n, preset, seed)], join="outer")

    return at_short_steps(preset, progress, compute_at)


SHORT_STEPS_2D = PaperPart(
    "short-steps-2d", "Strategies for two locations with short steps", compute_short_steps, 25.0
)

COMPARISON = "Results, Decision surfaces comparison; Figure 4 (a, b)"
VARYING = "Results, Can time-varying threshold make SPRT optimal?"


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


CLAIMS = Claims(where=COMPARISON)


@CLAIMS.add(
    "The decision surfaces of SPRT and of Hardmax differ significantly from the optimal ones.",
    data=(STRATEGIES_2D,),
    rule="Somewhere on either boundary the distance is noticeable.",
    quote="differ significantly",
    short=(SHORT_STEPS_2D,),
)
def surfaces_differ(strategies_2d: xr.Dataset) -> Iterator[Check]:
    """Check the largest distance of each boundary from the optimal one."""
    for strategy in ("SPRT", "Hardmax"):
        for side in strategies_2d["side"].to_numpy():
            what = f"{strategy}, {side} boundary: largest distance from the optimal one"
            yield above(what, abs(_outwards(strategies_2d, strategy, side)).max(), NOTICEABLE_NATS)


@CLAIMS.add(
    "SPRT is conservative: both boundaries lie outside the optimal ones, and it takes longer "
    "whether the target is present or absent.",
    data=(STRATEGIES_2D, DECISIONS),
    rule="Each boundary lies nowhere inside the optimal one, and each mean response time is "
    "longer.",
    quote="both thresholds bend outwards",
    short=(SHORT_STEPS_2D, SHORT_STEPS_2D),
)
def sprt_conservative(strategies_2d: xr.Dataset, decisions: xr.Dataset) -> Iterator[Check]:
    """Check boundaries and response times of SPRT on both sides."""
    for side in ("absent", "present"):
        yield _nowhere(strategies_2d, "SPRT", side)
        yield _slower(decisions, "SPRT", side)


@CLAIMS.add(
    "Hardmax is faster in declaring target-absent and slower in declaring target-present.",
    data=(STRATEGIES_2D, DECISIONS),
    rule="Its absent boundary lies nowhere outside the optimal one and its present boundary "
    "nowhere inside; the mean response times differ accordingly.",
    quote="faster in declaring target-absent but slower in declaring target-present",
    short=(SHORT_STEPS_2D, SHORT_STEPS_2D),
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
    (upper, se), (lower, lower_se) = first, second
    return with_se(upper / lower, upper / lower * math.hypot(se / upper, lower_se / lower))


@CLAIMS.add(
    "When the optimum decides, S(t) is spread more widely than discrete time explains.",
    data=(STRATEGIES_2D,),
    where=f"{VARYING}; Figure 4 (c, d)",
    rule="Among trials of equal decision time, as a threshold that varies in time would have it, "
    "the standard deviation of S is larger than that of the statistic of the conjecture, and by "
    "more than a factor of two; over all trials it is larger than that of one step.",
    quote="we observe a wide spread in the S(t) distribution",
    short=(SHORT_STEPS_2D,),
)
def s_widely_spread(strategies_2d: xr.Dataset) -> Iterator[Check]:
    """Check the spread of S(t) at the decision against what discrete time explains."""
    step = float(strategies_2d["step_sd"])
    for side, name in (("absent", "S_-"), ("present", "S_+")):
        at_time = strategies_2d.sel(side=side)
        S, scaled = (
            (float(spread["spread_at_time"]), float(spread["spread_at_time_se"]))
            for spread in (at_time.sel(statistic=kind) for kind in ("S", "scaled S"))
        )
        what = f"target {side}, equal decision times: standard deviation of S over that of {name}"
        yield above(what, _ratio(S, scaled), Bound(1.0, reason="more than the overshoot of a step"))
        yield above(what, _ratio(S, scaled), WIDE)
        sd, se = _spread(strategies_2d, side, "S")
        what = f"target {side}: standard deviation of S at the decision over that of one step"
        yield above(what, with_se(sd / step, se / step), Bound(1.0, reason="more than one step"))
