r"""What the words in a column mean: target present or absent, answers, right or wrong, units.

Classes are read from words that everybody uses (``present``, ``yes``, ``1``, ``TP``, ...). Keys
such as ``f`` and ``j`` say nothing by themselves. Their meaning follows from the trials: a key that
is right whenever the target is present means "present". Where right and wrong are not recorded, a
key means the class on which it is pressed more often (of a hundred displays of that class), which
is safe as long as the observers are better than chance; this is said in the output. ``codes``
overrides all of it. Signs count: ``T+`` and ``T-``, ``1`` and ``-1`` are different codes. Two codes
never become one answer unless both are words for it.

Programs write a time-out in many ways: ``None``, ``null``, ``NA``, ``NaN``, ``timeout``, ``-1`` or
nothing. All of them are trials without an answer.

The unit of response times follows from the name of the column (``rt_ms``) or from their median:
below 20 it is seconds, above 100 milliseconds, and between the two nobody can tell.

Where there is no column of answers they follow from the class and from right and wrong. Where both
are there, they must agree: a few rows that do not are dropped, many are refused. Where right and
wrong are not recorded, answers that are mostly wrong are refused: present and absent have changed
places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.people.reading.datafile import Column, code_word, letters, natural_order, plain_word
from popout.task import Faults

ABSENT, PRESENT, UNDECIDED, UNKNOWN = 0, 1, -1, -2
Codes = NDArray[np.int64]
WORDS = {
    PRESENT: "present yes y true t 1 tp p pres targetpresent target with signal oui ja hit "
    "+ t+ target+ present+ signal+",
    ABSENT: "absent no n false f 0 ta a abs targetabsent notarget without noise non nein "
    "- t- target- present- signal-",
}
TARGET_WORDS = {**WORDS, ABSENT: f"{WORDS[ABSENT]} -1"}
"""In a column of answers -1 is no answer, or a key like any other."""
RIGHT = {
    1: "1 true t yes y correct right hit ok cr",
    0: "0 false f no n incorrect wrong error miss",
}
NO_ANSWER = frozenset(
    {"timeout", "timedout", "noresponse", "noresp", "noanswer", "nokey", "none", "undecided"}
    | {"omission", "omitted", "late", "tooslow", "toolate"}
)
"""Words for a trial that ended without an answer; so are all words for nothing, and ``-1``."""
RARE, RARE_NONE = 0.05, 0.2
"""Share of answers with other keys that is dropped without asking; number of trials without an
answer, by that of an answer, for a number that could mean either."""
PRACTICE = ("pract", "train", "warm", "instruction", "demo", "tutorial", "example", "familiar")
"""Parts of words for trials that do not count."""
PRACTICE_TRIALS = re.compile(r"(?i:prac(ti[cs]e|t)?|warm.?up)(?![a-z])")
"""What a value begins with that says practice whatever the name of its column."""
AGREE, GUESS = 0.95, 0.6
"""Share of trials that must agree with the meaning of a key: by recorded correctness, by class."""


UNITS = {"s": 1.0, "ms": 1000.0}
"""Of response times: how many make a second."""


def _by_words(values: Iterable[str], words: Mapping[int, str]) -> dict[str, int] | None:
    """Return what values mean, if every one of them is a known word.

    Nothing is merged by the way: values that would all mean the same, or two single characters that
    would (the keys a and f, for "absent" and "false"), are no words.
    """
    known = {word: code for code, several in words.items() for word in several.split()}
    meaning = {value: known.get(code_word(value), UNKNOWN) for value in values}
    if UNKNOWN in meaning.values() or (len(meaning) > 1 and len({*meaning.values()}) == 1):
        return None
    words_of = {(code, code_word(value)) for value, code in meaning.items()}
    short = [code for code, word in words_of if len(word.strip("+-")) < 2]
    return meaning if len(short) == len({*short}) else None


def says_classes(column: Column) -> bool:
    """Whether the words of a column are known for present and absent."""
    return _by_words(column.values, TARGET_WORDS) is not None


def _given(
    column: Column, codes: tuple[str, str], role: str, faults: Faults, both: bool = True
) -> dict[str, int]:
    """Return what the values mean as the user says: (present, absent), or (right, wrong).

    A value is what is written exactly so; else what differs in case, blanks or hyphens alone, if
    that is one of the two only.
    """
    said = {plain_word(word.strip()): code for word, code in zip(codes, (1, 0), strict=True)}
    meaning = {}
    for value in column.all_values:
        exact = {code for word, code in said.items() if word == value}
        near = {code for word, code in said.items() if code_word(word) == code_word(value)}
        if len(exact or near) == 1:
            meaning[value] = (exact or near).pop()
        elif near:
            faults.add(("codes", role), "values that differ", value, "write them as the file does")
    lacking = [word for word, code in said.items() if code not in meaning.values()]
    if lacking and (both or not meaning):
        shown = ", ".join(column.all_values[:12])
        for word in lacking:
            faults.add(("codes", role), f"a value of {column.name}", word, f"it holds {shown}")
    return meaning


def _said(meaning: Mapping[str, int], names: tuple[str, str] = ("absent", "present")) -> str:
    """Return the meaning in words: ``f is absent, j is present; None is no answer``."""
    said = ", ".join(f"{value} is {names[code]}" for value, code in meaning.items() if code >= 0)
    silent = [value or "nothing" for value, code in meaning.items() if code == UNDECIDED]
    return f"{said}; {', '.join(silent)} is no answer" if silent else said


def _silent(column: Column) -> dict[str, int]:
    """Return the words that stand for no answer, in whatever program's file."""
    nothing = set(column.all_values) - set(column.values)
    words = {v for v in column.all_values if v in nothing or letters(v) in NO_ANSWER}
    blank = {""} if (column.words == "").any() else set()
    return dict.fromkeys(natural_order(words | blank), UNDECIDED)


def _ask(
    faults: Faults, role: str, expected: str, column: Column, remedy: str,
    shown: list[str] | None = None,
) -> None:  # fmt: skip
    """Add the fault of a column whose words nobody can tell."""
    words = ", ".join(column.values[:6] if shown is None else shown) or "nothing"
    faults.add(role, expected, f"{words} in {column.name}", remedy)


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
    if codes:
        meaning = _given(column, codes, role, faults)
    else:
        meaning = _by_words(column.values, TARGET_WORDS) or {}
    if not meaning and not codes:
        expected = "two values such as present and absent, yes and no, 1 and 0, T+ and T-"
        remedy = f"say which is present and which absent, e.g. codes {role}=1/2"
        _ask(faults, role, expected, column, f"{remedy}, or name another column")
    return column.matched(meaning, UNKNOWN), _said(meaning)


def correctness_of(
    column: Column, is_error: bool, codes: tuple[str, str] | None, faults: Faults
) -> tuple[Codes, str]:
    """Return 1 where the answer was right, 0 where wrong, UNDECIDED elsewhere, and how it was read.

    Parameters
    ----------
    column : Column
    is_error : bool
        Whether the column says what was wrong.
    codes : (str, str), optional
        The values for right and wrong.
    faults : Faults
    """
    silent = _silent(column)
    values = [value for value in column.values if value not in silent]
    if codes:
        meaning = _given(column, codes, "correct", faults, both=False)
    elif {"0", "1"} < set(values) and len(values) == 3:
        # A third value, such as -1, marks trials without an answer.
        meaning = {value: int(value) if value in ("0", "1") else UNDECIDED for value in values}
    else:
        meaning = _by_words(values, RIGHT) or {}
    if not meaning and not codes:
        role, expected = "error" if is_error else "correct", "right or wrong, as 1 and 0"
        remedy = "say which is which, e.g. codes correct=1/-1 for right/wrong"
        _ask(faults, role, expected, column, f"{remedy}, or name another column")
    meaning = {**silent, **meaning}
    if is_error and not codes:
        meaning = {value: 1 - code if code >= 0 else code for value, code in meaning.items()}
    return column.matched(meaning, UNDECIDED), _said(meaning, ("wrong", "right"))


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
    meaning, how = _given(column, codes, "response", faults) if codes else {}, ""
    silent = {word: code for word, code in _silent(column).items() if word not in meaning}
    keys = [value for value in column.values if value not in silent and value not in meaning]
    for number in _numbers_for_none(column, keys, [*meaning], faults):
        silent[number] = UNDECIDED
        keys.remove(number)
    if not codes:
        by_words = _by_words(keys, WORDS)
        meaning = by_words or {}
        if by_words is None and (target >= 0).any():
            meaning, how = _from_trials(column, keys, target, correct, faults)
    said = f"{_said(meaning)}{how}{_said(silent)}"
    return column.matched({**meaning, **silent}, UNKNOWN), said


def _numbers_for_none(
    column: Column, keys: list[str], given: list[str], faults: Faults
) -> list[str]:
    """Return the numbers among the keys that stand for no answer.

    -1 does where there are two other keys, and 0 beside 1 and 2. Beside 0 and 1 it may be an
    answer, with 0 for none: the rare one of the two is none.
    """
    if given:
        odd = {"-1", "0"} if set(given) <= {"-1", "1", "2"} else {"-1"}
        return [key for key in keys if key in odd]
    if set(keys) == {"-1", "0", "1"}:
        rare, often = sorted(("-1", "0"), key=lambda key: column.counts[key])
        if column.counts[rare] > RARE_NONE * column.counts[often]:
            shown = [f"{key} ({column.counts[key]})" for key in keys]
            remedy = "say which is which, e.g. codes response=1/0 for present/absent"
            expected = "two answers, and a rare number for none"
            _ask(faults, "response", expected, column, remedy, shown)
        return [rare]
    silent = ["-1"] if "-1" in keys and len(keys) > 2 else []
    return [*silent, "0"] if {*keys} - {*silent} == {"0", "1", "2"} else silent


def _from_trials(
    column: Column, keys: list[str], target: Codes, correct: Codes | None, faults: Faults
) -> tuple[dict[str, int], str]:
    """Find what two keys mean from the trials on which they were pressed."""
    counts = {key: column.counts[key] for key in keys}
    often = sorted(keys, key=lambda key: -counts[key])[:2]
    known = target >= 0
    truth, needed, how = target, GUESS, ", as they are pressed more often when it is so"
    # Both classes count the same: were targets rare, every key would be pressed mostly without one.
    weight = 1 / np.bincount(target[known], minlength=2).clip(1)[np.where(known, target, 0)]
    if correct is not None:
        known = known & (correct >= 0)
        truth, weight = np.where(correct == 1, target, 1 - target), np.ones(target.size)
        needed, how = AGREE, ", as right and wrong answers show"
    meaning, sure = {}, len(often) == 2
    labels = column.labels
    for key in often:
        pressed = known & (labels == key)
        is_present, weights = truth[pressed] == PRESENT, weight[pressed]
        share = np.average(is_present, weights=weights) if pressed.any() else 0.5
        meaning[key] = PRESENT if share > 0.5 else ABSENT
        sure = sure and max(share, 1 - share) >= needed
    sure = sure and sorted(meaning.values()) == [ABSENT, PRESENT]
    if not sure or sum(counts[k] for k in often) < (1 - RARE) * sum(counts.values()):
        shown = [f"{key} ({counts[key]})" for key in keys[:8]]
        expected = "two answers that mean present and absent"
        remedy = "say which is which, e.g. codes response=j/f for present/absent"
        _ask(faults, "response", expected, column, remedy, shown)
    return meaning, how


def practice_of(column: Column) -> NDArray[np.bool_] | None:
    """Return which rows are practice; None if the column does not say.

    Examples
    --------
    >>> practice_of(Column("test_part", np.array(["practice", "main"], dtype=object)))
    array([ True, False])
    """
    meaning = {
        v: int(bool(PRACTICE_TRIALS.match(v)) or any(w in v.casefold() for w in PRACTICE))
        for v in column.values
    }
    if not any(meaning.values()):
        meaning = _by_words(column.values, TARGET_WORDS) or {}
    return np.asarray(column.matched(meaning, 0) == 1) if meaning else None


def unit_of(column: Column, positive: NDArray[np.float64], faults: Faults) -> tuple[str, str]:
    """Return the unit of response times, ``s`` or ``ms``, and how one can tell.

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
        unit, reason = "ms" if match[1][0] in "mM" else "s", "by the name of the column"
        expected, good = f"response times in {unit}", 0.05 < median / UNITS[unit] < 100.0
    else:
        unit, reason = "s" if 0.05 < median <= 20.0 else "ms", f"the median is {median:.4g}"
        expected = "response times in seconds or milliseconds"
        good = unit == "s" or 100.0 <= median <= 100_000.0
    if not good:
        got = f"{median:.4g} as the median of {column.name}"
        remedy = "name the unit, rt_unit='s' or 'ms', or check the column"
        faults.add("rt_unit", expected, got, remedy)
    return unit, reason


MOST_CONTRADICTIONS = 0.05
"""Share of the answers that may contradict the column of right and wrong."""


@dataclass(frozen=True)
class Answers:
    """Classes and answers of the rows, and how they were read.

    Attributes
    ----------
    target, response : ndarray of int
        ABSENT, PRESENT, UNDECIDED or UNKNOWN.
    disagree : ndarray of bool
        Where the answer contradicts the column of right and wrong.
    meanings : dict of str to str
        How the columns were read, by role.
    """

    target: Codes
    response: Codes
    disagree: NDArray[np.bool_]
    meanings: dict[str, str]


def read_answers(
    columns: Mapping[str, Column],
    codes: Mapping[str, tuple[str, str]],
    kept: NDArray[np.bool_],
    faults: Faults,
) -> Answers:
    """Return classes and answers of the rows, from what columns there are.

    Parameters
    ----------
    columns : mapping of str to Column
        By role: ``target``, ``response``, ``correct``, ``error``.
    codes : mapping of str to (str, str)
    kept : ndarray of bool, shape (n,)
        Rows that are trials: keys pressed elsewhere, to go on after a break, say nothing.
    faults : Faults
    """
    meanings = {}
    target, correct = np.full(kept.size, UNKNOWN), None
    if (column := columns.get("target")) is not None:
        target, meanings["target"] = classes_of(column, codes.get("target"), "target", faults)
        kept = kept & (target >= 0) if (target >= 0).any() else kept
    judge = columns.get("correct") or columns.get("error")
    if judge is not None:
        is_error = columns.get("correct") is None
        within = Column(judge.name, judge.words[kept])
        correct = np.full(kept.size, UNKNOWN)
        correct[kept], said = correctness_of(within, is_error, codes.get("correct"), faults)
        meanings["correct"] = said
    none = np.zeros(kept.size, dtype=bool)
    if (keys := columns.get("response")) is None:
        if correct is None:
            return Answers(target, np.full(kept.size, UNKNOWN), none, meanings)
        answer = np.where(correct == 1, target, 1 - target)
        response = np.where((target >= 0) & (correct >= 0), answer, correct)
        meanings["response"] = "taken from the target and whether the answer was correct"
        return Answers(target, response, none, meanings)
    within = Column(keys.name, keys.words[kept])
    judged = None if correct is None else correct[kept]
    response = np.full(kept.size, UNKNOWN)
    response[kept], meanings["response"] = keys_of(
        within, codes.get("response"), target[kept], judged, faults
    )
    known, right = kept & (response >= 0), response == target
    remedy = "say what the keys mean, e.g. codes response=j/f, or name other columns"
    if judge is None or correct is None:
        if known.any() and "response" not in codes and right[known].mean() < 1 - GUESS:
            got = f"{right[known].sum()} right ones of {known.sum()}: {meanings['response']}"
            faults.add("response", "answers that are right more often than wrong", got, remedy)
        return Answers(target, response, none, meanings)
    known &= correct >= 0
    disagree = known & (right != (correct == 1))
    if disagree.sum() > MOST_CONTRADICTIONS * max(known.sum(), 1):
        expected = f"answers that agree with the column {judge.name}"
        got = f"{disagree.sum()} of {known.sum()} that do not"
        faults.add("response", expected, got, remedy)
    return Answers(target, response, disagree, meanings)
