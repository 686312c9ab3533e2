"""Classes and answers of the rows of a file, from whatever columns there are.

Where there is no column of answers they follow from the class and from right and wrong. Where both
are there, they must agree: a few rows that do not are dropped, many are refused. Where right and
wrong are not recorded, answers that are mostly wrong are refused: present and absent have changed
places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.people.coding import (
    GUESS,
    UNKNOWN,
    Codes,
    classes_of,
    correctness_of,
    keys_of,
)
from popout.people.column import Column
from popout.people.roles import Role, Roles
from popout.task import Faults

MOST_CONTRADICTIONS = 0.05
"""Share of the answers that may contradict the column of right and wrong."""


@dataclass(frozen=True)
class Answers:
    """Classes and answers of the rows, and how they were read.

    Attributes
    ----------
    target, response : ndarray of int
        Codes of `popout.people.coding`.
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
    roles: Roles,
    codes: Mapping[str, tuple[str, str]],
    kept: NDArray[np.bool_],
    faults: Faults,
) -> Answers:
    """Return classes and answers of the rows, from what columns there are.

    Parameters
    ----------
    roles : Roles
    codes : mapping of str to (str, str)
    kept : ndarray of bool, shape (n,)
        Rows that are trials: keys pressed elsewhere, to go on after a break, say nothing.
    faults : Faults
    """
    meanings = {}
    target, correct = np.full(kept.size, UNKNOWN), None
    if (column := roles.get(Role.TARGET)) is not None:
        target, meanings["target"] = classes_of(column, codes.get("target"), "target", faults)
        kept = kept & (target >= 0) if (target >= 0).any() else kept
    judge = roles.get(Role.CORRECT) or roles.get(Role.ERROR)
    if judge is not None:
        is_error = roles.get(Role.CORRECT) is None
        within = Column(judge.name, judge.words[kept])
        correct = np.full(kept.size, UNKNOWN)
        correct[kept], said = correctness_of(within, is_error, codes.get("correct"), faults)
        meanings["correct"] = said
    none = np.zeros(kept.size, dtype=bool)
    if (keys := roles.get(Role.RESPONSE)) is None:
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
    known = kept & (response >= 0)
    right = response == target
    if judge is None or correct is None:
        if known.any() and "response" not in codes and right[known].mean() < 1 - GUESS:
            faults.add(
                "response",
                "answers that are right more often than wrong",
                f"{right[known].sum()} right ones of {known.sum()}: {meanings['response']}",
                "say what the keys mean, e.g. codes response=j/f, or name other columns",
            )
        return Answers(target, response, none, meanings)
    known &= correct >= 0
    disagree = known & (right != (correct == 1))
    if disagree.sum() > MOST_CONTRADICTIONS * max(known.sum(), 1):
        faults.add(
            "response",
            f"answers that agree with the column {judge.name}",
            f"{disagree.sum()} of {known.sum()} that do not",
            "say what the keys mean, e.g. codes response=j/f, or name other columns",
        )
    return Answers(target, response, disagree, meanings)
