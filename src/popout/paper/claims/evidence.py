"""Claims about evidence: ratios that lose nothing, and the footnote on scene complexity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, ROUNDING, Bound
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, each, with_se

FOOTNOTE = "Results, Search with unknown scene complexity, footnote"


@claim(
    "The log likelihood ratios of discrimination, homogeneous and heterogeneous search lose no "
    "information: they are the exact ratio of the two likelihoods.",
    where="Results, Optimal evidence accumulation; Equations 1 to 5",
    rule="Each ratio equals enumeration over target location, mixture and orientations up to "
    "rounding.",
    quote="lossless evidence accumulation",
)
def evidence_lossless(lossless: xr.Dataset) -> Iterator[Check]:
    """Check each ratio against enumeration."""
    for case, ratio in each(lossless, "case"):
        what = f"{case}: largest difference from enumeration"
        yield below(what, ratio["largest_difference"], ROUNDING)


@claim(
    "Treating unknown scene complexity as a mixture of set sizes gives a conservative log "
    "likelihood ratio, one that lies nearer to zero.",
    where=FOOTNOTE,
    rule="The mean shift towards zero is positive, however visible the blanks are.",
    quote="leading to conservative estimates of the log likelihood ratio",
)
def scene_bias_conservative(scene_bias: xr.Dataset) -> Iterator[Check]:
    """Check the shift towards zero at every visibility of the blanks."""
    for b, bias in each(scene_bias, "visibility"):
        yield above(
            f"blanks told apart at ±{b:g}/s: mean shift of the ratio towards zero",
            with_se(bias["towards_zero"], bias["towards_zero_se"]),
            Bound(0.0, "nats", "the sign alone is claimed"),
        )


@claim(
    "When blanks are told apart at once the consequence of that bias is negligible.",
    where=FOOTNOTE,
    rule="With the most visible blanks, the bias, the information it loses and the errors it adds "
    "are all below the bounds for negligible.",
    quote="the consequence of the bias is negligible",
)
def scene_bias_negligible(scene_bias: xr.Dataset) -> Iterator[Check]:
    """Check the bias and its consequences where blanks are told apart fastest."""
    most_visible = scene_bias.isel(visibility=-1)
    seen = f"blanks told apart at ±{float(most_visible['visibility']):g}/s"
    rms = float(most_visible["rms"])
    yield below(
        f"{seen}: root mean square bias of the log likelihood ratio",
        with_se(rms, rms / np.sqrt(2 * scene_bias.attrs["trials"])),
        NEGLIGIBLE_NATS,
    )
    yield below(
        f"{seen}: information lost about the target's presence",
        with_se(most_visible["information_lost"], most_visible["information_lost_se"]),
        NEGLIGIBLE_NATS.because("one part in 70 of a bit"),
    )
    share = 100 / float(most_visible["error_rate"])
    yield below(
        f"{seen}: errors added, of all errors after {scene_bias.attrs['seconds']:g} s",
        with_se(share * most_visible["more_errors"], share * most_visible["more_errors_se"]),
        NEGLIGIBLE.because("the same bound as for risks"),
    )
