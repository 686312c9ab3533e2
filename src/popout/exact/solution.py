"""What the exact solver returns: the risk and its error, the value function, the strategy.

The grid stores each set of exchangeable log likelihood ratios once (`multisets`). `Solution`
unfolds it into labelled arrays and into the table that a simulator runs, when asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.exact.axis import Axis
from popout.exact.backend import Array
from popout.exact.bellman import Bellman
from popout.exact.grid import Grid
from popout.exact.levels import Level
from popout.exact.problem import Problem
from popout.exact.refine import Refined
from popout.strategies.exact_table import ExactTable
from popout.task import Costs, InputError, SearchTask

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from popout.exact.boundary import Boundary, Scales

__all__ = ["Diagnostics", "Solution", "exact_table", "finer_grid"]

TABLE_ENTRIES = 1 << 21  # a table is refined up to about so many entries
DENSE_LIMIT = 1 << 28  # entries; beyond this a full table is refused


@dataclass(frozen=True)
class Diagnostics:
    """How a solution was found.

    Attributes
    ----------
    levels : tuple of Level
        Every grid of the refinement, coarse to fine.
    iterations : int
        Steps of evidence computed on these grids.
    residual : float
        Largest change of the value function by one more step.
    nodes_per_axis : tuple of int
        Of the last grid, one for each group of exchangeable locations.
    nodes : int
        Stored nodes of the last grid.
    seconds : float
        Wall-clock time.
    peak_bytes : int
        Estimated peak memory.
    flops, bytes_moved : int
        Of the matrix products, over all grids.
    errors : dict
        Parts of `risk_error`: spacing, range, iteration.
    backend : str
    """

    levels: tuple[Level, ...]
    iterations: int
    residual: float
    nodes_per_axis: tuple[int, ...]
    nodes: int
    seconds: float
    peak_bytes: int
    flops: int
    bytes_moved: int
    errors: dict[str, float]
    backend: str


@dataclass(frozen=True, eq=False)
class Solution(HasCard):
    """The ideal observer of a task.

    Attributes
    ----------
    task : SearchTask
    costs : Costs
    risk : float
        Prior-averaged risk of the optimal strategy, before any evidence.
    risk_error : float
        Estimated bound on the error of `risk`.
    converged : bool
        Always true: a solution that misses its tolerance is not returned.
    diagnostics : Diagnostics

    Examples
    --------
    >>> import popout as po
    >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
    >>> print(f"{solution.risk:.4f}")
    0.0440
    """

    task: SearchTask
    costs: Costs
    risk: float
    risk_error: float
    converged: bool
    diagnostics: Diagnostics
    _problem: Problem
    _refined: Refined

    @property
    def _grid(self) -> Grid:
        return self._refined.bellman.grid

    @cached_property
    def _wait(self) -> Array:
        """Value of waiting, smooth everywhere, on the grid."""
        return self._refined.bellman.wait(self._refined.V)

    @property
    def thresholds(self) -> tuple[tuple[float, float], ...]:
        """Lower and upper threshold of discrimination at each location, in log posterior odds.

        When every other location is ruled out, the boundary lies at
        ``Z_l = tau + log(M)`` for even priors (Methods, "Translating optimal thresholds"). For a
        location that never holds the target both are NaN.
        """
        nan = (math.nan, math.nan)
        found = self._problem.thresholds
        return tuple(found.get(place, nan) for place in range(self.task.n_locations))

    @cached_property
    def value(self) -> xr.DataArray:
        """The optimal risk R(Z) of the paper's recursion (eq:dp), labelled by Z1, Z2, ..."""
        bellman = self._refined.bellman
        waiting = self._wait
        best = self._grid.backend.xp.where(waiting < bellman.stop, waiting, bellman.stop)
        return self._labelled(best / (1.0 + self._grid.odds), "risk")

    @cached_property
    def advantage(self) -> xr.DataArray:
        """Risk of waiting minus risk of the better answer; negative where one should wait."""
        D = self._wait - self._refined.bellman.stop
        return self._labelled(D / (1.0 + self._grid.odds), "continuation advantage")

    @cached_property
    def strategy(self) -> ExactTable:
        """The optimal strategy, as a table that any simulator can run."""
        self._check_dense(self._grid, "strategy")
        return exact_table(self._problem, self._grid, self._wait)

    def boundary(self, plane: tuple[int, int] = (0, 1), others: float = -math.inf) -> Boundary:
        """Return the decision boundary in the plane of two locations, to sub-grid accuracy.

        Parameters
        ----------
        plane : pair of int
            Two locations, 0-based.
        others : float
            Where the log likelihood ratios of all other locations are held; -inf rules them out.
        """
        from popout.exact.boundary import plane_boundary

        return plane_boundary(self, plane, others)

    @cached_property
    def scales(self) -> Scales:
        """Least-squares scales of the conjecture (or its extension) and their misfit."""
        from popout.exact.boundary import fit_scales

        return fit_scales(self)

    def _labelled(self, values: Array, name: str) -> xr.DataArray:
        import xarray as xr

        self._check_dense(self._grid, name)
        dims = [f"Z{place + 1}" for place in self._problem.locations]
        coords: dict[str, Any] = {
            dim: (dim, axis.nodes, {"long_name": "log likelihood ratio", "units": "nats"})
            for dim, axis in zip(dims, _axes(self._grid), strict=True)
        }
        return xr.DataArray(
            self._grid.dense(values),
            coords=coords,
            dims=dims,
            name=name.replace(" ", "_"),
            attrs={"long_name": name, "units": "risk"},
        )

    def _check_dense(self, grid: Grid, what: str) -> None:
        size = grid.dense_size()
        if size > DENSE_LIMIT:
            raise InputError(
                f"Solution.{what}: expected a full table of at most {DENSE_LIMIT} entries, got "
                f"{size}; solve fewer locations or a larger rtol, or use the fitted conjecture"
            )

    def plot(self, ax: Axes | None = None, plane: tuple[int, int] | None = None) -> Axes:
        """Draw the solution.

        With one location: the optimal risk R(Z) and its thresholds. With more: where to answer and
        where to wait in the plane of two locations, all others ruled out.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        plane : pair of int, optional
            Two locations, 0-based; the first two that can hold the target when left out.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
        >>> solution.plot(Figure().subplots()).get_title()
        'optimum, risk 0.04398'
        """
        from popout.exact.pictures import draw_solution

        return draw_solution(self, ax, plane)

    def __repr__(self) -> str:
        """Show the risk, its error and the grid."""
        return (
            f"Solution(risk={self.risk:.6g} +- {self.risk_error:.1g}, "
            f"{count(self.task.n_locations, 'location')}, {self._nodes} nodes per axis, "
            f"{self.diagnostics.seconds:.2g} s)"
        )

    @property
    def _nodes(self) -> str:
        return " x ".join(str(n) for n in self.diagnostics.nodes_per_axis)

    def card(self) -> Card:
        """Return what is shown of it."""
        pairs = self.thresholds
        alike = len(set(pairs)) == 1
        thresholds = [
            (
                "thresholds" if alike else f"thresholds of Z{place + 1}",
                f"{pairs[place][0]:.4f} and {pairs[place][1]:.4f} nats of log posterior odds",
            )
            for place in ([0] if alike else self._problem.locations)
        ]
        return Card(
            f"Ideal observer, {count(self.task.n_locations, 'location')}",
            [
                ("risk", with_error(self.risk, self.risk_error)),
                *thresholds,
                ("grid", f"{self._nodes} nodes per axis"),
                ("found in", f"{self.diagnostics.seconds:.2g} s ({self.diagnostics.backend})"),
            ],
        )


def exact_table(
    problem: Problem, grid: Grid, waiting: Array, entries: int = TABLE_ENTRIES
) -> ExactTable:
    """Unfold the value of waiting into a table, on a grid refined up to so many entries."""
    room = (entries / max(1, grid.dense_size())) ** (1.0 / grid.n_locations)
    finer = finer_grid(grid, max(1, min(16, int(room))))
    stop = Bellman(finer, problem.costs, problem.task.dt).stop
    ratio = grid.backend.to_numpy(grid.resample(waiting, finer) / stop)
    A = finer.dense(grid.backend.asarray(np.log(np.maximum(ratio, 1e-30))))
    weight = problem.weight
    return ExactTable(
        np.ascontiguousarray(A, dtype=np.float32),
        tuple(float(axis.nodes[0]) for axis in _axes(finer)),
        tuple(axis.spacing for axis in _axes(finer)),
        problem.locations,
        tuple(
            math.log(weight[place]) if place in weight else -math.inf
            for place in range(problem.task.n_locations)
        ),
        problem.costs,
    )


def finer_grid(grid: Grid, times: int) -> Grid:
    """Return a grid with every cell divided into so many."""
    groups = [replace(g, axis=_refined_axis(g.axis, times)) for g in grid.groups]
    return Grid(groups, grid.backend)


def _axes(grid: Grid) -> list[Axis]:
    """Return the axis of each location of the grid, in their order."""
    found = {place: g.axis for g in grid.groups for place in g.locations}
    return [found[place] for place in sorted(found)]


def _refined_axis(axis: Axis, times: int) -> Axis:
    return Axis(axis.lower, axis.spacing / times, (axis.n - 1) * times + 1, axis.sd)
