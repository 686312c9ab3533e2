r"""Trials: what was answered, when, and to which display.

A trial is a pure function of (task, strategy, seed, trial index), so only response, number of steps
and target location are stored (9 bytes). The state at the decision, :math:`Z(T)` with :math:`S(T)`
and :math:`S_\pm(T)`, and whole sample paths are made again when asked for, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard, count
from popout.evidence import Condition, llr_step, log_likelihood_ratio_search
from popout.noise.streams import standard_normals, stream_keys
from popout.simulation.heterogeneous import log_likelihood_ratio_path
from popout.simulation.looks import final_states
from popout.simulation.summary import Summary, summarise
from popout.simulation.tally import Tally, count_trials
from popout.strategies import Action, ScaledSPRT, Strategy
from popout.task import Costs, Faults, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Trials"]


@dataclass(frozen=True, eq=False)
class Trials(HasCard):
    """Simulated trials.

    Attributes
    ----------
    task : Task
    strategy : Strategy
    seed : int
    condition : Condition or int
    response : ndarray of int8, shape (n,)
        `Action`: ABSENT, PRESENT, or WAIT for a trial undecided at the time limit.
    steps : ndarray of int32, shape (n,)
        Steps of evidence taken; the response time is ``steps * dt``.
    target : ndarray of int32, shape (n,)
        Target location from 0, -1 where the target is absent.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.strategies import SPRT
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
    condition: Condition | str | int
    response: NDArray[np.int8]
    steps: NDArray[np.int32]
    target: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of trials."""
        return len(self.response)

    def __repr__(self) -> str:
        """Return one line."""
        undecided = int((self.response == Action.WAIT).sum())
        return f"Trials({self._words}, seed={self.seed}, {undecided} undecided)"

    @property
    def _words(self) -> str:
        label = getattr(self.strategy, "label", type(self.strategy).__name__)
        return f"{count(len(self), 'trial')} of {label}"

    def card(self) -> Card:
        """Return what is shown of it."""
        return self.tally().card(f"{self._words}, seed {self.seed}")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distributions of response times, by class and answer; see `Tally.plot`."""
        return self.tally().plot(ax)

    @property
    def rt(self) -> NDArray[np.float64]:
        """Response times in seconds; the time limit for undecided trials."""
        return np.asarray(self.steps * self.task.dt, dtype=np.float64)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether the target is present (the class C)."""
        return self.target >= 0

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether the answer is right; undecided trials are not."""
        right = np.where(self.present, Action.PRESENT, Action.ABSENT)
        return np.asarray(self.response == right)

    def losses(self, costs: Costs) -> NDArray[np.float64]:
        """Return what each trial cost: its error, if any, and its time.

        The prior-weighted mean of the losses is the risk. Losses of two strategies under one seed
        can be subtracted trial by trial.
        """
        present = self.present
        loss = self.rt * np.where(present, costs.time_present, costs.time_absent)
        loss[present & (self.response == Action.ABSENT)] += costs.miss
        loss[~present & (self.response == Action.PRESENT)] += costs.false_alarm
        return loss

    def tally(self) -> Tally:
        """Return the counts that a summary needs."""
        return count_trials(self.task, self.response, self.steps, self.target)

    def summary(self, costs: Costs) -> Summary:
        """Return risk, error rates and response times with their standard errors."""
        return summarise(self.tally(), costs)

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
        return final_states(
            stream_keys(self.seed),
            chosen,
            self.target[chosen],
            self.steps[chosen],
            llr_step(self.task),
        )

    def state_statistics(self, index: ArrayLike | None = None) -> pd.DataFrame:
        """Return S(T), and for a member of the scaled family S_minus(T) and S_plus(T).

        Parameters
        ----------
        index : array_like of int, shape (k,), optional
            Which trials; all of them by default.
        """
        Z = self.states(index)
        S = Z[:, 0]
        if self.task.search is not None:
            S = log_likelihood_ratio_search(Z, self.task.location_prior)
        columns = {"S": S}
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
        M, law = self.task.n_locations, llr_step(self.task)
        noise = standard_normals(self.seed, np.array([i]), n * M).reshape(n, M)
        mean = np.where(np.arange(M) == self.target[i], law.mean_target, law.mean_distractor)
        increments = np.concatenate([np.zeros((1, M)), mean + law.sd * noise])
        return np.cumsum(increments, axis=0)

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

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per trial: class, target location, response, correctness and RT."""
        categories = pd.Index(["undecided", "absent", "present"])
        names = pd.Categorical.from_codes(self.response, categories)
        return pd.DataFrame(
            {
                "present": self.present,
                "target": self.target,
                "response": names,
                "correct": self.correct,
                "rt": self.rt,
            }
        )

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `to_pandas` to a Parquet file; needs pyarrow."""
        frame = self.to_pandas()
        try:
            frame.to_parquet(path)
        except ImportError as error:
            message = "Parquet files need pyarrow: `pip install pyarrow`, or use to_pandas().to_csv"
            raise ImportError(message) from error
