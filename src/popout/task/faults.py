"""What is wrong with an input, as data and in words.

A validator that stops at the first fault makes its user repair an input one run at a time. Every
description in `popout` therefore collects its faults and raises them together. A `Fault` says what
was expected where, what came and what to do; its text is one line::

    SearchTask.dt: expected a positive number, got -0.01; give the time step in seconds, e.g. 0.01

Programs read the fields of a fault, never its text.

Each check returns the value in its stored form (a Python scalar or a tuple of them, so that the
descriptions are hashable). After a fault it returns a placeholder, which nobody sees:
`Faults.raise_if_any` runs before the object exists.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Path = tuple[str | int, ...]
"""Names of fields, and positions in sequences, from the outside to the inside."""


class _Nothing:
    """What a message shows for a value that is not there."""

    def __repr__(self) -> str:
        return "nothing"

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
MOST_ALIKE = 5
"""Faults of one kind that a message lists."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with an input.

    Parameters
    ----------
    subject : str
        What was being built or called.
    path : tuple of (str or int)
        Where in the subject: the field, then positions in it.
    expected, got, remedy : str
        `got` as it is shown to the user.
    table : tuple of (str or int)
        Where the subject itself stands in a larger input, such as the table of a file.
    file : str
    line : int, optional
        From 1.
    note : str
        Something to add about this one occurrence.
    text : str
        The whole message, of an error that has no parts.

    Examples
    --------
    >>> fault = Fault("SearchTask", ("drift", 1), "a positive number", "-3", "turn it", line=4)
    >>> print(fault)
    line 4: SearchTask.drift[1]: expected a positive number, got -3; turn it
    >>> fault.as_dict()["path"]
    ['drift', 1]
    """

    subject: str = ""
    path: Path = ()
    expected: str = ""
    got: str = ""
    remedy: str = ""
    table: Path = ()
    file: str = ""
    line: int | None = None
    note: str = field(default="", compare=False)
    text: str = ""

    def __str__(self) -> str:
        """Return the fault as one line."""
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        if self.line and not self.file:
            place = f"line {self.line}"
        words = f"expected {self.expected}, got {self.got}; {self.remedy}"
        parts = (place, self._name, self.text or words)
        return ": ".join(part for part in parts if part) + self.note

    @property
    def _name(self) -> str:
        name = self.subject
        for part in self.path:
            name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
        return name

    def as_dict(self) -> dict[str, Any]:
        """Return the fault for programs: what JSON can hold, with the path from the outside."""
        return {
            "subject": self.subject,
            "path": [*self.table, *self.path],
            "expected": self.expected,
            "got": self.got,
            "remedy": self.remedy,
            "file": self.file or None,
            "line": self.line,
            "message": str(self),
        }


def listed(faults: Iterable[Fault]) -> list[str]:
    """Return the faults in words, of those that are alike the first few.

    Examples
    --------
    >>> some = [Fault("Rig", ("screens", k), "a name", "3", "name it") for k in range(9)]
    >>> listed(some)[0], len(listed(some))
    ('Rig.screens[0]: expected a name, got 3; name it', 5)
    >>> listed(some)[-1]
    'Rig.screens[4]: expected a name, got 3; name it (and 4 more like this)'
    """
    alike: dict[object, list[str]] = {}
    for fault in faults:
        kind = fault.text or (fault.subject, fault.path[:1], fault.remedy, fault.file)
        alike.setdefault(kind, []).append(str(fault))
    lines = []
    for each in alike.values():
        more = len(each) - MOST_ALIKE
        lines += each[:MOST_ALIKE]
        lines[-1] += f" (and {more} more like this)" if more > 0 else ""
    return lines


class InputError(ValueError):
    """A bad input. The message lists its faults, one line each, of many alike the first few.

    Parameters
    ----------
    faults : iterable of Fault, or str
        The faults; a text alone becomes a fault without parts.

    Examples
    --------
    >>> from popout.task import InputError, SearchTask
    >>> try:
    ...     SearchTask(n_locations=0, drift=-4.0)
    ... except InputError as error:
    ...     print(error)
    SearchTask.n_locations: expected an integer of at least 1, got 0; count the search locations
    SearchTask.drift: expected a positive number, got -4.0; +drift is at a target, -drift elsewhere
    >>> error = InputError("popout: expected patience")
    >>> error.faults[0].text
    'popout: expected patience'
    """

    def __init__(self, faults: Iterable[Fault] | str) -> None:
        self.faults = (Fault(text=faults),) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(listed(self.faults)))

    @property
    def lines(self) -> tuple[str, ...]:
        """The faults in words."""
        return tuple(str(fault) for fault in self.faults)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Fault, ...]]]:
        """Rebuild from the faults, so that the error survives a process boundary."""
        return (type(self), (self.faults,))


def unwritable(path: object, error: OSError) -> InputError:
    """Return the fault of a folder or a file that the system did not let us write.

    Examples
    --------
    >>> print(unwritable("results", OSError(28, "No space left on device")))
    out: expected a folder that takes files, got results (No space left on device); name another
    with --out
    """
    why = error.strerror or str(error)
    return InputError(
        f"out: expected a folder that takes files, got {path} ({why}); name another with --out"
    )


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
    >>> did_you_mean("sprt", ["a-sprt", "sprt", "hardmax"], "choose one")
    'choose one'
    """
    plain = {_letters(each): each for each in known}
    if not isinstance(name, str) or name in plain.values():
        return otherwise  # what was given is no help
    import difflib

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
        self.faults: list[Fault] = []

    def __bool__(self) -> bool:
        """Whether anything is wrong so far."""
        return bool(self.faults)

    @property
    def lines(self) -> list[str]:
        """The faults so far, in words."""
        return [str(fault) for fault in self.faults]

    def add(self, where: str | Path, expected: str, got: object, remedy: str) -> None:
        """Record one fault of a field, or of the place that a path names.

        Parameters
        ----------
        where : str or tuple of (str or int)
        expected : str
        got : object
            What came, of any type.
        remedy : str
            What to do.
        """
        path = (where,) if isinstance(where, str) else where
        self.faults.append(Fault(self.subject, path, expected, show(got), remedy))

    def absorb(self, error: InputError, table: Path = ()) -> None:
        """Take over the faults of a part, e.g. of the observation of a task."""
        self.faults += [
            replace(fault, table=(*table, *fault.table)) if table else fault
            for fault in error.faults
        ]

    def raise_if_any(self) -> None:
        """Raise `InputError` with every fault, or return if there is none."""
        if self.faults:
            raise InputError(self.faults)

    def kind(
        self,
        where: str | Path,
        value: object,
        kinds: type | tuple[type, ...],
        expected: str,
        remedy: str,
    ) -> bool:
        """Check that a value is of one of some types.

        Examples
        --------
        >>> faults = Faults("Rig")
        >>> faults.kind("monitor", "CRT", str, "a name", "as on its back")
        True
        >>> faults.kind("monitor", 3, str, "a name", "as on its back"), faults.lines
        (False, ['Rig.monitor: expected a name, got 3; as on its back'])
        """
        if not isinstance(value, kinds):
            self.add(where, expected, value, remedy)
        return isinstance(value, kinds)

    def place(self, where: str | Path, value: object, remedy: str) -> bool:
        """Check for the path of a file or a folder."""
        return self.kind(where, value, (str, os.PathLike), "a path", remedy)

    def words(self, where: str | Path, value: object, remedy: str) -> tuple[str, ...]:
        """Check for a sequence of words, not for a word alone, and return it as a tuple."""
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        words = tuple(value) if several and isinstance(value, Iterable) else None
        if words is not None and all(isinstance(word, str) for word in words):
            return words
        self.add(where, "a sequence of words", value, remedy)
        return ()

    def number(
        self,
        where: str | Path,
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
        self.add(where, expected, value, remedy)
        return math.nan

    def positive(self, where: str | Path, value: Any, remedy: str) -> float:
        """Check for a finite number above zero and return the float."""
        return self.number(where, value, remedy, expected="a positive number", above=0.0)

    def integer(
        self,
        where: str | Path,
        value: Any,
        remedy: str,
        *,
        at_least: int = 0,
        at_most: int | None = None,
    ) -> int:
        """Check for an integer (Python's or NumPy's, not a bool) in a range and return the int."""
        expected = f"an integer of at least {at_least}"
        if at_most is not None:
            expected = f"an integer from {at_least} to {at_most}"
        number = as_int(value)
        if number is not None and number >= at_least and (at_most is None or number <= at_most):
            return number
        self.add(where, expected, value, remedy)
        return at_least


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
