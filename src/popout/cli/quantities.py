"""Numbers as options take them: with a unit in the help, and messages that say what to write."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click


class Value(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """What an option takes: read from text, or refused with what to write instead.

    Parameters
    ----------
    name : str
        The metavar of the option.
    read : callable
        Turns text into a value; it raises `ValueError` or `OverflowError` for what is none.
    expected, remedy : str
        For the message.
    """

    def __init__(
        self, name: str, read: Callable[[str], Any], expected: str, remedy: str = "choose another"
    ) -> None:
        self.name, self.read, self.expected, self.remedy = name, read, expected, remedy

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; a default, which click passes as well, is one already."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except (ValueError, OverflowError):
            wrong = f"expected {self.expected}, got {value!r:.60}; {self.remedy}"
            self.fail(wrong, param, ctx)


class Quantity(Value):
    """A number with a unit. Whether its size makes sense, the library says.

    Parameters
    ----------
    unit : str
        In the plural; it is the metavar of the option, too.
    example : str
        A value to write.
    """

    def __init__(self, unit: str, example: str) -> None:
        what = "a number" if unit == "number" else f"a number of {unit}"
        super().__init__(unit, float, what, f"write e.g. {example}")


class Whole(Value):
    """An integer within bounds, which the help does not spell out; 1e6 is one."""

    def __init__(self, at_least: int | None = None, at_most: int | None = None) -> None:
        low = "" if at_least is None else f" of at least {at_least}"
        high = "" if at_most is None else f" of at most {at_most}"
        both = f" from {at_least} to {at_most}" if low and high else low or high
        self.least = -math.inf if at_least is None else at_least
        self.most = math.inf if at_most is None else at_most
        super().__init__("integer", self._within, f"an integer{both}")

    def _within(self, text: str) -> int:
        number = whole(text)
        if not self.least <= number <= self.most:
            raise ValueError("out of bounds")
        return number


def whole(text: str) -> int:
    """Return an integer, also if it is written as 1e6."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if "e" not in text.lower() or not number.is_integer():
            raise
        return int(number)


class Several(Value):
    """Numbers separated by commas, as a tuple.

    Parameters
    ----------
    read : callable
        `int` or `float`, applied to each item.
    item : str
        What an item is called in the help and in the message.
    """

    def __init__(self, read: Callable[[str], float], item: str) -> None:
        super().__init__(
            f"{item}[,...]",
            lambda text: tuple(read(part) for part in text.split(",")),
            f"one {item}, or several separated by commas",
            "write e.g. 8 or 8,3 without spaces",
        )


class NumberPairs(Value):
    """NumberPairs of numbers, as a tuple: a colon joins the two of a pair, commas separate pairs.

    Parameters
    ----------
    what : str
        What a pair is, in the message.
    number : bool
        Whether a number alone will do.
    """

    def __init__(self, what: str, number: bool = False) -> None:
        self.number = number
        expected = f"{'a number, or ' if number else ''}{what}, joined by colons"
        example = "0.8 or 0:1,2:0.3" if number else "0:0,1:0,2:0"
        super().__init__("x:y[,...]", self._pairs, expected, f"write e.g. {example} without spaces")

    def _pairs(self, text: str) -> Any:
        if self.number and ":" not in text:
            return float(text)
        pairs = tuple(tuple(map(float, part.split(":"))) for part in text.split(","))
        if {len(pair) for pair in pairs} != {2}:
            raise ValueError("no pairs")
        return pairs


class PerClass(Value):
    """A number, or one for each class, by name: ``present=0.1:absent=0.2``.

    Commas separate several values of an option everywhere; a colon joins the two of a pair. The
    pair is (absent, present), as `popout.Costs` takes it.

    Parameters
    ----------
    several : bool
        Whether there may be several, separated by commas; they are then a tuple.
    """

    def __init__(self, several: bool = False) -> None:
        self.several = several
        pair = "present=0.1:absent=0.2"
        if several:
            expected = "numbers, separated by commas, or one for each class"
            remedy = f"write e.g. 0.2,0.5 or {pair} without spaces"
        else:
            expected = "one number, or one for each class"
            remedy = f"write e.g. 0.2 or {pair}; `popout compare` takes several"
        super().__init__("number[,...]" if several else "number", self._pairs, expected, remedy)

    def _pairs(self, text: str) -> Any:
        if self.several:
            return tuple(_number_or_pair(part) for part in text.split(","))
        return _number_or_pair(text)

    def by_class(self, value: Any) -> Any:
        """Return a value for programs: pairs by the names of the classes."""
        if self.several:
            return [_by_class(each) for each in value]
        return _by_class(value)


def _by_class(value: Any) -> Any:
    is_pair = isinstance(value, tuple)
    return dict(zip(("absent", "present"), value, strict=True)) if is_pair else value


def _number_or_pair(text: str) -> float | tuple[float, float]:
    if "=" not in text:
        return float(text)
    pairs = [part.split("=") for part in text.split(":")]
    values = {name: float(number) for name, number in pairs}
    if len(pairs) != 2 or values.keys() != {"absent", "present"}:
        raise ValueError("no classes")
    return values["absent"], values["present"]
