r"""From a task and its costs to grids.

**Which locations.** A location whose prior is zero never holds the target; its observations say
nothing, and it is left out. Locations with equal drift and prior are exchangeable and share a
group.

**Which range.** When every other location is ruled out, what is left at location l is a
discrimination problem (Methods, "Translating optimal thresholds"). On the scale of the log
posterior odds :math:`s = Z_l + \log(\mathrm{odds}\,\pi_l)` its two thresholds depend on the drift
and the costs alone. They bound the region of waiting along axis l. The lower end of the axis lies
`margin` below the lower threshold: the error of cutting there falls as
:math:`e^{-1.6\,\mathrm{margin}}` for equal drifts and :math:`e^{-1.1\,\mathrm{margin}}` for unequal
ones. For one location the range needs no solution: waiting one step costs more than the answer
"present" can lose above :math:`s = \log(c_{fa} / (C_1 \delta t))`, and more than "absent" can below
:math:`s = \log(C_0 \delta t / c_{miss})`.

**Which spacing.** ``factor`` times the standard deviation of a step, or times `WIDEST` where the
step is longer than the value function is smooth, or times half the width of waiting where that is
narrower still.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from popout.evidence import llr_step
from popout.exact.axis import Axis
from popout.exact.backend import Backend
from popout.exact.bellman import Bellman
from popout.exact.grid import Grid, Group
from popout.exact.waiting_region import WaitingRegion
from popout.task import Costs, Faults, InputError, SearchTask, Task, check_costs

WIDEST = 1.2
EDGE_NODES = 2  # nodes above the upper threshold: the stencil of a boundary cell
FARTHEST, MOST_BINS = 500.0, 100_000  # of a grid given by the user; exp(Z) stays finite
MOST_LOCATIONS = 100  # far beyond what any memory holds; more would only take long to count
FINEST_RTOL, COARSEST_RTOL = 1e-9, 0.1
SHORTEST_STEP, LONGEST_STEP = 4e-3, 300.0  # standard deviation of Z in one step
NARROWEST = 0.1  # of a step: a region of waiting narrower than two of these is not resolved


@dataclass(frozen=True)
class GridSpec:
    """A grid given by the user, the same for every location.

    Attributes
    ----------
    lower, upper : float
        Range of every Z_l. The paper uses -10 and 10.
    bins : int
        Number of cells per axis; there are ``bins + 1`` nodes. The paper uses 2000.

    Examples
    --------
    >>> GridSpec(-10.0, 10.0, bins=2000).spacing
    0.01
    """

    lower: float
    upper: float
    bins: int

    def __post_init__(self) -> None:
        """Check that the range holds the starting point Z = 0."""
        if not (-FARTHEST <= self.lower < -1.0 and 0.0 < self.upper <= FARTHEST):
            raise InputError(
                f"GridSpec: expected {-FARTHEST:g} <= lower < -1 and 0 < upper <= {FARTHEST:g}, "
                f"got ({self.lower}, {self.upper}); every trial starts at Z = 0"
            )
        if not isinstance(self.bins, int) or not 8 <= self.bins <= MOST_BINS:
            raise InputError(
                f"GridSpec.bins: expected an integer from 8 to {MOST_BINS}, got {self.bins!r}; "
                "the paper uses 2000"
            )

    @property
    def spacing(self) -> float:
        """Distance between nodes."""
        return (self.upper - self.lower) / self.bins


class Discretisation:
    """A search task and its costs, and how they are put on grids.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
    backend : Backend

    Attributes
    ----------
    locations : tuple of int
        Those that can hold the target, 0-based.
    sd : dict of int to float
        Standard deviation of one step of Z at each of them.
    weight : dict of int to float
        Odds that the target is there before any evidence, P(l_T = l) / P(C = 0).
    """

    def __init__(self, task: SearchTask, costs: Costs, backend: Backend) -> None:
        self.task = task
        self.costs = costs
        self.backend = backend
        step = llr_step(task)
        odds = math.exp(task.log_prior_odds)
        self.locations = tuple(place for place, p in enumerate(task.location_prior) if p > 0)
        self.sd = {place: float(step.sd[place]) for place in self.locations}
        _check_steps(task, self.sd)
        self.weight = {place: odds * task.location_prior[place] for place in self.locations}

    @property
    def n_locations(self) -> int:
        """Number of locations that can hold the target."""
        return len(self.locations)

    @cached_property
    def thresholds(self) -> dict[int, tuple[float, float]]:
        """Lower and upper 1-D threshold of each location, in log posterior odds."""
        return {
            place: WaitingRegion.of(sd, self.costs, self.task.dt).thresholds
            for place, sd in self.sd.items()
        }

    def classes(self) -> list[tuple[int, ...]]:
        """Locations that share drift and prior, in order of their first member."""
        classes: dict[tuple[float, float], list[int]] = {}
        for place in self.locations:
            classes.setdefault((self.sd[place], self.weight[place]), []).append(place)
        return [tuple(members) for members in classes.values()]

    def ends(self, place: int, margin: float) -> tuple[float, float]:
        """Return the ends of the axis of one location, before room for the stencil."""
        shift = math.log(self.weight[place])
        if self.n_locations == 1:
            return _one_location_ends(self.costs, self.task.dt, shift)
        lower, upper = (tau - shift for tau in self.thresholds[place])
        return min(lower, 0.0) - margin, max(upper, 0.0)

    def grid(self, factor: float, margin: float, coarsen: int = 1) -> Grid:
        """Make a grid of spacing ``factor`` steps, for steps of ``coarsen`` times dt."""

        def axis(place: int) -> Axis:
            sd = self.sd[place] * math.sqrt(coarsen)
            spacing = factor * min(sd, WIDEST, self._resolution(place))
            ends = self.ends(place, margin)
            return Axis.covering(*ends, spacing=spacing, sd=sd, room=EDGE_NODES)

        return self.grid_of(axis)

    def explicit_grid(self, spec: GridSpec) -> Grid:
        """Make the grid that the user asked for."""
        return self.grid_of(
            lambda place: Axis(spec.lower, spec.spacing, spec.bins + 1, self.sd[place])
        )

    def grid_of(
        self, axis: Callable[[int], Axis], classes: list[tuple[int, ...]] | None = None
    ) -> Grid:
        """Make a grid with the axis of each class' first location.

        Parameters
        ----------
        axis : callable
        classes : list of tuples of int, optional
            Exchangeable locations; those of the task when left out.
        """
        groups = [
            Group(axis(members[0]), members, self.weight[members[0]])
            for members in (classes or self.classes())
        ]
        return Grid(groups, self.backend)

    def _resolution(self, place: int) -> float:
        """Return half the width of waiting on one axis: a boundary cell needs room both ways."""
        lower, upper = self.thresholds[place]
        finest = NARROWEST * min(self.sd[place], WIDEST)
        return max(0.5 * (upper - lower), finest) if upper > lower else math.inf

    def bellman(self, grid: Grid, coarsen: int = 1) -> Bellman:
        """Return the Bellman equation on a grid, for steps of ``coarsen`` times dt."""
        return Bellman(grid, self.costs, self.task.dt * coarsen)


def problem_faults(solver: str, task: object, costs: object, rtol: object) -> Faults:
    """Collect what is wrong with the arguments that every solver takes."""
    faults = Faults(solver)
    search = task.search if isinstance(task, Task) else None
    if search is None:
        expected = "a SearchTask, or a task with an equivalent one"
        why = task.why_no_search if isinstance(task, Task) else "build one, or load one"
        faults.add("task", expected, type(task).__name__, why)
    elif search.n_locations > MOST_LOCATIONS:
        expected = f"a task with at most {MOST_LOCATIONS} locations"
        faults.add("task", expected, search.n_locations, "simulate larger ones")
    check_costs_and_rtol(faults, costs, rtol)
    return faults


def check_costs_and_rtol(faults: Faults, costs: object, rtol: object) -> None:
    """Record what is wrong with the costs and the tolerance."""
    check_costs(faults, "costs", costs)
    faults.number(
        "rtol",
        rtol,
        "write e.g. 1e-4",
        expected=f"a number between {FINEST_RTOL:g} and {COARSEST_RTOL:g}",
        above=0.999 * FINEST_RTOL,
        below=1.001 * COARSEST_RTOL,
    )


def _check_steps(task: SearchTask, sd: dict[int, float]) -> None:
    """Refuse steps too short or too long for any grid."""
    faults = Faults("solve")
    for place, width in sd.items():
        if not SHORTEST_STEP <= width <= LONGEST_STEP:
            faults.add(
                f"drift[{place}]",
                f"a step of Z with standard deviation 2 drift sqrt(dt) between {SHORTEST_STEP:g} "
                f"and {LONGEST_STEP:g}",
                task.drifts[place],
                f"that is {width:.3g} at dt = {task.dt:g}; "
                + ("raise dt" if width < SHORTEST_STEP else "lower dt"),
            )
    faults.raise_if_any()


def _one_location_ends(costs: Costs, dt: float, shift: float) -> tuple[float, float]:
    """Return where waiting can never pay, from the price of one step alone; ``s = Z + shift``."""
    upper = math.log(costs.false_alarm / (costs.time_present * dt))
    lower = math.log(costs.time_absent * dt / costs.miss)
    ridge = math.log(costs.false_alarm / costs.miss)
    return min(0.0, lower - shift, ridge - shift) - 4.0, max(0.0, upper - shift, ridge - shift)


def coarse_to_fine(sd: float) -> list[int]:
    """Return by how much to lengthen the step: powers of 4 from an sd of about 0.6 down to 1."""
    steps = [4 ** max(0, round(math.log2(0.6 / sd)))]
    while steps[-1] > 1:
        steps.append(steps[-1] // 4)
    return steps


def grouped(
    places: Iterable[int], alike: Callable[[int, int], bool]
) -> tuple[tuple[int, ...], ...]:
    """Return classes of places, each with the first that it is like.

    Examples
    --------
    >>> grouped(range(5), lambda a, b: a % 2 == b % 2)
    ((0, 2, 4), (1, 3))
    """
    classes: dict[int, list[int]] = {}
    for place in places:
        first = next((known for known in classes if alike(known, place)), place)
        classes.setdefault(first, []).append(place)
    return tuple(map(tuple, classes.values()))
