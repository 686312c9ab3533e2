"""Claims about what is not known: its price, and what a state has to hold."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from popout.paper.claims.bounds import HIGHLY, NOTHING, Bound
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, each, independent, with_se

SAME_STEP = Bound(1.0, "%", "a step whose law depends on more than the state")


@claim(
    "Not knowing the kind of distractors costs something; not knowing the set size costs hardly "
    "anything where blanks are told apart at once.",
    where="Discussion (unknown search parameters are marginalised out)",
    rule="On the same displays the best thresholds on the log likelihood ratio risk more without "
    "the knowledge of the kind than with it; without that of the set size, less than 1 % more. "
    "(First asked was whether both cost something; the words on the set size follow the number.)",
    new=True,
)
def uncertainty_has_a_price(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the price of each kind of uncertainty."""
    for name, risk in each(uncertainty, "unknown"):
        known = float(risk["risk_known"])
        price = 100 * (risk["risk_unknown"] - known) / known
        se = 100 * independent(risk["risk_unknown_se"], risk["risk_known_se"]) / known
        what = f"{name} unknown: risk above that with the knowledge"
        if name.startswith("kind"):
            yield above(what, with_se(price, se), NOTHING)
        else:
            yield below(what, with_se(price, se), HIGHLY)


@claim(
    "In discrimination the state is always one-dimensional.",
    where="Results, Optimal decision strategy",
    rule="At one log likelihood ratio, reached at two times, the next step has the same law.",
    quote="the state-space is always one-dimensional",
)
def discrimination_one_dimensional(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at one ratio, for single orientations and for sets of them."""
    for name, at in each(uncertainty, "state"):
        if name.startswith("discrimination"):
            what = f"{name}: standard deviation of the next step, difference at one ratio"
            yield below(what, at["step_difference"], SAME_STEP)


@claim(
    "Once distractors are inferred, heterogeneous search reduces to homogeneous search.",
    where="Results, Heterogeneous search",
    rule="At the same ratios of all locations, reached at two times after the distractors are "
    "known, the next step has the same law.",
    quote="after which the problem reduces to the well-understood, homogeneous visual search",
)
def reduces_to_homogeneous_search(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at the same ratios, late in a trial."""
    at = uncertainty.sel(state="tied distractors, once inferred")
    yield below(
        "after 0.6 s: standard deviation of the next step, difference at the same ratios",
        at["step_difference"],
        SAME_STEP,
    )


@claim(
    "Before distractors are inferred, when most decisions fall, it does not reduce: the ratios of "
    "the locations are not all that an ideal observer has to know.",
    where="Results, Heterogeneous search (what comes before)",
    rule="At the same ratios of all locations, reached at two times early in a trial, the next "
    "step has another law.",
    new=True,
)
def not_reduced_before(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at the same ratios, early in a trial."""
    at = uncertainty.sel(state="tied distractors, not inferred yet")
    yield above(
        "after 0.1 s: standard deviation of the next step, difference at the same ratios",
        at["step_difference"],
        SAME_STEP,
    )
