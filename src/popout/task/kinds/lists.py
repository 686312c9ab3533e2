"""Several values: a list, one for all or one for each, a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.task.faults import as_tuple
from popout.task.kinds.base import Kind, Schema, Spot, array_of
from popout.task.kinds.scalars import Number


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
