r"""Trials: the responses of a simulation, and everything it can say about them.

A trial is a pure function of (task, observer, seed, trial index), so only response, time and target
location are stored. The state at the decision, :math:`Z(T)` with :math:`S(T)` and
:math:`S_\pm(T)`, and whole sample paths are made again when asked for, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from popout.evidence import Condition, log_likelihood_ratio_search
from popout.policies.looking import Attention, FreeGaze, Parallel
from popout.policies.stopping import Action, ScaledSPRT, Strategy
from popout.simulation.fixations import NAMED, Fixations
from popout.simulation.heterogeneous import log_likelihood_ratio_path
from popout.simulation.looks import FreeWalk, SharedWalk, Walk, WalkOf
from popout.simulation.replay import final_states
from popout.simulation.responses import Responses
from popout.task import Faults, SearchTask, Task
from popout.task.look import ChosenLook, Gazes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trials(Responses):
    """Simulated trials: responses, and how they were made.

    Attributes
    ----------
    task : Task
    strategy : Strategy
    attention : Attention or None
        Where the observer looked; None where the task left nothing to choose.
    seed : int
    condition : Condition or int
    S : ndarray of shape (n,), optional
        Log likelihood ratio of presence at the decision, where shares changed; `presence` returns
        it of any trials.
    looks : ndarray of int32, shape (n, 5), optional
        What the eyes did; see `fixations`.
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
    attention: Attention | None = None
    S: Array | None = None
    looks: NDArray[np.int32] | None = None

    @property
    def named(self) -> NDArray[np.int32] | None:
        """The place that each answer "present" names, -1 for the others; None if none does."""
        if self.looks is None or not self.task.look.names_place:
            return None
        return np.where(self.response == Action.PRESENT, self.looks[:, NAMED], -1)

    @property
    def _judged(self) -> NDArray[np.int8]:
        if self.named is None:
            return self.response
        return judged(self.response, self.named, self.target)

    @property
    def fixations(self) -> Fixations:
        """What the eyes did, where gaze was chosen."""
        if self.looks is None or not isinstance(self.task.look, Gazes):
            faults = Faults("Trials")
            expected = "trials of a task with gazes"
            faults.add("fixations", expected, self.task.kind, "simulate a GazeTask")
            faults.raise_if_any()
        assert self.looks is not None
        number, again, first, moving, _ = self.looks.T
        first = np.where(number > 0, first, -1)
        task: Any = self.task
        seconds = number * task.fixation if not task.look.is_free else task.dt * self.steps
        seconds = seconds - task.dt * moving
        return Fixations(task, self.present, number, again, first, seconds)

    @property
    def _label(self) -> str:
        return str(getattr(self.strategy, "label", type(self.strategy).__name__))

    @property
    def _title(self) -> str:
        looks = "" if self.attention is None else f", {self.attention.label} attention"
        return f"{super()._title} of {self._label}{looks}, seed {self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Return the observer, seed, error rates, mean response times and undecided trials."""
        looks = {} if self.attention is None else {"attention": self.attention.label}
        return {**looks, "strategy": self._label, "seed": self.seed, **super().as_dict()}

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
        target, steps = self.target[chosen], self.steps[chosen]
        search = fixed_search(self.task, self.attention)
        if search is not None:
            return final_states(search, self.seed, chosen, target, steps)
        if self.attention is None:
            return np.array([self.path(int(i))[-1] for i in chosen]).reshape(-1, 1)
        Z = np.zeros((len(chosen), self.task.n_locations))
        walk = walks(self.task, self.attention, self.seed)(chosen, target)
        walk.keep(steps > 0)
        while len(walk.index):
            walk.advance()
            ended = steps[walk.index] == walk.k
            Z[walk.index[ended]] = walk.Z[ended]
            walk.keep(~ended)
        return Z

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
        if self.S is not None:
            return self.S[self._chosen(index)]
        return self._presence_of(self.states(index))

    def _presence_of(self, Z: Array) -> Array:
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

    def path(self, index: int) -> Array:
        """Return the evidence of one trial: the state at looks 0, 1, ..., `steps`.

        Parameters
        ----------
        index : int

        Returns
        -------
        Z : ndarray of shape (steps + 1, M), or S of shape (steps + 1, 1)
        """
        return self.history(index)[0]

    def history(self, index: int) -> tuple[Array, Array | None]:
        """Return the path of one trial, and the shares of each of its steps.

        Parameters
        ----------
        index : int

        Returns
        -------
        Z : ndarray of shape (steps + 1, M), or S of shape (steps + 1, 1)
        shares : ndarray of shape (steps, M), or None where no information is shared out

        Examples
        --------
        >>> import popout as po
        >>> task = po.LimitedSearchTask(n_locations=3, information=64.0)
        >>> serial = po.Observer(po.Serial.for_task(task), po.SPRT.for_task(task, -3.0, 3.0))
        >>> trials = po.simulate(task, serial, n_trials=100, seed=1)
        >>> trials
        Trials(100 trials of SPRT, serial attention, seed 1, 0 undecided)
        >>> Z, shares = trials.history(0)
        >>> len(Z) - 1 == len(shares)
        True
        """
        i = int(self._chosen([index])[0])
        n, M = int(self.steps[i]), self.task.n_locations
        if self.task.equivalent is None and self.attention is None:
            return log_likelihood_ratio_path(self.task, self.seed, self.condition, i, n), None
        walk, Z, shares = self._walk(i), [np.zeros(M)], []
        while walk.k < n:  # a saccade may take several steps at once
            walk.advance()
            Z.append(walk.Z[0].copy())
            if isinstance(walk, SharedWalk):
                shares.append(walk.shares[0])
            elif self.attention is not None:
                shares.append(self.attention.shares(Z[-2], (walk.k - 1) * self.task.dt))
        parts = np.array(shares).reshape(-1, M)
        return np.array(Z), None if self.attention is None else parts

    def _walk(self, index: int) -> Walk:
        """Return the walk of one trial, at its beginning."""
        return walks(self.task, self.attention, self.seed)(np.array([index]), self.target[[index]])

    def scanpath(self, index: int) -> pd.DataFrame:
        """Return the fixations of one trial, in order; of a task with gazes.

        Parameters
        ----------
        index : int

        Returns
        -------
        DataFrame
            ``gaze`` (its number), ``x`` and ``y`` in degrees, ``onset`` and ``duration`` in
            seconds, and after it ``Z1``, ``Z2``, ... Looks of a fixed length are a fixation each.

        Examples
        --------
        >>> import popout as po
        >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
        >>> elm = po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
        >>> path = po.simulate(task, elm, 100, seed=2).scanpath(0)
        >>> path[["gaze", "x", "onset", "duration"]].head(2)
           gaze    x  onset  duration
        0     1  1.0   0.00       0.2
        1     2  2.0   0.23       0.2
        """
        i, task = int(self._chosen([index])[0]), self.fixations.task  # which checks that there are
        walk, free = self._walk(i), task.look.is_free
        rows: list[list[Any]] = []
        assert isinstance(walk, SharedWalk)
        while walk.k < self.steps[i]:
            before = int(np.max(walk.noted[:, 0]))
            walk.advance()
            rests, k = (task.dt if free else task.fixation), int(np.max(walk.k))
            if walk.noted[0, 0] > before:
                rows.append([int(walk.here[0]), (k - 1) * task.dt, 0.0, None])
            rows[-1][2] += rests
            rows[-1][3] = walk.Z[0].copy()
        frame = pd.DataFrame(rows, columns=["gaze", "onset", "duration", "Z"])
        places = np.array(task.places)[frame["gaze"].to_numpy(dtype=np.int64)].reshape(-1, 2)
        frame.insert(1, "x", places[:, 0])
        frame.insert(2, "y", places[:, 1])
        Z = np.array(list(frame.pop("Z"))).reshape(len(frame), -1)
        return frame.join(pd.DataFrame(Z, columns=[f"Z{k + 1}" for k in range(Z.shape[1])]))

    def plot_scanpath(self, index: int, ax: Axes | None = None) -> Axes:
        """Draw the fixations of one trial over its display; of a task with gazes.

        Parameters
        ----------
        index : int
        ax : Axes, optional
            Where to draw; a new figure when left out.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
        >>> elm = po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
        >>> trials = po.simulate(task, elm, 100, seed=2)
        >>> trials.plot_scanpath(0, Figure().subplots()).get_title()
        'target absent, answer "absent" after 0.46 s'
        """
        from popout.simulation.scanpath_picture import draw_scanpath

        return draw_scanpath(self, index, ax)

    def _chosen(self, index: ArrayLike | None) -> NDArray[np.int64]:
        if index is None:
            return np.arange(len(self))
        try:
            chosen = np.atleast_1d(np.asarray(index))
        except ValueError:  # rows of different lengths
            chosen = np.array([None])
        whole = chosen.size == 0 or chosen.dtype.kind in "iu"
        if not whole or chosen.ndim > 1 or ((chosen < 0) | (chosen >= len(self))).any():
            faults = Faults("Trials")
            expected = f"whole numbers from 0 to {len(self) - 1}"
            faults.add("index", expected, index, "trials count from 0")
            faults.raise_if_any()
        return chosen.astype(np.int64)


def judged(
    response: NDArray[np.int8], named: NDArray[np.int32], target: NDArray[np.int32]
) -> NDArray[np.int8]:
    """Return responses in which a target that is present, and named elsewhere, counts as missed.

    Examples
    --------
    >>> answers = np.array([2, 2, 2], np.int8)
    >>> judged(answers, np.array([0, 1, 1]), np.array([0, 0, -1]))
    array([2, 1, 2], dtype=int8)
    """
    elsewhere = (response == Action.PRESENT) & (target >= 0) & (named != target)
    return np.where(elsewhere, np.int8(Action.ABSENT), response)


def fixed_search(task: Task, attention: Attention | None) -> SearchTask | None:
    """Return the search that an observer faces whose rates never change; None if they do.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> fixed_search(task, Parallel.for_task(task)).drifts
    (4.0, 4.0)
    """
    if attention is None:
        return task.equivalent
    if not (isinstance(attention, Parallel) and min(attention.fixed) > 0):
        return None
    assert isinstance(task.look, ChosenLook)
    return SearchTask(
        drift=task.look.drifts(attention.fixed),
        dt=task.dt,
        prior=task.prior,
        location_prior=task.location_prior,
        period=task.period,
    )


def walks(task: Task, attention: Attention | None, seed: int) -> WalkOf:
    """Return what makes the walks of trials, step by step."""
    search = fixed_search(task, attention)
    if search is not None:
        return partial(Walk, search, seed)
    assert attention is not None
    if isinstance(attention, FreeGaze):
        return partial(FreeWalk, task, attention, seed)
    return partial(SharedWalk, task, attention, seed)
