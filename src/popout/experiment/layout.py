"""Where bars may stand, in degrees of visual angle from the centre of the screen.

A display of n items on a ring uses places that are equally far apart where the number of places is
a multiple of n, so that set size does not change the distance between neighbours at random. In all
other cases the places are drawn without replacement.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar

from popout.task.declared import Declared, Field, Stored, optional
from popout.task.faults import Faults
from popout.task.kinds import Integer, Number

MOST_PLACES = 64
DEGREES = "degrees"


def _size(words: str, default: float, high: float, remedy: str = "") -> Field:
    kind = Number(above=0.0, high=high)
    return Field(kind, words, remedy or "give degrees of visual angle", DEGREES, default)


def _grey(words: str, default: float) -> Field:
    kind = Number(low=0.0, high=1.0, expected="a number from 0 (black) to 1 (white)")
    return Field(kind, words, "0 is black, 1 is white", default=default)


class Layout(Declared):
    """Where bars may stand, and how large they are."""

    kinds: ClassVar[dict[str, Any]] = {}

    bar_length: Stored[float] = optional(_size("Length of a bar.", 1.2, 20.0))
    bar_width: Stored[float] = optional(_size("Width of a bar.", 0.25, 20.0))
    background: Stored[float] = optional(_grey("Grey of the screen.", 0.5))
    bar: Stored[float] = optional(_grey("Grey of a bar of full contrast.", 1.0))

    @cached_property
    @abstractmethod
    def positions(self) -> tuple[tuple[float, float], ...]:
        """Right and up from the centre, in degrees, of each place."""

    @abstractmethod
    def strides(self, n: int) -> int | None:
        """Return how many places apart n items stand; None if any places will do."""

    @cached_property
    def n_places(self) -> int:
        """How many places there are."""
        return len(self.positions)

    @property
    def reach(self) -> float:
        """How far from the centre anything is drawn, in degrees."""
        return max(math.hypot(*place) for place in self.positions) + self.bar_length / 2

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        if not faults and known["bar_width"] > known["bar_length"]:
            remedy = "give the longer side as the length"
            faults.add("bar_width", "a width below the length", known["bar_width"], remedy)
        if not faults and abs(known["bar"] - known["background"]) < 0.05:
            expected = "a bar that can be seen before the background"
            faults.add("bar", expected, known["bar"], "choose a grey that differs by 0.05 or more")


class Ring(Layout):
    """Places on a ring around fixation."""

    kind = "ring"

    radius: Stored[float] = optional(_size("Radius of the ring.", 6.0, 40.0))
    places: Stored[int] = optional(
        Field(Integer(1, MOST_PLACES), "Number of places.", "count the places", default=12)
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        super()._relate(faults, known)
        if faults:
            return
        apart = 2 * known["radius"] * math.sin(math.pi / max(known["places"], 2))
        if apart < known["bar_length"]:
            expected = "bars that do not overlap"
            remedy = "enlarge the radius, or take fewer places or shorter bars"
            faults.add("bar_length", expected, f"places {apart:.3g} degrees apart", remedy)

    @cached_property
    def positions(self) -> tuple[tuple[float, float], ...]:
        """From the top, clockwise; half a step on, so that no bar stands above fixation."""
        angles = [2 * math.pi * (k + 0.5) / self.places for k in range(self.places)]
        return tuple((self.radius * math.sin(a), self.radius * math.cos(a)) for a in angles)

    def strides(self, n: int) -> int | None:
        """Return the distance between neighbours, where it can be the same for all."""
        return self.places // n if self.places % n == 0 else None


class Grid(Layout):
    """Places on a rectangular grid around fixation."""

    kind = "grid"

    columns: Stored[int] = optional(
        Field(Integer(1, 16), "Places in a row.", "count the columns", default=6)
    )
    rows: Stored[int] = optional(
        Field(Integer(1, 16), "Places in a column.", "count the rows", default=6)
    )
    spacing: Stored[float] = optional(_size("From one place to the next.", 2.0, 20.0))
    jitter: Stored[float] = optional(
        Field(
            Number(low=0.0, high=10.0),
            "How far a bar may be moved along each axis, at random on every trial.",
            "give degrees of visual angle; 0 for none",
            DEGREES,
            0.0,
        )
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        super()._relate(faults, known)
        if faults:
            return
        if known["columns"] * known["rows"] > MOST_PLACES:
            product = f"{known['columns']} x {known['rows']}"
            faults.add("rows", f"at most {MOST_PLACES} places", product, "take fewer")
        if known["spacing"] - 2 * known["jitter"] < known["bar_length"]:
            room = f"{known['spacing']:g} degrees less twice a jitter of {known['jitter']:g}"
            remedy = "enlarge the spacing, or take less jitter or shorter bars"
            faults.add("bar_length", "bars that do not overlap", room, remedy)

    @cached_property
    def positions(self) -> tuple[tuple[float, float], ...]:
        """Row by row from the top left."""
        across = [self.spacing * (k - (self.columns - 1) / 2) for k in range(self.columns)]
        down = [self.spacing * ((self.rows - 1) / 2 - k) for k in range(self.rows)]
        return tuple((x, y) for y in down for x in across)

    def strides(self, n: int) -> int | None:
        """Return None: any places will do."""
        return None
