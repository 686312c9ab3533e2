r"""Whether targets are on half of the displays, as the models of people assume.

Models of search are fitted with an even prior and errors that cost the same. An observer who knows
that targets have the probability :math:`p` moves both thresholds by :math:`\log\frac{p}{1-p}`; with
one location, keeping those of an even prior adds less than 1 % to the risk at :math:`p = 0.45` and
more than 10 % at 0.2 (Wald's formulas). A base rate is *off* where it is farther from one half than
`MATTERS`, and the number :math:`k` of targets on :math:`n` displays cannot be chance,

.. math:: \frac{|k - n/2|}{\sqrt n / 2} > z ,

with :math:`z` for a false alarm in a hundred files, whatever the number of observers that are
tested. All displays together are tested as well: many observers with a few trials each may be off
without any of them showing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from popout.drawing.representation import count, listing

MATTERS = 0.05
"""Distance from one half that matters."""
FALSE_ALARMS = 0.01
"""Share of files with an even base rate that are called off all the same."""
SHOWN = 6
"""Observers whose base rates are listed."""


@dataclass(frozen=True)
class BaseRate:
    """How often a target is on the display.

    Attributes
    ----------
    n_present, n_displays : int
        Displays with a target, and all.
    together_off : bool
        Whether the base rate of all displays is off.
    off : dict of str to float
        Base rates of the observers (in a condition) that are off.
    """

    n_present: int
    n_displays: int
    together_off: bool
    off: Mapping[str, float]

    @property
    def share(self) -> float:
        """Share of displays with a target."""
        return self.n_present / max(self.n_displays, 1)

    @property
    def is_off(self) -> bool:
        """Whether a fit that assumes an even base rate is misled."""
        return self.together_off or bool(self.off)

    @property
    def note(self) -> str:
        """What the reader should know; empty where the base rate is even."""
        if not self.is_off:
            return ""
        words = f"{100 * self.share:.0f} % of {count(self.n_displays, 'display')}"
        if self.off and not self.together_off:
            some = [f"{name} {100 * share:.0f} %" for name, share in self.off.items()]
            more = [f"{len(some) - SHOWN} more"] if len(some) > SHOWN else []
            words += f" altogether, but not for each observer ({listing(some[:SHOWN] + more)})"
        return (
            f"Targets are on {words}. Models of search are fitted as if they were on half, and as "
            "if misses and false alarms cost the same. Under another base rate good thresholds are "
            "others: do not trust the fitted cost of time, the distance from optimal, and whether "
            "thresholds are ideal."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {
            "share": self.share,
            "displays": self.n_displays,
            "off": self.is_off,
            "observers_off": dict(self.off),
            "note": self.note,
        }


def base_rate_of(present: Mapping[str, NDArray[np.bool_]]) -> BaseRate:
    """Return the base rate of some groups of displays, and which of them are off.

    Parameters
    ----------
    present : mapping of str to ndarray of bool
        Whether the target is on each display, by observer.

    Examples
    --------
    >>> rare = np.arange(500) % 5 == 0
    >>> found = base_rate_of({"ag": rare})
    >>> found.share, found.is_off, base_rate_of({"ag": rare[:10]}).is_off
    (0.2, True, False)
    """
    z = -ndtri(FALSE_ALARMS / 2 / (len(present) + (len(present) > 1)))

    def off(k: int, n: int) -> bool:
        return bool(abs(k - n / 2) > max(MATTERS * n, z * np.sqrt(n) / 2))

    counts = {name: (int(each.sum()), each.size) for name, each in present.items()}
    k, n = (sum(numbers) for numbers in zip(*counts.values(), strict=True)) if counts else (0, 0)
    each_off = {name: k / n for name, (k, n) in counts.items() if off(k, n)}
    return BaseRate(k, n, off(k, n), each_off)


def assumed_prior(present: NDArray[np.bool_]) -> float:
    """Return the share of displays with a target: a round one where the count agrees with it.

    Examples
    --------
    >>> assumed_prior(np.arange(100) < 52)
    0.5
    """
    n, share = max(present.size, 1), float(np.mean(present)) if present.size else 0.5
    rounded = round(share, 1)
    near = abs(share - rounded) <= 3 * np.sqrt(max(share * (1 - share), 1e-9) / n)
    return rounded if near and 0 < rounded < 1 else min(max(share, 1e-3), 1 - 1e-3)
