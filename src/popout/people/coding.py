r"""What the words in a column mean: target present or absent, answers, right or wrong, units.

Classes are read from words that everybody uses (``present``, ``yes``, ``1``, ``TP``, ...). Keys
such as ``f`` and ``j`` say nothing by themselves. Their meaning follows from the trials: a key that
is right whenever the target is present means "present". Where right and wrong are not recorded, a
key means the class on which it is pressed more often, which is safe as long as the observers are
better than chance; this is said in the output. ``codes`` overrides all of it.

The unit of response times follows from the name of the column (``rt_ms``) or from their median:
below 20 it is seconds, above 100 milliseconds, and between the two nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, unique

import numpy as np
from numpy.typing import NDArray

from popout.people.column import Column, letters
from popout.people.roles import PRACTICE
from popout.task import Faults

ABSENT, PRESENT, UNDECIDED, UNKNOWN = 0, 1, -1, -2
Codes = NDArray[np.int64]
WORDS = {
    PRESENT: "present yes y true t 1 tp p pres targetpresent target with signal oui ja hit",
    ABSENT: "absent no n false f 0 ta a abs targetabsent notarget without noise non nein",
}
RIGHT = {
    1: "1 true t yes y correct right hit ok cr",
    0: "0 false f no n incorrect wrong error miss",
}
NO_ANSWER = frozenset(
    {"timeout", "timedout", "noresponse", "noresp", "noanswer", "nokey", "none", "undecided"}
    | {"omission", "omitted", "late", "tooslow", "toolate"}
)
"""Words for a trial that ended without an answer; so is ``-1``."""
RARE = 0.05
"""Share of answers with other keys that is dropped without asking."""
AGREE, GUESS = 0.95, 0.6
"""Share of trials that must agree with the meaning of a key: by recorded correctness, by class."""


@unique
class Unit(Enum):
    """A unit of response times: its name, and how many make a second."""

    SECONDS = ("s", 1.0)
    MILLISECONDS = ("ms", 1000.0)

    @classmethod
    def named(cls, name: str) -> Unit:
        """Return the unit of a name, s or ms."""
        return {unit.value[0]: unit for unit in cls}[name]

    @property
    def symbol(self) -> str:
        """The name."""
        return self.value[0]

    @property
    def per_second(self) -> float:
        """How many make a second."""
        return self.value[1]


def _by_words(column: Column, words: Mapping[int, str]) -> dict[str, int] | None:
    """Return what the values mean, if every one of them is a known word."""
    known = {word: code for code, several in words.items() for word in several.split()}
    # Letters alone would take -1 for 1.
    plain = {value: value if value[0] == "-" else letters(value) for value in column.values}
    meaning = {value: known.get(word, UNKNOWN) for value, word in plain.items()}
    return None if UNKNOWN in meaning.values() else meaning


def _given(column: Column, codes: tuple[str, str], role: str, faults: Faults) -> dict[str, int]:
    """Return what the values mean as the user says: (present, absent)."""
    meaning = {}
    for word, code in zip(codes, (PRESENT, ABSENT), strict=True):
        match = [v for v in column.values if v == word or letters(v) == letters(word)]
        if not match:
            shown = ", ".join(column.values[:12])
            faults.add(("codes", role), f"a value of {column.name}", word, f"it holds {shown}")
        meaning.update(dict.fromkeys(match, code))
    return meaning


def _said(meaning: Mapping[str, int], names: tuple[str, str] = ("absent", "present")) -> str:
    """Return the meaning in words: ``f is absent, j is present``."""
    return ", ".join(f"{value} is {names[code]}" for value, code in meaning.items() if code >= 0)


def classes_of(
    column: Column, codes: tuple[str, str] | None, role: str, faults: Faults
) -> tuple[Codes, str]:
    """Return ABSENT, PRESENT or UNKNOWN for each row, and how it was read.

    Parameters
    ----------
    column : Column
        Whether the target was present.
    codes : (str, str), optional
        The values for present and absent.
    role : str
    faults : Faults

    Examples
    --------
    >>> column = Column("target", np.array(["Absent", "Present", ""], dtype=object))
    >>> classes_of(column, None, "target", Faults("read_trials"))
    (array([ 0,  1, -2]), 'Absent is absent, Present is present')
    """
    meaning = _given(column, codes, role, faults) if codes else _by_words(column, WORDS)
    if meaning is None:
        shown = ", ".join(column.values[:6])
        faults.add(
            role,
            "two values such as present and absent, yes and no, 1 and 0",
            f"{shown} in {column.name}",
            f"say which is present and which absent, e.g. codes {role}=1/2, or name another column",
        )
        return np.full(len(column), UNKNOWN), ""
    return column.matched(meaning, UNKNOWN), _said(meaning)


def correctness_of(column: Column, is_error: bool, faults: Faults) -> Codes:
    """Return 1 where the answer was right, 0 where it was wrong, UNKNOWN elsewhere."""
    meaning = _by_words(column, RIGHT)
    if meaning is None:
        # A third value, such as -1, marks trials without an answer.
        others = [v for v in column.values if v not in ("0", "1")]
        if len(others) > 1 or not {"0", "1"} & set(column.values):
            role = "error" if is_error else "correct"
            shown = ", ".join(column.values[:6])
            remedy = "name another column, or response=NAME instead"
            faults.add(role, "right or wrong, as 1 and 0", f"{shown} in {column.name}", remedy)
            return np.full(len(column), UNKNOWN)
        meaning = {value: int(value) if value in ("0", "1") else UNKNOWN for value in column.values}
    found = column.matched(meaning, UNKNOWN)
    return np.where(found >= 0, 1 - found, found) if is_error else found


def keys_of(
    column: Column,
    codes: tuple[str, str] | None,
    target: Codes,
    correct: Codes | None,
    faults: Faults,
) -> tuple[Codes, str]:
    """Return ABSENT, PRESENT, UNDECIDED or UNKNOWN for each row, and how the keys were read.

    Parameters
    ----------
    column : Column
        The answers.
    codes : (str, str), optional
        The values for present and absent.
    target : ndarray of int
        As `classes_of` returns it.
    correct : ndarray of int, optional
        As `correctness_of` returns it.
    faults : Faults

    Examples
    --------
    >>> column = Column("key", np.array(["f", "j", "f"], dtype=object))
    >>> right = np.array([1, 1, 0])
    >>> keys_of(column, None, np.array([0, 1, 1]), right, Faults("read_trials"))
    (array([0, 1, 0]), 'f is absent, j is present, as right and wrong answers show')
    """
    # "None" and the like are no answers even though elsewhere they mean a missing value.
    silent = {v: UNDECIDED for v in {*map(str, column.labels)} if letters(v) in NO_ANSWER}
    if "-1" in column.values:
        silent["-1"] = UNDECIDED
    keys = [value for value in column.values if value not in silent]
    if sorted(keys) == ["0", "1", "2"]:
        silent["0"] = UNDECIDED
        keys.remove("0")
    how, by_words = "", _by_words(_only(column, keys), WORDS)
    if codes:
        meaning = _given(column, codes, "response", faults)
    elif by_words is not None:
        meaning = by_words
    else:
        meaning, how = _from_trials(column, keys, target, correct, faults)
    said = f"{_said(meaning)}{how}"
    if silent:
        said += f"; {', '.join(silent)} is no answer"
    return column.matched({**meaning, **silent}, UNKNOWN), said


def _only(column: Column, keys: list[str]) -> Column:
    return Column(column.name, np.array(keys, dtype=object))


def _from_trials(
    column: Column, keys: list[str], target: Codes, correct: Codes | None, faults: Faults
) -> tuple[dict[str, int], str]:
    """Find what two keys mean from the trials on which they were pressed."""
    counts = {key: column.counts[key] for key in keys}
    often = sorted(keys, key=lambda key: -counts[key])[:2]
    known = target >= 0
    truth, needed, how = target, GUESS, ", as they are pressed more often when it is so"
    if correct is not None:
        known = known & (correct >= 0)
        truth = np.where(correct == 1, target, 1 - target)
        needed, how = AGREE, ", as right and wrong answers show"
    meaning, sure = {}, len(often) == 2
    labels = column.labels
    for key in often:
        share = np.mean(truth[known & (labels == key)] == PRESENT) if known.any() else np.nan
        meaning[key] = PRESENT if share > 0.5 else ABSENT
        sure = sure and max(share, 1 - share) >= needed
    sure = sure and sorted(meaning.values()) == [ABSENT, PRESENT]
    if not sure or sum(counts[k] for k in often) < (1 - RARE) * sum(counts.values()):
        shown = ", ".join(f"{key} ({counts[key]})" for key in keys[:8])
        faults.add(
            "response",
            "two answers that mean present and absent",
            f"{shown} in {column.name}",
            "say which is which, e.g. codes response=j/f for present/absent",
        )
    return meaning, how


def practice_of(column: Column) -> NDArray[np.bool_]:
    """Return which rows are practice.

    Examples
    --------
    >>> practice_of(Column("test_part", np.array(["practice", "main"], dtype=object)))
    array([ True, False])
    """
    meaning = {v: int(any(w in v.casefold() for w in PRACTICE)) for v in column.values}
    if not any(meaning.values()):
        yes = WORDS[PRESENT].split()
        meaning = {value: int(letters(value) in yes) for value in column.values}
    return np.asarray(column.matched(meaning, 0) == 1)


def unit_of(column: Column, positive: NDArray[np.float64], faults: Faults) -> tuple[Unit, str]:
    """Return the unit of response times, and how one can tell.

    Parameters
    ----------
    column : Column
    positive : ndarray of float
        The numbers that can be response times.
    faults : Faults
    """
    match = re.search(r"[\s_.(\[](ms|msec|milliseconds?|s|sec|seconds?)[)\]]?$", column.name, re.I)
    median = float(np.median(positive))
    if match:
        unit = Unit.MILLISECONDS if match[1].casefold().startswith("m") else Unit.SECONDS
        if not 0.05 < median / unit.per_second < 100.0:
            got = f"{median:.4g} as the median of {column.name}"
            remedy = "name the unit, rt_unit='s' or 'ms', or check the column"
            faults.add("rt_unit", f"response times in {unit.symbol}", got, remedy)
        return unit, "by the name of the column"
    if 0.05 < median <= 20.0:
        return Unit.SECONDS, f"the median is {median:.3g}"
    if not 100.0 <= median <= 100_000.0:
        remedy = "name the unit, rt_unit='s' or 'ms', or check the column"
        got = f"{median:.4g} as the median of {column.name}"
        faults.add("rt_unit", "response times in seconds or milliseconds", got, remedy)
    return Unit.MILLISECONDS, f"the median is {median:.3g}"
