r"""How long each strategy takes, and where the optimum decides.

At drift 4/s and cost 0.2/s, as in the comparison of decision surfaces (Figure 4): mean
response times of the optimum, SPRT and Hardmax when the target is absent and when
it is present. The rules of SPRT and Hardmax are evaluated on grids. The response times of the
optimum are derivatives of its risk: since it is best, a small change of the cost of time in one
class changes the risk by that class's response time alone,
:math:`\partial R^* / \partial C_{time,0} = (1 - p)\,E_0[T]`.

At a hard, a medium and an easy drift: the share of trials with a target in which the optimum
decides with Z1 > 0 and Z2 > 0, the region where boundaries differ most ("Risk comparison").

With one location the conjecture is SPRT and should be optimal; its risk stands beside the optimum.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from popout.analysis.thresholds import threshold_pair
from popout.exact import evaluate, solve
from popout.paper.preset import Preset
from popout.policies.stopping import SPRT, Hardmax
from popout.progress import Progress
from popout.simulation import simulate
from popout.task import Costs, SearchTask

TITLE = "Response times at two locations, and where the optimum decides"
EFFORT = 6.0

TASK = SearchTask(n_locations=2, drift=4.0)
COSTS = Costs(time=0.2)
STRATEGIES = ("optimal", "SPRT", "Hardmax")
TILT = 0.02
"""Relative change of the cost of time for the derivatives."""
DRIFTS = (2.0, 4.0, 12.0)
RTOL = 1e-5
FINE_RTOL = 3e-7


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return response times, shares of trials, and the risks at one location."""
    progress(0.0, "response times")
    pair = threshold_pair(TASK, COSTS)
    evaluations = [
        evaluate(TASK, recipe.for_task(TASK, *pair), COSTS, RTOL) for recipe in (SPRT, Hardmax)
    ]
    rt, rt_error = zip(
        *(optimal_rt(TASK, COSTS, present) for present in (False, True)), strict=True
    )
    progress(0.5, "where the optimum decides")
    n = preset.decision_trials
    share = np.empty(len(DRIFTS))
    for k, drift in enumerate(DRIFTS):
        task = SearchTask(n_locations=2, drift=drift)
        strategy = solve(task, COSTS, RTOL).strategy
        trials = simulate(task, strategy, n, seed, condition="present")
        share[k] = (trials.states(np.arange(n)) > 0).all(axis=1).mean()
    progress(0.9, "one location")
    single = SearchTask(n_locations=1, drift=4.0)
    optimum = solve(single, COSTS, RTOL)
    sprt = evaluate(single, SPRT.for_task(single, *threshold_pair(single, COSTS)), COSTS, RTOL)
    classes = ("strategy", "class")
    return xr.Dataset(
        {
            "mean_rt": (
                classes,
                [rt, *((f.rt_absent, f.rt_present) for f in evaluations)],
                {"units": "s"},
            ),
            "rt_error": (("strategy",), [max(rt_error), *(f.rt_error for f in evaluations)]),
            "both_positive": (("drift",), share),
            "both_positive_se": (("drift",), np.sqrt(share * (1 - share) / n)),
            "single_risk": (("single",), [optimum.risk, sprt.risk]),
            "single_risk_error": (("single",), [optimum.risk_error, sprt.risk_error]),
        },
        coords={
            "strategy": ("strategy", list(STRATEGIES)),
            "class": ("class", ["absent", "present"]),
            "drift": ("drift", list(DRIFTS), {"units": "1/s"}),
            "single": ("single", ["optimal", "SPRT"]),
        },
        attrs={"drift_strategies": 4.0, "time_cost": COSTS.time_absent, "trials": n},
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
    base = np.array([costs.time_absent, costs.time_present])
    share = task.prior if present else 1 - task.prior
    slopes, noise = [], 0.0
    for tilt in (TILT, 2 * TILT):
        ends = []
        for sign in (-1.0, 1.0):
            tilted = base.copy()
            tilted[int(present)] *= 1 + sign * tilt
            ends.append(
                solve(task, Costs((tilted[0], tilted[1]), costs.miss, costs.false_alarm), FINE_RTOL)
            )
        step = 2 * tilt * base[int(present)] * share
        slopes.append((ends[1].risk - ends[0].risk) / step)
        noise = max(noise, sum(end.risk_error for end in ends) / step)
    best = (4 * slopes[0] - slopes[1]) / 3
    return best, abs(best - slopes[0]) + noise
