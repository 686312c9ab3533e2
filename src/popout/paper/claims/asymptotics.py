r"""Claims about long decisions: what SPRT loses as time gets cheap, and the formulas of Methods.

**`asymptotics`.** What becomes of SPRT as time gets cheap, and the approximations of Methods.

*SPRT.* Its thresholds are those of discrimination. Risks of SPRT and of the optimum are computed
exactly, for two locations and ever lower costs of time: the excess over the optimum, in percent, is
to vanish if SPRT is asymptotically optimal.

*Methods, "Translating optimal thresholds", II.* With thresholds :math:`\pm\gamma` that are far
apart the paper takes :math:`\mathrm{RT} \approx k\gamma` (it prints :math:`kC\gamma`),
:math:`\mathrm{ER} \approx 1/(1 + e^\gamma)` and hence :math:`\tau \approx -\log(kC)`, where k is
inversely proportional to the drift. In continuous time all of them are known:

.. math::

   \mathrm{ER} = \frac{1}{1 + e^\gamma}, \qquad
   \mathrm{RT} = \frac{\gamma}{2\mu^2} \tanh\frac{\gamma}{2}, \qquad
   \frac{C}{\mu^2}\,(\sinh\tau + \tau) = 1,

so that the error rate is exact, :math:`k = 1/2\mu^2` goes with the square of the drift, and the
threshold :math:`\log(2\mu^2/C)` is off by what :math:`2\tau e^{-\tau}` is to one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.exact import evaluate, solve
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.paper.claims.bounds import NEGLIGIBLE, NOTHING, NOTICEABLE_NATS, SIMILAR_RT
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import above, below, within
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import SPRT
from popout.progress import Progress
from popout.reports.cells import NATS, Variables, over
from popout.task import Costs, SearchTask

TASK = SearchTask(n_locations=2, drift=4.0)
TIME_COSTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
RTOL = 1e-5
RATES = (1.0, 0.1, 0.01, 0.001)
"""Costs of time over the squared drift, in continuous time."""
DRIFTS = (2.0, 4.0)


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the excess of SPRT and the errors of the approximations; nothing is random."""
    percent = {"units": "%"}

    def excess(cost: float) -> Variables:
        costs = Costs(time=cost)
        optimum = solve(TASK, costs, RTOL)
        sprt = evaluate(TASK, SPRT.for_task(TASK, costs), costs, RTOL)
        error = 100 * (sprt.risk_error + optimum.risk_error) / optimum.risk
        return {
            "excess": ((), 100 * (sprt.risk / optimum.risk - 1), percent),
            "excess_error": ((), error, percent),
        }

    def formulas(rate: float) -> Variables:
        tau = threshold(1.0, rate)
        return {
            "threshold": ((), tau, NATS),
            "threshold_off": ((), np.log(2 / rate) - tau, NATS),
            "rt_off": ((), 100 * (1 / math.tanh(tau / 2) - 1), percent),
        }

    high = threshold(1.0, RATES[-1])
    fast, slow = (mean_rt(drift, high) / high for drift in (max(DRIFTS), min(DRIFTS)))
    return xr.Dataset(
        {
            **over({"time_cost": TIME_COSTS}, excess, progress),
            **over({"rate": RATES}, formulas),
            "power": ((), math.log(slow / fast) / math.log(max(DRIFTS) / min(DRIFTS))),
        },
        coords={"time_cost": list(TIME_COSTS), "rate": list(RATES)},
        attrs={"drift": TASK.drifts[0], "dt": TASK.dt},
    )


def threshold(drift: float, cost: float) -> float:
    """Return the optimal upper threshold of discrimination in continuous time."""
    return ContinuousDiscrimination.of(drift, Costs(time=cost)).upper


def mean_rt(drift: float, gamma: float) -> float:
    """Return the mean decision time between two thresholds, in seconds."""
    return gamma * math.tanh(gamma / 2) / (2 * drift**2)


ASYMPTOTICS = PaperPart("asymptotics", "As time gets cheap", compute, 3.0)

METHODS = "Methods, Translating optimal thresholds, II"


CLAIMS = Claims(data=(ASYMPTOTICS,))


@CLAIMS.add(
    "SPRT with the thresholds of discrimination is asymptotically optimal in search.",
    where="Results, Conjecture for high-dimensional problems; Strategies, SPRT-opt",
    rule="With two locations its excess risk falls with every step to a lower cost of time, and is "
    "negligible at the lowest.",
    quote="proven only asymptotically optimal",
)
def sprt_asymptotically_optimal(asymptotics: xr.Dataset) -> Iterator[Check]:
    """Check that the excess falls, and where it ends."""
    excess, error = asymptotics["excess"], asymptotics["excess_error"]
    fall = -excess.diff("time_cost")
    what = "SPRT: fall of the excess risk from one cost to the next"
    yield above(what, within(fall, error.rolling(time_cost=2).sum().dropna("time_cost")), NOTHING)
    last = {"time_cost": -1}
    cost = float(asymptotics["time_cost"].isel(last))
    what = f"SPRT, cost {cost:g}/s: excess risk over the optimum"
    yield below(what, within(excess.isel(last), error.isel(last)), NEGLIGIBLE)


@CLAIMS.add(
    "With thresholds far apart the mean response time is proportional to the threshold, and the "
    "best threshold is minus the logarithm of the cost of a unit of it.",
    where=METHODS,
    rule="In continuous time at one location both formulas are off by little where time costs a "
    "hundredth or less of the squared drift.",
    quote="assuming the two thresholds are far apart",
)
def approximations_of_methods(asymptotics: xr.Dataset) -> Iterator[Check]:
    """Check response time and threshold, wherever thresholds are far apart and where they are not.

    Those that are close together count too: they are what the paper's figures have at high costs.
    """
    for rate in asymptotics["rate"].to_numpy():
        at = asymptotics.sel(rate=rate)
        where = f"cost {rate:g} of the squared drift, thresholds ±{float(at['threshold']):.2g}"
        yield below(f"{where}: response time taken too long by", at["rt_off"], SIMILAR_RT)
        yield below(f"{where}: threshold taken too high by", at["threshold_off"], NOTICEABLE_NATS)
