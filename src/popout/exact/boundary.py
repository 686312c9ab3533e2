r"""Decision boundaries in the plane of two locations.

Along every grid line the logarithm of (value of waiting / value of the better answer) is smooth and
its zero is found by cubic interpolation, far finer than the spacing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard
from popout.exact.axis import interpolation_matrix
from popout.exact.backend import get_backend
from popout.exact.crossings import line_crossings
from popout.task import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from popout.exact.value_grid import ValueGrid

FINE = 8  # how many times finer than the grid a plane is drawn


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

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> edge = po.solve(task, costs, rtol=1e-3).boundary()
    >>> list(edge.present.columns), edge.plane
    (['Z1', 'Z2'], (0, 1))
    >>> bool(edge.present["Z1"].max() > 4.5)  # once the other location is ruled out
    True
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
        from popout.exact.solution_pictures import draw_boundary

        return draw_boundary(self, ax)

    def as_dict(self) -> dict[str, Any]:
        """Return the points of both curves by the names of the locations."""
        curves = {"absent": self.absent.to_dict("list"), "present": self.present.to_dict("list")}
        return {"plane": self.plane, "others": self.others, **curves}

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


@dataclass(frozen=True, eq=False)
class Plane:
    """Where to wait and what to say in the plane of two locations, all others held somewhere.

    Attributes
    ----------
    values : ValueGrid
        The value function it cuts through.
    locations : pair of int
        0-based.
    others : float
        Log likelihood ratio of all other locations; -inf rules them out.
    held : float
        Odds of a target at these, where they are held: at the nodes closest to `others`.
    Z : pair of ndarray
        Points along both axes, finer than the nodes.
    log_ratio : ndarray of shape (len(Z[0]), len(Z[1]))
        log(value of waiting / value of the better answer), negative where one should wait.
    """

    values: ValueGrid
    locations: tuple[int, int]
    others: float
    held: float
    Z: tuple[NDArray[np.float64], NDArray[np.float64]]
    log_ratio: NDArray[np.float64]

    @classmethod
    def of(cls, values: ValueGrid, locations: tuple[int, int], others: float) -> Plane:
        """Cut through a value function.

        Parameters
        ----------
        values : ValueGrid
        locations : pair of int
            Two different ones that can hold the target.
        others : float
            The log likelihood ratio of all others; the node closest to it is taken.
        """
        if values.bellman.names_place:
            raise InputError(
                "Solution.boundary: expected a task whose answer is presence, got one that names "
                "the place; ask its strategy, `Solution.strategy.decide(Z, 0.0)`"
            )
        if len(set(locations)) != 2 or not set(locations) <= set(values.locations):
            raise InputError(
                f"Solution.boundary.plane: expected two different locations out of "
                f"{values.locations} (0-based), got {locations}; a location that never holds the "
                "target has no boundary"
            )
        grid, weight, costs = values.grid, values.weights, values.costs
        chosen = [values.axes[place] for place in locations]
        at = {
            place: int(np.argmin(np.abs(axis.nodes - others))) if math.isfinite(others) else 0
            for place, axis in values.axes.items()
        }
        waiting = grid.cut(values.waiting, locations, at)
        Z1, Z2 = (
            np.linspace(axis.nodes[0], axis.nodes[-1], FINE * (axis.n - 1) + 1) for axis in chosen
        )
        P1, P2 = (interpolation_matrix(axis, z) for axis, z in zip(chosen, (Z1, Z2), strict=True))
        product = get_backend().matmul
        waiting = product(product(P1, waiting), P2.T)
        odds = (weight[locations[0]] * np.exp(Z1))[:, None] + weight[locations[1]] * np.exp(Z2)
        held = sum(
            weight[place] * math.exp(group.axis.nodes[at[place]])
            for group in grid.groups
            for place in group.locations
            if place not in locations
        )
        stop = np.minimum(costs.false_alarm, costs.miss * (odds + held))
        log_ratio = np.log(np.maximum(waiting / stop, 1e-30))
        return cls(values, locations, others, held, (Z1, Z2), log_ratio)

    def preference(self, z1: ArrayLike, z2: ArrayLike) -> NDArray[np.float64]:
        """Return log(risk of "absent" / risk of "present") at points of the plane."""
        weight, costs = self.values.weights, self.values.costs
        first, second = (weight[place] for place in self.locations)
        odds = first * np.exp(z1) + second * np.exp(z2) + self.held
        return np.asarray(np.log(odds) + math.log(costs.miss / costs.false_alarm))

    def boundary(self) -> Boundary:
        """Trace both boundaries, to sub-grid accuracy."""
        import pandas as pd

        Z1, Z2 = self.Z
        along_1, at_2 = line_crossings(Z1, self.log_ratio)
        along_2, at_1 = line_crossings(Z2, self.log_ratio.T)
        points = np.column_stack([np.append(along_1, Z1[at_1]), np.append(Z2[at_2], along_2)])
        # Along either boundary one log likelihood ratio falls as the other rises.
        points = points[np.argsort(points[:, 0] - points[:, 1], kind="stable")]
        says_present = self.preference(points[:, 0], points[:, 1]) >= 0
        names = [f"Z{place + 1}" for place in self.locations]
        absent, present = (
            pd.DataFrame(points[side], columns=names) for side in (~says_present, says_present)
        )
        return Boundary(absent, present, self.locations, self.others)
