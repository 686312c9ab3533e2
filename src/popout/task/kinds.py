"""What a field takes: a number within bounds, a distribution, a list of orientations, and so on.

A `Kind` says how a value is checked and how JSON Schema (2020-12) describes it. `check` returns the
value in its stored form, or records what is wrong and returns None. It sees the fields that were
checked before, because some speak of each other: a prior has as many members as there are
locations.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from popout.task.faults import Faults, Path, as_float, as_int, as_tuple, did_you_mean

if TYPE_CHECKING:
    from popout.task.document import DocumentFaults

Schema = dict[str, Any]


def array_of(items: Schema, **more: Any) -> Schema:
    """Return the schema of a list with at least one item."""
    return {"type": "array", "items": items, "minItems": 1, **more}


class Spot(NamedTuple):
    """Where a value is checked.

    Parameters
    ----------
    faults : Faults
    path : tuple of (str or int)
        The field, or a member of it.
    remedy : str
        What to do if the value is wrong.
    known : mapping of str to object
        Fields that were checked before; None where they were faulty.
    """

    faults: Faults
    path: Path
    remedy: str
    known: Mapping[str, Any] = {}

    def member(self, *index: int) -> Spot:
        """Return the place of a member of the value."""
        return self._replace(path=(*self.path, *index))

    def refuse(self, expected: str, value: object, remedy: str = "") -> None:
        """Record what is wrong with a value."""
        self.faults.add(self.path, expected, value, remedy or self.remedy)

    def length(self, field: str) -> int | None:
        """Return how many members another field asks for; None where it is faulty itself."""
        size = self.known.get(field)
        return size if isinstance(size, int) else len(size or ()) or None


class Kind(ABC):
    """What a field takes."""

    @abstractmethod
    def check(self, value: Any, spot: Spot) -> Any:
        """Return the value as it is stored, or record what is wrong with it and return None."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema of the value."""

    def read(self, faults: DocumentFaults, path: Path) -> Any:
        """Return what a document has at a path, with the parts of it built."""
        return faults.document.value(path)


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

    def read(self, faults: DocumentFaults, path: Path) -> Any:
        """Return what the other kind reads, or None."""
        missing = faults.document.value(path) is None
        return None if missing else self.item.read(faults, path)

    def schema(self) -> Schema:
        """Return a choice of both."""
        return {"anyOf": [self.item.schema(), {"type": "null"}]}


SUM_TOLERANCE = 1e-5  # how far from one a distribution typed with six digits may sum
ROUNDING = 1e-12  # below this a sum is one: dividing again would change bits for nothing


class Uniform(tuple[float, ...]):
    """A uniform distribution that nobody typed.

    It is an ordinary tuple for every purpose but one: `dataclasses.replace(task, n_locations=8)`
    hands the old task's prior to the new one, and a default must then stretch while a prior the
    user chose must be refused.
    """

    __slots__ = ()


def uniform(n: int) -> Uniform:
    """Return the uniform distribution over n values."""
    return Uniform([1.0 / n] * n)


@dataclass(eq=False, repr=False)
class Distribution(Kind):
    """Probabilities that sum to one, stored normalised.

    Parameters
    ----------
    over : str
        The field that says of how many values: a number, or a sequence with that many members.
    uniform : bool
        Whether None stands for a uniform one.
    """

    over: str
    uniform: bool = False

    def check(self, value: Any, spot: Spot) -> tuple[float, ...] | None:
        """Return the probabilities, normalised.

        A sum within 1e-5 of one is accepted, so that thirds may be typed with six digits, and
        divided out.
        """
        length = spot.length(self.over)
        if self.uniform and (value is None or isinstance(value, Uniform)):
            return uniform(length or 1)
        items = as_tuple(value) or ()
        numbers = [as_float(item) for item in items]
        good = [p for p in numbers if p is not None and math.isfinite(p) and p >= 0.0]
        expected = f"{f'{length} ' if length else ''}probabilities that sum to one"
        if not items or len(good) < len(items) or length not in (None, len(items)):
            return spot.refuse(expected, value)
        total = math.fsum(good)
        if abs(total - 1.0) > SUM_TOLERANCE:
            return spot.refuse(f"{expected} (these sum to {total:.6g})", value)
        return tuple(good) if abs(total - 1.0) <= ROUNDING else tuple(p / total for p in good)

    def schema(self) -> Schema:
        """Return an array of numbers from 0 to 1; that they sum to one it cannot say."""
        return array_of({"type": "number", "minimum": 0, "maximum": 1})


BLANK = "blank"
"""The paper's theta_0-slash: nothing is shown at the location."""
Label = float | str


def as_label(item: Any) -> Label | None:
    """Return an orientation as it is stored, or None if it is not one."""
    if isinstance(item, str):
        return BLANK if item == BLANK else None
    number = as_float(item)
    return number if number is not None and math.isfinite(number) else None


@dataclass(eq=False, repr=False)
class Labels(Kind):
    """Distinct orientations in degrees, or the blank."""

    expected: str = 'distinct orientations in degrees (or "blank")'

    def check(self, value: Any, spot: Spot) -> tuple[Label, ...] | None:
        """Return the labels."""
        items = as_tuple(value) or ()
        labels = tuple(label for item in items if (label := as_label(item)) is not None)
        if not items or len(set(labels)) < len(items):
            spot.refuse(self.expected, value)
        return labels or None

    def schema(self) -> Schema:
        """Return an array of different labels."""
        return array_of({"anyOf": [{"type": "number"}, {"const": BLANK}]}, uniqueItems=True)


@dataclass(eq=False, repr=False)
class Each(Kind):
    """One value or more of the same kind, stored as a tuple.

    Parameters
    ----------
    item : Kind
    expected : str
        What a message calls them.
    distinct : bool
        Whether none may be there twice.
    least, most : int, optional
        How many there are, at least and at most.
    """

    item: Kind
    expected: str
    distinct: bool = False
    least: int = 1
    most: int | None = None

    def check(self, value: Any, spot: Spot) -> Any:
        """Return a tuple of what is stored of each."""
        items = as_tuple(value) or ()
        each = tuple(self.item.check(item, spot.member(k)) for k, item in enumerate(items))
        twice = self.distinct and None not in each and len(set(each)) < len(each)
        few = len(items) < self.least
        if few or twice or (self.most is not None and len(items) > self.most):
            spot.refuse(self.expected, value)
        return each

    def read(self, faults: DocumentFaults, path: Path) -> Any:
        """Return what is read of each."""
        items = faults.document.value(path)
        if not isinstance(items, list):
            return items
        return [self.item.read(faults, (*path, k)) for k in range(len(items))]

    def schema(self) -> Schema:
        """Return an array."""
        top = {} if self.most is None else {"maxItems": self.most}
        unique = {"uniqueItems": True} if self.distinct else {}
        return array_of(self.item.schema(), **{"minItems": self.least, **top, **unique})


@dataclass(eq=False, repr=False)
class OneOrEach(Kind):
    """One number for all, or one for each; equal ones are stored as one.

    Parameters
    ----------
    item : Number
    expected, remedy : str
        What a message says about a wrong number of them.
    length : int, optional
        How many there are.
    over : str
        The field that says how many there are, if another does.
    """

    item: Number
    expected: str
    remedy: str = ""
    length: int | None = None
    over: str = ""

    def check(self, value: Any, spot: Spot) -> Any:
        """Return a float or a tuple of them."""
        items = as_tuple(value)
        if items is None:
            return self.item.check(value, spot)
        length = spot.length(self.over) if self.over else self.length
        if not items or length not in (None, len(items)):
            spot.refuse(self.expected, value, self.remedy)
            if self.length:
                return None
        each = tuple(self.item.check(item, spot.member(k)) for k, item in enumerate(items))
        return each[0] if len(set(each)) == 1 else each

    def schema(self) -> Schema:
        """Return a choice of both."""
        bounds = {"minItems": self.length, "maxItems": self.length} if self.length else {}
        item = self.item.schema()
        return {"anyOf": [item, array_of(item, **bounds)]}


@dataclass(eq=False, repr=False)
class Rows(Kind):
    """A rectangular matrix of numbers: a row for each orientation, a column for each channel.

    Parameters
    ----------
    item : Number
    flat : bool
        Whether a single number may stand for a row, if it does for all.
    """

    item: Number
    flat: bool = False

    def check(self, value: Any, spot: Spot) -> Any:
        """Return a tuple of floats or of tuples of them."""
        items = as_tuple(value) or ()
        is_flat = self.flat and bool(items) and as_tuple(items[0]) is None
        rows = [(item,) if is_flat else as_tuple(item) or () for item in items]
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            return spot.refuse("a matrix of shape (orientations, channels)", value)
        matrix = tuple(
            tuple(
                self.item.check(item, spot.member(k) if is_flat else spot.member(k, c))
                for c, item in enumerate(row)
            )
            for k, row in enumerate(rows)
        )
        return tuple(row[0] for row in matrix) if is_flat else matrix

    def schema(self) -> Schema:
        """Return an array of arrays, or a choice of that and one of numbers."""
        row = array_of(self.item.schema())
        return {"anyOf": [row, array_of(row)]} if self.flat else array_of(row)


@dataclass(eq=False, repr=False)
class Part(Kind):
    """A description of its own, which is a table in a file.

    Parameters
    ----------
    of : type
        A `Declared` class; one of its `kinds` where it has several, which a schema defines under
        its name.
    """

    of: Any

    def check(self, value: Any, spot: Spot) -> Any:
        """Return the part itself."""
        if isinstance(value, self.of):
            return value
        classes = [*self.of.kinds.values()] or [self.of]
        return spot.refuse(" or ".join(f"a {cls.__name__}" for cls in classes), value)

    def read(self, faults: DocumentFaults, path: Path) -> Any:
        """Build the part."""
        return self.of.read(faults, path)

    def schema(self) -> Schema:
        """Return the schema of the part, or a reference to the definition of several kinds."""
        whole = {"$ref": f"#/$defs/{self.of.__name__.lower()}"}
        schema: Schema = whole if self.of.kinds else self.of.schema()
        return schema
