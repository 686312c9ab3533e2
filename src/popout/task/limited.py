r"""Search with a limited rate of information, which the observer divides among the locations.

At every step the observer chooses shares :math:`\alpha_l \ge 0`, :math:`\sum_l \alpha_l = 1`.
Location l then works at the drift

.. math:: \mu_l = \sqrt{\alpha_l \Lambda v_l},

where :math:`\Lambda` is the total rate of information (1/s, a sum of squared drifts) and
:math:`v_l` the visibility of the location. Fixed shares make the search of `SearchTask`: equal
drifts :math:`\mu` at M locations are :math:`\Lambda = M \mu^2` in equal shares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, count, listed
from popout.task.faults import Faults, as_tuple
from popout.task.fields import (
    check_dt,
    check_location_prior,
    check_n_locations,
    check_prior,
    set_fields,
)
from popout.task.presence import Presence, most_probable, places
from popout.task.search import SYMBOL, SearchTask

__all__ = ["LimitedSearchTask"]

INFORMATION_REMEDY = "give a rate in 1/s: the sum of the squared drifts of all locations"
VISIBILITY_REMEDY = "1 is a location seen as well as information allows, less is seen worse"


@dataclass(frozen=True, init=False)
class LimitedSearchTask(Presence):
    """Search whose locations share a limited rate of information.

    Parameters
    ----------
    n_locations : int, optional
        Number of search locations M. May be left out when `visibility` is a sequence.
    information : float
        Total rate of information Lambda in 1/s. A location that gets all of it has the drift
        ``sqrt(Lambda * visibility)``.
    visibility : float or sequence of float, shape (M,)
        What a location makes of the information it is given; 1 when left out. Equal members of a
        sequence are stored as one number.
    dt : float
        Time step in seconds.
    prior : float
        P(C=1), the probability that a target is present.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C=1). Uniform when left out.

    Examples
    --------
    >>> from popout.task.limited import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> task.with_shares().drifts
    (4.0, 4.0)
    >>> LimitedSearchTask(information=32.0, visibility=(1.0, 0.5)).with_shares((0.5, 0.5)).drifts
    (4.0, 2.8284271247461903)
    """

    n_locations: int
    information: float
    visibility: float | tuple[float, ...]
    dt: float
    prior: float
    location_prior: tuple[float, ...]

    def __init__(
        self,
        n_locations: Any = None,
        information: Any = None,
        visibility: Any = 1.0,
        dt: Any = 0.01,
        prior: Any = 0.5,
        location_prior: Any = None,
    ) -> None:
        faults = Faults("LimitedSearchTask")
        n, seen = _check_locations_and_visibility(faults, n_locations, visibility)
        set_fields(
            self,
            n_locations=n,
            information=faults.sensible("information", information, INFORMATION_REMEDY),
            visibility=seen,
            dt=check_dt(faults, dt),
            prior=check_prior(faults, prior),
            location_prior=check_location_prior(faults, location_prior, n),
        )
        faults.raise_if_any()

    @property
    def visibilities(self) -> tuple[float, ...]:
        """One visibility for each location."""
        seen = self.visibility
        return seen if isinstance(seen, tuple) else (seen,) * self.n_locations

    def with_shares(self, shares: Sequence[float] | None = None) -> SearchTask:
        """Return the search in which the shares of information never change.

        Parameters
        ----------
        shares : sequence of float, shape (M,), optional
            Positive, with a sum of one; equal when left out.
        """
        faults = Faults("with_shares")
        n = self.n_locations
        if shares is not None:
            remedy = "give each location a share of the information"
            shares = faults.distribution("shares", shares, n, remedy)
            if shares and min(shares) <= 0.0:
                remedy = "a location that is never looked at has no drift; leave it out"
                faults.add("shares", "positive shares", shares, remedy)
            faults.raise_if_any()
        given = (1.0 / n,) * n if shares is None else shares
        drifts = [
            math.sqrt(share * self.information * seen)
            for share, seen in zip(given, self.visibilities, strict=True)
        ]
        return SearchTask(
            drift=drifts, dt=self.dt, prior=self.prior, location_prior=self.location_prior
        )

    def card(self) -> Card:
        """Return what is shown of it."""
        seen = self.visibilities
        alike = not isinstance(self.visibility, tuple)
        return Card(
            f"Search over {count(self.n_locations, 'location')} with limited information",
            [
                ("information", f"{self.information:g} /s for all locations together"),
                ("visibility", listed(seen[:1] if alike else seen)),
                ("P(location)", places(self.location_prior)),
                *self._common_facts(),
            ],
        )

    def _example(self) -> tuple[list[float], int, str]:
        target = most_probable(self.location_prior)
        tilts = [0.0 if place == target else SYMBOL for place in range(self.n_locations)]
        return tilts, target, "upright: target, tilted: distractors"


def _check_locations_and_visibility(
    faults: Faults, n_locations: Any, visibility: Any
) -> tuple[int, float | tuple[float, ...]]:
    """Check the two fields that may each say how many locations there are."""
    several = as_tuple(visibility)
    n = None
    if n_locations is not None or not several:
        n = check_n_locations(faults, n_locations)
    if several is None:
        return n or 1, faults.sensible("visibility", visibility, VISIBILITY_REMEDY)
    if not several or (n is not None and len(several) != n):
        remedy = "give one number for all locations, or one number for each"
        faults.add("visibility", "a positive number for each location", visibility, remedy)
    seen = tuple(
        faults.sensible(f"visibility[{index}]", value, VISIBILITY_REMEDY)
        for index, value in enumerate(several)
    )
    return n or len(seen) or 1, seen[0] if len(set(seen)) == 1 else seen
