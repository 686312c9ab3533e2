r"""Decision boundaries of a solution, and how well the conjecture describes them.

**Where the boundary is.** Along every grid line the logarithm of (value of waiting / value of the
better answer) is smooth and its zero is found by cubic interpolation, far finer than the spacing.

**The conjecture.** With thresholds :math:`\tau_\pm` of the one-dimensional problem the paper
conjectures the surfaces :math:`S_\pm(Z) = \tau_\pm` (eq:upper-approx, eq:lower-approx; with factors
c for unequal drifts), `popout.strategies.ScaledSPRT`. The distance of an exact boundary point from
such a surface is, to first order,

.. math:: d(Z; a) = \frac{S_\pm(Z; a) - \tau_\pm}{\lVert \nabla S_\pm(Z; a) \rVert},

in units of Z. :math:`a_+` and :math:`a_-` minimise the sum of :math:`d^2` over all crossings of
grid lines with the exact boundary at which no log likelihood ratio is more than `DEPTH` below its
own lower threshold (further down the location is ruled out and the boundary is flat).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from popout.drawing.representation import Card, HasCard
from popout.exact.axis import interpolation_matrix
from popout.exact.bellman import Bellman
from popout.exact.crossings import cell_roots, line_crossings
from popout.exact.solution import Solution, finer_grid
from popout.strategies import ASPRT, ScaledSPRT
from popout.task import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "Boundary",
    "Fit",
    "Scales",
    "check_plane",
    "fit_scales",
    "plane_boundary",
    "plane_log_odds",
    "plane_values",
]

DEPTH = 3.0
FIT_NODES = 200_000  # the grid is refined up to about so many stored nodes before points are taken
FINE = 8  # a plane is drawn so many times finer than the grid


@dataclass(frozen=True, eq=False)
class Boundary(HasCard):
    """The two boundary curves in the plane of two locations.

    Attributes
    ----------
    absent, present : DataFrame
        Columns ``Z1`` and ``Z2`` (named after the two locations), points in order along the curve.
    plane : pair of int
        The two locations, 0-based.
    others : float
        Where the other locations were held.
    """

    absent: pd.DataFrame
    present: pd.DataFrame
    plane: tuple[int, int]
    others: float

    def __repr__(self) -> str:
        """Return one line; the points would fill pages."""
        return f"Boundary({len(self.absent)} and {len(self.present)} points, plane={self.plane})"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two curves.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        """
        from popout.exact.pictures import draw_boundary

        return draw_boundary(self, ax)

    def card(self) -> Card:
        """Return what is shown of it."""
        first, second = (f"Z{place + 1}" for place in self.plane)
        held = f"held at {self.others:g}" if math.isfinite(self.others) else "ruled out"
        rows = [
            [f'say "{side}"', str(len(curve)), *(_span(curve[z]) for z in (first, second))]
            for side, curve in (("absent", self.absent), ("present", self.present))
        ]
        return Card(
            f"Decision boundary in the plane of {first} and {second}",
            [("other locations", held)],
            ["boundary", "points", f"{first} (nats)", f"{second} (nats)"],
            rows,
        )


def _span(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}" if len(values) else "none"


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


@dataclass(frozen=True)
class Scales(HasCard):
    """The conjecture's two scales, fitted to the exact boundary.

    Attributes
    ----------
    minus, plus : Fit
        Of the lower ("absent") and upper ("present") boundary.
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

    def card(self) -> Card:
        """Return what is shown of it."""
        rows = [
            [name, f"{fit.a:.4f}", f"{fit.rms:.4f}", f"{fit.largest:.4f}", str(fit.points)]
            for name, fit in (("a_minus (absent)", self.minus), ("a_plus (present)", self.plus))
        ]
        return Card(
            "Scales of the conjecture, fitted to the exact boundary",
            headings=["scale", "value", "rms distance", "largest distance", "points"],
            rows=rows,
            note="distances from the exact boundary, in nats",
        )


def plane_boundary(solution: Solution, plane: tuple[int, int], others: float) -> Boundary:
    """Trace the boundary in the plane of two locations; see `Solution.boundary`."""
    import pandas as pd

    check_plane(solution, plane)
    ratio, axes = plane_values(solution, plane, others)
    points: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    log_odds = plane_log_odds(solution, plane, others)
    preference = math.log(solution.costs.miss / solution.costs.false_alarm)
    for z, fixed in _along(axes[0], axes[1], ratio):
        points[bool(log_odds(z, fixed) + preference >= 0)].append((z, fixed))
    for z, fixed in _along(axes[1], axes[0], ratio.T):
        points[bool(log_odds(fixed, z) + preference >= 0)].append((fixed, z))
    names = [f"Z{place + 1}" for place in plane]

    def curve(side: bool) -> pd.DataFrame:
        # Along either boundary one log likelihood ratio falls as the other rises.
        found = sorted(points[side], key=lambda p: p[0] - p[1])
        return pd.DataFrame(np.array(found).reshape(-1, 2), columns=names)

    return Boundary(curve(False), curve(True), plane, others)


def _along(
    z: NDArray[np.float64], fixed: NDArray[np.float64], f: NDArray[np.float64]
) -> list[tuple[float, float]]:
    """Return where f of shape (z, fixed) vanishes along z, with the other coordinate there."""
    roots, lines = line_crossings(z, f)
    return list(zip(roots.tolist(), fixed[lines].tolist(), strict=True))


def check_plane(solution: Solution, plane: tuple[int, int]) -> None:
    """Refuse a plane that is not of two locations that can hold the target."""
    locations = solution._problem.locations
    if len(set(plane)) != 2 or not set(plane) <= set(locations):
        raise InputError(
            f"Solution.boundary.plane: expected two different locations out of {locations} "
            f"(0-based), got {plane}; a location that never holds the target has no boundary"
        )


def plane_values(
    solution: Solution, plane: tuple[int, int], others: float
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return log(waiting / answering) on a fine grid of the plane, and its two axes."""
    grid = solution._grid
    axis_of = {place: g.axis for g in grid.groups for place in g.locations}
    chosen = [axis_of[place] for place in plane]
    at = {
        place: int(np.argmin(np.abs(axis.nodes - others))) if math.isfinite(others) else 0
        for place, axis in axis_of.items()
    }
    i, j = np.indices((chosen[0].n, chosen[1].n))
    index = []
    for group, sets in zip(grid.groups, grid.sets, strict=True):
        columns = [
            i if place == plane[0] else j if place == plane[1] else np.full_like(i, at[place])
            for place in group.locations
        ]
        index.append(sets.rank(np.sort(np.stack(columns, axis=-1), axis=-1)))
    waiting = grid.backend.to_numpy(solution._wait)[tuple(index)]
    fine = [np.linspace(axis.nodes[0], axis.nodes[-1], FINE * (axis.n - 1) + 1) for axis in chosen]
    P = [interpolation_matrix(axis, z) for axis, z in zip(chosen, fine, strict=True)]
    waiting = P[0] @ waiting @ P[1].T
    weight = solution._problem.weight
    odds = (weight[plane[0]] * np.exp(fine[0]))[:, None] + weight[plane[1]] * np.exp(fine[1])
    odds += sum(
        weight[place] * math.exp(axis_of[place].nodes[at[place]])
        for place in axis_of
        if place not in plane
    )
    stop = np.minimum(solution.costs.false_alarm, solution.costs.miss * odds)
    return np.log(np.maximum(waiting / stop, 1e-30)), fine


def plane_log_odds(
    solution: Solution, plane: tuple[int, int], others: float
) -> Callable[[ArrayLike, ArrayLike], NDArray[np.float64]]:
    """Return the log posterior odds of presence as a function on the plane."""
    weight = solution._problem.weight
    rest = sum(w for place, w in weight.items() if place not in plane) * math.exp(others)

    def log_odds(z1: ArrayLike, z2: ArrayLike) -> NDArray[np.float64]:
        odds = weight[plane[0]] * np.exp(z1) + weight[plane[1]] * np.exp(z2) + rest
        return np.asarray(np.log(odds))

    return log_odds


def fit_scales(solution: Solution) -> Scales:
    """Fit the scales of the conjecture, or of its extension, to the exact boundary.

    Where the extension is not defined (thresholds of different signs), all numbers are NaN.
    """
    below, above = boundary_points(solution)
    try:
        conjecture(solution, 1.0, 1.0)
    except InputError:
        undefined = Fit(math.nan, math.nan, math.nan, 0)
        return Scales(undefined, undefined)
    return Scales(_fit(solution, below, "minus"), _fit(solution, above, "plus"))


def boundary_points(
    solution: Solution,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where grid lines cross the absent and the present boundary, shapes (n, M_active)."""
    room = (FIT_NODES / solution._grid.size) ** (1.0 / solution._grid.n_locations)
    grid = finer_grid(solution._grid, max(1, min(6, int(room))))
    backend = grid.backend
    bellman = Bellman(grid, solution.costs, solution.task.dt)
    waiting = backend.to_numpy(solution._grid.resample(solution._wait, grid))
    ratio = np.log(np.maximum(waiting / backend.to_numpy(bellman.stop), 1e-30))
    answer_present = backend.to_numpy(bellman.ridge) >= 0
    Z = grid.states().reshape(-1, grid.n_locations)
    flat, present = ratio.reshape(-1), answer_present.reshape(-1)
    node = np.arange(grid.size).reshape(grid.shape)
    found: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []
    for number, (group, sets) in enumerate(zip(grid.groups, grid.sets, strict=True)):
        moved = {by: sets.shift(by)[0] for by in (-1, 1, 2)}
        S = grid.shape[number]
        for slot in range(group.m):
            part = slice(slot * S, (slot + 1) * S)
            near = [np.take(node, moved[by][part], axis=number).reshape(-1) for by in (-1, 1, 2)]
            crossed = np.nonzero((flat < 0) != (flat[near[1]] < 0))[0]
            window = flat[np.stack([near[0], near[1], near[1], near[2]], axis=1)[crossed]]
            window[:, 1] = flat[crossed]
            t = cell_roots(window) - 1.0
            points = Z[crossed]
            points[:, grid._column(number, slot)] += t * group.axis.spacing
            stopping = np.where(flat[crossed] >= 0, crossed, near[1][crossed])
            found.append((points, present[stopping]))
    points = np.concatenate([p for p, _ in found])
    says_present = np.concatenate([s for _, s in found])
    floor = np.array(
        [
            solution._problem.thresholds[place][0]
            - math.log(solution._problem.weight[place])
            - DEPTH
            for place in solution._problem.locations
        ]
    )
    shown = (points >= floor).all(axis=1)
    return points[shown & ~says_present], points[shown & says_present]


def _fit(solution: Solution, points: NDArray[np.float64], side: str) -> Fit:
    """Fit one scale by least squares of the distance."""
    M = solution.task.n_locations
    if len(points) == 0:
        return Fit(math.nan, math.nan, math.nan, 0)
    full = np.full((len(points), M), -np.inf)
    full[:, list(solution._problem.locations)] = points

    def distances(log_a: float) -> NDArray[np.float64]:
        strategy = conjecture(solution, math.exp(log_a), math.exp(log_a))
        return _distance(strategy, full, side)

    if M == 1:
        d = distances(0.0)
        return Fit(math.nan, _rms(d), float(np.abs(d).max()), len(points))

    def misfit(log_a: float) -> float:
        return float(np.mean(distances(log_a) ** 2))

    # The misfit levels off for large a, so a local search needs to begin in the right valley.
    tried = np.linspace(math.log(0.05), math.log(100.0), 40)
    best_tried = int(np.argmin([misfit(x) for x in tried]))
    bracket = tried[[max(best_tried - 1, 0), min(best_tried + 1, tried.size - 1)]]
    best = minimize_scalar(misfit, bounds=tuple(bracket), method="bounded", options={"xatol": 1e-7})
    d = distances(float(best.x))
    return Fit(math.exp(best.x), _rms(d), float(np.abs(d).max()), len(points))


def conjecture(solution: Solution, a_minus: float, a_plus: float) -> ScaledSPRT:
    """Return a-SPRT for the solution's task, with its exact one-dimensional thresholds."""
    pairs = solution.thresholds
    lower, upper = ([pair[k] for pair in pairs] for k in (0, 1))
    return ASPRT.for_task(solution.task, lower, upper, a_minus=a_minus, a_plus=a_plus)


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
