r"""From a task with limited information to grids.

**Which range.** When every other location is ruled out, all information goes to the last one and
what is left is discrimination at the drift :math:`\sqrt{\Lambda v_l}`. Its thresholds, in log
posterior odds, bound the waiting along axis l; with unequal visibilities the widest pair is taken
for every axis, because another location may still be worth a look when this one is not.

**Which spacing.** ``factor`` times the standard deviation of a step with a full share (or as in
`discretisation` where that is wide). The step of the smallest share, 1/q, then spans
:math:`1/(\mathrm{factor} \sqrt q)` nodes, and `smallest_factor` keeps this above `NARROWEST`.

**Which policies.** A policy that gives everything to one location wherever it is asked is treated
as such (`joint_looking`); where it turns is found from its shares alone if it is `Serial`, whose
level is known, and otherwise left to the refinement. Locations count as exchangeable if the task
and the policy (and the strategy, if there is one) do not tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from popout.evidence.llr_step import shared_step
from popout.exact.axis import Axis
from popout.exact.discretisation import (
    EDGE_NODES,
    WIDEST,
    check_costs_and_rtol,
    coarse_to_fine,
    grouped,
)
from popout.exact.joint_grid import JointGrid
from popout.exact.joint_looking import FreeShares, GivenShares, Looking, OneLocation
from popout.exact.joint_shares import Classes, ShareLattice
from popout.exact.strategy_equation import RULED_OUT
from popout.exact.waiting_region import WaitingRegion
from popout.policies.looking import Attention, Serial
from popout.task import Costs, Faults, LimitedSearchTask

Array = NDArray[np.float64]
Function = Callable[[Array, float], Array]
MOST_LOCATIONS = 6  # beyond what a full product of axes can hold
NARROWEST = 0.65  # least width of a step, in nodes


class JointProblem:
    """A task with limited information and its costs, ready to be put on grids.

    Parameters
    ----------
    task : LimitedSearchTask
    costs : Costs
    attention : Attention, optional
        A given policy; the best shares when left out.
    distinguishes : callable, optional
        A function of (Z, t) of which the strategy is made; locations that it tells apart are not
        exchangeable.
    """

    def __init__(
        self,
        task: LimitedSearchTask,
        costs: Costs,
        attention: Attention | None = None,
        distinguishes: Function | None = None,
    ) -> None:
        self.task = task
        self.costs = costs
        self.attention = attention
        odds = math.exp(task.log_prior_odds)
        self.locations = tuple(place for place, p in enumerate(task.location_prior) if p > 0)
        sd = shared_step(task).sd
        self.sd = tuple(float(sd[place]) for place in self.locations)
        self.weight = tuple(odds * task.location_prior[place] for place in self.locations)
        functions = [] if attention is None else [attention.shares]
        self._functions = functions if distinguishes is None else [*functions, distinguishes]

    @property
    def n_locations(self) -> int:
        """Number of locations that can hold the target."""
        return len(self.locations)

    @property
    def all_or_none(self) -> bool:
        """Whether the policy gives everything to one location."""
        return isinstance(self.attention, Serial)

    def states(self, Z: Array) -> Array:
        """Return states of the whole task from those of the locations on the grid."""
        whole = np.full((*Z.shape[:-1], self.task.n_locations), -RULED_OUT)
        whole[..., list(self.locations)] = Z
        return whole

    @cached_property
    def classes(self) -> Classes:
        """Locations that nothing tells apart, numbered as on the grid."""
        rng = np.random.default_rng(0)
        Z = rng.normal(0.0, 4.0, (256, self.n_locations))
        before = [np.asarray(f(self.states(Z), 0.0)) for f in self._functions]

        def alike(first: int, second: int) -> bool:
            if (self.sd[first], self.weight[first]) != (self.sd[second], self.weight[second]):
                return False
            swapped = Z.copy()
            swapped[:, [first, second]] = Z[:, [second, first]]
            a, b = self.locations[first], self.locations[second]
            for f, expected in zip(self._functions, before, strict=True):
                found = np.array(f(self.states(swapped), 0.0))
                if found.shape == self.states(Z).shape:
                    found[..., [a, b]] = found[..., [b, a]]
                if not np.allclose(found, expected, atol=1e-9):
                    return False
            return True

        return grouped(range(self.n_locations), alike)

    @cached_property
    def thresholds(self) -> tuple[tuple[float, float], ...]:
        """Thresholds of each location that gets everything, in log posterior odds."""
        dt = self.task.dt
        return tuple(WaitingRegion.of(sd, self.costs, dt).thresholds for sd in self.sd)

    @cached_property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Where waiting may pay along each axis."""
        lower = min(pair[0] for pair in self.thresholds)
        upper = max(pair[1] for pair in self.thresholds)
        shifts = [math.log(weight) for weight in self.weight]
        return tuple((min(lower - s, 0.0), max(upper - s, 0.0)) for s in shifts)

    def grid(self, factor: float, margin: float, q: int, coarsen: int = 1) -> JointGrid:
        """Make a grid of spacing ``factor`` steps, for steps of ``coarsen`` times dt."""
        axes = []
        for place in range(self.n_locations):
            sd = self.sd[place] * math.sqrt(coarsen)
            lower, upper = self.ranges[place]
            spacing = factor * min(sd, WIDEST, 0.25 * (upper - lower) or math.inf)
            top = upper + EDGE_NODES * spacing
            axes.append(Axis.covering(lower - margin, top, spacing=spacing, sd=sd))
        lattice = ShareLattice(1 if self.all_or_none else q, self.n_locations, self.classes)
        return JointGrid(tuple(axes), self.weight, lattice)

    def looking(self, grid: JointGrid) -> Looking:
        """Return how shares are chosen on a grid."""
        if self.attention is None:
            return FreeShares(grid)
        if isinstance(self.attention, Serial):
            prior = np.asarray(self.attention.log_prior)[list(self.locations)]
            return OneLocation(grid, (grid.states + prior).T)
        shares = self.attention.shares(self.states(grid.states), 0.0)
        return GivenShares(grid, np.asarray(shares, dtype=np.float64)[:, list(self.locations)])

    def smallest_factor(self, q: int) -> float:
        """Return the widest spacing at which the smallest share still spans a node."""
        return math.inf if self.all_or_none else 1.0 / (NARROWEST * math.sqrt(q))

    def coarse_to_fine(self) -> list[int]:
        """Return by how much to lengthen the step, coarse to fine, 1 last."""
        return coarse_to_fine(min(self.sd))


def check_divided(faults: Faults, task: object) -> None:
    """Record that nothing is to be divided in a task, so that attention is no choice there."""
    if not isinstance(task, LimitedSearchTask):
        remedy = "attention is a choice where information is limited; see docs/attention.md"
        faults.add("task", "a LimitedSearchTask", type(task).__name__, remedy)


def check_joint(faults: Faults, task: object, costs: object, rtol: object) -> None:
    """Record what is wrong with the arguments that every joint computation takes."""
    check_divided(faults, task)
    if (
        isinstance(task, LimitedSearchTask)
        and sum(p > 0 for p in task.location_prior) > MOST_LOCATIONS
    ):
        expected = f"a task with at most {MOST_LOCATIONS} locations"
        faults.add("task", expected, task.n_locations, "simulate larger ones")
    check_costs_and_rtol(faults, costs, rtol)
