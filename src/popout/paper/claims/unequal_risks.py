r"""Claims about risks with unequal drifts, and about both risk figures together.

**`short-steps-unequal`.** Risk at unequal drifts with steps shorter than the paper's 10 ms (beside
Figure 6).

The strategies of `popout.paper.figures.unequal_drift_risk`, made anew for steps of a millisecond
and less; the variables are those of the figure, with the step as one more dimension. Following a
strategy on a grid takes long with short steps. So the optimum is solved, and the others are
simulated: risk by the regret, or from the trials where it is far above the optimum; errors are
twice the standard error. Of the optimum the risk alone is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import xarray as xr

from popout.analysis.scoring import OptimalReference
from popout.exact import Solution
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.claims.bounds import (
    ALMOST_ALL,
    NEGLIGIBLE,
    NOTHING,
    SIMILAR_RATE,
    SIMILAR_RT,
    Bound,
)
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import (
    above,
    below,
    computed_excess,
    each,
    excess_of,
    pairs,
    within,
)
from popout.paper.claims.risks import SHORT_STEPS_EQUAL, similar_in_each_class
from popout.paper.figures.homogeneous_risk import HOMOGENEOUS_RISK
from popout.paper.figures.unequal_drift_risk import UNEQUAL_DRIFT_RISK, Scores, at_step, scores
from popout.paper.preset import PaperPart, Preset, at_short_steps
from popout.policies.stopping import Strategy
from popout.progress import Progress
from popout.simulation import simulate

TIME_COSTS = (0.2, 1.0)
"""At the longest of the short steps; at the others the last one alone."""
TUNE_SHARE, SCORE_SHARE, REGRET_TRIALS = 8, 100, 2000
MARGIN = 2.0
"""Standard errors that make a bound."""
FAR = 0.2
"""Excess, as a share of the risk, from which trials tell it well enough."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the data of the figure for every short step."""
    fewer = replace(preset, tune_trials=preset.tune_trials // TUNE_SHARE)

    def compute_at(dt: float, tell: Progress) -> xr.Dataset:
        costs = TIME_COSTS if dt == max(preset.short_steps) else TIME_COSTS[-1:]
        return at_step(dt, costs, fewer, seed, tell, _by_trials, rtol=1e-4)

    return at_short_steps(preset, progress, compute_at)


def _by_trials(solution: Solution, strategy: Strategy, preset: Preset, seed: int) -> Scores:
    """Score one strategy on trials."""
    if strategy is solution.strategy:
        unknown = (math.nan,) * 3
        risk = solution.risk, solution.risk_error
        return scores(risk, unknown, unknown, (unknown, unknown))
    task, costs = solution.task, solution.costs
    scoring = fresh_seed(seed, Purpose.RISK_FIGURE)
    n = max(1000, preset.score_trials // SCORE_SHARE)
    summary = simulate(task, strategy, n, scoring, keep=False).summary(costs)
    total, se = summary.risk, summary.risk_se
    if total < (1 + FAR) * solution.risk:
        excess = OptimalReference(solution, REGRET_TRIALS, scoring).excess(strategy)
        total, se = solution.risk + excess.value, excess.se
    rates, times, rate_errors, time_errors = (
        np.array([getattr(each, name) for each in (summary.absent, *summary.locations)])
        for name in ("error_rate", "mean_rt", "error_rate_se", "mean_rt_se")
    )
    return scores((total, MARGIN * se), rates, times, (MARGIN * rate_errors, MARGIN * time_errors))


SHORT_STEPS_UNEQUAL = PaperPart(
    "short-steps-unequal", "Risk at unequal drifts with short steps", compute, 25.0
)

UNEQUAL = "Results, Risk comparison; Figure 6"
HARDMAXES = ("Hardmax", "Hardmax per location")
"""Both readings: one pair of thresholds, that of the easy location; a pair for each location."""
SUMMARY = "Results, Optimality analysis of current search models, last paragraph"


CLAIMS = Claims(data=(UNEQUAL_DRIFT_RISK,), where=UNEQUAL, short=(SHORT_STEPS_UNEQUAL,))


@CLAIMS.add(
    "The decision mechanisms of existing models, diffusion to a bound (SPRT, SPRT-opt) and maximum "
    "of outputs (Hardmax), are sub-optimal.",
    data=(HOMOGENEOUS_RISK, UNEQUAL_DRIFT_RISK),
    where="Abstract; Results, Optimality analysis of current search models",
    rule="Somewhere in the two risk figures the excess risk of each is above zero.",
    quote="decision strategies employed by existing search models are sub-optimal",
    short=(SHORT_STEPS_EQUAL, SHORT_STEPS_UNEQUAL),
)
def existing_models_suboptimal(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check that every existing strategy is somewhere decidedly sub-optimal."""
    for kind, strategies, excess in (
        ("equal", ("SPRT", "SPRT-opt", "Hardmax"), partial(excess_of, over="a-SPRT")),
        ("unequal", ("SPRT-opt", *HARDMAXES), computed_excess),
    ):
        data = homogeneous_risk if kind == "equal" else unequal_drift_risk
        for strategy in strategies:
            what = f"{strategy}, {kind} drifts: largest excess risk"
            yield above(what, excess(data, strategy).largest, NOTHING)


def _everywhere(data: xr.Dataset, bound: Bound) -> Iterator[Check]:
    """Check the smallest excess over costs of each strategy and pair of drifts."""
    for strategy in ("SPRT-opt", *HARDMAXES):
        for drifts, at_drifts in pairs(data):
            what = f"{strategy}, {drifts}: excess risk over the optimum"
            yield above(what, computed_excess(at_drifts, strategy), bound)


@CLAIMS.add(
    "With unequal drifts SPRT-opt and Hardmax are sub-optimal even at two locations.",
    rule="At each pair of drifts their excess risk is above zero at every cost; Hardmax in both "
    "readings, with one pair of thresholds and with a pair for each location.",
    quote="Both SPRT-opt and Hardmax underperform the optimal test",
)
def unequal_drifts_suboptimal(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess over costs, of both strategies at each pair of drifts."""
    yield from _everywhere(unequal_drift_risk, NOTHING)


@CLAIMS.add(
    "With unequal drifts SPRT-opt and Hardmax lose more than a tenth of a percent.",
    where=f"{UNEQUAL} (sub-optimal, by how much)",
    rule="At each pair of drifts their excess risk is more than negligible at every cost; Hardmax "
    "in both readings.",
    new=True,
)
def losses_noticeable_unequal_drifts(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check the smallest excess over costs against what is negligible."""
    yield from _everywhere(unequal_drift_risk, NEGLIGIBLE)


@CLAIMS.add(
    "The more unequal the drifts, the worse SPRT-opt and Hardmax become.",
    rule="From each pair of drifts to the next, the excess risk grows at every cost; Hardmax in "
    "both readings.",
    quote="progressively more pronounced as the heterogeneity of drift-rates increases",
)
def worse_with_heterogeneity(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check that the excess grows from each pair of drifts to the next, at every cost."""
    for strategy in ("SPRT-opt", *HARDMAXES):
        for (before, less), (drifts, more) in pairwise(pairs(unequal_drift_risk)):
            yield above(
                f"{strategy}: excess risk at {drifts}, less that at {before}",
                computed_excess(more, strategy) - computed_excess(less, strategy),
                NOTHING,
            )


@CLAIMS.add(
    "With very unequal drifts Hardmax trades errors for time alike at both locations.",
    where=f"{UNEQUAL} (c)",
    rule="At the largest ratio of drifts, its error rates and mean response times at the two "
    "locations are similar at each cost, in both readings.",
    quote="near-identical ER vs RT trade-offs at both locations",
)
def hardmax_equal_tradeoff(unequal_drift_risk: xr.Dataset) -> Iterator[Check]:
    """Check error rate and response time of Hardmax at the two locations, at the largest ratio."""
    *_, (drifts, last) = pairs(unequal_drift_risk)
    for strategy in HARDMAXES:
        for cost, at_cost in each(last.sel(strategy=strategy), "time_cost"):
            easy, hard = (at_cost.sel(condition=kind) for kind in ("easy", "hard"))
            name = f"{strategy}, {drifts}, cost {cost:g}/s: difference of the"
            (rate, rate_error), (rt, rt_error) = (
                (abs(hard[key] - easy[key]), hard[f"{key}_error"] + easy[f"{key}_error"])
                for key in ("error_rate", "mean_rt")
            )
            what = f"{name} error rates at the two locations"
            yield below(what, within(100 * rate, 100 * rate_error), SIMILAR_RATE)
            yield below(
                f"{name} mean response times at the two locations",
                within(100 * rt / easy["mean_rt"], 100 * rt_error / easy["mean_rt"]),
                SIMILAR_RT,
            )


@CLAIMS.add(
    "SPRT-opt and a-SPRT sacrifice the error rate at the hard location for faster responses "
    "overall.",
    where=f"{UNEQUAL} (c)",
    rule="At the largest ratio of drifts, at each cost, they miss more targets at the hard "
    "location than at the easy one and respond faster over all trials than Hardmax, in both "
    "readings.",
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
            error = at_cost["error_rate_error"].sel(strategy=strategy)
            yield above(
                f"{name}: misses at the hard location, more than at the easy one",
                within(
                    100 * (rate.sel(condition="hard") - rate.sel(condition="easy")),
                    100 * error.sel(condition=["easy", "hard"]).sum(),
                ),
                SIMILAR_RATE,
            )
            wrong = (at_cost["mean_rt_error"] * weight).sum("condition")
            for theirs in HARDMAXES:
                mean = overall.sel(strategy=theirs)
                yield above(
                    f"{name}: mean response time over all trials, less than that of {theirs}",
                    within(
                        100 * (1 - overall.sel(strategy=strategy) / mean),
                        100 * wrong.sel(strategy=[strategy, theirs]).sum() / mean,
                    ),
                    NOTHING,
                )


@CLAIMS.add(
    "Where SPRT-opt is sub-optimal (expensive time, unequal drifts) it remains similar to the "
    "optimum in error rates and response times.",
    data=(HOMOGENEOUS_RISK, UNEQUAL_DRIFT_RISK),
    where=SUMMARY,
    rule="The largest differences stay below the bounds for similar.",
    quote="remains similar to the optimal strategy in terms of ER and RT",
    short=(),
)
def sprt_opt_similar_to_optimum(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check SPRT-opt against the optimum: unequal drifts, and equal drifts at the highest cost."""
    for drifts, at_drifts in pairs(unequal_drift_risk):
        ours, theirs = (at_drifts.sel(strategy=name) for name in ("SPRT-opt", "optimal"))
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
    solved = homogeneous_risk.sel(time_cost=cost)
    solved = solved.dropna("set_size", subset=["optimal_mean_rt_absent"])
    optimum = {
        str(name).removeprefix("optimal_"): solved[name]
        for name in solved
        if "optimal" in str(name)
    }
    where = f"equal drifts, cost {cost:g}/s, "
    yield from similar_in_each_class(solved.sel(strategy="SPRT-opt"), xr.Dataset(optimum), where)


@CLAIMS.add(
    "Hardmax is sub-optimal in almost all scenarios.",
    data=(HOMOGENEOUS_RISK, UNEQUAL_DRIFT_RISK),
    where=SUMMARY,
    rule="In nine of ten scenarios of either risk figure its excess risk is above zero, in both "
    "readings.",
    quote="sub-optimal in almost all scenarios",
    short=(SHORT_STEPS_EQUAL, SHORT_STEPS_UNEQUAL),
)
def hardmax_suboptimal_almost_everywhere(
    homogeneous_risk: xr.Dataset, unequal_drift_risk: xr.Dataset
) -> Iterator[Check]:
    """Check the share of scenarios in which Hardmax is decidedly sub-optimal."""
    for where, excess in (
        ("Hardmax, equal", excess_of(homogeneous_risk, "Hardmax", "a-SPRT")),
        *(
            (f"{strategy}, unequal", computed_excess(unequal_drift_risk, strategy))
            for strategy in HARDMAXES
        ),
    ):
        least = excess.value - excess.margin
        what = f"{where} drifts: scenarios in which its excess risk is above zero"
        yield above(what, 100 * (least > NOTHING.value).where(least.notnull()).mean(), ALMOST_ALL)
