"""One message for everything that is wrong with an input.

A validator that stops at the first fault makes its user repair an input one run at a time. Every
description in `popout` therefore collects its faults and raises them together, one line each::

    SearchTask.dt: expected a positive number, got -0.01; give the time step in seconds, e.g. 0.01

Each check returns the value in its stored form (a Python scalar or a tuple of them, so that the
descriptions are hashable). After a fault it returns a placeholder, which nobody sees:
`Faults.raise_if_any` runs before the object exists.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["Faults", "InputError", "did_you_mean"]

SUM_TOLERANCE = 1e-5  # how far from one a distribution typed with six digits may sum
ROUNDING = 1e-12  # below this a sum is one: dividing again would change bits for nothing


class InputError(ValueError):
    """A bad input. The message lists all of its faults, one line each.

    Parameters
    ----------
    lines : iterable of str
        The faults.

    Examples
    --------
    >>> from popout.task import InputError, SearchTask
    >>> try:
    ...     SearchTask(n_locations=0, drift=-4.0)
    ... except InputError as error:
    ...     print(error)
    SearchTask.n_locations: expected an integer of at least 1, got 0; count the search locations
    SearchTask.drift: expected a positive number, got -4.0; +drift is at a target, -drift elsewhere
    """

    def __init__(self, lines: Iterable[str] | str) -> None:
        self.lines = (lines,) if isinstance(lines, str) else tuple(lines)
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[str, ...]]]:
        """Rebuild from the lines, so that the error survives a process boundary."""
        return (type(self), (self.lines,))


def show(value: object) -> str:
    """Write a value for an error message, in 60 characters at most."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def did_you_mean(name: object, known: Iterable[str], otherwise: str) -> str:
    """Suggest the known name that a wrong one was meant to be.

    Parameters
    ----------
    name : object
        What came; anything but a string has no near name.
    known : iterable of str
        The names to choose from.
    otherwise : str
        The remedy when no name is near.

    Examples
    --------
    >>> from popout.task.faults import did_you_mean
    >>> did_you_mean("drfit", ["n_locations", "drift"], "choose one")
    'did you mean drift?'
    >>> did_you_mean("ASPRT", ["a-sprt", "sprt", "hardmax"], "choose one")
    'did you mean a-sprt?'
    >>> did_you_mean("luck", ["a-sprt", "sprt", "hardmax"], "choose one")
    'choose one'
    """
    if not isinstance(name, str):
        return otherwise
    plain = {_letters(one): one for one in known}
    near = difflib.get_close_matches(_letters(name)[:100], plain, n=1, cutoff=0.6)
    return f"did you mean {plain[near[0]]}?" if near else otherwise


def _letters(name: str) -> str:
    """Return a name without case, hyphens and underscores, which are easily confused."""
    return name.casefold().replace("-", "").replace("_", "")


class Faults:
    """Collect the faults of one input and raise them in one `InputError`.

    Parameters
    ----------
    subject : str
        What is being checked; it precedes the name of each field.

    Examples
    --------
    >>> from popout.task import Faults
    >>> faults = Faults("Rig")
    >>> faults.positive("distance", 57.0, "measure from eye to screen, in cm")
    57.0
    >>> faults.add("monitor", "a calibrated monitor", None, "measure its gamma")
    >>> faults.lines
    ['Rig.monitor: expected a calibrated monitor, got None; measure its gamma']
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.lines: list[str] = []

    def __bool__(self) -> bool:
        """Whether anything is wrong so far."""
        return bool(self.lines)

    def add(self, field: str, expected: str, got: object, remedy: str) -> None:
        """Record one fault."""
        where = f"{self.subject}.{field}" if self.subject else field
        self.lines.append(f"{where}: expected {expected}, got {show(got)}; {remedy}")

    def absorb(self, error: InputError) -> None:
        """Take over the faults of a part, e.g. of the observation of a task."""
        self.lines.extend(error.lines)

    def raise_if_any(self) -> None:
        """Raise `InputError` with every fault, or return if there is none."""
        if self.lines:
            raise InputError(self.lines)

    # -- scalars ----------------------------------------------------------------------------

    def number(
        self,
        field: str,
        value: Any,
        remedy: str,
        *,
        expected: str = "a finite number",
        above: float = -math.inf,
        below: float = math.inf,
    ) -> float:
        """Check `above < value < below` and return the float."""
        number = as_float(value)
        if number is not None and math.isfinite(number) and above < number < below:
            return number
        self.add(field, expected, value, remedy)
        return math.nan

    def positive(self, field: str, value: Any, remedy: str) -> float:
        """Check for a finite number above zero and return the float."""
        return self.number(field, value, remedy, expected="a positive number", above=0.0)

    def sensible(
        self, field: str, value: Any, remedy: str, low: float = 1e-9, high: float = 1e9
    ) -> float:
        """Check for a positive number of a size that has a meaning, and return the float.

        The bounds are far from anything one measures. They catch slips such as 1e300, whose square
        is no number any more, before these turn up deep inside a computation.
        """
        number = as_float(value)
        if number is None or not math.isfinite(number) or number <= 0.0:
            return self.positive(field, value, remedy)
        if not low <= number <= high:
            self.add(field, f"a number from {low:g} to {high:g}", value, remedy)
        return number

    def probability(self, field: str, value: Any, remedy: str) -> float:
        """Check for a number strictly between 0 and 1 and return the float."""
        expected = "a probability strictly between 0 and 1"
        return self.number(field, value, remedy, expected=expected, above=0.0, below=1.0)

    def integer(
        self, field: str, value: Any, remedy: str, *, at_least: int = 0, at_most: int | None = None
    ) -> int:
        """Check for an integer (Python's or NumPy's, not a bool) in a range and return the int."""
        expected = f"an integer of at least {at_least}"
        if at_most is not None:
            expected = f"an integer from {at_least} to {at_most}"
        number = as_int(value)
        if number is not None and number >= at_least and (at_most is None or number <= at_most):
            return number
        self.add(field, expected, value, remedy)
        return at_least

    # -- sequences --------------------------------------------------------------------------

    def sequence(self, field: str, value: Any, remedy: str, *, expected: str) -> tuple[Any, ...]:
        """Check for a non-empty sequence (list, tuple, array; not a string), return a tuple."""
        items = as_tuple(value)
        if not items:
            self.add(field, expected, value, remedy)
            return ()
        return items

    def distribution(
        self, field: str, value: Any, length: int | None, remedy: str
    ) -> tuple[float, ...]:
        """Check for probabilities that sum to one and return them normalised.

        A sum within 1e-5 of one is accepted, so that thirds may be typed with six digits, and
        divided out. `length` of None accepts any length.
        """
        many = "probabilities" if length is None else f"{length} probabilities"
        expected = f"{many} that sum to one"
        items = self.sequence(field, value, remedy, expected=expected)
        numbers = [as_float(item) for item in items]
        good = [p for p in numbers if p is not None and math.isfinite(p) and p >= 0.0]
        if not items:
            return ()
        if len(good) < len(items) or (length is not None and len(items) != length):
            self.add(field, expected, value, remedy)
            return ()
        total = math.fsum(good)
        if abs(total - 1.0) > SUM_TOLERANCE:
            self.add(field, f"{expected} (these sum to {total:.6g})", value, remedy)
            return ()
        return tuple(good) if abs(total - 1.0) <= ROUNDING else tuple(p / total for p in good)


def as_float(value: object) -> float | None:
    """Return the value as a Python float, or None if it is not a real number."""
    if isinstance(value, bool | str | bytes):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def as_int(value: Any) -> int | None:
    """Return the value as a Python int, or None if it is not an integer (2.0 is not)."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def as_tuple(value: object) -> tuple[Any, ...] | None:
    """Return a sequence or a NumPy array as a tuple of its items, None for anything else."""
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        return None
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(value) if isinstance(value, Sequence) else None
