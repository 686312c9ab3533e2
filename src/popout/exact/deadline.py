r"""The finite horizon: an observer that must answer by a deadline.

Backward induction from the deadline :math:`T = N\,\delta t`, the paper's own procedure (Methods,
"Dynamic programming"), after the change of measure of `bellman`:

.. math:: V_N = \min\{c_{fa},\, c_{miss}(w-1)\}, \qquad
          V_k = \min\{c_{fa},\, c_{miss}(w-1),\, \delta t\,(C_0 + C_1(w-1)) + E_0[V_{k+1}]\}.

The boundary depends on the time left. As T grows :math:`V_0` falls to the stationary solution, and
the boundary of the first look stops moving: this is how the paper reaches infinity. The grid is
that of the stationary problem (a shorter horizon never widens the region of waiting).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.backend import Array, get_backend
from popout.exact.bellman import Bellman
from popout.exact.crossings import crossings
from popout.exact.problem import Problem, check_problem
from popout.exact.refine import NotConvergedError, spacing_error
from popout.exact.solution import exact_table
from popout.strategies.deadline_table import DeadlineTable
from popout.task import Costs, Faults, InputError, SearchTask

__all__ = ["DeadlineSolution", "solve_deadline"]

FIRST_FACTOR, RATIO, MAX_LEVELS = 1.0, 1.3, 10
STORED_BYTES = 1 << 31


@dataclass(frozen=True, eq=False)
class DeadlineSolution:
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
    """

    task: SearchTask
    costs: Costs
    deadline: float
    risk: float
    risk_error: float
    seconds: float
    nodes_per_axis: tuple[int, ...]
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


def solve_deadline(
    task: SearchTask,
    costs: Costs,
    deadline: float,
    rtol: float = 1e-4,
    *,
    backend: str = "numpy",
    device: Any = None,
) -> DeadlineSolution:
    """Find the optimal strategy when the observer must answer by a deadline.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
    deadline : float
        Seconds, rounded to a whole number of steps.
    rtol : float
        Wanted relative accuracy of the risk.
    backend, device
        As in `popout.solve`.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2)
    >>> hurried = po.solve_deadline(task, costs, deadline=0.1)
    >>> hurried.risk > po.solve(task, costs).risk
    True
    """
    began = time.perf_counter()
    looks = _check(task, costs, deadline, rtol)
    problem = Problem(task, costs, get_backend(backend, device))
    risks: list[float] = []
    factor = FIRST_FACTOR
    for _ in range(MAX_LEVELS):
        bellman = problem.bellman(problem.grid(factor, margin=8.0))
        needed = 8 * bellman.grid.size * looks
        if needed > STORED_BYTES:
            break
        second, advantages = _backwards(bellman, looks)
        risks.append((1.0 - task.prior) * bellman.origin(second))
        error = spacing_error(risks, RATIO)
        if len(risks) > 2 and error <= rtol * risks[-1]:
            return DeadlineSolution(
                task,
                costs,
                looks * task.dt,
                risks[-1],
                error,
                time.perf_counter() - began,
                tuple(s.n for s in bellman.grid.sets),
                problem,
                bellman,
                advantages,
            )
        factor /= RATIO
    raise NotConvergedError(
        f"the tolerance {rtol:g} was not met with {STORED_BYTES >> 30} GiB for {looks} looks; "
        "allow a larger rtol, a shorter deadline or fewer locations"
    )


def _backwards(bellman: Bellman, looks: int) -> tuple[Array, tuple[Array, ...]]:
    """Return V at the second look and the advantage of waiting at every look."""
    V = bellman.terminal()
    advantages = [bellman.advantage(V)]
    for _ in range(looks - 1):
        V = bellman.best(advantages[-1])
        advantages.append(bellman.advantage(V))
    return V, tuple(reversed(advantages))


def _check(task: object, costs: object, deadline: object, rtol: object) -> int:
    faults = Faults("solve_deadline")
    check_problem(faults, task, costs, rtol)
    seconds = faults.positive("deadline", deadline, "give seconds, e.g. 2.0")
    if isinstance(task, SearchTask) and seconds < 0.5 * task.dt:
        faults.add("deadline", f"at least one step of {task.dt} s", deadline, "give it more time")
    faults.raise_if_any()
    assert isinstance(task, SearchTask)
    return max(1, round(seconds / task.dt))
