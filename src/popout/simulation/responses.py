r"""Responses: what was answered, when, and to which display.

That is all that is observed of a trial, whoever answered: people, a strategy on stored paths of
evidence, or a simulation, which knows more and says so (`popout.Trials`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard, count
from popout.policies.stopping import Action
from popout.simulation.summary import Summary
from popout.simulation.tally import Columns, Tally
from popout.task import Costs, Faults
from popout.task.kinds import PROBABILITY, Spot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Responses(HasCard):
    """Answers to displays, with their response times.

    Parameters
    ----------
    response : ndarray of int8, shape (n,)
        `Action`: ABSENT, PRESENT, or WAIT for a trial undecided at the time limit.
    rt : ndarray of float, shape (n,)
        Response times in seconds; the time limit for undecided trials.
    target : ndarray of int32, shape (n,)
        Target location from 0, -1 where the target is absent; 0 for every target whose location
        is not known.
    prior : float
        P(present), the weight of the classes in the risk.
    n_locations : int
        Locations that are summarised one by one.
    dt : float, optional
        Seconds of a step where response times are whole numbers of steps; None if they are not.
    columns : mapping of str to ndarray of shape (n,)
        Whatever else is known of each trial, such as observer or set size.
    source : object, optional
        What the trials were made of, the same object for all responses to the same displays and
        the same evidence. People have none: no two of their trials are the same.

    Examples
    --------
    >>> people = Responses(
    ...     response=np.array([2, 1, 1, 0]),
    ...     rt=np.array([0.512, 0.734, 0.689, 4.0]),
    ...     target=np.array([0, -1, 0, -1]),
    ...     columns={"set_size": np.array([3, 3, 6, 6])},
    ... )
    >>> people
    Responses(4 trials, 1 undecided)
    >>> people.where(people.columns["set_size"] == 3).correct
    array([ True,  True])
    """

    response: NDArray[np.int8]
    rt: NDArray[np.float64]
    target: NDArray[np.int32]
    prior: float = 0.5
    n_locations: int = 1
    dt: float | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    source: object = None

    def __post_init__(self) -> None:
        """Check everything at once and bring the arrays into their stored form."""
        faults = Faults(type(self).__name__)
        n = np.size(self.response)
        columns: dict[str, Any] = {"rt": self.rt, "target": self.target, **self.columns}
        for name, values in columns.items():
            if np.shape(values) != (n,):
                got = f"an array of shape {np.shape(values)}"
                faults.add(name, f"one for each of {n} responses", got, "give every trial one")
        rt, last = np.asarray(self.rt, np.float64), self.n_locations - 1
        places = np.isin(self.target, range(-1, self.n_locations))
        answers = np.isin(self.response, tuple(Action))
        wanted = (
            ("response", np.int8, answers, "values of Action: 0, 1 or 2", "0 is undecided"),
            (
                "rt",
                np.float64,
                np.isfinite(rt) & (rt >= 0),
                "seconds",
                "give the time limit if undecided",
            ),
            ("target", np.int32, places, f"locations from 0 to {last}", "-1 is no target"),
        )
        for name, kind, good, expected, remedy in wanted:
            given = np.asarray(getattr(self, name))
            if good.all():
                object.__setattr__(self, name, given.astype(kind, copy=False))
            else:
                faults.add(name, expected, given[~good][0].item(), remedy)
        spot = Spot(faults, ("prior",), "give the share of displays with a target")
        PROBABILITY.check(self.prior, spot)
        faults.raise_if_any()

    def __len__(self) -> int:
        """Return the number of trials."""
        return len(self.response)

    def __repr__(self) -> str:
        """Return one line."""
        undecided = int((self.response == Action.WAIT).sum())
        return f"{type(self).__name__}({self._title}, {undecided} undecided)"

    @property
    def _title(self) -> str:
        return count(len(self), "trial")

    def card(self) -> Card:
        """Return what is shown of it."""
        return self.tally().card(self._title)

    def as_dict(self) -> dict[str, Any]:
        """Return trials, error rates, mean response times and undecided trials."""
        return self.tally().as_dict()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distributions of response times, by class and answer; see `Tally.plot`."""
        return self.tally().plot(ax)

    @cached_property
    def steps(self) -> NDArray[np.int32]:
        """Response times in whole steps of dt, where they are that."""
        if self.dt is None:
            raise ValueError("these response times are not whole numbers of steps: use rt")
        return np.rint(self.rt / self.dt).astype(np.int32)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether the target is present (the class C)."""
        return self.target >= 0

    @property
    def _judged(self) -> NDArray[np.int8]:
        """The responses; where they name a place, a wrong one counts as a miss."""
        return self.response

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether the answer is right; undecided trials are not."""
        right = np.where(self.present, Action.PRESENT, Action.ABSENT)
        return np.asarray(self._judged == right)

    def losses(self, costs: Costs) -> NDArray[np.float64]:
        """Return what each trial cost: its error, if any, and its time.

        The prior-weighted mean of the losses is the risk. Losses of two strategies on the same
        trials can be subtracted trial by trial.
        """
        present = self.present
        loss = self.rt * np.where(present, costs.time_present, costs.time_absent)
        loss[present & (self._judged == Action.ABSENT)] += costs.miss
        loss[~present & (self._judged == Action.PRESENT)] += costs.false_alarm
        return loss

    def same_trials(self, other: Responses) -> bool:
        """Whether both answer the same displays and the same evidence, trial by trial."""
        return self.source is not None and self.source is other.source

    def where(self, chosen: ArrayLike) -> Responses:
        """Return some of the responses.

        Parameters
        ----------
        chosen : array_like of bool, shape (n,), or of int
        """
        rows = np.asarray(chosen)
        return Responses(
            self._judged[rows],
            self.rt[rows],
            self.target[rows],
            self.prior,
            self.n_locations,
            self.dt,
            {name: np.asarray(values)[rows] for name, values in self.columns.items()},
        )

    def tally(self) -> Tally:
        """Return the counts that a summary needs."""
        times, unit = (self.rt, 1.0) if self.dt is None else (self.steps, self.dt)
        columns = Columns(self._judged, times, self.target)
        return Tally.of(columns, self.prior, self.n_locations, unit)

    def summary(self, costs: Costs) -> Summary:
        """Return risk, error rates and response times with their standard errors."""
        return self.tally().summary(costs)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per trial: class, target location, response, correctness, RT, columns."""
        categories = pd.Index(["undecided", "absent", "present"])
        names = pd.Categorical.from_codes(self.response, categories)
        return pd.DataFrame(
            {
                "present": self.present,
                "target": self.target,
                "response": names,
                "correct": self.correct,
                "rt": self.rt,
                **self.columns,
            }
        )
