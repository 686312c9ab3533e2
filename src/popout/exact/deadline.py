r"""The finite horizon: an observer that must answer by a deadline.

Backward induction from the deadline :math:`T = N\,\delta t`, the paper's own procedure (Methods,
"Dynamic programming"), after the change of measure of `bellman`:

.. math:: V_N = \min\{c_{fa},\, c_{miss}(w-1)\}, \qquad
          V_k = \min\{c_{fa},\, c_{miss}(w-1),\, \delta t\,(C_0 + C_1(w-1)) + E_0[V_{k+1}]\}.

The boundary depends on the time left. As T grows :math:`V_0` falls to the stationary solution, and
the boundary of the first look stops moving: this is how the paper reaches infinity. The grid is
that of the stationary problem (a shorter horizon never widens the region of waiting). Its error is
estimated as in `refine`: spacing, from grids in a constant ratio, and range, from the change of the
risk when the lower end of every axis moves down. There is no iteration to stop too early.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.exact.backend import Array, get_backend
from popout.exact.bellman import Bellman
from popout.exact.crossings import crossings
from popout.exact.levels import (
    RANGE_STEP,
    NotConvergedError,
    Report,
    settle_range,
    spacing_error,
)
from popout.exact.problem import Problem, check_problem
from popout.exact.solution import exact_table
from popout.strategies.deadline_table import DeadlineTable
from popout.task import Costs, Faults, InputError, SearchTask, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DeadlineSolution", "solve_deadline"]

FIRST_FACTOR, RATIO, MAX_LEVELS = 1.0, 1.3, 10
MARGIN = 8.0  # room below the lower threshold, in units of Z, unless more is needed
MOST_LOOKS = 100_000
STORED_BYTES = 1 << 31


@dataclass(frozen=True, eq=False)
class DeadlineSolution(HasCard):
    """The ideal observer under a deadline.

    Attributes
    ----------
    task : SearchTask
    costs : Costs
    deadline : float
        Seconds; a whole number of steps.
    risk, risk_error : float
        Before any evidence, and the estimated bound on its error.
    seconds : float
        Wall-clock time of the solution.
    nodes_per_axis : tuple of int
    errors : dict
        Parts of `risk_error`: spacing, range.
    """

    task: SearchTask
    costs: Costs
    deadline: float
    risk: float
    risk_error: float
    seconds: float
    nodes_per_axis: tuple[int, ...]
    errors: dict[str, float]
    _problem: Problem
    _bellman: Bellman
    _advantages: tuple[Array, ...]

    @property
    def n_looks(self) -> int:
        """Number of looks before the deadline."""
        return len(self._advantages)

    def thresholds(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return time, lower and upper threshold at every look, for one location.

        In log posterior odds. NaN at looks where waiting never pays.
        """
        if self._problem.n_locations != 1:
            raise InputError(
                "DeadlineSolution.thresholds: expected one location, got "
                f"{self._problem.n_locations}; use strategy, or advantage(look)"
            )
        grid = self._bellman.grid
        pairs = np.full((self.n_looks, 2), math.nan)
        for look, D in enumerate(self._advantages):
            found = crossings(grid.groups[0].axis.nodes, grid.backend.to_numpy(D))
            if found.size >= 2:
                pairs[look] = found[0], found[-1]
        pairs += math.log(grid.groups[0].weight)
        times = np.asarray(self.task.dt * np.arange(self.n_looks), dtype=np.float64)
        return times, pairs[:, 0], pairs[:, 1]

    def advantage(self, look: int) -> NDArray[np.float64]:
        """Return (value of waiting - value of answering) at a look, on the full product of axes."""
        return self._bellman.grid.dense(self._advantages[look])

    @property
    def strategy(self) -> DeadlineTable:
        """The optimal strategy, for any simulator; tables are unfolded when first used."""

        @lru_cache(maxsize=64)
        def table_at(look: int) -> Any:
            waiting = self._advantages[look] + self._bellman.stop
            return exact_table(self._problem, self._bellman.grid, waiting, entries=1 << 17)

        return DeadlineTable(table_at, self.n_looks, self.task.dt)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how the boundaries close: over time for one location, else in a plane of two.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        """
        from popout.exact.pictures import draw_deadline

        return draw_deadline(self, ax)

    def __repr__(self) -> str:
        """Show the deadline, the risk and its error."""
        return (
            f"DeadlineSolution(deadline={self.deadline:g} s, "
            f"risk={self.risk:.6g} +- {self.risk_error:.1g}, "
            f"{count(self.task.n_locations, 'location')})"
        )

    def card(self) -> Card:
        """Return what is shown of it."""
        nodes = " x ".join(str(n) for n in self.nodes_per_axis)
        return Card(
            f"Ideal observer under a deadline, {count(self.task.n_locations, 'location')}",
            [
                ("deadline", f"{self.deadline:g} s, {count(self.n_looks, 'look')}"),
                ("risk", with_error(self.risk, self.risk_error)),
                ("grid", f"{nodes} nodes per axis"),
                ("found in", f"{self.seconds:.2g} s"),
            ],
        )


def solve_deadline(
    task: Task,
    costs: Costs,
    deadline: float,
    rtol: float = 1e-4,
    *,
    backend: str = "numpy",
    device: Any = None,
    report: Report | None = None,
) -> DeadlineSolution:
    """Find the optimal strategy when the observer must answer by a deadline.

    Parameters
    ----------
    task : Task
        A search, or a task with an equivalent one.
    costs : Costs
    deadline : float
        Seconds, rounded to a whole number of steps.
    rtol : float
        Wanted relative accuracy of the risk.
    backend, device
        As in `popout.solve`.
    report : callable, optional
        Called at every look with the name of the level, the looks done, counted from the deadline,
        and the largest change of the value by the last of them.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2)
    >>> hurried = po.solve_deadline(task, costs, deadline=0.1)
    >>> hurried.risk > po.solve(task, costs).risk
    True
    """
    began = time.perf_counter()
    search, looks = _check(task, costs, deadline, rtol)
    problem = Problem(search, costs, get_backend(backend, device))

    def induction(name: str, factor: float, margin: float) -> _Induction:
        bellman = problem.bellman(problem.grid(factor, margin))
        if 8 * bellman.grid.size * looks > STORED_BYTES:
            raise _too_large(rtol, looks)
        second, advantages = _backwards(bellman, looks, name, report)
        return _Induction((1.0 - search.prior) * bellman.origin(second), bellman, advantages)

    risks: list[float] = []

    def risk_at(lower: float) -> float:
        risks[:] = [induction("range", FIRST_FACTOR, lower).risk]
        return risks[0]

    margin, error = MARGIN, 0.0
    if problem.n_locations > 1:  # the range of one location follows from the costs
        margin, error = settle_range(risk_at, MARGIN - RANGE_STEP, rtol)
    for k in range(len(risks), MAX_LEVELS):
        found = induction(f"level {k}", FIRST_FACTOR / RATIO**k, margin)
        risks.append(found.risk)
        errors = {"spacing": spacing_error(risks, RATIO), "range": error}
        if k > 1 and sum(errors.values()) <= rtol * found.risk:
            return DeadlineSolution(
                search,
                costs,
                looks * search.dt,
                found.risk,
                sum(errors.values()),
                time.perf_counter() - began,
                tuple(s.n for s in found.bellman.grid.sets),
                errors,
                problem,
                found.bellman,
                found.advantages,
            )
    raise _too_large(rtol, looks)


@dataclass(frozen=True)
class _Induction:
    """Backward induction on one grid: the risk, and the advantage of waiting at every look."""

    risk: float
    bellman: Bellman
    advantages: tuple[Array, ...]


def _backwards(
    bellman: Bellman, looks: int, name: str, report: Report | None
) -> tuple[Array, tuple[Array, ...]]:
    """Return V at the second look and the advantage of waiting at every look."""
    xp = bellman.grid.backend.xp
    V = bellman.terminal()
    advantages = [bellman.advantage(V)]
    for look in range(1, looks):
        after, V = V, bellman.best(advantages[-1])
        advantages.append(bellman.advantage(V))
        if report is not None:
            report(name, look, float(xp.max(xp.abs(V - after))))
    return V, tuple(reversed(advantages))


def _too_large(rtol: float, looks: int) -> NotConvergedError:
    return NotConvergedError(
        f"the tolerance {rtol:g} was not met with {STORED_BYTES >> 30} GiB for {looks} looks; "
        "allow a larger rtol, a shorter deadline or fewer locations"
    )


def _check(task: object, costs: object, deadline: object, rtol: object) -> tuple[SearchTask, int]:
    faults = Faults("solve_deadline")
    search = check_problem(faults, task, costs, rtol)
    seconds = faults.positive("deadline", deadline, "give seconds, e.g. 2.0")
    dt = search.dt if search is not None else 0.0
    if seconds < 0.5 * dt:
        faults.add("deadline", f"at least one step of {dt} s", deadline, "give it more time")
    if dt and seconds > MOST_LOOKS * dt:
        faults.add("deadline", f"at most {MOST_LOOKS} steps of {dt} s", deadline, "shorten it")
    faults.raise_if_any()
    assert search is not None
    return search, max(1, round(seconds / dt))
