"""Which rows of a file are dropped, each for the first reason that holds, counted by observer."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.task import Faults

MOST_LOST = 0.5
"""Share of the trials that may be of no use before the file is refused."""


class Sieve:
    """Rows that are still there, and why the others are not.

    Parameters
    ----------
    n : int
        Rows of the file.

    Examples
    --------
    >>> sieve = Sieve(3)
    >>> sieve.drop(np.array([True, False, False]), "no response time")
    >>> sieve.drop(np.array([True, True, False]), "no answer")
    >>> sieve.kept
    array([False, False,  True])
    >>> sieve.table(np.array(["ag", "ag", "km"], dtype=object)).to_dict()
    {'no response time': {'ag': 1}, 'no answer': {'ag': 1}}
    """

    def __init__(self, n: int) -> None:
        self.reasons: list[str] = []
        self._meant: list[int] = []
        self._why = np.zeros(n, dtype=np.int64)

    def drop(self, rows: NDArray[np.bool_], reason: str, on_purpose: bool = False) -> None:
        """Drop rows that are still there.

        Parameters
        ----------
        rows : ndarray of bool, shape (n,)
        reason : str
        on_purpose : bool
            Whether the user, or the design, leaves them out: practice, another condition.
        """
        self.reasons.append(reason)
        self._why[rows & (self._why == 0)] = len(self.reasons)
        if on_purpose:
            self._meant.append(len(self.reasons))

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Rows that are still there."""
        return np.asarray(self._why == 0)

    def table(
        self, observer: NDArray[np.object_], condition: NDArray[np.object_] | None = None
    ) -> pd.DataFrame:
        """Count the dropped rows by observer, condition if there are any, and reason."""
        gone = ~self.kept
        names = np.array(["", *self.reasons], dtype=object)
        keys = [observer[gone]] + ([] if condition is None else [condition[gone]])
        rows = ["observer", "condition"][: len(keys)]
        counts = pd.crosstab(keys, names[self._why[gone]], rownames=rows, colnames=[None])
        columns = [reason for reason in self.reasons if reason in counts.columns]
        return counts.reindex(columns=columns).astype(int)

    def check_readable(self, silent: NDArray[np.bool_], faults: Faults) -> None:
        """Refuse a file most of whose trials cannot be used.

        Parameters
        ----------
        silent : ndarray of bool, shape (n,)
            Trials without an answer.
        faults : Faults

        Raises
        ------
        InputError
        """
        wanted = ~np.isin(self._why, self._meant)
        lost = wanted & (silent | ~self.kept)
        if not wanted.any():
            faults.add("data", "trials", "none that are no practice and chosen", "choose others")
        elif lost.sum() > MOST_LOST * wanted.sum():
            counts = np.bincount(self._why[lost], minlength=len(self.reasons) + 1)[1:]
            pairs = zip(
                [*counts, (lost & self.kept).sum()], [*self.reasons, "no answer"], strict=True
            )
            words = ", ".join(f"{n} {reason}" for n, reason in pairs if n)
            got = f"{lost.sum()} of {wanted.sum()} that cannot be used: {words}"
            faults.add("data", "trials that can be used", got, "check the columns of the file")
        faults.raise_if_any()
