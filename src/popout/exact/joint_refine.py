r"""Refinement of a joint problem: from a tolerance to a risk and an honest error.

Four errors are estimated and added:

- **spacing**: as in `refinement`, from grids in a constant ratio;
- **range**: the change of the risk on the first grid when every axis is made longer;
- **shares**: the change of the risk on the last grid when every second point of the lattice of
  shares is left out (zero for a policy whose shares are on the lattice);
- **iteration**: a residual of r changes V(0) by at most r times the expected number of steps of a
  target-absent trial, which is at most :math:`V(0) / (C_0\,\delta t)` (`stationary`).

Small steps are approached through longer ones, four times the step and twice the spacing at a time.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from popout.exact.joint_bellman import JointBellman
from popout.exact.joint_problem import JointProblem
from popout.exact.refinement import Level, NotConvergedError, settle_range, spacing_error
from popout.exact.stationary import stationary
from popout.progress import UNKNOWN, Progress, stretch

Array = NDArray[np.float64]
FIRST_FACTOR, MAX_LEVELS, MOST_SHARES = 0.5, 14, 64
MAX_NODES = 30_000_000  # of the full product of axes
PATIENCE, MAX_ROUNDS, MAX_ITERATIONS = 30, 8, 18_000


@dataclass(frozen=True)
class Solved:
    """The fixed point on one grid.

    Attributes
    ----------
    bellman : JointBellman
    state : ndarray
        See `Looking`.
    risk : float
    uncertainty : float
        Relative, from not iterating forever.
    residual : float
    iterations : int
    """

    bellman: JointBellman
    state: Array
    risk: float
    uncertainty: float
    residual: float
    iterations: int


@dataclass
class JointLevels:
    """Solves one problem on grid after grid, each from the solution before.

    Attributes
    ----------
    problem : JointProblem
    rtol : float
    progress : Progress, optional
    levels : list of Level
        The grids of the refinement so far.
    """

    problem: JointProblem
    rtol: float
    progress: Progress | None = None
    levels: list[Level] = field(default_factory=list)
    _before: Solved | None = None

    def run(self) -> tuple[Solved, dict[str, float]]:
        """Refine until the tolerance is met; return the last level and the parts of its error."""
        M = self.problem.n_locations
        margin, range_error = self._settle_range()
        q = 1 if M == 1 else 4 if self.rtol > 3e-4 else 8
        ratio = 1.4 if M <= 2 else 1.25
        factor = min(FIRST_FACTOR, self.problem.smallest_factor(q))
        risks: list[float] = []
        for k in range(MAX_LEVELS):
            solved = self._level(factor, margin, q, f"level {k}")
            risks.append(solved.risk)
            errors = {
                "spacing": spacing_error(risks, ratio),
                "range": range_error,
                "shares": 0.0,
                "iteration": solved.risk * solved.uncertainty,
            }
            goal = self.rtol * solved.risk
            if k >= (2 if M <= 3 else 1) and sum(errors.values()) <= 0.7 * goal:
                errors["shares"] = self._shares_error(solved, factor, margin, q)
                if sum(errors.values()) <= goal:
                    return solved, errors
                q = min(2 * q, MOST_SHARES)
                risks = risks[-1:]
            factor = min(factor / ratio, self.problem.smallest_factor(q))
        raise NotConvergedError(
            f"the risk is {solved.risk:.8g} with an estimated error of {sum(errors.values()):.2g} "
            f"after {MAX_LEVELS} levels, above the tolerance {goal:.2g}; allow a larger rtol",
            tuple(self.levels),
        )

    def _settle_range(self) -> tuple[float, float]:
        """Choose the length of the axes on a coarse grid, with few shares."""
        M = self.problem.n_locations
        margin = max(2.5, 3.0 + math.log(M * 1e-4 / self.rtol) / 1.7)
        for coarsen in self.problem.coarse_to_fine()[:-1]:
            self._solve(FIRST_FACTOR, margin, 2, 1e-3, "longer steps", coarsen)

        def risk_at(lower: float) -> float:
            return self._solve(FIRST_FACTOR, lower, 2, 0.02 * self.rtol, "range").risk

        return settle_range(risk_at, margin, self.rtol)

    def _level(self, factor: float, margin: float, q: int, name: str) -> Solved:
        began = time.perf_counter()
        solved = self._solve(factor, margin, q, 0.02 * self.rtol, name)
        grid = solved.bellman.grid
        spent = time.perf_counter() - began
        self.levels.append(
            Level(
                factor,
                grid.shape,
                grid.size,
                solved.risk,
                spent,
                solved.iterations,
                solved.residual,
                solved.risk * solved.uncertainty,
            )
        )
        return solved

    def _shares_error(self, solved: Solved, factor: float, margin: float, q: int) -> float:
        points = solved.bellman.grid.lattice.points
        shares = solved.bellman.looking.shares()
        used = np.unique(np.rint(shares * q).astype(int), axis=0)
        on_lattice = self.problem.attention is not None and bool(
            np.allclose(shares * q, np.rint(shares * q)) and len(used) <= len(points)
        )
        if q == 1 or on_lattice:
            return 0.0
        coarser = self._solve(factor, margin, q // 2, 0.02 * self.rtol, "fewer shares")
        self._before = solved
        return abs(coarser.risk - solved.risk)

    def _solve(
        self, factor: float, margin: float, q: int, accuracy: float, name: str, coarsen: int = 1
    ) -> Solved:
        problem = self.problem
        grid = problem.grid(factor, margin, q, coarsen)
        if math.prod(grid.shape) > MAX_NODES:
            raise NotConvergedError(
                f"the tolerance {self.rtol:g} was not met within {MAX_NODES} nodes; allow a larger "
                "rtol, or simulate",
                tuple(self.levels),
            )
        bellman = JointBellman(problem.looking(grid), problem.costs, problem.task.dt * coarsen)
        start = bellman.start()
        if self._before is not None:
            before = self._before
            start = before.bellman.looking.resample(before.state, bellman.looking)
        told = self.progress and stretch(self.progress, UNKNOWN, UNKNOWN, name)
        self._before = solve_on(bellman, start, accuracy, problem.task.prior, told)
        return self._before


def solve_on(
    bellman: JointBellman,
    start: Array,
    accuracy: float,
    prior: float,
    progress: Progress | None = None,
) -> Solved:
    """Solve on one grid."""
    point = stationary(
        bellman,
        start,
        accuracy,
        max_iterations=MAX_ITERATIONS,
        patience=(PATIENCE, 3 * PATIENCE),
        max_rounds=MAX_ROUNDS,
        progress=progress,
    )
    risk = (1 - prior) * point.origin
    return Solved(bellman, point.V, risk, point.uncertainty, point.residual, point.iterations)
