"""Numbers as options take them: with a unit in the help, and messages that say what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


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
    """An integer within bounds, which the help does not spell out; 1e6 is one.

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
            number = _whole(value)
        except (ValueError, OverflowError):  # none, or one of more digits than Python takes
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


def _whole(value: Any) -> int:
    """Return the integer, also if it is written as 1e6."""
    try:
        return int(value)
    except ValueError:
        number = float(value)
        if "e" not in str(value).lower() or not number.is_integer():
            raise
        return int(number)


class PerClass(click.ParamType):  # type: ignore[type-arg]
    """A number, or one for each class, by name: ``present=0.1:absent=0.2``.

    Commas separate several values of an option everywhere; a colon joins the two of a pair. The
    pair is (absent, present), as `popout.Costs` takes it.

    Parameters
    ----------
    several : bool
        Whether there may be several, separated by commas; they are then a tuple.
    """

    example = "present=0.1:absent=0.2"

    def __init__(self, several: bool = False) -> None:
        self.several = several
        self.name = "number[,...]" if several else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a number or a pair; a tuple of them where there may be several."""
        if not isinstance(value, str):
            return value
        try:
            if self.several:
                return tuple(_number_or_pair(part) for part in value.split(","))
            return _number_or_pair(value)
        except ValueError:
            if self.several:
                expected = "numbers, separated by commas, or one for each class"
                remedy = f"write e.g. 0.2,0.5 or {self.example} without spaces"
            else:
                expected = "one number, or one for each class"
                remedy = f"write e.g. 0.2 or {self.example}"
                remedy += "; `popout compare` takes several" if "," in value else ""
            self.fail(f"expected {expected}, got {value!r:.60}; {remedy}", param, ctx)

    def by_class(self, value: Any) -> Any:
        """Return a value for programs: pairs by the names of the classes."""
        if self.several and value is not None:
            return [_by_class(each) for each in value]
        return _by_class(value)


def _by_class(value: Any) -> Any:
    return dict(zip(("absent", "present"), value, strict=True)) if _is_pair(value) else value


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _number_or_pair(text: str) -> float | tuple[float, float]:
    if "=" not in text:
        return float(text)
    (one, first), (other, second) = (part.split("=") for part in text.split(":"))
    values = {one: float(first), other: float(second)}
    if values.keys() != {"absent", "present"}:
        raise ValueError("no classes")
    return values["absent"], values["present"]


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
