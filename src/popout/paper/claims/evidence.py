"""Claims about evidence: ratios that lose nothing, and the footnote on scene complexity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, ROUNDING, Bound
from popout.paper.claims.check import Check
from popout.paper.claims.claim import claim
from popout.paper.claims.measure import above, below, each, near, with_se, within

FOOTNOTE = "Results, Search with unknown scene complexity, footnote"


@claim(
    "The log likelihood ratios of discrimination, homogeneous and heterogeneous search lose no "
    "information: they are the exact ratio of the two likelihoods.",
    where="Results, Optimal evidence accumulation; eq:discrim, eq:homo-search, eq:hetero-search",
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


@claim(
    "The log likelihood of the Gaussian input, the input itself and the lower test of the "
    "Extension are right as they are printed.",
    where="Methods, Gaussian input, eq:ll-gaussian-input; eq:lower-approx-diffsnr",
    rule="The log likelihood agrees with the density, the walk with its stated variance, and the "
    "Extension with the lower test as printed has a negligible excess risk.",
)
def equations_as_printed(printed_equations: xr.Dataset) -> Iterator[Check]:
    """Check three equations as they are printed."""
    data = printed_equations
    yield below(
        "log likelihood of a Gaussian walk as printed, two orientations: distance from the density",
        data["log_likelihood_difference"],
        ROUNDING,
    )
    yield near(
        "variance after 1 s of the walk as printed, over the variance stated",
        data["variance"] / data["variance_stated"],
        Bound(1.0, reason="it is the same law"),
        tolerance=0.001,
    )
    optimal = float(data["risk_optimal"])
    yield below(
        "Extension with its lower test as printed: excess risk",
        within(100 * (data["risk_as_printed"] / optimal - 1), 0.0),
        NEGLIGIBLE,
    )
