"""What the paper's words are taken to mean: one number for each, the same for every claim.

They were fixed before the claims were computed, from what an experiment or the paper's own
simulations could tell apart, and are not adjusted to a result.
"""

from __future__ import annotations

__all__ = [
    "ALMOST_ALL",
    "HIGHLY",
    "NEGLIGIBLE",
    "NEGLIGIBLE_NATS",
    "NOTICEABLE_NATS",
    "RARE",
    "REASONS",
    "ROUNDING",
    "SAME_SCALE",
    "SIMILAR_RATE",
    "SIMILAR_RT",
    "WIDE",
]

NEGLIGIBLE = 0.1
"""Excess risk in percent: below it a strategy "matches" the optimum, above it is "sub-optimal"."""
HIGHLY = 1.0
"""Excess risk in percent that makes a strategy "highly sub-optimal"."""
NEGLIGIBLE_NATS = 0.01
"""A shift of evidence or of a boundary that "does not affect the result"."""
NOTICEABLE_NATS = 0.1
"""A distance between boundaries below which they "match" and above which they "differ"."""
SIMILAR_RT = 5.0
"""Difference of mean response times in percent within which they are "similar"."""
SIMILAR_RATE = 1.0
"""Difference of error rates in percentage points within which they are "similar"."""
WIDE = 2.0
"""Ratio of standard deviations that makes a spread "wide"."""
RARE = 5.0
"""Share of trials in percent below which something happens "rarely"."""
ALMOST_ALL = 90.0
"""Share of scenarios in percent that is "almost all"."""
SAME_SCALE = 5.0
"""Difference of scales in percent within which they are called the same."""
ROUNDING = 1e-9
"""Difference in nats that rounding explains in double precision."""

REASONS = {
    NEGLIGIBLE: "a tenth or less of the standard error of a risk from the paper's 10k runs",
    HIGHLY: "as little as the standard error of a risk from the paper's 10k runs (1 to 5 %) shows",
    NEGLIGIBLE_NATS: "changes the odds by 1 %",
    NOTICEABLE_NATS: "changes the odds by 10 %",
}
"""Why these bounds, by their value; the others say it where they are used."""
