r"""One measured number against the bound that a claim sets it.

A number :math:`v` comes with an error :math:`e`: a standard error, or a bound on the error of a
computation. Its margin :math:`m` is twice a standard error, or the bound itself. The number clears
its bound :math:`b` only if it does so with its margin:

=============  =====================  =====================
relation       passes                 fails
=============  =====================  =====================
below b        v + m < b              v - m >= b
above b        v - m > b              v + m <= b
near b, by d   abs(v - b) + m <= d    abs(v - b) - m > d
=============  =====================  =====================

In every other case, and where there is no number, the check is undecided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

STANDARD_ERRORS = 2.0
"""A standard error is doubled before a number must clear its bound: some 95 % either way."""


class Relation(StrEnum):
    """What a number must do to its bound."""

    BELOW = "below"
    ABOVE = "above"
    NEAR = "near"


class ErrorKind(StrEnum):
    """What the error of a number means."""

    STANDARD = "standard error"
    BOUND = "bound on the error"


class Outcome(StrEnum):
    """What became of a check."""

    PASSES = "passes"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Check:
    """A number, its error, and what it must satisfy.

    Parameters
    ----------
    what : str
        What was measured, in words.
    value : float
    relation : Relation
    bound : float
        For `Relation.NEAR`, the number that `value` must come near to.
    error : float
        Not negative.
    error_kind : ErrorKind
    unit : str
        Of value, error, bound and tolerance; empty for a pure number.
    tolerance : float
        How near is near.
    reason : str
        Why this bound.
    step : str
        The step at which it was measured, where there are several; empty otherwise.

    Examples
    --------
    >>> Check("excess risk", 0.05, Relation.BELOW, 0.1, error=0.01, unit="%").outcome.value
    'passes'
    >>> Check("excess risk", 0.09, Relation.BELOW, 0.1, error=0.01, unit="%").outcome.value
    'undecided'
    """

    what: str
    value: float
    relation: Relation
    bound: float
    error: float = 0.0
    error_kind: ErrorKind = ErrorKind.STANDARD
    unit: str = ""
    tolerance: float = 0.0
    reason: str = ""
    step: str = ""

    @property
    def margin(self) -> float:
        """How far the truth may lie from the value."""
        return self.error * (STANDARD_ERRORS if self.error_kind is ErrorKind.STANDARD else 1.0)

    @property
    def outcome(self) -> Outcome:
        """Whether the number clears its bound; see the head of the module."""
        v, m, b = self.value, self.margin, self.bound
        if not (math.isfinite(v) and math.isfinite(m) and math.isfinite(b)):
            return Outcome.UNDECIDED
        if self.relation is Relation.NEAR:
            passes = abs(v - b) + m <= self.tolerance
            fails = abs(v - b) - m > self.tolerance
        elif self.relation is Relation.BELOW:
            passes, fails = v + m < b, v - m >= b
        else:
            passes, fails = v - m > b, v + m <= b
        return Outcome.PASSES if passes else Outcome.FAILS if fails else Outcome.UNDECIDED

    @property
    def wanted(self) -> str:
        """The bound in words.

        Examples
        --------
        >>> Check("scale", 0.65, Relation.NEAR, 1.5, tolerance=0.005).wanted
        'within 0.005 of 1.5'
        """
        unit = f" {self.unit}" if self.unit else ""
        if self.relation is Relation.NEAR:
            return f"within {self.tolerance:.4g} of {self.bound:.4g}{unit}"
        return f"{self.relation.value} {self.bound:.4g}{unit}"

    @property
    def measured(self) -> str:
        """The value with its error, in words.

        Examples
        --------
        >>> Check("excess risk", 0.0512, Relation.BELOW, 0.1, error=0.01, unit="%").measured
        '0.0512 ± 0.01 %'
        """
        unit = f" {self.unit}" if self.unit else ""
        error = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.value:.4g}{error}{unit}"

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; a number that is not finite becomes None."""
        return {
            "what": self.what,
            "value": _finite(self.value),
            "error": _finite(self.error),
            "error_kind": self.error_kind.value,
            "relation": self.relation.value,
            "bound": _finite(self.bound),
            "tolerance": _finite(self.tolerance),
            "unit": self.unit,
            "reason": self.reason,
            "step": self.step,
            "outcome": self.outcome.value,
        }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
