"""What the paper's words mean in numbers.

One number for each word (`Bound`), the same for every claim. They come from what an experiment or
the paper's own simulations could tell apart. Those of the paper's claims were fixed before the
claims were computed; those of the chapters beyond it (`CLOSE` and the bounds in
`limited_information`, `horizon_of_memory` and `eye_movements`) after probes had shown the size of
the effects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Bound:
    """A number that a measurement must clear.

    Attributes
    ----------
    value : float
    unit : str
        Of the number and of what is measured; empty for a pure number.
    reason : str
        Why this number.

    Examples
    --------
    >>> -Bound(0.01, "nats")
    Bound(value=-0.01, unit='nats', reason='')
    """

    value: float
    unit: str = ""
    reason: str = ""

    def __neg__(self) -> Bound:
        """Return the bound on the other side of zero."""
        return replace(self, value=-self.value)

    def because(self, reason: str) -> Bound:
        """Return the same bound for another reason."""
        return replace(self, reason=reason)


NOTHING = Bound(0.0, "%", "any difference counts that exceeds its own error")
"""A difference in percent that is none: what lies above it is more, however little.

A strategy is "sub-optimal" if its excess risk is above nothing."""
NEGLIGIBLE = Bound(
    0.1, "%", "a tenth or less of the standard error of a risk from the paper's 10k runs"
)
"""Excess risk: below it a strategy "matches" the optimum. It makes no strategy optimal."""
HIGHLY = Bound(
    1.0, "%", "as little as the standard error of a risk from the paper's 10k runs (1 to 5 %) shows"
)
"""Excess risk that makes a strategy "highly sub-optimal"."""
CLOSE = Bound(
    5.0, "%", "the most that the standard error of a risk from the paper's 10k runs (1 to 5 %) is"
)
"""Excess risk within which a policy "comes close" to the optimum."""
TWICE = Bound(2.0, reason="twice")
"""Ratio that is "about two to one", if it rounds to it."""
NEGLIGIBLE_NATS = Bound(0.01, "nats", "changes the odds by 1 %")
"""A shift of evidence or of a boundary that "does not affect the result"."""
NOTICEABLE_NATS = Bound(0.1, "nats", "changes the odds by 10 %")
"""A distance between boundaries below which they "match" and above which they "differ"."""
SIMILAR_RT = Bound(5.0, "%", "what some 1k trials of each kind could tell apart")
"""Difference of mean response times within which they are "similar"."""
SIMILAR_RATE = Bound(1.0, "percentage points", SIMILAR_RT.reason)
"""Difference of error rates within which they are "similar"."""
WIDE = Bound(2.0, reason="wide")
"""Ratio of standard deviations that makes a spread "wide"."""
RARE = Bound(5.0, "%", "rare")
"""Share of trials below which something happens "rarely"."""
ALMOST_ALL = Bound(90.0, "%", "almost all")
"""Share of scenarios that is "almost all"."""
SAME_SCALE = Bound(5.0, "%", "called the same")
"""Difference of scales within which they are called the same."""
ROUNDING = Bound(1e-9, "nats", "rounding")
"""Difference that rounding explains in double precision."""
