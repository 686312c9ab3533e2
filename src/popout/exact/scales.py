r"""How well the conjecture describes the exact boundary: its two scales, fitted.

With thresholds :math:`\tau_\pm` of the one-dimensional problem the paper conjectures the surfaces
:math:`S_\pm(Z) = \tau_\pm` (Equation 8, Equation 9; with factors c for unequal drifts),
`popout.policies.stopping.ScaledSPRT`. The distance of an exact boundary point from such a surface
is, to first order,

.. math:: d(Z; a) = \frac{S_\pm(Z; a) - \tau_\pm}{\lVert \nabla S_\pm(Z; a) \rVert},

in units of Z. :math:`a_+` and :math:`a_-` minimise the sum of :math:`d^2` over all crossings of
grid lines with the exact boundary at which no log likelihood ratio is more than `DEPTH` below its
own lower threshold (further down the location is ruled out and the boundary is flat).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from popout.drawing.representation import Card, HasCard
from popout.exact.crossings import cell_roots, line_crossings
from popout.exact.grid import POSITIONS, Grid
from popout.exact.solution import Solution
from popout.exact.value_grid import ValueGrid
from popout.policies.stopping import ASPRT, ScaledSPRT
from popout.task import InputError

DEPTH = 3.0
FIT_NODES = 200_000  # the grid is refined up to about this many stored nodes for the points
MOST_TIMES = 6  # finer than the solution's grid along each axis
SMALLEST, LARGEST = 0.05, 100.0  # scales that are tried; beyond them the surface hardly changes


@dataclass(frozen=True)
class Fit:
    """A fitted scale and how far its surface is from the exact boundary.

    Attributes
    ----------
    a : float
        The scale; NaN where the boundary does not depend on it.
    rms, largest : float
        Root mean square and largest distance, in units of Z.
    points : int
        Boundary points used.
    """

    a: float
    rms: float
    largest: float
    points: int

    @property
    def at_limit(self) -> bool:
        """Whether the scale is one end of what was tried, and so no more than a bound."""
        return not 1.001 * SMALLEST < self.a < LARGEST / 1.001 and not math.isnan(self.a)

    @property
    def shown(self) -> str:
        """The scale as it is printed; one at its limit says so."""
        if not self.at_limit:
            return f"{self.a:.4f}"
        return f"{SMALLEST:g} or less" if self.a < 1.0 else f"{LARGEST:g} or more"


@dataclass(frozen=True)
class Scales(HasCard):
    """The conjecture's two scales, fitted to the exact boundary.

    Attributes
    ----------
    minus, plus : Fit
        Of the lower ("absent") and upper ("present") boundary.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> scales = po.solve(task, costs, rtol=1e-3).scales
    >>> print(f"{scales.plus.a:.2f}")
    0.70
    """

    minus: Fit
    plus: Fit

    @property
    def a_minus(self) -> float:
        """Scale of the lower boundary."""
        return self.minus.a

    @property
    def a_plus(self) -> float:
        """Scale of the upper boundary."""
        return self.plus.a

    def as_dict(self) -> dict[str, Any]:
        """Return both scales and their misfits, in units of Z."""
        return {
            "a_plus": self.plus.a,
            "a_minus": self.minus.a,
            "at_limit": [
                name
                for name, fit in (("a_plus", self.plus), ("a_minus", self.minus))
                if fit.at_limit
            ],
            "misfit_plus": {"rms": self.plus.rms, "max": self.plus.largest},
            "misfit_minus": {"rms": self.minus.rms, "max": self.minus.largest},
        }

    def card(self) -> Card:
        """Return what is shown of it."""
        rows = [
            [name, fit.shown, f"{fit.rms:.4f}", f"{fit.largest:.4f}", str(fit.points)]
            for name, fit in (("a_minus (absent)", self.minus), ("a_plus (present)", self.plus))
        ]
        return Card(
            "Scales of the conjecture, fitted to the exact boundary",
            headings=["scale", "value", "rms distance", "largest distance", "points"],
            rows=rows,
            note="distances from the exact boundary, in nats",
        )


def fit_scales(solution: Solution) -> Scales:
    """Fit the scales of the conjecture, or of its extension, to the exact boundary.

    Where the extension is not defined (thresholds of different signs), or items are reshuffled, all
    numbers are NaN.
    """
    undefined = Fit(math.nan, math.nan, math.nan, 0)
    if solution.phases is not None:
        return Scales(undefined, undefined)
    try:
        conjecture(solution, 1.0, 1.0)
    except InputError:
        return Scales(undefined, undefined)
    below, above = map(solution.value_grid.discretisation.states, boundary_points(solution))
    return Scales(_fit(solution, below, "minus"), _fit(solution, above, "plus"))


def boundary_points(solution: Solution) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where grid lines cross the absent and the present boundary, shapes (n, M_active)."""
    values = solution.value_grid
    stored = isinstance(values.grid, Grid)
    nodes = values.grid.size if stored else values.grid.dense_size()
    room = (FIT_NODES / nodes) ** (1.0 / values.grid.n_locations)
    finer = values.finer(max(1, min(MOST_TIMES, int(room))))
    points, present = _on_stored_lines(finer) if stored else _on_full_lines(finer)
    floor = np.array(
        [
            solution.thresholds[place][0] - math.log(weight) - DEPTH
            for place, weight in values.weights.items()
        ]
    )
    shown = (points >= floor).all(axis=1)
    return points[shown & ~present], points[shown & present]


def _on_stored_lines(values: ValueGrid) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return crossings of the lines between stored nodes, and where "present" is the answer."""
    grid, log_ratio = values.grid, values.log_ratio
    says_present = grid.backend.to_numpy(values.bellman.ridge) >= 0
    Z = grid.states()
    points, present = [], []
    for number, (group, stencil) in enumerate(zip(grid.groups, grid.stencils, strict=True)):
        nodes = grid.backend.to_numpy(stencil.nodes).reshape(len(POSITIONS), group.m, -1)
        for slot in range(group.m):
            around = [np.take(log_ratio, row, axis=number) for row in nodes[:, slot]]
            crossed = (around[1] < 0) != (around[2] < 0)
            window = np.stack([row[crossed] for row in around], axis=1)
            point = Z[crossed]
            point[:, grid.column(number, slot)] += (cell_roots(window) - 1.0) * group.axis.spacing
            above = np.take(says_present, nodes[POSITIONS.index(1), slot], axis=number)
            points.append(point)
            present.append(np.where(window[:, 1] >= 0, says_present[crossed], above[crossed]))
    return np.concatenate(points), np.concatenate(present)


def _on_full_lines(values: ValueGrid) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return crossings of all grid lines, and where "present" is the answer."""
    log_ratio = values.grid.dense(values.log_ratio)
    nodes = [axis.nodes for axis in values.axes.values()]
    points = []
    for place, z in enumerate(nodes):
        lines = np.moveaxis(log_ratio, place, 0)
        roots, line = line_crossings(z, lines.reshape(z.size, -1))
        others = iter(np.unravel_index(line, lines.shape[1:]) if len(nodes) > 1 else ())
        columns = [roots if k == place else nodes[k][next(others)] for k in range(len(nodes))]
        points.append(np.stack(columns, axis=-1))
    crossed = np.concatenate(points)
    odds = np.exp(crossed) @ np.array(list(values.weights.values()))
    return crossed, values.costs.miss * odds >= values.costs.false_alarm


def _fit(solution: Solution, points: NDArray[np.float64], side: str) -> Fit:
    """Fit one scale by least squares of the distance."""
    if len(points) == 0:
        return Fit(math.nan, math.nan, math.nan, 0)

    def distances(log_a: float) -> NDArray[np.float64]:
        return _distance(conjecture(solution, math.exp(log_a), math.exp(log_a)), points, side)

    if points.shape[1] == 1:
        d = distances(0.0)
        return Fit(math.nan, _rms(d), float(np.abs(d).max()), len(points))

    def misfit(log_a: float) -> float:
        return float(np.mean(distances(log_a) ** 2))

    # The misfit levels off for large a, so a local search needs to begin in the right valley.
    tried = np.linspace(math.log(SMALLEST), math.log(LARGEST), 40)
    best_tried = int(np.argmin([misfit(x) for x in tried]))
    bracket = tried[[max(best_tried - 1, 0), min(best_tried + 1, tried.size - 1)]]
    best = minimize_scalar(misfit, bounds=tuple(bracket), method="bounded", options={"xatol": 1e-7})
    d = distances(float(best.x))
    return Fit(math.exp(best.x), _rms(d), float(np.abs(d).max()), len(points))


def conjecture(solution: Solution, a_minus: float, a_plus: float) -> ScaledSPRT:
    """Return a-SPRT for the solution's task, with its exact one-dimensional thresholds."""
    lower, upper = zip(*solution.thresholds, strict=True)
    # Of the task, only the priors count for the surfaces.
    task = solution.task.as_observed
    return ASPRT.for_task(task, lower, upper, a_minus=a_minus, a_plus=a_plus)


def _distance(strategy: ScaledSPRT, Z: NDArray[np.float64], side: str) -> NDArray[np.float64]:
    """Return the signed first-order distance of points from one surface of the conjecture."""
    S_minus, S_plus = strategy.statistics(Z)
    S, tau, a, c = (
        (S_plus, strategy.tau_plus, strategy.a_plus, np.asarray(strategy.c_plus))
        if side == "plus"
        else (S_minus, strategy.tau_minus, strategy.a_minus, np.asarray(strategy.c_minus))
    )
    y = c * (Z - np.asarray(strategy.offset))
    gradient = c * np.exp(a * (y - S[:, None]))
    return np.asarray((S - tau) / np.sqrt((gradient**2).sum(axis=1)))


def _rms(d: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(d**2)))
