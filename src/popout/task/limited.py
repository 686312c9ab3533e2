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
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from popout.drawing.representation import Card, count
from popout.task.declared import Field, Stored, optional
from popout.task.faults import Faults
from popout.task.kinds import Distribution, Schema, Spot
from popout.task.look import Shares
from popout.task.observation import Observation
from popout.task.search import ONE_OR_EACH, RATE, OneTargetTask, SearchTask
from popout.task.task import DT, LOCATION_PRIOR, N_LOCATIONS, PERIOD, PRIOR

WHY_NO_SEARCH = (
    "attention decides the drifts at every step; say where to look with an Observer, or fix the "
    "shares with task.with_shares()"
)


class ChosenLookTask(OneTargetTask):
    """Search for one target in which the observer chooses the look, and with it the drifts."""

    why_none: ClassVar[str]
    """Why there is no equivalent search, and what to do."""

    @property
    def why_no_search(self) -> str:
        """That the look decides the drifts; empty where there is no choice."""
        return self.why_none if self.search is None else ""

    @property
    def observations(self) -> tuple[Observation, ...]:
        """A walk at each location where there is no choice; else none before the look is chosen.

        Raises
        ------
        InputError
            With what to call instead. Whoever needs observations comes by here.
        """
        faults = Faults("observations")
        self.check_observable(faults)
        faults.raise_if_any()
        assert self.search is not None
        return self.search.observations

    def check_observable(self, faults: Faults) -> None:
        """Record that locations observe nothing before the look is chosen."""
        if self.search is None:
            expected = "a task whose locations have drifts of their own"
            faults.add("task", expected, type(self).__name__, self.why_none)


class LimitedSearchTask(ChosenLookTask):
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
    period : float, optional
        Seconds between two reshuffles of the items, a multiple of dt; never when left out.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> task.with_shares().drifts
    (4.0, 4.0)
    >>> LimitedSearchTask(information=32.0, visibility=(1.0, 0.5)).with_shares((0.5, 0.5)).drifts
    (4.0, 2.8284271247461903)
    """

    kind = "limited-search"
    described_by = "visibility"
    why_none = WHY_NO_SEARCH
    # One visibility for all locations says nothing about how many there are.
    schema_of_fields: ClassVar[Schema] = {
        "anyOf": [
            {"required": ["n_locations"]},
            {"required": ["visibility"], "properties": {"visibility": {"type": "array"}}},
        ]
    }

    n_locations: Stored[int] = optional(replace(N_LOCATIONS, default=None))
    information: Stored[float] = optional(
        Field(
            RATE,
            "Total rate of information Lambda in 1/s, which the observer divides among the "
            "locations: the sum of their squared drifts.",
            "give a rate in 1/s: the sum of the squared drifts of all locations",
            "1/s",
        )
    )
    visibility: Stored[float | tuple[float, ...]] = optional(
        Field(
            ONE_OR_EACH,
            "What a location makes of the information it is given, one for all or one each.",
            "1 is a location seen as well as information allows, less is seen worse",
            default=1.0,
        )
    )
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)
    location_prior: Stored[tuple[float, ...]] = optional(LOCATION_PRIOR)
    period: Stored[float | None] = optional(PERIOD)

    @property
    def visibilities(self) -> tuple[float, ...]:
        """One visibility for each location."""
        return self.by_location

    @property
    def look(self) -> Shares:
        """Shares of the information."""
        return Shares(self.information, self.visibilities)

    def with_shares(self, shares: Sequence[float] | None = None) -> SearchTask:
        """Return the search in which the shares of information never change.

        Parameters
        ----------
        shares : sequence of float, shape (M,), optional
            Positive, with a sum of one; equal when left out.

        Examples
        --------
        >>> from popout.task import LimitedSearchTask
        >>> LimitedSearchTask(n_locations=2, information=25.0).with_shares((0.64, 0.36)).drifts
        (4.0, 3.0)
        """
        n = self.n_locations
        given: Sequence[float] | None = (1.0 / n,) * n
        if shares is not None:
            faults = Faults("with_shares")
            remedy = "give each location a share of the information"
            spot = Spot(faults, ("shares",), remedy, {"n_locations": n})
            given = Distribution("n_locations").check(shares, spot)
            if given is not None and min(given) <= 0.0:
                remedy = "a location that is never looked at has no drift; leave it out"
                spot.refuse("positive shares", shares, remedy)
            faults.raise_if_any()
        assert given is not None
        drift = self.look.drifts(given)
        return SearchTask(
            drift=drift,
            dt=self.dt,
            prior=self.prior,
            location_prior=self.location_prior,
            period=self.period,
        )

    # -- where the task stands among the others -------------------------------------------------

    @cached_property
    def search(self) -> SearchTask | None:
        """The search of a single location, which gets everything; None for several."""
        return self.with_shares().search if self.n_locations == 1 else None

    @property
    def local_drifts(self) -> tuple[float, ...]:
        """Drift of each location while it gets all information."""
        return tuple(math.sqrt(rate) for rate in self.look.rates)

    @property
    def as_observed(self) -> SearchTask:
        """The search in equal shares, whose displays are the same."""
        return self.with_shares()

    # -- in words -------------------------------------------------------------------------------

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"Search over {count(self.n_locations, 'location')} with limited information",
            [
                ("information", f"{self.information:g} /s for all locations together"),
                ("visibility", self._listed()),
                *self._common_facts(),
            ],
        )

    def _observation_words(self) -> str:
        return (
            f"The observer divides {self.information:g} units of information per second among the "
            "locations, anew at every step; a location with a share of it observes a random walk "
            "whose drift grows with the square root of the share."
            + ("" if self.is_homogeneous else f" Visibilities are {self._listed()}.")
        )
