"""Claims about long decisions: what SPRT loses as time gets cheap, and the formulas of Methods."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NOTHING, NOTICEABLE_NATS, SIMILAR_RT
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, within

METHODS = "Methods, Translating optimal thresholds, II"


@claim(
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
    yield above(
        "SPRT: fall of the excess risk from one cost to the next",
        within(fall, error.rolling(time_cost=2).sum().dropna("time_cost")),
        NOTHING,
    )
    last = {"time_cost": -1}
    cost = float(asymptotics["time_cost"].isel(last))
    yield below(
        f"SPRT, cost {cost:g}/s: excess risk over the optimum",
        within(excess.isel(last), error.isel(last)),
        NEGLIGIBLE,
    )


@claim(
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
