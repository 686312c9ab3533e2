"""Descriptions inside a description: tables of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.task.faults import as_tuple
from popout.task.kinds.base import Kind, Schema, Spot, array_of


@dataclass(eq=False, repr=False)
class Part(Kind):
    """A description of its own, which is a table in a file.

    Parameters
    ----------
    family : type
        What it is an instance of; its `kinds` are all there are.
    name : str
        Of the definition in a schema.
    """

    family: Any
    name: str

    def check(self, value: Any, spot: Spot) -> Any:
        """Return the part itself."""
        if isinstance(value, self.family):
            return value
        names = " or ".join(f"a {cls.__name__}" for cls in self.family.kinds.values())
        return spot.refuse(names, value)

    def schema(self) -> Schema:
        """Return a reference to the definition."""
        return {"$ref": f"#/$defs/{self.name}"}


@dataclass(eq=False, repr=False)
class Table(Kind):
    """A description of one class, which is a table in a file.

    Parameters
    ----------
    of : type
        A `Declared` class.
    """

    of: Any

    def check(self, value: Any, spot: Spot) -> Any:
        """Return the description itself."""
        if isinstance(value, self.of):
            return value
        return spot.refuse(f"a {self.of.__name__}", value)

    def schema(self) -> Schema:
        """Return the schema of the description."""
        schema: Schema = self.of.schema()
        return schema


@dataclass(eq=False, repr=False)
class Tables(Kind):
    """Descriptions of one class, which are an array of tables in a file.

    Parameters
    ----------
    of : type
        A `Declared` class.
    most : int
        How many there are, at most; one at least.
    """

    of: Any
    most: int

    def check(self, value: Any, spot: Spot) -> Any:
        """Return a tuple of the descriptions."""
        items = as_tuple(value) or ()
        if 1 <= len(items) <= self.most and all(isinstance(item, self.of) for item in items):
            return items
        return spot.refuse(f"1 to {self.most} of {self.of.__name__}", value)

    def schema(self) -> Schema:
        """Return an array of the schema of the description."""
        return array_of(self.of.schema(), maxItems=self.most)
