"""What holds beyond the paper, where a rate of information is shared out among the locations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import CLOSE, NEGLIGIBLE, NOTHING, SIMILAR_RATE, TWICE, Bound
from popout.paper.claims.claim import CHAPTER, Check, Claims
from popout.paper.claims.measure import (
    Measured,
    above,
    below,
    computed_excess,
    each,
    excess,
    independent,
    near,
    stored,
    with_se,
    within,
)
from popout.paper.figures.slopes_and_errors import SLOPES_AND_ERRORS
from popout.paper.figures.where_to_look import WHERE_TO_LOOK
from popout.paper.figures.worth_a_look import WORTH_A_LOOK, bracket

SIDES = ("absent", "present")
GUIDED = "guided, g = 1"
SPARING = ("serial", GUIDED)
"""Policies that spend their information where the target may be."""


def _cases(data: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    for k in range(data.sizes["case"]):
        case = data.isel(case=k)
        M, drift, cost = (float(case[name]) for name in ("locations", "drift", "time_cost"))
        yield f"{M:g} locations, {M * drift**2:g}/s of information, cost {cost:g}/s", case


_excess = partial(computed_excess, dim="attention")


CLAIMS = Claims(data=(WHERE_TO_LOOK,), where=CHAPTER, new=True)


@CLAIMS.add(
    "Attention to the most likely location alone, with its best stopping, comes close to the joint "
    "optimum.",
    rule="At two and three locations its excess risk is small.",
)
def serial_close_to_optimal(where_to_look: xr.Dataset) -> Iterator[Check]:
    """Check the excess of serial attention."""
    for name, case in _cases(where_to_look):
        yield below(f"{name}: excess risk of serial attention", _excess(case, "serial"), CLOSE)


@CLAIMS.add(
    "So does attention in proportion to the posterior.",
    rule="At two and three locations its excess risk is small.",
)
def guided_close_to_optimal(where_to_look: xr.Dataset) -> Iterator[Check]:
    """Check the excess of guided attention."""
    for name, case in _cases(where_to_look):
        yield below(f"{name}: excess risk of guided attention", _excess(case, GUIDED), CLOSE)


@CLAIMS.add(
    "In continuous time attention to the most likely of two equal locations is optimal.",
    rule="Its excess risk, extrapolated to short steps, is negligible.",
)
def serial_optimal_in_continuous_time(where_to_look: xr.Dataset) -> Iterator[Check]:
    """Check the excess of serial attention in the limit of short steps."""
    serial, best = (where_to_look["limit_risk"].sel(limit=name) for name in ("serial", "optimal"))
    more = excess(serial, best, where_to_look["limit_risk_error"].sum())
    yield below("excess risk of serial attention", more, NEGLIGIBLE)


@CLAIMS.add(
    "With two locations dividing attention equally costs a quarter to a third of the risk.",
    rule="The excess risk of equal shares, with their best stopping, is that, give or take one "
    "percent.",
)
def dividing_costs(where_to_look: xr.Dataset) -> Iterator[Check]:
    """Check the excess of equal shares at two locations."""
    low, high = 25.0, 100.0 / 3.0
    middle = Bound((low + high) / 2, "%", "the middle between a quarter and a third")
    for name, case in _cases(where_to_look):
        if int(case["locations"]) == 2:
            what = f"{name}: excess risk of equal shares"
            yield near(what, _excess(case, "parallel"), middle, (high - low) / 2 + 1.0)


def _ratio(data: xr.Dataset, attention: str) -> Measured:
    """Return the slope without a target over that with one."""
    policy = data.sel(attention=attention)
    absent, present = policy["rt_slope_absent"], policy["rt_slope_present"]
    parts = (policy[f"rt_slope_{side}_se"] / policy[f"rt_slope_{side}"] for side in SIDES)
    return with_se(absent / present, abs(absent / present) * independent(*parts))


@CLAIMS.add(
    "Without a target response times grow about twice as steeply with the set size as with one, "
    "if attention is serial or guided.",
    data=(SLOPES_AND_ERRORS,),
    rule="The ratio of the slopes of mean response times rounds to two.",
)
def slopes_two_to_one(slopes_and_errors: xr.Dataset) -> Iterator[Check]:
    """Check the ratio of slopes of serial and guided attention."""
    for name in SPARING:
        what = f"{name} attention: slope without a target over that with one"
        yield near(what, _ratio(slopes_and_errors, name), TWICE, 0.5)


@CLAIMS.add(
    "If attention is divided equally, they grow alike.",
    data=(SLOPES_AND_ERRORS,),
    rule="The ratio of the slopes rounds to one.",
)
def parallel_slopes_one_to_one(slopes_and_errors: xr.Dataset) -> Iterator[Check]:
    """Check the ratio of slopes of equal shares."""
    what = "parallel attention: slope without a target over that with one"
    alike = Bound(1.0, reason="slopes that are alike")
    yield near(what, _ratio(slopes_and_errors, "parallel"), alike, 0.5)


def _growth(data: xr.Dataset, attention: str, side: str) -> Measured:
    """Return how much an error rate grows from the smallest to the largest set, in percent."""
    rates = stored(data.sel(attention=attention), f"error_rate_{side}")
    return 100 * (rates.isel(set_size=-1) - rates.isel(set_size=0))


@CLAIMS.add(
    "Misses of serial and guided observers grow with the set size, and their false alarms do not.",
    data=(SLOPES_AND_ERRORS,),
    rule="From the smallest to the largest set misses grow by more than experiments can miss, and "
    "false alarms change by less.",
)
def misses_grow_alarms_do_not(slopes_and_errors: xr.Dataset) -> Iterator[Check]:
    """Check misses and false alarms of serial and guided attention."""
    for name in SPARING:
        misses = _growth(slopes_and_errors, name, "present")
        yield above(f"{name} attention: misses, largest less smallest set", misses, SIMILAR_RATE)
        alarms = _growth(slopes_and_errors, name, "absent")
        what = f"{name} attention: false alarms, largest less smallest set"
        none = Bound(0.0, SIMILAR_RATE.unit, SIMILAR_RATE.reason)
        yield near(what, alarms, none, SIMILAR_RATE.value)


@CLAIMS.add(
    "Misses and false alarms of an observer who divides attention equally both grow.",
    data=(SLOPES_AND_ERRORS,),
    rule="From the smallest to the largest set both grow by more than experiments can miss.",
)
def parallel_errs_both_ways(slopes_and_errors: xr.Dataset) -> Iterator[Check]:
    """Check misses and false alarms of equal shares."""
    for side, words in (("present", "misses"), ("absent", "false alarms")):
        growth = _growth(slopes_and_errors, "parallel", side)
        yield above(f"parallel attention: {words}, largest less smallest set", growth, SIMILAR_RATE)


def _saved(at_cost: xr.Dataset, factor: int) -> Measured:
    """Return what looking saves at a visibility, in percent of the risk where nobody looks."""
    unseen = at_cost["risk"].isel(factor=0)
    error = 100 * (at_cost["risk_error"].isel(factor=[0, factor]).sum()) / unseen
    return within(100 * (1 - at_cost["risk"].isel(factor=factor) / unseen), error)


@CLAIMS.add(
    "A location is worth a look if its odds lie above the lower threshold of the discrimination "
    "that is left there, and hardly before.",
    data=(WORTH_A_LOOK,),
    rule="At two locations the exact optimum begins to look at the one seen less well at the "
    "visibility that follows, within fifteen percent, and below it a look saves nothing that "
    "matters.",
)
def worth_a_look_rule(worth_a_look: xr.Dataset) -> Iterator[Check]:
    """Check where the exact optimum begins to look, and what a look saves below."""
    ends = bracket(worth_a_look)
    same = Bound(1.0, reason="the rule, with the same steps")
    for (cost, at_cost), (low, high) in zip(each(worth_a_look, "time_cost"), ends, strict=True):
        where = within((low + high) / 2, (high - low) / 2)
        what = f"cost {cost:g} of the information: visibility where looking begins, over the rule"
        yield near(what, where, same, 0.15)
        below_rule = int(np.flatnonzero((at_cost["factor"] < 1.0).to_numpy())[-1])
        yield below(
            f"cost {cost:g} of the information: risk saved by looking below the rule",
            _saved(at_cost, below_rule),
            NEGLIGIBLE.because("a risk that is called the same"),
        )
        what = f"cost {cost:g} of the information: risk saved by looking far above it"
        yield above(what, _saved(at_cost, -1), NOTHING)
