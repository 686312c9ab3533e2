"""Orientations: degrees, or the blank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from popout.task.faults import as_float, as_tuple
from popout.task.kinds.base import Kind, Schema, Spot, array_of

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
