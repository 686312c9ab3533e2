r"""Counts that hold everything a summary needs.

The joint counts of (class, response, time) are a sufficient table: risk, error rates, means,
quantiles and their standard errors all follow. Simulated response times lie on the lattice
:math:`k\,dt`, so the table does not grow with the number of trials, and counts of chunks add up
exactly. Response times of people are real numbers: each that occurred has a column of its own, and
nothing is rounded or binned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count
from popout.noise.elementary import compiled
from popout.simulation.summary import Summary, by_class, condition_dict, condition_table, summarise
from popout.task import Costs, Faults, check_costs

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Columns(NamedTuple):
    """What is known of every trial.

    Attributes
    ----------
    response : ndarray of int8, shape (n,)
        `Action`; WAIT for an undecided trial.
    steps : ndarray of int32 or float, shape (n,)
        Response time: steps of evidence taken, or seconds as measured.
    target : ndarray of int32, shape (n,)
        Target location, -1 for absent.
    S : ndarray of shape (n,), optional
        Log likelihood ratio of presence at the decision, where it is recorded.
    looks : ndarray of int32, shape (n, 5), optional
        What the eyes did (`popout.simulation.fixations`), where that is recorded.
    """

    response: NDArray[np.int8]
    steps: NDArray[Any]
    target: NDArray[np.int32]
    S: NDArray[np.float64] | None = None
    looks: NDArray[np.int32] | None = None

    @classmethod
    def empty(cls, n: int, *, with_S: bool = False) -> Columns:
        """Return columns for a simulation to fill; with S also what the eyes did."""
        S, looks = (np.zeros(n), np.zeros((n, 5), np.int32)) if with_S else (None, None)
        return cls(np.zeros(n, np.int8), np.zeros(n, np.int32), np.zeros(n, np.int32), S, looks)

    def part(self, start: int, stop: int) -> Columns:
        """Return the same memory of some trials in a row."""
        rows = slice(start, stop)
        S = None if self.S is None else self.S[rows]
        looks = None if self.looks is None else self.looks[rows]
        return Columns(self.response[rows], self.steps[rows], self.target[rows], S, looks)


Run = Callable[[int, Columns], None]
"""Runs the trials from a given one on, as many as there is room for in the columns."""


@compiled
def _count(
    response: Any, place: Any, steps: Any, target: Any, by_class: Any, by_location: Any
) -> None:
    for i in range(len(response)):
        r, k, location = response[i], steps[i], target[i]
        by_class[1 if location >= 0 else 0, r, place[i]] += 1
        if location >= 0:
            by_location[location, 0, r] += 1
            by_location[location, 1, r] += k
            by_location[location, 2, r] += k * k


@dataclass(frozen=True, eq=False)
class Tally(HasCard):
    """Counts of trials.

    Attributes
    ----------
    prior : float
        P(present), the weight of the classes in the risk.
    unit : float
        Seconds of a step: dt for simulated trials, 1 where times are measured in seconds.
    steps : ndarray, shape (K,)
        Response times that are counted, in units, increasing from 0: all whole numbers of steps for
        simulated trials, otherwise every time that occurred.
    by_class : ndarray of int64, shape (2, 3, K)
        Trials by class (absent, present), response (`Action`; WAIT is undecided) and time.
    by_location : ndarray of shape (M, 3, 3)
        For a target at each location: number, sum of steps and sum of squared steps, by response.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> strategy = SPRT.for_task(task, -2.5, 2.5)
    >>> tally = simulate(task, strategy, n_trials=1000, seed=1, keep=False)
    >>> tally.n_trials
    1000
    """

    prior: float
    unit: float
    steps: NDArray[Any]
    by_class: NDArray[np.int64]
    by_location: NDArray[Any]

    @classmethod
    def of(cls, trials: Columns, prior: float, n_locations: int, unit: float) -> Tally:
        """Count trials; times are exact, whether they are whole numbers of steps or not.

        Examples
        --------
        >>> two = np.array([2, 1], np.int8), np.array([0.31, 0.52]), np.array([0, -1], np.int32)
        >>> tally = Tally.of(Columns(*two), prior=0.5, n_locations=1, unit=1.0)
        >>> tally.times, tally.by_class.sum(axis=2).tolist()
        (array([0.  , 0.31, 0.52]), [[0, 1, 0], [0, 0, 1]])
        """
        if np.issubdtype(trials.steps.dtype, np.integer):
            steps, place = np.arange(trials.steps.max(initial=0) + 1), trials.steps
        else:
            steps, place = np.unique(np.append(0.0, trials.steps), return_inverse=True)
            place = place[1:]
        by_class = np.zeros((2, 3, len(steps)), np.int64)
        by_location = np.zeros((n_locations, 3, 3), steps.dtype)
        _count(trials.response, place, trials.steps, trials.target, by_class, by_location)
        return cls(prior, unit, steps, by_class, by_location)

    @property
    def times(self) -> NDArray[np.float64]:
        """The response times that are counted, in seconds, shape (K,)."""
        return np.asarray(self.steps * self.unit, dtype=np.float64)

    @property
    def in_whole_steps(self) -> bool:
        """Whether times are whole numbers of steps, as those of a simulation are."""
        return np.issubdtype(self.steps.dtype, np.integer)

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return int(self.by_class.sum())

    @property
    def undecided(self) -> int:
        """Number of trials that reached the time limit without an answer."""
        return int(self.by_class[:, 0].sum())

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of both; prior, time step and number of locations must agree."""
        mine, theirs = ((t.prior, t.unit, t.by_location.shape) for t in (self, other))
        if mine != theirs:
            raise ValueError("tallies of different priors, time steps or locations cannot be added")
        steps = np.union1d(self.steps, other.steps)
        counts = np.zeros((2, 3, len(steps)), np.int64)
        for tally in (self, other):
            counts[..., np.searchsorted(steps, tally.steps)] += tally.by_class
        return Tally(self.prior, self.unit, steps, counts, self.by_location + other.by_location)

    def summary(self, costs: Costs) -> Summary:
        """Return risk, error rates and response times with their standard errors."""
        faults = Faults("summary")
        check_costs(faults, "costs", costs)
        faults.raise_if_any()
        return summarise(self, costs)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distributions of response times, by class and answer.

        Each curve has an area of one; the legend says how many of the class's trials it holds.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from popout.simulation import simulate
        >>> from popout.policies.stopping import SPRT
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> tally = simulate(task, SPRT.for_task(task, -2.5, 2.5), n_trials=1000, keep=False)
        >>> tally.plot(Figure().subplots()).get_xlabel()
        'response time (s)'
        """
        from popout.simulation.response_time_picture import draw_response_times

        return draw_response_times(self, ax)

    def __repr__(self) -> str:
        """Return one line; the counts would fill pages."""
        return f"Tally({count(self.n_trials, 'trial')}, {self.undecided} undecided)"

    def card(self, title: str = "") -> Card:
        """Return what is shown of it."""
        headings, rows = condition_table(by_class(self))
        return Card(title or count(self.n_trials, "trial"), headings=headings, rows=rows)

    def as_dict(self) -> dict[str, Any]:
        """Return trials, error rates, mean response times and undecided trials."""
        return {"trials": self.n_trials, **condition_dict(by_class(self))}
