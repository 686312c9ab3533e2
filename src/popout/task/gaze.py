r"""Search with the eyes: gaze rests at one place for a fixation, then moves on.

Items lie at places :math:`x_l` (degrees of visual angle), gaze at one of the places :math:`y_f`.
While it rests there, location l receives information at the rate

.. math:: \Lambda\, v_{fl}, \qquad v_{fl} = v(\lVert x_l - y_f \rVert),

where v falls with eccentricity: exponentially, as :math:`e^{-e/e_0}`, along a table, or as a
function says. Nothing sums to one: gaze sets the rates of all items at once. A fixation lasts D
seconds and is followed by a saccade of s seconds that brings nothing; the observer answers between
fixations. So one step lasts :math:`\delta t = D + s` and brings :math:`\Lambda v_{fl} D`: it is a
step of `SearchTask` at the drifts :math:`\mu_l^2 = \Lambda v_{fl} D / (D + s)`. Where v is 1
everywhere, gaze does not matter and that is the search itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from popout.drawing.representation import Card, count, listing
from popout.task.declared import Field, Stored, optional, required
from popout.task.faults import Faults, as_float, as_tuple
from popout.task.kinds import Each, Kind, Number, Optional, Schema, Spot, array_of
from popout.task.limited import ChosenLookTask
from popout.task.look import Gazes
from popout.task.search import RATE, SearchTask
from popout.task.task import LOCATION_PRIOR, MOST_LOCATIONS, PRIOR

Place = tuple[float, float]
LEAST_SEEN = 1e-6
"""Of the information at the point of gaze: an item that no gaze sees better is not seen at all."""
DIGITS = 12
"""Of visibilities: places that are equally far away are equally well seen."""


class Pair(Kind):
    """Two numbers."""

    def check(self, value: Any, spot: Spot) -> Place | None:
        """Return the two."""
        numbers = [as_float(item) for item in as_tuple(value) or ()]
        if len(numbers) == 2 and all(x is not None and math.isfinite(x) for x in numbers):
            return numbers[0], numbers[1]  # type: ignore[return-value]
        return spot.refuse("two finite numbers", value)

    def schema(self) -> Schema:
        """Return an array of two."""
        return array_of({"type": "number"}, minItems=2, maxItems=2)


@dataclass(eq=False, repr=False)
class Falloff(Kind):
    """How visibility falls with eccentricity: a number, a table, or a function in Python."""

    scale: Number
    table: Each

    def check(self, value: Any, spot: Spot) -> Any:
        """Return the number, the rows of the table in order, or the function."""
        if callable(value):
            return value
        if as_tuple(value) is None:
            return self.scale.check(value, spot)
        rows = self.table.check(value, spot)
        if None in rows:
            return None
        e, v = zip(*rows, strict=True) if rows else ((), ())
        if sorted(set(e)) != list(e) or min(e) < 0.0 or min(v) < 0.0 or max(v) > 1.0:
            expected = "eccentricities that rise from 0 on, and visibilities from 0 to 1"
            return spot.refuse(expected, value)
        return rows

    def schema(self) -> Schema:
        """Return a choice of number and table; a file has no functions."""
        return {"anyOf": [self.scale.schema(), self.table.schema()]}


def _places(expected: str) -> Each:
    return Each(Pair(), expected, distinct=True, most=MOST_LOCATIONS)


class GazeTask(ChosenLookTask):
    """Search with eye movements: gaze decides how well each item is seen.

    Parameters
    ----------
    items : sequence of pairs, shape (M, 2)
        Places of the items in degrees of visual angle.
    gazes : sequence of pairs, shape (G, 2), optional
        Where gaze may rest; at the items when left out.
    information : float
        Rate of information Lambda in 1/s at the point of gaze: a squared drift.
    falloff : float, sequence of pairs, or callable
        How visibility falls with eccentricity e in degrees. A number e0 stands for exp(-e / e0); a
        table of (eccentricity, visibility) is read linearly, and held beyond its ends; a function
        maps an eccentricity to a visibility from 0 to 1. A file gets the table of its values.
    fixation, saccade : float
        Seconds that gaze rests, and that it takes to move. Nothing is seen meanwhile.
    prior : float
        P(C=1), the probability that a target is present.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C=1). Uniform when left out.

    Examples
    --------
    >>> from popout.task import GazeTask
    >>> task = GazeTask(items=[(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> task.n_locations, task.n_gazes, task.dt
    (3, 3, 0.23)
    >>> print(task.look.visibility[0])
    (1.0, 0.28650479686, 0.082084998624)
    """

    kind = "gaze-search"
    why_none = "gaze decides the drifts at every fixation; say where to look with an Observer"

    items: Stored[tuple[Place, ...]] = required(
        Field(
            _places("one place or more, all different, as [[0, 0], [1, 0]]"),
            "Places of the items, x and y.",
            "give x and y of each item in degrees",
            "degrees",
        )
    )
    gazes: Stored[tuple[Place, ...] | None] = optional(
        Field(
            Optional(_places("one place or more, all different, as [[0, 0], [1, 0]]")),
            "Places where gaze may rest, x and y; those of the items when left out.",
            "give x and y of each place in degrees, or leave it out",
            "degrees",
            None,
        )
    )
    information: Stored[float] = optional(
        Field(
            RATE,
            "Rate of information Lambda in 1/s at the point of gaze: a squared drift.",
            "give a rate in 1/s: the squared drift of an item that is looked at",
            "1/s",
        )
    )
    falloff: Stored[Any] = optional(
        Field(
            Falloff(RATE, Each(Pair(), "rows of eccentricity and visibility")),
            "How visibility falls with eccentricity: e0 in degrees of exp(-e/e0), or a table of "
            "eccentricity and visibility.",
            "give degrees, a table as [[0, 1], [2, 0.3]], or in Python a function",
            "degrees",
        )
    )
    fixation: Stored[float] = optional(
        Field(
            RATE,
            "Seconds that gaze rests at a place.",
            "give seconds, e.g. 0.2; durations that the observer chooses are not supported yet",
            "seconds",
            0.2,
        )
    )
    saccade: Stored[float] = optional(
        Field(
            Number(low=0.0, high=1e9),
            "Seconds that gaze takes to move to the next place, without any information.",
            "give seconds, e.g. 0.03",
            "seconds",
            0.03,
        )
    )
    prior: Stored[float] = optional(PRIOR)
    location_prior: Stored[tuple[float, ...]] = optional(
        replace(LOCATION_PRIOR, kind=replace(LOCATION_PRIOR.kind, over="items"))  # type: ignore[type-var]
    )

    @classmethod
    def _complete(cls, values: dict[str, Any]) -> dict[str, Any]:
        return values

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that a function gives visibilities, and that every item can be seen."""
        items, falloff = known["items"], known["falloff"]
        if not items or None in items or falloff is None or None in (known["gazes"] or ()):
            return
        gazes = known["gazes"] or items
        seen = [[_visibility(falloff, math.dist(item, gaze)) for item in items] for gaze in gazes]
        wrong = [v for row in seen for v in row if v is None or not 0.0 <= v <= 1.0]
        if wrong:
            remedy = "return a number from 0 to 1 for each eccentricity in degrees"
            faults.add("falloff", "a function with values from 0 to 1", wrong[0], remedy)
            return
        for place, column in enumerate(zip(*seen, strict=True)):
            if max(column) < LEAST_SEEN:
                remedy = "add a gaze that is nearer, or let visibility fall less"
                faults.add(("items", place), "an item that some gaze can see", items[place], remedy)

    @property
    def n_locations(self) -> int:
        """Number of items M."""
        return len(self.items)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where gaze may rest, shape (G, 2)."""
        return self.gazes or self.items

    @property
    def n_gazes(self) -> int:
        """Number of gazes G."""
        return len(self.places)

    @property
    def dt(self) -> float:
        """Seconds of one step: a fixation and the saccade that follows."""
        return self.fixation + self.saccade

    @cached_property
    def look(self) -> Gazes:
        """One of the gazes."""
        rows = tuple(
            tuple(
                round(_visibility(self.falloff, math.dist(item, gaze)) or 0.0, DIGITS)
                for item in self.items
            )
            for gaze in self.places
        )
        return Gazes(self.information * self.fixation / self.dt, rows)

    def staying_at(self, gaze: int) -> SearchTask | None:
        """Return the search of an observer whose gaze never moves; None if an item is unseen.

        Examples
        --------
        >>> from popout.task import GazeTask
        >>> task = GazeTask([(0, 0), (1, 0)], information=20.0, falloff=lambda e: 1 - e / 2,
        ...                 fixation=0.2, saccade=0.05)
        >>> task.staying_at(0).drifts
        (4.0, 2.8284271247461903)
        """
        row = self.look.visibility[gaze]
        if min(row) <= 0.0:
            return None
        drifts = self.look.drifts(row)
        return SearchTask(
            drift=drifts, dt=self.dt, prior=self.prior, location_prior=self.location_prior
        )

    # -- where the task stands among the others -------------------------------------------------

    @cached_property
    def search(self) -> SearchTask | None:
        """The search of a single gaze; None where there is a choice."""
        return self.staying_at(0) if self.n_gazes == 1 else None

    @property
    def local_drifts(self) -> tuple[float, ...]:
        """Drift of each item under the gaze that sees it best."""
        return tuple(self.look.drifts(self.look.best))

    @property
    def as_observed(self) -> SearchTask:
        """The search in which every item is seen as well as by its best gaze."""
        return SearchTask(
            drift=self.local_drifts,
            dt=self.dt,
            prior=self.prior,
            location_prior=self.location_prior,
        )

    # -- in files, words and pictures -----------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the table of a TOML file; a function is written as the table of its values."""
        if not callable(self.falloff):
            return {name: value for name, value in super().as_dict().items() if value is not None}
        far = sorted({math.dist(item, gaze) for item in self.items for gaze in self.places})
        return replace(self, falloff=[(e, self.falloff(e)) for e in far]).as_dict()

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"Search over {count(self.n_locations, 'item')} with eye movements",
            [
                ("information", f"{self.information:g} /s at the point of gaze"),
                ("visibility", self._falloff_words()),
                ("gaze", count(self.n_gazes, "place")),
                ("fixation, saccade", f"{self.fixation:g} s, {self.saccade:g} s"),
                *self._common_facts(),
            ],
        )

    def _falloff_words(self) -> str:
        if callable(self.falloff):
            return "falls with eccentricity as a function says"
        if isinstance(self.falloff, float):
            return f"exp(-e / {self.falloff:g}) at e degrees from gaze"
        rows = [f"{v:g} at {e:g}" for e, v in self.falloff]
        return f"{listing(rows)} degrees from gaze"

    def _observation_words(self) -> str:
        return (
            f"Gaze rests for {self.fixation:g} s at one of {count(self.n_gazes, 'place')} and then "
            f"takes {self.saccade:g} s to move. An item that is looked at gives "
            f"{self.information:g} units of information per second; visibility: "
            f"{self._falloff_words()}."
        )


def _visibility(falloff: Any, eccentricity: float) -> float | None:
    """Return how well an item is seen; None if a function does not say."""
    if callable(falloff):
        value = as_float(falloff(eccentricity))
        return value if value is not None and math.isfinite(value) else None
    if isinstance(falloff, float):
        return math.exp(-eccentricity / falloff)
    far, seen = zip(*falloff, strict=True)
    return float(np.interp(eccentricity, far, seen))
