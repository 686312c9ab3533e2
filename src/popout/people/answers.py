"""Classes and answers of the rows of a file, from whatever columns there are.

Where there is no column of answers they follow from the class and from right and wrong. Where both
are there, they must agree: a few rows that do not are dropped, many are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.people.coding import UNKNOWN, Codes, classes_of, correctness_of, keys_of
from popout.people.column import Column
from popout.people.datafile import DataFile
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
    file: DataFile,
    roles: Roles,
    codes: Mapping[str, tuple[str, str]],
    kept: NDArray[np.bool_],
    faults: Faults,
) -> Answers:
    """Return classes and answers of the rows, from what columns there are."""
    meanings = {}
    column = roles.columns[Role.TARGET]
    target, meanings["target"] = classes_of(column, codes.get("target"), "target", faults)
    correct = None
    for role in (Role.CORRECT, Role.ERROR):
        judged = roles.get(role)
        if judged is not None and correct is None:
            correct = correctness_of(judged, role is Role.ERROR, faults)
    keys = roles.get(Role.RESPONSE)
    none = np.zeros(file.n_rows, dtype=bool)
    if faults:
        return Answers(target, np.full(file.n_rows, UNKNOWN), none, meanings)
    if keys is None:
        assert correct is not None
        known = (target >= 0) & (correct >= 0)
        response = np.where(known, np.where(correct == 1, target, 1 - target), UNKNOWN)
        meanings["response"] = "taken from the target and whether the answer was correct"
        return Answers(target, response, none, meanings)
    within = Column(keys.name, np.where(kept, keys.words, ""))
    given = codes.get("response")
    response, meanings["response"] = keys_of(within, given, target, correct, faults)
    if correct is None:
        return Answers(target, response, none, meanings)
    known = kept & (target >= 0) & (correct >= 0) & (response >= 0)
    disagree = known & ((response == target) != (correct == 1))
    if disagree.sum() > MOST_CONTRADICTIONS * max(known.sum(), 1):
        judge = roles.get(Role.CORRECT) or roles.get(Role.ERROR)
        assert judge is not None
        faults.add(
            "response",
            f"answers that agree with the column {judge.name}",
            f"{disagree.sum()} of {known.sum()} that do not",
            "say what the keys mean, e.g. codes response=j/f, or name other columns",
        )
    return Answers(target, response, disagree, meanings)
