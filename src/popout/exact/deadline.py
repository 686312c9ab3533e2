r"""The finite horizon: an observer that must answer by a deadline.

Backward induction from the deadline :math:`T = N\,\delta t`, the paper's own procedure (Methods,
"Dynamic programming"), after the change of measure of `bellman`:

.. math:: V_N = \min\{c_{fa},\, c_{miss}(w-1)\}, \qquad
          V_k = \min\{c_{fa},\, c_{miss}(w-1),\, \delta t\,(C_0 + C_1(w-1)) + E_0[V_{k+1}]\}.

The boundary depends on the time left. As T grows :math:`V_0` falls to the stationary solution, and
the boundary of the first look stops moving: this is how the paper reaches infinity. The grid is
that of the stationary problem (a shorter horizon never widens the region of waiting). The errors
are those of `refinement`: spacing and range; there is no iteration to stop too early.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count, elapsed, listed, with_error
from popout.exact.backend import Array, get_backend
from popout.exact.bellman import Bellman
from popout.exact.discretisation import RateDiscretisation, problem_faults
from popout.exact.notes import in_seconds, problem_notes
from popout.exact.refinement import RANGE_STEP, Level, NotConvergedError, Refinement
from popout.exact.value_grid import ValueGrid
from popout.policies.stopping.deadline_table import DeadlineTable
from popout.policies.stopping.exact_table import ExactTable
from popout.progress import UNKNOWN, Progress, stretch
from popout.task import Costs, InputError, SearchTask, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_FACTOR, RATIO, MAX_LEVELS = 1.0, 1.3, 10
MARGIN = 8.0  # room below the lower threshold, in units of Z, unless more is needed
MOST_LOOKS = 20_000  # hundreds of times what any search takes
STORED_BYTES = 1 << 31
ROUNDING = 1e-9  # 0.29 / 0.01 is 28.999999999999996, which is 29 steps
TABLE_ENTRIES = 1 << 17  # of each look's table; there are many looks


@dataclass(frozen=True, eq=False)
class DeadlineSolution(HasCard):
    """The ideal observer under a deadline.

    Attributes
    ----------
    task : SearchTask
    costs : Costs
    deadline : float
        Seconds: the whole number of steps that fit in.
    risk, risk_error : float
        Before any evidence, and the estimated bound on its error.
    seconds : float
        Wall-clock time of the solution.
    nodes_per_axis : tuple of int
    errors : dict
        Parts of `risk_error`: spacing, range, iteration (zero).

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> hurried = po.solve_deadline(task, costs, deadline=0.1, rtol=1e-3)
    >>> hurried.risk > po.solve(task, costs, rtol=1e-3).risk
    True
    """

    task: SearchTask
    costs: Costs
    deadline: float
    risk: float
    risk_error: float
    seconds: float
    nodes_per_axis: tuple[int, ...]
    errors: dict[str, float]
    _discretisation: RateDiscretisation
    _bellman: Bellman
    _advantages: tuple[Array, ...]

    @property
    def n_looks(self) -> int:
        """Number of looks before the deadline."""
        return len(self._advantages)

    def value_grid(self, look: int) -> ValueGrid:
        """Return the value function at a look, counted from the start."""
        waiting = self._advantages[look] + self._bellman.stop
        return ValueGrid(self._discretisation, self._bellman, waiting=waiting)

    def thresholds(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return time, lower and upper threshold at every look, for one location.

        In log posterior odds. NaN at looks where waiting never pays.
        """
        grid = self._bellman.grid
        if grid.n_locations != 1:
            raise InputError(
                f"DeadlineSolution.thresholds: expected one location, got {grid.n_locations}; "
                "use strategy, or advantage(look)"
            )
        pairs = np.array([self._bellman.waiting_interval(D) for D in self._advantages])
        pairs[pairs[:, 0] == pairs[:, 1]] = math.nan
        pairs += math.log(grid.groups[0].weight)
        times = np.asarray(self.task.dt * np.arange(self.n_looks), dtype=np.float64)
        return times, pairs[:, 0], pairs[:, 1]

    def advantage(self, look: int) -> NDArray[np.float64]:
        """Return (value of waiting - value of answering) at a look, on the full product of axes."""
        return np.asarray(self._bellman.grid.dense(self._advantages[look]))

    @property
    def strategy(self) -> DeadlineTable:
        """The optimal strategy, for any simulator; tables are unfolded when first used."""

        @lru_cache(maxsize=64)
        def table_at(look: int) -> ExactTable:
            return self.value_grid(look).table(TABLE_ENTRIES)

        return DeadlineTable(table_at, self.n_looks, self.task.dt)

    @property
    def notes(self) -> tuple[str, ...]:
        """What looks wrong with the problem, such as a deadline that was meant in milliseconds."""
        looks_at_all = self.risk < (1.0 - self.task.prior) * self._bellman.at_once
        mean_rt = math.inf if looks_at_all else 0.0
        return problem_notes(self.task, self.costs, mean_rt, self.deadline)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how the boundaries close: over time for one location, else in a plane of two.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        """
        from popout.exact.solution_pictures import draw_deadline

        return draw_deadline(self, ax)

    def as_dict(self) -> dict[str, Any]:
        """Return the risk, the deadline and how it was found."""
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "converged": True,
            "deadline": self.deadline,
            "grid": {"nodes_per_axis": self.nodes_per_axis},
            "seconds": self.seconds,
            "notes": list(self.notes),
        }

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
                ("task", f"drift {listed(self.task.drifts)} (1/s), dt = {self.task.dt:g} s"),
                ("deadline", f"{self.deadline:g} s, {count(self.n_looks, 'look')}"),
                ("risk", with_error(self.risk, self.risk_error)),
                ("grid", f"{nodes} nodes per axis"),
                ("found in", elapsed(self.seconds)),
            ],
            note=" ".join(self.notes),
        )


def solve_deadline(
    task: Task,
    costs: Costs,
    deadline: float,
    rtol: float = 1e-4,
    *,
    backend: str = "numpy",
    device: Any = None,
    progress: Progress | None = None,
) -> DeadlineSolution:
    """Find the optimal strategy when the observer must answer by a deadline.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
    deadline : float
        Seconds. The last look is the last one that ends by then: with steps of 10 ms a deadline of
        0.055 s has five looks, and the observer has answered at 0.05 s.
    rtol : float
        Wanted relative accuracy of the risk.
    backend, device
        As in `popout.solve`.
    progress : callable, optional
        Told the level, the looks done, counted from the deadline, and the largest change of the
        value by the last of them.

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
    problem = RateDiscretisation(search, costs, get_backend(backend, device))
    last: tuple[Bellman, tuple[Array, ...]] | None = None
    refinement = Refinement(
        [FIRST_FACTOR / RATIO**k for k in range(MAX_LEVELS)],
        RATIO,
        MARGIN - RANGE_STEP,
        settles_range=problem.n_locations > 1,  # that of one location follows from the costs
    )

    def level(factor: float, margin: float, name: str) -> Level:
        nonlocal last
        since = time.perf_counter()
        bellman = problem.bellman(problem.grid(factor, margin))
        if 8 * bellman.grid.size * looks > STORED_BYTES:
            raise NotConvergedError(
                f"the tolerance {rtol:g} was not met with {STORED_BYTES >> 30} GiB for {looks} "
                "looks; allow a larger rtol, a shorter deadline or fewer locations"
                + (f" ({hint})" if (hint := in_seconds("deadline", deadline)) else "")
            )
        within = progress and stretch(progress, UNKNOWN, UNKNOWN, name)
        second, advantages = _backwards(bellman, looks, within)
        last = bellman, advantages
        risk = (1.0 - task.prior) * bellman.origin(second)
        return Level.on(bellman.grid, factor, risk, since=since)

    refined = refinement.run(level, rtol)
    assert last is not None
    bellman, advantages = last
    return DeadlineSolution(
        task=search,
        costs=costs,
        deadline=looks * task.dt,
        risk=refined.risk,
        risk_error=refined.risk_error,
        seconds=time.perf_counter() - began,
        nodes_per_axis=bellman.grid.nodes_per_axis,
        errors=refined.errors,
        _discretisation=problem,
        _bellman=bellman,
        _advantages=advantages,
    )


def _backwards(
    bellman: Bellman, looks: int, progress: Progress | None
) -> tuple[Array, tuple[Array, ...]]:
    """Return V at the second look and the advantage of waiting at every look."""
    xp = bellman.grid.backend.xp
    V = bellman.terminal()
    advantages = [bellman.advantages(V)]
    for look in range(1, looks):
        after, V = V, bellman.best(advantages[-1])
        advantages.append(bellman.advantages(V))
        if progress is not None:
            change = float(xp.max(xp.abs(V - after)))
            progress(look / looks, f"look {look} of {looks}, change {change:.1e}")
    return V, tuple(reversed(advantages))


def _check(task: Task, costs: object, deadline: object, rtol: object) -> tuple[SearchTask, int]:
    faults = problem_faults("solve_deadline", task, costs, rtol)
    seconds = faults.positive("deadline", deadline, "give seconds, e.g. 2.0")
    if isinstance(task, Task) and seconds < (1.0 - ROUNDING) * task.dt:
        faults.add("deadline", f"at least one step of {task.dt} s", deadline, "give it more time")
    if isinstance(task, Task) and seconds > MOST_LOOKS * task.dt:
        remedy = "shorten it, or leave it out: so late a deadline changes nothing"
        if hint := in_seconds("deadline", seconds):
            remedy = f"{remedy} ({hint})"
        faults.add("deadline", f"at most {MOST_LOOKS} steps of {task.dt} s", deadline, remedy)
    faults.raise_if_any()
    assert task.search is not None
    return task.search, math.floor(seconds / task.dt * (1.0 + ROUNDING))
