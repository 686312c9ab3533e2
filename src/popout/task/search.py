"""Search over M locations for one target among identical distractors.

Location l receives a Gaussian random walk of drift +mu_l if it holds the target and -mu_l
otherwise (Methods, "Gaussian input"). At most one location holds a target. Equal drifts make the
homogeneous search of Equation 2, unequal ones the heterogeneous drift-rate search of the
paper's Extension.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Self

from popout.drawing.representation import Card, count, listed, listing
from popout.task.declared import Field, Stored, optional
from popout.task.display_law import Displays
from popout.task.faults import NOTHING, Faults, as_tuple
from popout.task.kinds import Number, OneOrEach, Schema
from popout.task.observation import GaussianWalk
from popout.task.task import (
    DT,
    LARGEST,
    LOCATION_PRIOR,
    N_LOCATIONS,
    PERIOD,
    PRIOR,
    ROUNDING,
    SMALLEST,
    WHY_RESHUFFLED,
    Task,
    check_static,
)

RATE = Number(above=0.0, low=SMALLEST, high=LARGEST)
ONE_OR_EACH = OneOrEach(
    RATE,
    "a positive number for each location",
    "give one number for all locations, or one number for each",
    over="n_locations",
)


class OneTargetTask(Task):
    """Search for one target among identical distractors, at locations that one field describes."""

    described_by: ClassVar[str]
    """The field that has one number for all locations, or one for each."""

    @classmethod
    def _complete(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Count the locations by what describes them, where nobody has."""
        if values["n_locations"] is None:
            values["n_locations"] = len(as_tuple(values[cls.described_by]) or ()) or NOTHING
        return values

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that a period is a whole number of steps."""
        period, dt = known.get("period"), known.get("dt")
        if period is None or dt is None:
            return
        steps = period / dt
        whole = max(1, round(steps))
        if abs(steps - whole) > ROUNDING * whole:
            below, above = max(1, math.floor(steps)), max(1, math.ceil(steps))
            near = " or ".join(f"{k * dt:.12g}" for k in dict.fromkeys((below, above)))
            remedy = f"write {near}, or change dt"
            faults.add("period", f"a whole number of steps of dt = {dt:g} s", period, remedy)

    @property
    def is_homogeneous(self) -> bool:
        """Whether one number describes all locations."""
        return not isinstance(getattr(self, self.described_by), tuple)

    @property
    def by_location(self) -> tuple[float, ...]:
        """What describes each location."""
        value = getattr(self, self.described_by)
        return (value,) * self.n_locations if self.is_homogeneous else value

    @property
    def n_states(self) -> int:
        """One log likelihood ratio per location, whatever the looks."""
        return self.n_locations

    @property
    def static(self) -> Self:
        """The same task with items that stay where they are.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> SearchTask(n_locations=2, drift=4.0, period=0.11).static.period is None
        True
        """
        never: dict[str, Any] = {"period": None}
        return self if self.period is None else replace(self, **never)

    def as_dict(self) -> dict[str, Any]:
        """Return the table of a TOML file, without what is left out."""
        return {name: value for name, value in super().as_dict().items() if value is not None}

    def _shuffle_words(self) -> tuple[str, ...]:
        if self.period is None:
            return ()
        return (
            f"Items are reshuffled every {self.period:g} s; a target stays, its place does not.",
        )

    def describe(self) -> tuple[str, ...]:
        """Say what the observer faces, in a few sentences."""
        return (*super().describe(), *self._shuffle_words())

    def _common_facts(self) -> list[tuple[str, str]]:
        shuffled = [] if self.period is None else [("reshuffled", f"every {self.period:g} s")]
        return [*super()._common_facts(), *shuffled]

    def _listed(self) -> str:
        """Write down what describes the locations, once where it is the same."""
        return listed(self.by_location[: 1 if self.is_homogeneous else None])

    def displays(self) -> Displays:
        """Return how displays come about: orientation 0 is a distractor, 1 the target."""
        return Displays(self.location_prior, (0.0, 1.0), ((1.0, 0.0),))

    def _display_words(self) -> str:
        places = count(self.n_locations, "location")
        return f"Search over {places} for one target among identical distractors."


class SearchTask(OneTargetTask):
    """Homogeneous or heterogeneous drift-rate search.

    Parameters
    ----------
    n_locations : int, optional
        Number of search locations M. May be left out when `drift` is a sequence.
    drift : float or sequence of float, shape (M,)
        Drift rate mu in 1/s, one for all locations or one each: +mu at a target, -mu at a
        distractor. Equal members of a sequence are stored as one number.
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
    >>> from popout.task import SearchTask
    >>> SearchTask(n_locations=2, drift=4.0).drifts
    (4.0, 4.0)
    >>> task = SearchTask(drift=(8.0, 3.0), prior=0.2)
    >>> task.n_locations, task.is_homogeneous
    (2, False)
    """

    kind = "search"
    described_by = "drift"
    # One drift for all locations says nothing about how many there are.
    schema_of_fields: ClassVar[Schema] = {
        "anyOf": [{"required": ["n_locations"]}, {"properties": {"drift": {"type": "array"}}}]
    }

    n_locations: Stored[int] = optional(replace(N_LOCATIONS, default=None))
    drift: Stored[float | tuple[float, ...]] = optional(
        Field(
            ONE_OR_EACH,
            "Drift rate mu in 1/s, one for all locations or one each: +mu at a target, "
            "-mu at a distractor.",
            "+drift is at a target, -drift elsewhere",
            "1/s",
        )
    )
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)
    location_prior: Stored[tuple[float, ...]] = optional(LOCATION_PRIOR)
    period: Stored[float | None] = optional(PERIOD)

    @property
    def drifts(self) -> tuple[float, ...]:
        """One drift rate per location, in 1/s."""
        return self.by_location

    @property
    def possible(self) -> SearchTask:
        """The task at the locations that can hold the target; the others are noise alone.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> SearchTask(drift=(8.0, 3.0, 2.0), location_prior=(0.0, 0.5, 0.5)).possible.drifts
        (3.0, 2.0)
        """
        possible = [p > 0 for p in self.location_prior]
        if all(possible):
            return self
        return SearchTask(
            drift=tuple(compress(self.drifts, possible)),
            dt=self.dt,
            prior=self.prior,
            location_prior=tuple(compress(self.location_prior, possible)),
            period=self.period,
        )

    @cached_property
    def search(self) -> SearchTask | None:
        """The task itself; None if its items are reshuffled."""
        return None if self.steps_per_period else self.equivalent

    @property
    def equivalent(self) -> SearchTask:
        """The task itself."""
        return self if self.steps_per_period else self.static

    @property
    def local_drifts(self) -> tuple[float, ...]:
        """Drift of each location."""
        return self.drifts

    @property
    def why_no_search(self) -> str:
        """That items are reshuffled; empty if they stay."""
        return WHY_RESHUFFLED if self.steps_per_period else ""

    def check_observable(self, faults: Faults) -> None:
        """Record that what a location showed before the last reshuffle says nothing about it."""
        check_static(faults, self)

    @property
    def observations(self) -> tuple[GaussianWalk, ...]:
        """A walk of drift -mu or +mu at each location."""
        walks = {mu: GaussianWalk((-mu, mu)) for mu in set(self.drifts)}
        return tuple(walks[mu] for mu in self.drifts)

    def card(self) -> Card:
        """Return what is shown of it."""
        where = "at every location" if self.is_homogeneous else "by location"
        return Card(
            f"Search over {count(self.n_locations, 'location')}",
            [
                ("drift", f"{self._listed()} /s {where} (+ at a target, - at a distractor)"),
                *self._common_facts(),
            ],
        )

    def _observation_words(self) -> str:
        drifts = "drift" if self.is_homogeneous else "drifts"
        values = listing([f"±{mu:g}" for mu in dict.fromkeys(self.drifts)])
        return (
            f"Each location observes a random walk with {drifts} {values} per second: plus at the "
            "target, minus at a distractor; the variance grows by one per second."
        )
