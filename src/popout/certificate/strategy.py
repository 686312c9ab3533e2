"""A learned value function as a strategy: wait where it says that waiting pays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.certificate.bound import answer
from popout.certificate.problem import Prices, Value
from popout.drawing.representation import Card
from popout.policies.stopping import Action, Strategy


@dataclass(frozen=True, eq=False)
class LearnedStrategy(Strategy):
    """Greedy on a value function of Z, see `popout.certificate.learn`.

    Parameters
    ----------
    value : Value
    prices : Prices
    places : ndarray of int
        The locations that can hold the target, 0-based.
    n : int
        All locations.
    label : str
    """

    value: Value
    prices: Prices
    places: NDArray[np.int64]
    n: int
    label: str = "learned"

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return self.n

    def __repr__(self) -> str:
        """Return one line."""
        return f"LearnedStrategy({self.label}, {self.n} locations)"

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            "Learned strategy",
            [("waits", "where the learned value function says that it pays")],
        )

    def decide(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.int8]:
        """Return the action at evidence Z of shape (..., M); the time plays no part."""
        Z = np.asarray(Z, dtype=np.float64)
        flat = np.ascontiguousarray(Z.reshape(-1, self.n).T[self.places])
        statistics = self.value.statistics
        S = statistics.of(statistics.exponentials(flat), flat)
        best = answer(self.prices, S[0])
        action = np.where(self.value.advantage(S) > 0.0, np.int8(Action.WAIT), best)
        return action.astype(np.int8).reshape(Z.shape[:-1])
