"""Numbers as options take them: with a unit in the help, and messages that say what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["Quantity", "Several", "Whole"]


class Quantity(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """A number with a unit. Whether its size makes sense, the library says.

    Parameters
    ----------
    unit : str
        In the plural; it is the metavar of the option, too.
    example : str
        A value to write.
    """

    def __init__(self, unit: str, example: str) -> None:
        self.name = unit
        self.example = example

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        try:
            return float(value)
        except ValueError:
            what = "a number" if self.name == "number" else f"a number of {self.name}"
            self.fail(f"expected {what}, got {value!r:.60}; write e.g. {self.example}", param, ctx)


class Whole(click.ParamType):  # type: ignore[type-arg]
    """An integer within bounds, which the help does not spell out.

    Parameters
    ----------
    at_least, at_most : int, optional
    """

    name = "integer"

    def __init__(self, at_least: int | None = None, at_most: int | None = None) -> None:
        self.at_least, self.at_most = at_least, at_most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the integer."""
        try:
            number = int(value)
        except ValueError:  # no integer, or one of more digits than Python takes
            self.fail(self._fault(value), param, ctx)
        low = self.at_least is not None and number < self.at_least
        if low or (self.at_most is not None and number > self.at_most):
            self.fail(self._fault(value), param, ctx)
        return number

    def _fault(self, value: object) -> str:
        low = "" if self.at_least is None else f" of at least {self.at_least}"
        high = "" if self.at_most is None else f" of at most {self.at_most}"
        both = f" from {self.at_least} to {self.at_most}" if low and high else low or high
        return f"expected an integer{both}, got {str(value)!r:.60}; choose another"


class Several(click.ParamType):  # type: ignore[type-arg]
    """Numbers separated by commas, as a tuple.

    Parameters
    ----------
    one : callable
        `int` or `float`, applied to each item.
    item : str
        What one item is called in the help and in the error message.
    """

    def __init__(self, one: Callable[[str], float], item: str) -> None:
        self.one, self.item = one, item
        self.name = f"{item}[,...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Return the numbers."""
        if isinstance(value, tuple):  # a default
            return value
        try:
            return tuple(self.one(part) for part in value.split(","))
        except ValueError:
            fault = f"expected one {self.item}, or several separated by commas, got {value!r}"
            self.fail(f"{fault}; write e.g. 8 or 8,3 without spaces", param, ctx)
