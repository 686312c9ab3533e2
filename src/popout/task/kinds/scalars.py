"""Single values: numbers, integers, names, texts, true or false."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from popout.task.faults import as_float, as_int, did_you_mean
from popout.task.kinds.base import Kind, Schema, Spot


@dataclass(eq=False, repr=False)  # cheap: these are made when the program starts
class Number(Kind):
    """A real number, stored as a float.

    Parameters
    ----------
    above, below : float
        Bounds that are not reached.
    low, high : float
        Bounds of what has a meaning, far from anything one measures. They catch slips such as
        1e300, whose square is no number any more, before these turn up deep inside a computation.
    expected : str
        What a message says; made from the bounds when left out.

    Examples
    --------
    >>> from popout.task import Faults
    >>> faults = Faults("Rig")
    >>> Number(above=0.0, below=1e3).check(1e6, Spot(faults, ("distance",), "in cm"))
    >>> faults.lines
    ['Rig.distance: expected a positive number below 1000, got 1000000.0; in cm']
    """

    above: float = -math.inf
    below: float = math.inf
    low: float = -math.inf
    high: float = math.inf
    expected: str = ""

    def check(self, value: Any, spot: Spot) -> float | None:
        """Return the float."""
        number = as_float(value)
        if number is None or not math.isfinite(number):
            number = None
        elif self.above < number < self.below and self.low <= number <= self.high:
            return number
        spot.refuse(self._expected(number), value)
        return None

    def _expected(self, number: float | None) -> str:
        """Say what was expected; of bounds, only those hear who go there."""
        words = "a positive number" if self.above == 0.0 else "a finite number"
        if self.expected or number is None:
            return self.expected or words
        if number >= self.below:
            return f"{words} below {self.below:g}"
        if number <= self.above:
            return words if self.above == 0.0 else f"{words} above {self.above:g}"
        return f"a number from {self.low:g} to {self.high:g}"

    def schema(self) -> Schema:
        """Return the bounds."""
        bounds = {
            "exclusiveMinimum": self.above if self.low < self.above else -math.inf,
            "exclusiveMaximum": self.below,
            "minimum": self.low,
            "maximum": self.high,
        }
        return {"type": "number", **{name: v for name, v in bounds.items() if math.isfinite(v)}}


PROBABILITY = Number(above=0.0, below=1.0, expected="a probability strictly between 0 and 1")


@dataclass(eq=False, repr=False)
class Integer(Kind):
    """An integer (Python's or NumPy's, not a bool), stored as an int.

    Parameters
    ----------
    low, high : int
        Bounds, included.
    expected : str
        What a message says; made from the bounds when left out.
    up_to : str
        The field that says how large it may be, if another does.
    """

    low: int = 0
    high: int | None = None
    expected: str = ""
    up_to: str = ""

    def check(self, value: Any, spot: Spot) -> int | None:
        """Return the int."""
        number = as_int(value)
        high = spot.known.get(self.up_to, self.high)
        large = number is not None and high is not None and number > high
        if number is not None and number >= self.low and not large:
            return number
        words = f"from {self.low} to {high}" if large else f"of at least {self.low}"
        spot.refuse(self.expected or f"an integer {words}", value)
        return None

    def schema(self) -> Schema:
        """Return the bounds."""
        top = {} if self.high is None else {"maximum": self.high}
        return {"type": "integer", "minimum": self.low, **top}


@dataclass(eq=False, repr=False)
class Choice(Kind):
    """One of several names.

    Examples
    --------
    >>> from popout.task import Faults
    >>> faults = Faults("")
    >>> Choice(("exact", "tuned")).check("tunde", Spot(faults, ("result",), "choose one"))
    >>> faults.lines
    ["result: expected one of exact, tuned, got 'tunde'; did you mean tuned?"]
    """

    names: tuple[str, ...]

    def check(self, value: Any, spot: Spot) -> str | None:
        """Return the name."""
        if isinstance(value, str) and value in self.names:
            return value
        remedy = did_you_mean(value, self.names, spot.remedy)
        spot.refuse(f"one of {', '.join(self.names)}", value, remedy)
        return None

    def schema(self) -> Schema:
        """Return the names."""
        return {"enum": list(self.names)}


class Flag(Kind):
    """True or false."""

    def check(self, value: Any, spot: Spot) -> bool | None:
        """Return the bool."""
        if isinstance(value, bool):
            return value
        spot.refuse("true or false", value)
        return None

    def schema(self) -> Schema:
        """Return the type."""
        return {"type": "boolean"}


@dataclass(eq=False, repr=False)
class Text(Kind):
    """A text.

    Parameters
    ----------
    most : int
        Characters, at most.
    least : int
        Characters, at least; blanks at the ends do not count.
    pattern : str
        A regular expression that all of it matches.
    expected : str
        What a message says; made from the length when left out.

    Examples
    --------
    >>> from popout.task import Faults
    >>> faults = Faults("Rig")
    >>> Text(20).check("Left booth", Spot(faults, ("name",), "name it"))
    'Left booth'
    >>> Text(5).check("Left booth", Spot(faults, ("name",), "name it"))
    >>> faults.lines
    ["Rig.name: expected a text of at most 5 characters, got 'Left booth'; name it"]
    """

    most: int
    least: int = 0
    pattern: str = ""
    expected: str = ""

    def check(self, value: Any, spot: Spot) -> str | None:
        """Return the text."""
        fits = isinstance(value, str) and self.least <= len(value.strip()) <= self.most
        if fits and len(value) <= self.most and re.fullmatch(self.pattern or ".*", value, re.S):
            return str(value)
        size = f"{self.least} to {self.most}" if self.least else f"at most {self.most}"
        spot.refuse(self.expected or f"a text of {size} characters", value)
        return None

    def schema(self) -> Schema:
        """Return the length and the pattern."""
        length = {"minLength": self.least} if self.least else {}
        pattern = {"pattern": f"^(?:{self.pattern})$"} if self.pattern else {}
        return {"type": "string", "maxLength": self.most, **length, **pattern}


@dataclass(eq=False, repr=False)
class Optional(Kind):
    """A value of another kind, or none: ``null`` in JSON, left out in a file."""

    item: Kind

    def check(self, value: Any, spot: Spot) -> Any:
        """Return what is stored of the value, or None."""
        return None if value is None else self.item.check(value, spot)

    def schema(self) -> Schema:
        """Return a choice of both."""
        return {"anyOf": [self.item.schema(), {"type": "null"}]}
