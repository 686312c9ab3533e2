r"""Counts that hold everything a summary needs, however many trials there were.

Response times lie on the lattice :math:`k\,dt`, so the joint counts of (class, response, step) are
a sufficient table: risk, error rates, means, quantiles and their standard errors all follow.
Counts are integers and add up exactly, so a tally is the same whatever the chunks or threads, and
its size does not grow with the number of trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count
from popout.noise.elementary import compiled
from popout.task import Costs, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from popout.simulation.summary import Summary

__all__ = ["Tally", "count_trials"]


@compiled
def _count(response: Any, steps: Any, target: Any, by_class: Any, by_location: Any) -> None:
    for i in range(len(response)):
        r, k, location = response[i], steps[i], target[i]
        by_class[1 if location >= 0 else 0, r, k] += 1
        if location >= 0:
            by_location[location, 0, r] += 1
            by_location[location, 1, r] += k
            by_location[location, 2, r] += np.int64(k) * k


@dataclass(frozen=True, eq=False)
class Tally(HasCard):
    """Counts of a simulation.

    Attributes
    ----------
    task : Task
    by_class : ndarray of int64, shape (2, 3, n_looks)
        Trials by class (absent, present), response (`Action`; WAIT is undecided) and steps taken.
    by_location : ndarray of int64, shape (M, 3, 3)
        For a target at each location: number, sum of steps and sum of squared steps, by response.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.strategies import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> strategy = SPRT.for_task(task, -2.5, 2.5)
    >>> tally = simulate(task, strategy, n_trials=1000, seed=1, keep=False)
    >>> tally.n_trials
    1000
    """

    task: Task
    by_class: NDArray[np.int64]
    by_location: NDArray[np.int64]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return int(self.by_class.sum())

    @property
    def undecided(self) -> int:
        """Number of trials that reached the time limit without an answer."""
        return int(self.by_class[:, 0].sum())

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of both; the tasks must be equal."""
        if self.task != other.task:
            raise ValueError("tallies of different tasks cannot be added")
        longer, shorter = sorted((self.by_class, other.by_class), key=lambda c: -c.shape[-1])
        counts = longer.copy()
        counts[..., : shorter.shape[-1]] += shorter
        return Tally(self.task, counts, self.by_location + other.by_location)

    def summary(self, costs: Costs) -> Summary:
        """Return risk, error rates and response times with their standard errors."""
        from popout.simulation.summary import summarise

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
        >>> from popout.strategies import SPRT
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> tally = simulate(task, SPRT.for_task(task, -2.5, 2.5), n_trials=1000, keep=False)
        >>> tally.plot(Figure().subplots()).get_xlabel()
        'response time (s)'
        """
        from popout.simulation.pictures import draw_response_times

        return draw_response_times(self, ax)

    def __repr__(self) -> str:
        """Return one line; the counts would fill pages."""
        return f"Tally({count(self.n_trials, 'trial')}, {self.undecided} undecided)"

    def card(self, title: str = "") -> Card:
        """Return what is shown of it."""
        from popout.simulation.summary import by_class, condition_table

        headings, rows = condition_table(by_class(self))
        return Card(title or count(self.n_trials, "trial"), headings=headings, rows=rows)


def count_trials(
    task: Task,
    response: NDArray[np.int8],
    steps: NDArray[np.int32],
    target: NDArray[np.int32],
) -> Tally:
    """Count trials.

    Parameters
    ----------
    task : Task
    response : ndarray of int8, shape (n,)
    steps : ndarray of int32, shape (n,)
    target : ndarray of int32, shape (n,)
        Target location, -1 for absent.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=1, drift=4.0)
    >>> two = np.array([2, 1], np.int8), np.array([3, 5], np.int32), np.array([0, -1], np.int32)
    >>> count_trials(task, *two).by_class.sum(axis=2)
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    longest = int(steps.max()) if len(steps) else 0
    by_class = np.zeros((2, 3, longest + 1), np.int64)
    n_locations = len(task.location_prior)
    by_location = np.zeros((n_locations, 3, 3), np.int64)
    _count(response, steps, target, by_class, by_location)
    return Tally(task, by_class, by_location)
