"""What holds beyond the paper where items are reshuffled, so that their places are forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import CLOSE, HIGHLY, NEGLIGIBLE, Bound
from popout.paper.claims.claim import CHAPTER, Check, Claims
from popout.paper.claims.measure import Measured, above, below, excess, near, with_se, within
from popout.paper.figures.memory import GUIDED, MEMORY, STAYS, kept_at

WAYS = ("serial", "parallel")
HALF = Bound(50.0, "%", "nearer to half than to a quarter or to three quarters")
QUARTER = 25.0
SAME_SHARE = Bound(5.0, "percentage points", "a twentieth of what memory buys")
ITEM, MIDDLE = 0.5, 2.0
"""Information of a location that keeps half; a period at which ways of looking differ."""

CLAIMS = Claims(data=(MEMORY,), where=CHAPTER, new=True)


def _glimpses(memory: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    for k in range(memory.sizes["glimpse"]):
        glimpse = memory.isel(glimpse=k)
        size, information = (float(glimpse[f"glimpse_{x}"]) for x in ("size", "information"))
        yield f"{size:g} locations, a glimpse of {information:g}", glimpse


def _cases(memory: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the data of every set size and cost of time, in words."""
    for k in range(memory.sizes["case"]):
        case = memory.isel(case=[k])
        yield f"{int(case['set_size'][0])} locations, cost {float(case['time_cost'][0]):g}", case


def _more(case: xr.Dataset, name: str, over: str, period: float, over_period: float) -> Measured:
    """Return by how many percent a risk lies above another, of another period or way of looking."""
    here = case.isel(case=0)
    risk, base = (here.sel(attention=a, period=p) for a, p in ((name, period), (over, over_period)))
    ratio = risk["risk"] / base["risk"]
    error = [each["risk_se"] / each["risk"] for each in (risk, base)]
    return with_se(100 * (ratio - 1), 100 * ratio * (error[0] ** 2 + error[1] ** 2) ** 0.5)


@CLAIMS.add(
    "An observer who never remembers a place learns whether there is a target from 1/M² of the "
    "information, wherever attention goes.",
    rule="If items are reshuffled after every glimpse, the risks of parallel, guided, serial and "
    "optimal attention come close to that of a single location with 1/M² of the information.",
)
def without_memory_looking_is_alike(memory: xr.Dataset) -> Iterator[Check]:
    """Check risks of glimpses against the closed form."""
    for name, glimpse in _glimpses(memory):
        limit = glimpse["glimpse_limit"]
        off = excess(glimpse["glimpse_risk"], limit, glimpse["glimpse_risk_se"])
        yield below(
            f"{name}: how far a risk is from it, at the most",
            within(abs(off.value), off.error),
            CLOSE,
        )


@CLAIMS.add(
    "In a single glimpse no place deserves more attention than another.",
    rule="If items are reshuffled after every glimpse, the excess risk of equal shares over the "
    "best ones is negligible.",
)
def equal_shares_best_in_a_glimpse(memory: xr.Dataset) -> Iterator[Check]:
    """Check the excess of equal shares where all of a display is a single look."""
    for name, glimpse in _glimpses(memory):
        risk, error = (glimpse[f"glimpse_{each}"] for each in ("risk", "risk_se"))
        equal, best = (risk.sel(attention=each) for each in ("parallel", "optimal"))
        errors = error.sel(attention=["parallel", "optimal"]).sum(skipna=False)
        what = f"{name}: excess risk of equal shares"
        yield below(what, excess(equal, best, errors), NEGLIGIBLE.because("a risk called the same"))


@CLAIMS.add(
    "Half of what memory of places buys is kept if a location that is looked at gets half a unit "
    "of information between two reshuffles, one nat on average, whatever the set size.",
    rule="For serial attention, which gives all to one location, and for parallel attention, which "
    "gives it a share 1/M, the share kept is nearer to half than to a quarter or three quarters.",
)
def horizon_of_memory_is_an_item(memory: xr.Dataset) -> Iterator[Check]:
    """Check what is kept at the same information of a location."""
    for name, case in _cases(memory):
        for way in WAYS:
            share, error = (100 * each[0] for each in kept_at(case, way, ITEM))
            what = f"{name}, {way} attention: share of what memory buys that is kept"
            yield near(what, with_se(share, error), HALF, QUARTER / 2)


@CLAIMS.add(
    "The horizon of memory does not depend on the cost of time.",
    rule="At two locations and costs of time that differ by a factor of twenty the shares kept at "
    "this information differ by less than five percentage points.",
)
def horizon_whatever_time_costs(memory: xr.Dataset) -> Iterator[Check]:
    """Check what is kept at two costs of time."""
    two = memory.sel(case=memory["set_size"] == 2)
    for name in (*WAYS, GUIDED):
        share, error = kept_at(two, name, ITEM)
        what = f"{name} attention: difference of the shares kept"
        change = within(100 * abs(share[0] - share[1]), 100 * error.sum(skipna=False))
        yield below(what, change, SAME_SHARE)


@CLAIMS.add(
    "Attention in proportion to the posterior does as well as serial attention while items stay, "
    "and worse where they are reshuffled.",
    rule="Its excess risk over serial attention is small for items that stay, and more than small "
    "with two units of information between two reshuffles.",
)
def guided_attention_needs_time(memory: xr.Dataset) -> Iterator[Check]:
    """Check guided against serial attention, with and without reshuffles."""
    for name, case in _cases(memory):
        if not bool(case["risk"].sel(attention=GUIDED, period=STAYS).isnull().all()):
            what = f"{name}: excess risk of guided over serial attention, items"
            still = _more(case, GUIDED, "serial", STAYS, STAYS)
            yield below(f"{what} that stay", still, CLOSE)
            moved = _more(case, GUIDED, "serial", MIDDLE, MIDDLE)
            yield above(f"{what} that are reshuffled", moved, CLOSE)


@CLAIMS.add(
    "Reshuffling harms those who divide attention equally, too: nobody needs to look anywhere to "
    "need memory of places.",
    rule="Their risk with two units of information between two reshuffles lies above that of items "
    "that stay by more than experiments can miss.",
)
def equal_shares_lose_too(memory: xr.Dataset) -> Iterator[Check]:
    """Check what reshuffles cost where rates are fixed and equal."""
    for name, case in _cases(memory):
        what = f"{name}, parallel attention: excess risk over items that stay"
        yield above(what, _more(case, "parallel", "parallel", MIDDLE, STAYS), HIGHLY)
