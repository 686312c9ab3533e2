r"""Search with the eyes: gaze rests at one place for a fixation, then moves on.

Items lie at places :math:`x_l` (degrees of visual angle), gaze at one of the places :math:`y_f`.
While it rests there, location l receives information at the rate

.. math:: \Lambda\, v_{fl}, \qquad v_{fl} = v(\lVert x_l - y_f \rVert),

where v falls with eccentricity: exponentially, as :math:`e^{-e/e_0}`, along a table, or as a
function says; or a table has a row of :math:`v_{fl}` for each gaze, as where the visual field is no
disc. Nothing need sum to one: gaze sets the rates of all items at once. A fixation lasts D
seconds and is followed by a saccade of s seconds that brings nothing; the observer answers between
fixations. So one step lasts :math:`\delta t = D + s` and brings :math:`\Lambda v_{fl} D`: it is a
step of `SearchTask` at the drifts :math:`\mu_l^2 = \Lambda v_{fl} D / (D + s)`. Where v is 1
everywhere, gaze does not matter and that is the search itself.

**Free durations.** With ``fixation="free"`` the observer chooses at every step of :math:`\delta t`
seconds (``step``) whether gaze stays or moves, and moving from f to f' costs :math:`s_{ff'}`
seconds, one number for all or a matrix. Gaze rests at one place when the display comes on.

**Groups.** An observer who attends to one of G groups of items at a time, and shares a limited
rate :math:`\Lambda` equally within it, is the same: :math:`v_{fl} = 1/m_f` for the :math:`m_f`
items of group f, and zero elsewhere (`GazeTask.of_groups`). Groups may overlap, and groups of one
item are attention to one location at a time.

**Where.** With ``answer="place"`` the observer names the place of the target or says "absent", as
in much of the literature; a wrong place costs what a miss does. In counts and rates it is a miss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from popout.drawing.representation import Card, count, listing
from popout.task.declared import Field, Stored, optional, required
from popout.task.faults import Faults, as_float, as_tuple
from popout.task.kinds import Choice, Each, Integer, Kind, Number, Optional, Schema, Spot, array_of
from popout.task.limited import ChosenLookTask
from popout.task.look import Gazes
from popout.task.search import RATE, SearchTask
from popout.task.task import LOCATION_PRIOR, MOST_LOCATIONS, PRIOR

Place = tuple[float, float]
LEAST_SEEN = 1e-6
"""Of the information at the point of gaze: an item that no gaze sees better is not seen at all."""
FREE = "free"
"""In the place of the seconds of a fixation, if the observer chooses them."""
PRESENCE, PLACE = "presence", "place"
STEP = 0.01
"""Seconds between choices, unless told otherwise."""
SECONDS = Number(low=0.0, high=1e9)
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
        if sorted(set(e)) != list(e) or e[:1] != (0.0,) or min(v) < 0.0 or max(v) > 1.0:
            expected = "eccentricities that rise from 0 on, and visibilities from 0 to 1"
            return spot.refuse(expected, value)
        return rows

    def schema(self) -> Schema:
        """Return a choice of number and table; a file has no functions."""
        return {"anyOf": [self.scale.schema(), self.table.schema()]}


@dataclass(eq=False, repr=False)
class Duration(Kind):
    """Seconds, or that the observer chooses them."""

    seconds: Number

    def check(self, value: Any, spot: Spot) -> float | str | None:
        """Return the seconds, or the word."""
        return FREE if value == FREE else self.seconds.check(value, spot)

    def schema(self) -> Schema:
        """Return a choice of both."""
        return {"anyOf": [self.seconds.schema(), {"const": FREE}]}


@dataclass(eq=False, repr=False)
class Saccades(Kind):
    """Seconds of every move, or of each."""

    seconds: Number
    each: Each

    def check(self, value: Any, spot: Spot) -> Any:
        """Return the number or the rows."""
        if as_tuple(value) is None:
            return self.seconds.check(value, spot)
        return self.each.check(value, spot)

    def schema(self) -> Schema:
        """Return a choice of both."""
        return {"anyOf": [self.seconds.schema(), self.each.schema()]}


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
    falloff : float, sequence of pairs, or callable, optional
        How visibility falls with eccentricity e in degrees. A number e0 stands for exp(-e / e0); a
        table of (eccentricity, visibility) begins at 0, is read linearly, and held beyond its end;
        a function maps an eccentricity to a visibility from 0 to 1. A file gets the table of its
        values.
    visibility : sequence of shape (G, M), optional
        In the place of `falloff`: what each gaze lets each item receive, from 0 to 1.
    fixation : float or "free"
        Seconds that gaze rests; ``"free"`` if the observer chooses.
    saccade : float, or sequence of shape (G, G)
        Seconds that gaze takes to move, during which nothing is seen. Where durations are free each
        move may have its own, whole steps.
    step : float, optional
        Where durations are free: seconds between choices, 0.01 when left out.
    start : int, optional
        Where durations are free: the gaze, from 0, at which the display comes on; the one nearest
        to the middle of the items when left out.
    answer : {"presence", "place"}
        Whether "present" has to name the place of the target; a wrong one is an error like a miss.
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

    Fixations that last as long as the observer likes:

    >>> free = GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8, fixation="free")
    >>> free.dt, free.look.start, free.look.moves[0]
    (0.01, 1, (0, 3, 3))

    What was measured at each place, here better on the right of gaze than on its left:

    >>> measured = [[1.0, 0.4, 0.2], [0.3, 1.0, 0.4], [0.1, 0.3, 1.0]]
    >>> GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, visibility=measured).look.visibility[1]
    (0.3, 1.0, 0.4)
    """

    kind = "gaze-search"
    why_none = "gaze decides the drifts at every fixation; say where to look with an Observer"
    schema_of_fields: ClassVar[Schema] = {
        "anyOf": [{"required": ["falloff"]}, {"required": ["visibility"]}]
    }

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
            Optional(Falloff(RATE, Each(Pair(), "rows of eccentricity and visibility"))),
            "How visibility falls with eccentricity: e0 in degrees of exp(-e/e0), or a table of "
            "eccentricity and visibility.",
            "give degrees, a table as [[0, 1], [2, 0.3]], or in Python a function",
            "degrees",
            None,
        )
    )
    visibility: Stored[tuple[tuple[float, ...], ...] | None] = optional(
        Field(
            Optional(Each(Each(Number(low=0.0, high=1.0), "visibilities"), "a row for each gaze")),
            "What each gaze lets each item receive, a row for each gaze; in the place of falloff.",
            "give a row for each gaze with a number from 0 to 1 for each item",
            default=None,
        )
    )
    fixation: Stored[float | str] = optional(
        Field(
            Duration(RATE),
            "Seconds that gaze rests at a place, or free.",
            'give seconds, e.g. 0.2, or "free" if the observer chooses',
            "seconds",
            0.2,
        )
    )
    saccade: Stored[Any] = optional(
        Field(
            Saccades(SECONDS, Each(Each(SECONDS, "seconds"), "a row for each gaze")),
            "Seconds that gaze takes to move to the next place, without any information.",
            "give seconds, e.g. 0.03",
            "seconds",
            0.03,
        )
    )
    step: Stored[float | None] = optional(
        Field(
            Optional(RATE),
            "Seconds between choices where durations are free.",
            "give seconds, e.g. 0.01",
            "seconds",
            None,
        )
    )
    start: Stored[int | None] = optional(
        Field(
            Optional(Integer(0, MOST_LOCATIONS)),
            "Gaze at which the display comes on where durations are free, from 0.",
            "gazes count from 0",
            default=None,
        )
    )
    answer: Stored[str] = optional(
        Field(
            Choice((PRESENCE, PLACE)),
            'Whether "present" has to name the place of the target.',
            "choose one",
            default=PRESENCE,
        )
    )
    prior: Stored[float] = optional(PRIOR)
    location_prior: Stored[tuple[float, ...]] = optional(
        replace(LOCATION_PRIOR, kind=replace(LOCATION_PRIOR.kind, over="items"))  # type: ignore[type-var]
    )

    @classmethod
    def of_groups(
        cls,
        items: Sequence[Place],
        groups: Sequence[Sequence[int]],
        *,
        information: float,
        step: float,
        **more: Any,
    ) -> Self:
        """Return the task of an observer who attends to one group of items at a time.

        The items of the group share the information equally, the others get none.

        Parameters
        ----------
        items : sequence of pairs, shape (M, 2)
        groups : sequence of sequence of int
            The items of each group, from 0. A "gaze" of the task is a group, at the mean place of
            its items; where two groups have the same, give `gazes` and `visibility` yourself.
        information : float
            Rate Lambda in 1/s of the whole group.
        step : float
            Seconds that attention rests on a group at least: it may stay or move after each.
        more : object
            `prior`, `location_prior`, `answer`.

        Examples
        --------
        >>> from popout.task import GazeTask
        >>> row = [(0, 0), (1, 0), (2, 0), (3, 0)]
        >>> pairs = GazeTask.of_groups(row, [(0, 1), (2, 3)], information=20.0, step=0.1)
        >>> pairs.look.visibility, pairs.gazes, pairs.dt
        (((0.5, 0.5, 0.0, 0.0), (0.0, 0.0, 0.5, 0.5)), ((0.5, 0.0), (2.5, 0.0)), 0.1)
        """
        faults = Faults("GazeTask.of_groups")
        field = cls.declared["items"]
        places = field.kind.check(items, Spot(faults, ("items",), field.remedy, {}))
        last = max(0, len(places) - 1)
        some = Each(Integer(0, last), "items, each of them once", distinct=True)
        remedy = "list the items of each group, from 0"
        spot = Spot(faults, ("groups",), remedy, {})
        known = Each(some, "one group or more").check(groups, spot)
        faults.raise_if_any()
        rows = [[(k in group) / len(group) for k in range(len(places))] for group in known]
        means = [
            tuple(sum(places[k][axis] for k in group) / len(group) for axis in (0, 1))
            for group in known
        ]
        sight = {"gazes": means, "visibility": rows, "fixation": step, "saccade": 0.0}
        return cls(places, information=information, **sight, **more)

    @classmethod
    def _complete(cls, values: dict[str, Any]) -> dict[str, Any]:
        return values

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check what saccades take, that a function gives visibilities, and that all is seen."""
        cls._relate_times(faults, known)
        items, falloff, seen = known["items"], known["falloff"], known["visibility"]
        of_sight = {("falloff",), ("visibility",)}
        wrong = any(fault.path[:1] in of_sight for fault in faults.faults)
        if wrong or not items or None in items or None in (known["gazes"] or ()):
            return
        gazes = known["gazes"] or items
        if (falloff is None) == (seen is None):
            got = "neither" if seen is None else "both"
            remedy = "say how visibility falls with eccentricity, or what each gaze sees"
            faults.add("falloff", "falloff or visibility", got, remedy)
            return
        if seen is None:
            far = [[math.dist(item, at) for item in items] for at in gazes]
            wrong_at = [e for row in far for e in row if not _is_visibility(falloff, e)]
            if wrong_at:
                remedy = "return a number from 0 to 1 for each eccentricity in degrees"
                got = f"{_said(falloff, wrong_at[0])} at {wrong_at[0]:g}"
                faults.add("falloff", "a function with values from 0 to 1", got, remedy)
                return
            seen = [[_visibility(falloff, e) for e in row] for row in far]
        elif [len(row) for row in seen] != [len(items)] * len(gazes):
            remedy = "give a row for each gaze, or say with `gazes` where these are"
            shape = f"shape ({len(gazes)}, {len(items)})"
            faults.add("visibility", f"a matrix of {shape}", seen, remedy)
            return
        for place, column in enumerate(zip(*seen, strict=True)):
            if max(column) < LEAST_SEEN:
                remedy = "add a gaze that is nearer, or let visibility fall less"
                faults.add(("items", place), "an item that some gaze can see", items[place], remedy)

    @classmethod
    def _relate_times(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that moves are whole steps, one for each pair, and that all belongs to free."""
        fixation, saccade = known["fixation"], known["saccade"]
        if fixation is None or saccade is None:
            return
        G, rows = len(known["gazes"] or known["items"] or ()), as_tuple(saccade)
        if fixation != FREE:
            stray = [name for name in ("step", "start") if known[name] is not None]
            for name in [*stray, *(["saccade"] if rows is not None else [])]:
                expected = "a number" if name == "saccade" else "none"
                remedy = 'or let the observer choose durations: fixation="free"'
                faults.add(name, f"{expected} where fixations are fixed", known[name], remedy)
            return
        step = known["step"] or STEP
        if rows is not None and (
            any(row is None or None in row for row in rows)
            or [len(row) for row in rows] != [G] * G
            or any(rows[k][k] for k in range(G))
        ):
            remedy = "give a row for each gaze, with zeros where it stays"
            faults.add(
                "saccade", f"a matrix of shape ({G}, {G}) with a zero diagonal", rows, remedy
            )
            return
        for seconds in {s for row in rows for s in row} if rows is not None else {saccade}:
            if abs(seconds / step - round(seconds / step)) > 1e-6:
                remedy = "change one of them"
                faults.add("saccade", f"whole steps of {step:g} s", seconds, remedy)
        if known["start"] is not None and known["start"] >= G > 0:
            faults.add(
                "start", f"one of the {G} gazes, from 0", known["start"], "gazes count from 0"
            )

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
    def is_free(self) -> bool:
        """Whether fixations last as long as the observer likes."""
        return self.fixation == FREE

    @property
    def dt(self) -> float:
        """Seconds of one step: of a fixation and the saccade that follows, or between choices."""
        if self.is_free:
            return STEP if self.step is None else self.step
        return float(self.fixation) + float(self.saccade)

    @cached_property
    def look(self) -> Gazes:
        """One of the gazes."""
        rows = self.visibility or tuple(
            tuple(
                round(_visibility(self.falloff, math.dist(item, gaze)), DIGITS)
                for item in self.items
            )
            for gaze in self.places
        )
        named = self.answer == PLACE
        if self.is_free:
            return Gazes(self.information, rows, self._moves, self.home, named)
        rate = self.information * float(self.fixation) / self.dt
        return Gazes(rate, rows, names_place=named)

    @property
    def _moves(self) -> tuple[tuple[int, ...], ...]:
        """Steps of each move."""
        G = range(self.n_gazes)
        each = self.saccade
        if not isinstance(each, tuple):
            each = [[0.0 if f == g else self.saccade for g in G] for f in G]
        return tuple(tuple(round(s / self.dt) for s in row) for row in each)

    @property
    def home(self) -> int:
        """The gaze at which the display comes on: `start`, or the one nearest to the middle."""
        if self.start is not None:
            return self.start
        centre = [sum(x) / self.n_locations for x in zip(*self.items, strict=True)]
        away = [round(math.dist(place, centre), DIGITS) for place in self.places]
        return away.index(min(away))

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
        alone = self.n_gazes == 1 and (self.answer == PRESENCE or self.n_locations == 1)
        return self.staying_at(0) if alone else None

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
        rows = [(e, self.falloff(e)) for e in far]
        nearest = [] if far[0] == 0.0 else [(0.0, rows[0][1])]  # where no item ever is
        return replace(self, falloff=[*nearest, *rows]).as_dict()

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"Search over {count(self.n_locations, 'item')} with eye movements",
            [
                ("information", f"{self.information:g} /s at the point of gaze"),
                ("visibility", self._falloff_words()),
                ("gaze", count(self.n_gazes, "place")),
                ("fixation, saccade", f"{self._fixation_words()}, {self._saccade_words()}"),
                *([("answer", "names the place")] if self.answer == PLACE else []),
                *self._common_facts(),
            ],
        )

    def _fixation_words(self) -> str:
        return f"free, in steps of {self.dt:g} s" if self.is_free else f"{self.fixation:g} s"

    def _saccade_words(self) -> str:
        if not isinstance(self.saccade, tuple):
            return f"{self.saccade:g} s"
        seconds = [s for row in self.saccade for s in row if s > 0.0] or [0.0]
        return f"{min(seconds):g} to {max(seconds):g} s"

    def _falloff_words(self) -> str:
        if self.visibility is not None:
            gazes, items = count(self.n_gazes, "gaze"), count(self.n_locations, "item")
            return f"a table for {gazes} and {items}"
        if callable(self.falloff):
            return "falls with eccentricity as a function says"
        if isinstance(self.falloff, float):
            return f"exp(-e / {self.falloff:g}) at e degrees from gaze"
        rows = [f"{v:g} at {e:g}" for e, v in self.falloff]
        return f"{listing(rows)} degrees from gaze"

    def _observation_words(self) -> str:
        rests = f"for {self.fixation:g} s" if not self.is_free else "as long as the observer likes"
        return (
            f"Gaze rests {rests} at one of {count(self.n_gazes, 'place')} and then "
            f"takes {self._saccade_words()} to move. An item that is looked at gives "
            f"{self.information:g} units of information per second; visibility: "
            f"{self._falloff_words()}."
            + (" The answer names the place of the target." if self.answer == PLACE else "")
        )


def _said(function: Any, eccentricity: float) -> Any:
    """Return what a function of the user says, or the words of its error."""
    try:
        return function(eccentricity)
    except Exception as error:  # whatever it is, it is the function that has to change
        return f"{type(error).__name__}: {error}"


def _is_visibility(falloff: Any, eccentricity: float) -> bool:
    value = as_float(_said(falloff, eccentricity)) if callable(falloff) else 0.0
    return value is not None and 0.0 <= value <= 1.0


def _visibility(falloff: Any, eccentricity: float) -> float:
    """Return how well an item is seen."""
    if callable(falloff):
        return float(falloff(eccentricity))
    if isinstance(falloff, float):
        return math.exp(-eccentricity / falloff)
    far, seen = zip(*falloff, strict=True)
    return float(np.interp(eccentricity, far, seen))
