"""Claims about the scales of the conjecture: those printed, and what they depend on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, SAME_SCALE, Bound
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, cases, each, near, with_se, within

SIDES = {"absent": "a_-", "present": "a_+"}
HALF_DIGIT = {2.0: 0.005, 4.0: 0.05}
"""Half of the last printed digit: 4.61 and 1.50 at drift 2/s, 3.9 and 1.5 at drift 4/s."""
CAPTIONS = "captions of fig-optthresh2Ddiffsnr and fig-optthresh2D"


@claim(
    "The reference location of the Extension may be chosen at will.",
    where="Results, Extension",
    rule="When the locations change places, the scale times the threshold of the reference "
    "location, which fixes the surface, stays as it is.",
    quote="arbitrarily chosen to be location M",
)
def reference_location_arbitrary(scales: xr.Dataset) -> Iterator[Check]:
    """Check that exchanging the locations leaves the fitted surface as it is."""
    as_printed, exchanged = scales["scale_times_tau"]
    for side, sign in SIDES.items():
        yield below(
            f"locations exchanged: change of {sign} tau of the reference location",
            100 * abs(exchanged.sel(side=side) / as_printed.sel(side=side) - 1),
            NEGLIGIBLE,
        )


@claim(
    "The scales of the optimal boundary are those printed: 1.50 and 4.61 at drift 2/s, 1.5 and 3.9 "
    "at drift 4/s.",
    where=CAPTIONS,
    rule="Each scale fitted to the exact boundary rounds to the printed number.",
    quote="a_+ = 1.50 and a_- = 4.61",
)
def printed_scales(scales: xr.Dataset) -> Iterator[Check]:
    """Check fitted scales against those of the captions."""
    for name, case in cases(scales):
        for side, sign in SIDES.items():
            here = case.sel(side=side)
            printed = float(here["scale"].sel(pair="printed"))
            yield near(
                f"{sign} at {name}, fitted",
                within(here["scale"].sel(pair="fitted"), here["scale_change"]),
                Bound(printed, reason="the printed number, to half of its last digit"),
                tolerance=HALF_DIGIT[float(case["drift"])],
            )


def _pair_costs(data: xr.Dataset, pair: str, words: str) -> Iterator[Check]:
    for name, case in cases(data.sel(pair=pair)):
        yield below(
            f"{name}: excess risk of a-SPRT with {words}",
            with_se(100 * case["excess"], 100 * case["excess_se"]),
            NEGLIGIBLE,
        )


@claim(
    "a-SPRT with the printed scales approximates the optimum.",
    where=CAPTIONS,
    rule="Its excess risk is negligible at every cost.",
)
def printed_scales_suffice(scales: xr.Dataset) -> Iterator[Check]:
    """Check what the printed scales lose."""
    yield from _pair_costs(scales, "printed", "the printed scales")


@claim(
    "One pair of scales serves every cost of time at one drift.",
    where="caption of fig-optthresh2Ddiffsnr (a, b)",
    rule="With the geometric mean of the pairs fitted at each cost, the excess risk is negligible "
    "at every cost.",
)
def one_pair_for_all_costs(scales: xr.Dataset) -> Iterator[Check]:
    """Check what one pair for all costs loses, at the drift that has several costs."""
    drift = scales["drift"].to_numpy()
    several = scales.isel(case=np.flatnonzero(drift == drift[0]))
    yield from _pair_costs(several, "one for all costs", "one pair for all costs")


@claim(
    "For equal drifts a_+ lies below one and a_- above.",
    where="follows from Results, Decision surfaces comparison (SPRT, a = 1, is conservative)",
    rule="It does so at every drift and set size that was solved.",
    new=True,
)
def scales_around_one(larger_sets: xr.Dataset) -> Iterator[Check]:
    """Check on which side of one each scale lies, at every drift and set size."""
    for side, check in (("absent", above), ("present", below)):
        for drift, at_drift in each(larger_sets.sel(side=side), "drift"):
            yield check(
                f"{SIDES[side]} at drift {drift:g}/s",
                within(at_drift["scale"], at_drift["scale_change"]),
                Bound(1.0, reason="a = 1 is SPRT"),
            )


@claim(
    "The scales hardly depend on the number of locations.",
    where="Discussion, second open question",
    rule="Over the set sizes that were solved each scale changes by less than the bound.",
    new=True,
)
def scales_same_for_all_sets(larger_sets: xr.Dataset) -> Iterator[Check]:
    """Check how much each scale changes with the set size."""
    for side, sign in SIDES.items():
        for drift, at_drift in each(larger_sets.sel(side=side), "drift"):
            scale, least = at_drift["scale"], float(at_drift["scale"].min())
            error = 100 * 2 * at_drift["scale_change"].max() / least
            yield below(
                f"{sign} at drift {drift:g}/s: largest over set sizes against the smallest",
                within(100 * (scale.max() / least - 1), error),
                SAME_SCALE,
            )
