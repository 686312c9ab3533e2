r"""Refinement: from a tolerance to a risk and an honest error.

The grid is refined by a constant ratio. The risks :math:`R_0, R_1, \dots` of the levels approach
the truth at about fifth order in the spacing (`kinks`), with a sign that depends on how the
boundary lies between the nodes. Three errors are estimated and added:

- **spacing** and **range**: see `levels`;
- **iteration**: the bound of `stationary`.

Before the first level the problem is solved with longer steps and a coarser grid, four times the
step and twice the spacing at a time (solutions of a nearby problem, quick to find and good to start
from), so that small dt costs little more than large.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from popout.exact.backend import Array
from popout.exact.bellman import Bellman
from popout.exact.grid import Grid
from popout.exact.levels import (
    RANGE_STEP,
    Level,
    NotConvergedError,
    Report,
    settle_range,
    spacing_error,
)
from popout.exact.problem import GridSpec, Problem
from popout.exact.stationary import Stationary, stationary
from popout.task import InputError

__all__ = [
    "MemoryLimitError",
    "Refined",
    "refine",
    "solve_explicit",
]

FIRST_FACTOR = 1.0
MEMORY = 8
VECTORS = 2 * MEMORY + 12  # arrays of the grid's shape alive at once, at the most
MAX_LEVELS = 12


@dataclass(frozen=True)
class Refined:
    """The last level, and what is known about its error.

    Attributes
    ----------
    bellman : Bellman
    V : array
    risk, risk_error : float
    levels : tuple of Level
    errors : dict
        Parts of the error: ``spacing``, ``range``, ``iteration``.
    bytes_needed : int
        Estimated peak memory.
    flops, bytes_moved : int
        Of all matrix products, those of the coarser problems included.
    before : tuple of pairs
        Bellman equation and value of the two levels before, newest last, for one location.
    """

    bellman: Bellman
    V: Array
    risk: float
    risk_error: float
    levels: tuple[Level, ...]
    errors: dict[str, float]
    bytes_needed: int
    flops: int
    bytes_moved: int
    before: tuple[tuple[Bellman, Array], ...]


class _Solver:
    """What the refinement of one problem carries along."""

    def __init__(self, problem: Problem, rtol: float, limit: int, report: Report | None) -> None:
        self.problem = problem
        self.rtol = rtol
        self.limit = limit
        self.report = report
        self.levels: list[Level] = []
        self.peak = 0
        self.flops = 0
        self.moved = 0

    def solve(
        self, grid: Grid, start: tuple[Grid, Array] | None, accuracy: float, coarsen: int, name: str
    ) -> tuple[Bellman, Stationary]:
        """Solve on one grid, from the solution on another."""
        self.check_memory(grid)
        bellman = self.problem.bellman(grid, coarsen)
        first = None if start is None else start[0].resample(start[1], grid)

        def tell(iteration: int, residual: float) -> None:
            if self.report is not None:
                self.report(name, iteration, residual)

        found = stationary(bellman, first, accuracy, memory=MEMORY, report=tell)
        flops, moved = grid.work_per_step()
        self.flops += found.iterations * flops
        self.moved += found.iterations * moved
        return bellman, found

    def check_memory(self, grid: Grid) -> None:
        """Refuse a grid that does not fit, before anything is allocated."""
        needed = grid.bytes_needed(VECTORS)
        self.peak = max(self.peak, needed)
        if needed > self.limit:
            raise MemoryLimitError(
                f"solve: expected a problem that fits in {_bytes(self.limit)}, got one that needs "
                f"about {_bytes(needed)} ({grid.n_locations} locations, "
                f"{' x '.join(str(s.n) for s in grid.sets)} nodes per axis); allow a larger rtol, "
                "take fewer locations, raise memory_limit or use a back end with more memory"
            )

    def level(
        self, factor: float, margin: float, start: tuple[Grid, Array] | None, name: str
    ) -> tuple[Bellman, Stationary]:
        """Solve the real problem at one spacing and record it."""
        began = time.perf_counter()
        grid = self.problem.grid(factor, margin)
        bellman, found = self.solve(grid, start, 0.02 * self.rtol, 1, name)
        self.levels.append(
            Level(
                factor,
                tuple(s.n for s in grid.sets),
                grid.size,
                self.risk(found),
                found.iterations,
                found.residual,
                time.perf_counter() - began,
            )
        )
        return bellman, found

    def refined(
        self,
        bellman: Bellman,
        found: Stationary,
        error: float,
        errors: dict[str, float],
        before: list[tuple[Bellman, Array]],
    ) -> Refined:
        """Put the result together."""
        return Refined(
            bellman=bellman,
            V=found.V,
            risk=self.risk(found),
            risk_error=error,
            levels=tuple(self.levels),
            errors=errors,
            bytes_needed=self.peak,
            flops=self.flops,
            bytes_moved=self.moved,
            before=tuple(before[-2:]) if self.problem.n_locations == 1 else (),
        )

    def risk(self, found: Stationary) -> float:
        """Return the prior-averaged risk of a fixed point."""
        return (1.0 - self.problem.task.prior) * found.origin


class MemoryLimitError(InputError):
    """The problem needs more memory than is allowed; nothing was allocated."""


def refine(
    problem: Problem, rtol: float, *, memory_limit: int, report: Report | None = None
) -> Refined:
    """Solve to a relative tolerance of the risk.

    Parameters
    ----------
    problem : Problem
    rtol : float
    memory_limit : int
        In bytes.
    report : callable, optional
        Called with the name of the level, the iteration and the residual.

    Raises
    ------
    InputError
        If even the first grid does not fit in memory.
    NotConvergedError
        If the tolerance is not met before the memory runs out, or an iteration fails.
    """
    solver = _Solver(problem, rtol, memory_limit, report)
    M = problem.n_locations
    margin = max(2.5, 4.0 + math.log(M * 1e-4 / rtol) / 1.7)
    ratio = 1.5 if M <= 2 else 1.3
    solver.check_memory(problem.grid(FIRST_FACTOR, margin))

    start: tuple[Grid, Array] | None = None
    for coarsen in problem.coarse_to_fine()[:-1]:
        grid = problem.grid(FIRST_FACTOR, margin, coarsen)
        _, found = solver.solve(grid, start, 1e-3, coarsen, "longer steps")
        start = (grid, found.V)

    if M > 1:
        margin, range_error, start = _settle_range(solver, margin, start)
    else:
        range_error = 0.0

    factor = FIRST_FACTOR
    before: list[tuple[Bellman, Array]] = []
    for k in range(MAX_LEVELS):
        try:
            bellman, found = solver.level(factor, margin, start, f"level {k}")
        except MemoryLimitError as refusal:
            if not before:
                raise
            raise NotConvergedError(_too_coarse(solver, refusal), tuple(solver.levels)) from None
        risk = solver.risk(found)
        errors = {
            "spacing": spacing_error([level.risk for level in solver.levels], ratio),
            "range": range_error,
            "iteration": risk * found.uncertainty,
        }
        error = sum(errors.values())
        if before and found.converged and error <= rtol * risk and k >= _least_levels(M):
            return solver.refined(bellman, found, error, errors, before)
        before = [*before[-1:], (bellman, found.V)]
        start = (bellman.grid, found.V)
        factor /= ratio
    raise NotConvergedError(
        f"the risk is {risk:.8g} with an estimated error of {error:.2g} after {MAX_LEVELS} levels, "
        f"above the tolerance {rtol * risk:.2g}; allow a larger rtol",
        tuple(solver.levels),
    )


def _settle_range(
    solver: _Solver, margin: float, start: tuple[Grid, Array] | None
) -> tuple[float, float, tuple[Grid, Array]]:
    """Settle the range on the coarsest grid, each solution begun from the one before.

    Returns
    -------
    margin, range_error : float
    start : tuple
        Grid and value to begin the first level from.
    """

    def risk_at(lower: float) -> float:
        nonlocal start
        grid = solver.problem.grid(FIRST_FACTOR, lower)
        _, found = solver.solve(grid, start, 0.02 * solver.rtol, 1, "range")
        start = (grid, found.V)
        return solver.risk(found)

    margin, error = settle_range(risk_at, margin, solver.rtol)
    assert start is not None
    return margin, error, start


def solve_explicit(
    problem: Problem, spec: GridSpec, *, memory_limit: int, report: Report | None = None
) -> Refined:
    """Solve on the grid that the user asked for; its error comes from a grid half as fine."""
    solver = _Solver(problem, 1e-6, memory_limit, report)
    solver.check_memory(problem.explicit_grid(spec))
    start = None
    risks: list[float] = []
    kept: list[tuple[Bellman, Array]] = []
    for bins in (max(8, spec.bins // 2), spec.bins):
        began = time.perf_counter()
        grid = problem.explicit_grid(GridSpec(spec.lower, spec.upper, bins))
        bellman, found = solver.solve(grid, start, 1e-7, 1, f"{bins} bins")
        if not found.converged:
            raise NotConvergedError(
                f"the iteration on {bins} bins stalled at a residual of {found.residual:.2g}; "
                "choose a finer grid",
                tuple(solver.levels),
            )
        risks.append(solver.risk(found))
        kept.append((bellman, found.V))
        start = (grid, found.V)
        nodes = tuple(s.n for s in grid.sets)
        spent = time.perf_counter() - began
        step = spec.spacing / min(problem.sd.values())
        solver.levels.append(
            Level(step, nodes, grid.size, risks[-1], found.iterations, found.residual, spent)
        )
    shorter = problem.explicit_grid(_shorter(spec))
    _, cut = solver.solve(shorter, (kept[0][0].grid, kept[0][1]), 1e-7, 1, "shorter range")
    errors = {
        "spacing": abs(risks[1] - risks[0]),
        "range": abs(solver.risk(cut) - risks[0]),
        "iteration": risks[1] * found.uncertainty,
    }
    return solver.refined(bellman, found, sum(errors.values()), errors, kept[:1])


def _shorter(spec: GridSpec) -> GridSpec:
    """Return the half as fine grid, with its lower end further up."""
    spacing = 2.0 * spec.spacing
    cut = math.ceil(RANGE_STEP / spacing)
    bins = max(8, spec.bins // 2)
    return GridSpec(spec.lower + cut * spacing, spec.upper, max(8, bins - cut))


def _least_levels(M: int) -> int:
    """Return the first level whose error estimate is trusted."""
    return 2 if M <= 3 else 1


def _too_coarse(solver: _Solver, error: Exception) -> str:
    return f"the tolerance {solver.rtol:g} was not met before the memory ran out: {error}"


def _bytes(n: int) -> str:
    return f"{n / 2**30:.3g} GiB"
