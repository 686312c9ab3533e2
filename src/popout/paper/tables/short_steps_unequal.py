"""Risk at unequal drifts with steps shorter than the paper's 10 ms (beside Figure 6).

The strategies of `popout.paper.figures.unequal_drift_risk`, made anew for steps of a millisecond
and less; the variables are those of the figure, with the step as one more dimension. Following a
strategy on a grid takes long with short steps. So the optimum is solved, and the others are
simulated: risk by the regret, or from the trials where it is far above the optimum; errors are
twice the standard error. Of the optimum the risk alone is known.
"""

from __future__ import annotations

import math
from dataclasses import replace

import xarray as xr

from popout.analysis.reference import OptimalReference
from popout.exact import Solution
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.figures.unequal_drift_risk import Scores, at_step
from popout.paper.preset import Preset
from popout.policies.stopping import Strategy
from popout.progress import Progress, stretch
from popout.simulation import simulate

TITLE = "Risk at unequal drifts with short steps"
EFFORT = 25.0

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
    steps = preset.short_steps
    return xr.concat(
        [
            at_step(
                dt,
                TIME_COSTS if k == 0 else TIME_COSTS[-1:],
                fewer,
                seed,
                stretch(progress, k / len(steps), (k + 1) / len(steps)),
                _by_trials,
                rtol=1e-4,
            )
            for k, dt in enumerate(steps)
        ],
        xr.DataArray(list(steps), dims="dt", attrs={"units": "s"}, name="dt"),
        join="outer",
    )


def _by_trials(solution: Solution, strategy: Strategy, preset: Preset, seed: int) -> Scores:
    """Score one strategy on trials."""
    unknown = (math.nan,) * 3
    if strategy is solution.strategy:
        return Scores(solution.risk, solution.risk_error, *(unknown,) * 4)
    task, costs = solution.task, solution.costs
    scoring = fresh_seed(seed, Purpose.RISK_FIGURE)
    n = max(1000, preset.score_trials // SCORE_SHARE)
    found = simulate(task, strategy, n, scoring, keep=False).summary(costs)
    risk, se = found.risk, found.risk_se
    if risk < (1 + FAR) * solution.risk:
        excess = OptimalReference(solution, REGRET_TRIALS, scoring).excess(strategy)
        risk, se = solution.risk + excess.value, excess.se
    conditions = (found.absent, *found.locations)
    return Scores(
        risk,
        MARGIN * se,
        tuple(one.error_rate for one in conditions),
        tuple(one.mean_rt for one in conditions),
        tuple(MARGIN * one.error_rate_se for one in conditions),
        tuple(MARGIN * one.mean_rt_se for one in conditions),
    )
