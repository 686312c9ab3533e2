"""A column of a data file as it was written, and as numbers where it holds numbers.

Experiment programs write the same thing in many ways: ``0.512`` and ``0,512``, ``1`` and ``1.0``,
``NA`` and nothing at all. A `Column` keeps the words and settles these once. A lone minus stands
for nothing, unless the column has a plus as well.

A comma within a number is a decimal comma, unless every number that has one could be written with
commas between thousands (``1,024``) while others have none (``512``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "nan", "-nan", "null", "nil", "none", "missing", ".", "-", "--", "?"}
    | {"<na>", "nat", "inf", "-inf", "+inf", "infinity", "-infinity"}
)
"""Words, in lower case, that stand for nothing."""
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
COMMA = re.compile(r"[+-]?\d*,\d*([eE][+-]?\d+)?")
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
"""Hyphens, dashes and the minus of mathematics, to the one on the keyboard."""


def letters(text: str) -> str:
    """Return a word in lower case, without anything but letters and digits.

    Examples
    --------
    >>> letters("Target_Present?"), letters("set size")
    ('targetpresent', 'setsize')
    """
    return "".join(each for each in text.casefold() if each.isalnum())


def code_word(text: str) -> str:
    """Return a code without what nobody means: case, blanks, hyphens within; signs stay.

    Examples
    --------
    >>> code_word("Target-Absent"), code_word("T+"), code_word("T (-)"), code_word("\u22121")
    ('targetabsent', 't+', 't-', '-1')
    """
    text = unicodedata.normalize("NFKC", text).casefold().translate(DASHES)
    signed = "".join(each for each in text if each.isalnum() or each in "+-")
    return re.sub(r"(?<=\w)[+-]+(?=\w)", "", signed) or text


def natural_order(words: Iterable[str]) -> list[str]:
    """Return words in the order that people expect: numbers by size, then the rest by name.

    Examples
    --------
    >>> natural_order(["10", "2", "ck", "Ag"])
    ['2', '10', 'Ag', 'ck']
    """

    def key(word: str) -> tuple[Any, ...]:
        parts = re.split(r"(\d+)", word.casefold())
        return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)

    return sorted(words, key=key)


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its name, and what each row says.

    Parameters
    ----------
    name : str
    words : ndarray of str, shape (n,)
        As written, without blanks around.

    Examples
    --------
    >>> column = Column("RT", np.array(["0,512", "0,734", "NA"], dtype=object))
    >>> column.numbers
    array([0.512, 0.734,   nan])
    >>> column.is_numeric, column.decimal_comma, column.values
    (True, True, ('0,512', '0,734'))
    """

    name: str
    words: NDArray[np.object_]

    @classmethod
    def of(cls, name: str, values: pd.Series) -> Column:
        """Return a column of a frame: numbers as one writes them, missing values as nothing."""
        missing = values.isna().to_numpy()
        if pd.api.types.is_float_dtype(values.dtype):
            whole = values.to_numpy(np.float64, na_value=np.nan)
            words = np.array([f"{x:.0f}" if x % 1 == 0 else repr(float(x)) for x in whole], object)
        else:
            words = np.array([str(value).strip() for value in values], dtype=object)
        words[missing] = ""
        return cls(name, words)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.words)

    @cached_property
    def _factors(self) -> tuple[NDArray[np.intp], list[str]]:
        """Number of the word in each row, and the words, each once, as everybody would write it."""
        where, found = pd.factorize(self.words)
        plain = [plain_word(str(word)) for word in found]
        again, each = pd.factorize(np.array(plain, dtype=object))
        return np.asarray(again)[where] if len(found) else where, [str(word) for word in each]

    @cached_property
    def all_values(self) -> tuple[str, ...]:
        """The words that occur, those for nothing among them, in natural order."""
        return tuple(natural_order(word for word in self._factors[1] if word))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The words that occur, missing ones left out, in natural order."""
        nothing = MISSING - {"-"} if "+" in self.all_values else MISSING
        return tuple(word for word in self.all_values if word.casefold() not in nothing)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each of the values occurs."""
        where, found = self._factors
        number = np.bincount(where, minlength=len(found))
        return {w: int(n) for w, n in zip(found, number, strict=True) if w in set(self.values)}

    def matched(self, meaning: dict[str, int], otherwise: int) -> NDArray[np.int64]:
        """Return what each row means, given what the values mean."""
        where, found = self._factors
        table = np.array([meaning.get(word, otherwise) for word in found], dtype=np.int64)
        return table[where] if len(found) else np.zeros(0, np.int64)

    @cached_property
    def labels(self) -> NDArray[np.object_]:
        """The words as everybody would write them: ``1`` for ``1.0``."""
        where, found = self._factors
        return np.array(found, dtype=object)[where] if found else self.words

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where there is nothing."""
        return np.asarray(self.matched(dict.fromkeys(self.values, 0), 1) == 1)

    @cached_property
    def _commas(self) -> tuple[bool, bool]:
        """Whether commas are decimal, and whether they separate thousands."""
        with_comma = [word for word in self._factors[1] if "," in word]
        if not with_comma:
            return False, False
        if all(THOUSANDS.fullmatch(word) for word in with_comma):
            others = [w for w in self.values if "," not in w]
            if others:
                return False, True
        return all(COMMA.fullmatch(word) for word in with_comma), False

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers are written with a decimal comma."""
        return self._commas[0]

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, NaN where there is none or it is not finite."""
        where, found = self._factors
        decimal, thousands = self._commas
        if decimal or thousands:
            found = [word.replace(",", "." if decimal else "") for word in found]
        plain = pd.Series(found, dtype=object)
        number = pd.to_numeric(plain, errors="coerce").to_numpy(np.float64)
        number = np.where(np.isfinite(number), number, np.nan)
        return number[where] if found else np.zeros(0)

    @property
    def is_numeric(self) -> bool:
        """Whether most of what is there is a number."""
        there = ~self.missing
        return bool(there.any()) and bool(np.isfinite(self.numbers[there]).mean() > 0.5)


def plain_word(word: str) -> str:
    """Return a word as everybody would write it: a whole number without plus, point and dash.

    Examples
    --------
    >>> plain_word("+1.0"), plain_word("\u22121"), plain_word("+")
    ('1', '-1', '+')
    """
    number = re.fullmatch(r"([+-]?\d{1,15})(\.0*)?", word.translate(DASHES))
    return number[1].lstrip("+") if number else word
