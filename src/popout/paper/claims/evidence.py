"""Claims about evidence: ratios that lose nothing, and the footnote on scene complexity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, ROUNDING
from popout.paper.claims.check import Check, ErrorKind
from popout.paper.claims.claim import Examination
from popout.paper.claims.measure import above, below, near

__all__ = ["EXAMINATIONS"]

FOOTNOTE = "Results, Search with unknown scene complexity, footnote"


def lossless(data: xr.Dataset) -> Iterator[Check]:
    """Check each ratio against enumeration."""
    for case in data["case"].to_numpy():
        yield below(
            f"{case}: largest difference from enumeration",
            data["largest_difference"].sel(case=case),
            ROUNDING,
            unit="nats",
            reason="rounding",
        )


def conservative(data: xr.Dataset) -> Iterator[Check]:
    """Check the shift towards zero at every visibility of the blanks."""
    for b in data["visibility"].to_numpy():
        one = data.sel(visibility=b)
        yield above(
            f"blanks told apart at ±{b:g}/s: mean shift of the ratio towards zero",
            one["towards_zero"],
            0.0,
            one["towards_zero_se"],
            unit="nats",
        )


def negligible(data: xr.Dataset) -> Iterator[Check]:
    """Check the bias and its consequences where blanks are told apart fastest."""
    one = data.isel(visibility=-1)
    seen = f"blanks told apart at ±{float(one['visibility']):g}/s"
    rms = float(one["rms"])
    yield below(
        f"{seen}: root mean square bias of the log likelihood ratio",
        rms,
        NEGLIGIBLE_NATS,
        rms / np.sqrt(2 * data.attrs["trials"]),
        unit="nats",
    )
    yield below(
        f"{seen}: information lost about the target's presence",
        one["information_lost"],
        NEGLIGIBLE_NATS,
        one["information_lost_se"],
        unit="nats",
        reason="one part in 70 of a bit",
    )
    share = 100 / float(one["error_rate"])
    yield below(
        f"{seen}: errors added, of all errors after {data.attrs['seconds']:g} s",
        share * one["more_errors"],
        NEGLIGIBLE,
        share * one["more_errors_se"],
        unit="%",
        reason="the same bound as for risks",
    )


def printed(data: xr.Dataset) -> Iterator[Check]:
    """Check three equations as they are printed."""
    yield below(
        "log likelihood of a Gaussian walk as printed, two orientations: distance from the density",
        data["log_likelihood_difference"],
        ROUNDING,
        unit="nats",
        reason="rounding",
    )
    yield near(
        "variance after 1 s of the walk as printed, over the variance stated",
        data["variance"] / data["variance_stated"],
        1.0,
        tolerance=0.001,
        reason="it is the same law",
    )
    optimal = float(data["risk_optimal"])
    yield below(
        "Extension with its lower test as printed: excess risk",
        100 * (data["risk_as_printed"] / optimal - 1),
        NEGLIGIBLE,
        unit="%",
        error_kind=ErrorKind.BOUND,
    )


EXAMINATIONS = (
    Examination(
        "evidence-lossless",
        "The log likelihood ratios of discrimination, homogeneous and heterogeneous search lose "
        "no information: they are the exact ratio of the two likelihoods.",
        "Results, Optimal evidence accumulation; eq:discrim, eq:homo-search, eq:hetero-search",
        "Each ratio equals enumeration over target location, mixture and orientations up to "
        "rounding.",
        ("lossless",),
        lossless,
        quote="lossless evidence accumulation",
    ),
    Examination(
        "scene-bias-conservative",
        "Treating unknown scene complexity as a mixture of set sizes gives a conservative log "
        "likelihood ratio, one that lies nearer to zero.",
        FOOTNOTE,
        "The mean shift towards zero is positive, however visible the blanks are.",
        ("scene-bias",),
        conservative,
        quote="leading to conservative estimates of the log likelihood ratio",
    ),
    Examination(
        "scene-bias-negligible",
        "When blanks are told apart at once the consequence of that bias is negligible.",
        FOOTNOTE,
        "With the most visible blanks, the bias, the information it loses and the errors it adds "
        "are all below the bounds for negligible.",
        ("scene-bias",),
        negligible,
        quote="the consequence of the bias is negligible",
    ),
    Examination(
        "equations-as-printed",
        "The log likelihood of the Gaussian input, the input itself and the lower test of the "
        "Extension are right as they are printed.",
        "Methods, Gaussian input, eq:ll-gaussian-input; eq:lower-approx-diffsnr",
        "The log likelihood agrees with the density, the walk with its stated variance, and the "
        "Extension with the lower test as printed has a negligible excess risk.",
        ("printed-equations",),
        printed,
    ),
)
