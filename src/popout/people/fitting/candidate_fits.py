"""Candidates that were fitted to every observer, side by side; which is best, and how surely.

People are the sample: sums over observers have errors over people. Among candidates are what a
condition changes (`conditions`), and stopping rules (`popout.people.models.rule_models`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import listing

if TYPE_CHECKING:
    from popout.people.fitting.fit_job import ModelFit

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CandidateFits:
    """Candidates, fitted to every observer.

    Attributes
    ----------
    fits : dict of str to dict of str to ModelFit
        By observer and candidate.
    """

    fits: Mapping[str, Mapping[str, ModelFit]]

    @property
    def candidates(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(next(iter(self.fits.values())))

    def gains(self, measure: str, candidate: str, against: str | None = None) -> Array:
        """Return by how much a candidate is better for each observer: log units, or AIC.

        Better than another, or than the first candidate.
        """
        other = self.candidates[0] if against is None else against
        gains: list[float] = []
        for own in self.fits.values():
            first, second = own[candidate], own[other]
            if measure == "aic":
                gains.append(second.aic - first.aic)
            else:
                pair = np.array([first.cross_validated, second.cross_validated], np.float64)
                gains.append(float(pair[0] - pair[1]))
        return np.array(gains)

    @cached_property
    def measure(self) -> str:
        """What decides: held-out trials, or AIC without them."""
        known = all(
            fit.cross_validated is not None for own in self.fits.values() for fit in own.values()
        )
        return "held_out" if known else "aic"

    @property
    def by(self) -> str:
        """What decides, in words."""
        return "held-out trials" if self.measure == "held_out" else "AIC"

    @cached_property
    def best(self) -> str:
        """The candidate that predicts held-out trials best (or has the least AIC)."""
        return max(self.candidates, key=lambda name: self.gains(self.measure, name).sum())

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """Candidates that cannot be told apart from the best one."""
        others = [name for name in self.candidates if name != self.best]
        return tuple(n for n in others if not apart(self.gains(self.measure, self.best, n)))


@dataclass(frozen=True, eq=False)
class RuleFits(CandidateFits):
    """Models of stopping rules, fitted to every observer."""

    @property
    def verdict(self) -> str:
        """Which rule people follow, and how surely, in words."""
        ranked = sorted(self.candidates, key=lambda name: -self.gains(self.measure, name).sum())
        best, following = (
            next(iter(self.fits.values()))[name].fitted.model.label for name in ranked[:2]
        )
        gain, error = summed(self.gains(self.measure, ranked[0], ranked[1]))
        first = f"{best} is best by {self.by}"
        if len(self.fits) < 2:
            than = f"better than {following} by {gain:.1f}"
            return f"{first}, {than}; one observer gives no error over people."
        than = f"better than {following}, the next, by {gain:.0f} +- {error:.0f}"
        if not self.rivals:
            return f"{first} ({than})."
        others = self.fits[next(iter(self.fits))]
        rivals = listing([others[name].fitted.model.label for name in self.rivals])
        return f"{first} ({than}), but cannot be told apart from {rivals}."


def summed(values: Array) -> tuple[float, float]:
    """Return a sum over people and its standard error; nan for one person."""
    n = len(values)
    error = math.sqrt(n) * float(np.std(values, ddof=1)) if n > 1 else math.nan
    return float(values.sum()), error


def mean_interval(values: Array) -> tuple[float, float, float]:
    """Return the mean over people and its 95 % interval; nan for the interval of one person.

    Examples
    --------
    >>> [round(each, 2) for each in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.48, 4.48]
    """
    from scipy.stats import t

    n = len(values)
    mean = float(values.mean()) if n else math.nan
    half = float(t.ppf(0.975, n - 1) * values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return mean, mean - half, mean + half


def apart(values: Array) -> bool:
    """Whether the mean over people is surely above zero."""
    return mean_interval(values)[1] > 0.0
