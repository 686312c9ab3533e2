r"""Trials: the responses of a simulation, and everything it can say about them.

A trial is a pure function of (task, strategy, seed, trial index), so only response, time and target
location are stored. The state at the decision, :math:`Z(T)` with :math:`S(T)` and
:math:`S_\pm(T)`, and whole sample paths are made again when asked for, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from popout.evidence import Condition, log_likelihood_ratio_search
from popout.policies.stopping import ScaledSPRT, Strategy
from popout.simulation.heterogeneous import log_likelihood_ratio_path
from popout.simulation.looks import Walk
from popout.simulation.replay import final_states
from popout.simulation.responses import Responses
from popout.task import Faults, Task


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trials(Responses):
    """Simulated trials: responses, and how they were made.

    Attributes
    ----------
    task : Task
    strategy : Strategy
    seed : int
    condition : Condition or int
    response, rt, target, steps
        See `Responses`.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> trials = simulate(task, SPRT.for_task(task, -2.5, 2.5), n_trials=1000, seed=1)
    >>> trials.to_pandas().columns.tolist()
    ['present', 'target', 'response', 'correct', 'rt']
    >>> trials.path(0).shape == (trials.steps[0] + 1, 2)
    True
    """

    task: Task
    strategy: Strategy
    seed: int
    condition: Condition | int

    @property
    def _label(self) -> str:
        return str(getattr(self.strategy, "label", type(self.strategy).__name__))

    @property
    def _title(self) -> str:
        return f"{super()._title} of {self._label}, seed {self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Return strategy, seed, error rates, mean response times and undecided trials."""
        return {"strategy": self._label, "seed": self.seed, **super().as_dict()}

    def same_trials(self, other: Responses) -> bool:
        """Whether both are of one task, seed, condition and number."""
        return (
            isinstance(other, Trials)
            and (self.seed, self.condition, len(self)) == (other.seed, other.condition, len(other))
            and self.task == other.task
        )

    def states(self, index: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the state at the decision: Z, or S where the distractors are unknown.

        Parameters
        ----------
        index : array_like of int, shape (k,), optional
            Which trials; all of them by default.

        Returns
        -------
        Z : ndarray of shape (k, M), or (k, 1)
        """
        chosen = self._chosen(index)
        if self.task.search is None:
            return np.array([self.path(int(i))[-1] for i in chosen]).reshape(-1, 1)
        return final_states(self.task, self.seed, chosen, self.target[chosen], self.steps[chosen])

    def presence(self, index: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return S at the decision, the log likelihood ratio of presence.

        Parameters
        ----------
        index : array_like of int, shape (k,), optional
            Which trials; all of them by default.

        Returns
        -------
        S : ndarray of shape (k,)
        """
        return self._presence_of(self.states(index))

    def _presence_of(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        if Z.shape[1] != self.task.n_locations:
            return Z[:, 0]
        return np.asarray(log_likelihood_ratio_search(Z, self.task.location_prior))

    def state_statistics(self, index: ArrayLike | None = None) -> pd.DataFrame:
        """Return S(T), and for a member of the scaled family S_minus(T) and S_plus(T).

        Parameters
        ----------
        index : array_like of int, shape (k,), optional
            Which trials; all of them by default.
        """
        Z = self.states(index)
        columns = {"S": self._presence_of(Z)}
        if isinstance(self.strategy, ScaledSPRT):
            columns["S_minus"], columns["S_plus"] = self.strategy.statistics(Z)
        return pd.DataFrame(columns, index=self._chosen(index))

    def path(self, index: int) -> NDArray[np.float64]:
        """Return the whole history of one trial: the state at looks 0, 1, ..., `steps`.

        Parameters
        ----------
        index : int

        Returns
        -------
        Z : ndarray of shape (steps + 1, M), or S of shape (steps + 1, 1)
        """
        i = int(self._chosen([index])[0])
        n = int(self.steps[i])
        if self.task.search is None:
            return log_likelihood_ratio_path(self.task, self.seed, self.condition, i, n)
        Z = np.zeros((n + 1, self.task.n_locations))
        walk = Walk(self.task, self.seed, np.array([i]), self.target[[i]])
        for k in range(1, n + 1):
            walk.advance()
            Z[k] = walk.Z
        return Z

    def _chosen(self, index: ArrayLike | None) -> NDArray[np.int64]:
        if index is None:
            return np.arange(len(self))
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64))
        faults = Faults("Trials")
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self)):
            remedy = "trials count from 0"
            faults.add("index", f"from 0 to {len(self) - 1}", chosen.tolist(), remedy)
        faults.raise_if_any()
        return chosen
