"""Probabilities that sum to one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from popout.task.faults import as_float, as_tuple
from popout.task.kinds.base import Kind, Schema, Spot, array_of

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
