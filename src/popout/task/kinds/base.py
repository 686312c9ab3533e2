"""A kind of value: how one is checked, and how JSON Schema (2020-12) describes it.

`check` returns the value in its stored form, or records what is wrong and returns None. It sees the
fields that were checked before, because some speak of each other: a prior has as many members as
there are locations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from popout.task.faults import Faults, Path

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
