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

**Where information is shared out** (`ShareDiscretisation`), all of it goes to the last location
when every other one is ruled out, and what is left is discrimination at the drift
:math:`\sqrt{\Lambda v_l}`. With unequal visibilities the widest pair of thresholds is taken for
every axis, because another location may still be worth a look when this one is not. The spacing is
measured in steps with a full share; the step of the smallest share, 1/q, then spans
:math:`1/(\mathrm{factor} \sqrt q)` nodes, and `smallest_factor` keeps this above `NARROWEST_SHARE`.
**Where gaze is chosen** (`GazeDiscretisation`) the thresholds are those of an item under the gaze
that sees it best. Gazes tell items apart, so none are exchangeable. A step is long, so the first
grid may be coarse.

**Where the answer names the place**, location l is named at once where the odds of l against
everything else exceed some :math:`e^\tau`, whatever the others. Tell the observer which k is the
only alternative: if naming l is best even then, it is best. So :math:`\tau` is the largest of the
upper thresholds of l against each k. For k = "absent" that is the discrimination above; against
another item a wrong answer costs a miss and a second :math:`C_1` either way, and :math:`Z_l - Z_k`
moves by the variances of both. If the target is at l, :math:`Z_k` ever exceeds u with a probability
of at most :math:`e^{-u}`. So axis l ends where l is named although the others have reached
u = `margin`,

.. math:: Z_l = \tau - \log w_l + \log\Bigl(1 + e^u \sum_{k \ne l} w_k\Bigr) ,

with the weights w of `Discretisation`. The errors of both ends fall with `margin` and are measured
together. The ends are nodes of the first grid, and no later grid is narrower.

A policy that gives everything to one location is treated as such (`looking`) if it is `Serial`,
which says where it turns; others are left to the refinement. Locations count as exchangeable if
the task and the policy (and the strategy, if there is one) do not tell them apart.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence import llr_step
from popout.evidence.llr_step import shared_step
from popout.exact.axis import Axis
from popout.exact.backend import Backend
from popout.exact.bellman import Bellman, Stakes
from popout.exact.grid import Grid, Group
from popout.exact.looking import FixedRates, FreeShares, GivenShares, Looking, OneLook
from popout.exact.moving_gaze import MovingGaze
from popout.exact.refinement import FIRST_SHARE_FACTOR
from popout.exact.reshuffled import ReshuffledBellman
from popout.exact.share_grid import ShareGrid
from popout.exact.waiting_region import WaitingRegion
from popout.policies.looking import Attention, GazePolicy, Serial
from popout.task import Costs, Faults, SearchTask, Task, check_costs
from popout.task.look import Gazes
from popout.task.task import check_static

Array = NDArray[np.float64]
Function = Callable[[Array, Any], ArrayLike]
WIDEST = 1.2
EDGE_NODES = 2  # nodes above the upper threshold: the stencil of a boundary cell
MOST_LOCATIONS = 100  # far beyond what any memory holds; more would only take long to count
MOST_SHARING = 6  # beyond what a full product of axes can hold
FINEST_RTOL, COARSEST_RTOL = 1e-9, 0.1
RTOL, SHARE_RTOL = 1e-4, 1e-3  # unless the caller says otherwise
SHORTEST_STEP, LONGEST_STEP = 4e-3, 300.0  # standard deviation of Z in one step
NARROWEST = 0.1  # of a step: a region of waiting narrower than two of these is not resolved
NARROWEST_SHARE = 0.65  # least width of the step of the smallest share, in nodes
RULED_OUT = 80.0  # a log likelihood ratio of minus this rules a location out


class Discretisation(ABC):
    """A task and its costs, and how they are put on grids.

    Parameters
    ----------
    task : Task
    costs : Costs
    sd : ndarray of shape (M,)
        Standard deviation of one step of Z at each location, at its best.

    Attributes
    ----------
    locations : tuple of int
        Those that can hold the target, 0-based.
    sd : dict of int to float
        Standard deviation of one step of Z at each of them.
    weight : dict of int to float
        Odds that the target is there before any evidence, P(l_T = l) / P(C = 0).
    """

    max_nodes = math.inf
    """Of the full product of axes."""

    def __init__(self, task: Any, costs: Costs, sd: Array) -> None:
        self.task = task
        self.costs = costs
        odds = math.exp(task.log_prior_odds)
        self.locations = tuple(place for place, p in enumerate(task.location_prior) if p > 0)
        self.sd = {place: float(sd[place]) for place in self.locations}
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

    def states(self, Z: Array) -> Array:
        """Return states of the whole task from those of the locations on the grid."""
        whole = np.full((*Z.shape[:-1], self.task.n_locations), -RULED_OUT)
        whole[..., list(self.locations)] = Z
        return whole

    def classes(self, *functions: Function) -> list[tuple[int, ...]]:
        """Return locations that share drift and prior and are treated alike.

        Parameters
        ----------
        *functions : callable
            Of states and times: shares, which permute with the locations, or margins.
        """
        classes: dict[tuple[float, float], list[int]] = {}
        for place in self.locations:
            classes.setdefault((self.sd[place], self.weight[place]), []).append(place)
        if not functions:
            return [tuple(members) for members in classes.values()]
        rng = np.random.default_rng(0)
        Z = self.states(rng.normal(0.0, 4.0, (256, self.n_locations)))
        times = rng.uniform(0.0, 2.0, 256)
        before = [np.asarray(f(Z, times)) for f in functions]

        def alike(first: int, second: int) -> bool:
            swapped = Z.copy()
            swapped[:, [first, second]] = Z[:, [second, first]]
            for f, expected in zip(functions, before, strict=True):
                after = np.array(f(swapped, times))
                if after.shape == Z.shape:
                    after[..., [first, second]] = after[..., [second, first]]
                if not np.allclose(after, expected, atol=1e-9):
                    return False
            return True

        return [part for members in classes.values() for part in grouped(members, alike)]

    @cached_property
    def exchangeable(self) -> list[tuple[int, ...]]:
        """Locations that nothing tells apart."""
        return self.classes()

    def groups(self, axis: Callable[[int], Axis]) -> list[Group]:
        """Return groups of exchangeable locations, each with the axis of its first one.

        Where items are reshuffled all axes have the same nodes, so that the states in which all
        locations agree are nodes, too.
        """
        axes = [axis(members[0]) for members in self.exchangeable]
        if self.steps_per_period and len(axes) > 1:
            ends = min(each.lower for each in axes), max(each.upper for each in axes)
            spacing = min(each.spacing for each in axes)
            axes = [Axis.covering(*ends, spacing=spacing, sd=each.sd) for each in axes]
        return [
            Group(each, members, self.weight[members[0]])
            for each, members in zip(axes, self.exchangeable, strict=True)
        ]

    @abstractmethod
    def looking(self, grid: Any) -> Looking:
        """Return the look on a grid, and who chooses it."""

    @property
    def steps_per_period(self) -> int:
        """Steps between two reshuffles of the items; 0 if there are none."""
        steps: int = self.task.steps_per_period
        return steps

    def bellman(self, grid: Any, coarsen: int = 1) -> Bellman:
        """Return the Bellman equation on a grid, for steps of ``coarsen`` times dt."""
        problem = self.looking(grid), self.costs, self.task.dt * coarsen
        if not self.steps_per_period:
            return Bellman(*problem, self.task.look.names_place)
        return ReshuffledBellman(*problem, max(1, round(self.steps_per_period / coarsen)))

    def longer_steps(self) -> list[int]:
        """Return by how much the step is lengthened before the first level."""
        return coarse_to_fine(min(self.sd.values()))[:-1]


class RateDiscretisation(Discretisation):
    """A search in which every location has a rate of its own.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
    backend : Backend
    """

    def __init__(self, task: SearchTask, costs: Costs, backend: Backend) -> None:
        super().__init__(task, costs, llr_step(task).sd)
        self.backend = backend
        _check_steps(task, self.sd)

    def ends(self, place: int, margin: float) -> tuple[float, float]:
        """Return the ends of the axis of one location, before room for the stencil."""
        shift = math.log(self.weight[place])
        if self.n_locations == 1:
            return _one_location_ends(self.costs, self.task.dt, shift)
        lower, upper = (tau - shift for tau in self.pair(place))
        return min(lower, 0.0) - margin, max(upper, 0.0)

    def grid(self, factor: float, margin: float, q: int = 1, coarsen: int = 1) -> Grid:
        """Make a grid of spacing ``factor`` steps, for steps of ``coarsen`` times dt."""

        def axis(place: int) -> Axis:
            sd = self.sd[place] * math.sqrt(coarsen)
            spacing = factor * min(sd, WIDEST, self._resolution(place))
            ends = self.ends(place, margin)
            return Axis.covering(*ends, spacing=spacing, sd=sd, room=EDGE_NODES)

        return Grid(self.groups(axis), self.backend)

    def pair(self, place: int) -> tuple[float, float]:
        """Return the thresholds that bound waiting along the axis of one location.

        After a reshuffle the target may be seen better: then the widest pair serves all.
        """
        if not self.steps_per_period:
            return self.thresholds[place]
        lower, upper = zip(*self.thresholds.values(), strict=True)
        return min(lower), max(upper)

    def _resolution(self, place: int) -> float:
        """Return half the width of waiting on one axis: a boundary cell needs room both ways."""
        lower, upper = self.thresholds[place]
        finest = NARROWEST * min(self.sd[place], WIDEST)
        return max(0.5 * (upper - lower), finest) if upper > lower else math.inf

    def looking(self, grid: Grid) -> Looking:
        """Return the look on a grid."""
        return FixedRates(grid)


class ShareDiscretisation(Discretisation):
    """A task whose locations share a limited rate of information.

    Parameters
    ----------
    task : Task
        Its look is `popout.task.look.Shares`.
    costs : Costs
    attention : Attention, optional
        A given policy; the best shares when left out.
    """

    max_nodes = 30_000_000
    first_factor = FIRST_SHARE_FACTOR

    def __init__(self, task: Task, costs: Costs, attention: Attention | None = None) -> None:
        super().__init__(task, costs, shared_step(task).sd)
        self.attention = attention

    @property
    def all_or_none(self) -> bool:
        """Whether the policy gives everything to one location."""
        return isinstance(self.attention, Serial)

    @cached_property
    def ranges(self) -> dict[int, tuple[float, float]]:
        """Where waiting may pay along each axis."""
        lower = min(pair[0] for pair in self.thresholds.values())
        upper = max(pair[1] for pair in self.thresholds.values())
        shifts = {place: math.log(weight) for place, weight in self.weight.items()}
        return {k: (min(lower - s, 0.0), max(upper - s, 0.0)) for k, s in shifts.items()}

    def classes(self, *functions: Function) -> list[tuple[int, ...]]:
        """Return locations that share visibility and prior and that the policy treats alike."""
        if (attention := self.attention) is None:
            return super().classes(*functions)
        return super().classes(*functions, lambda Z, t: attention.shares(Z, 0.0))

    def grid(self, factor: float, margin: float, q: int, coarsen: int = 1) -> ShareGrid:
        """Make a grid of spacing ``factor`` steps, for steps of ``coarsen`` times dt."""

        def axis(place: int) -> Axis:
            sd = self.sd[place] * math.sqrt(coarsen)
            spacing = factor * self.unit(place, sd)
            return Axis.covering(*self.ends(place, margin, spacing), spacing=spacing, sd=sd)

        return self.lattice_grid(axis, q)

    def unit(self, place: int, sd: float) -> float:
        """Return the spacing at a factor of one, for steps of this standard deviation."""
        lower, upper = self.ranges[place]
        return min(sd, WIDEST, 0.25 * (upper - lower) or math.inf)

    def ends(self, place: int, margin: float, spacing: float) -> tuple[float, float]:
        """Return the ends of the axis of one location."""
        lower, upper = self.ranges[place]
        return lower - margin, upper + EDGE_NODES * spacing

    def lattice_grid(self, axis: Callable[[int], Axis], q: int) -> ShareGrid:
        """Return the grid with a lattice of shares, or of whole ones."""
        return ShareGrid(self.groups(axis), 1 if self.all_or_none else q)

    def looking(self, grid: ShareGrid) -> Looking:
        """Return how shares are chosen on a grid."""
        if self.attention is None:
            return FreeShares(grid)
        if isinstance(self.attention, Serial):
            prior = np.asarray(self.attention.log_prior)[list(self.locations)]
            return OneLook(grid, (grid.states() + prior).T)
        shares = self.attention.shares(self.states(grid.states()), 0.0)
        return GivenShares(grid, np.asarray(shares, dtype=np.float64)[:, list(self.locations)])

    def smallest_factor(self, q: int) -> float:
        """Return the widest spacing at which the smallest share still spans a node."""
        return math.inf if self.all_or_none else 1.0 / (NARROWEST_SHARE * math.sqrt(q))


class GazeDiscretisation(ShareDiscretisation):
    """A task whose observer chooses one of several gazes.

    Parameters
    ----------
    task : Task
        Its look is `popout.task.look.Gazes`.
    costs : Costs
    attention : GazePolicy, optional
        A given policy; the best gaze when left out.
    """

    all_or_none = True
    first_factor = 1.0
    attention: GazePolicy | None

    def __init__(self, task: Task, costs: Costs, attention: GazePolicy | None = None) -> None:
        super().__init__(task, costs, attention)
        assert isinstance(task.look, Gazes)
        self.gazes = tuple(tuple(row[k] for k in self.locations) for row in task.look.visibility)
        best = {
            place: self.sd[place] * math.sqrt(task.look.best[place]) for place in self.locations
        }
        self.best_sd = best
        faults = Faults("solve")
        for place, width in best.items():
            if not SHORTEST_STEP <= width <= LONGEST_STEP:
                ends = f"between {SHORTEST_STEP:g} and {LONGEST_STEP:g}"
                expected = f"fixations that move Z by a standard deviation {ends}"
                remedy = "it is 2 sqrt(information * visibility * fixation) at its best gaze"
                faults.add(("items", place), expected, width, remedy)
        faults.raise_if_any()

    @cached_property
    def thresholds(self) -> dict[int, tuple[float, float]]:
        """Lower and upper 1-D threshold of each location under the gaze that sees it best."""
        return {
            place: WaitingRegion.of(sd, self.costs, self.task.dt).thresholds
            for place, sd in self.best_sd.items()
        }

    @cached_property
    def naming(self) -> dict[int, float]:
        """Log odds of each location against all else from which on naming it is best."""
        costs, dt = self.costs, self.task.dt
        items = Costs(time=costs.time_present, miss=costs.miss, false_alarm=costs.miss)
        variances = np.square(list(self.sd.values())) * self.gazes
        naming = {place: upper for place, (_, upper) in self.thresholds.items()}
        for pair in combinations(range(self.n_locations), 2):
            sd = math.sqrt(variances[:, pair].sum(axis=1).max())
            upper = WaitingRegion.of(sd, items, dt).upper
            for place in (self.locations[k] for k in pair):
                naming[place] = max(naming[place], upper)
        return naming

    def ends(self, place: int, margin: float, spacing: float) -> tuple[float, float]:
        """Return the ends of the axis of one item: where places are named, of the first grid."""
        if not self.task.look.names_place:
            return super().ends(place, margin, spacing)
        others = sum(weight for k, weight in self.weight.items() if k != place)
        top = self.naming[place] + math.log1p(math.exp(margin) * others)
        top = max(top - math.log(self.weight[place]), 0.0)
        first = self.first_factor * self.unit(place, self.sd[place])
        low = math.floor((self.ranges[place][0] - margin) / first)
        return first * low, first * (math.ceil(top / first) + EDGE_NODES)

    def classes(self, *functions: Function) -> list[tuple[int, ...]]:
        """Return every location by itself: gaze tells them apart."""
        return [(place,) for place in self.locations]

    def lattice_grid(self, axis: Callable[[int], Axis], q: int) -> ShareGrid:
        """Return the grid with the gazes of the task."""
        return ShareGrid(self.groups(axis), gazes=self.gazes)

    def looking(self, grid: ShareGrid) -> Looking:
        """Return how gazes are chosen on a grid."""
        look = self.task.look
        if look.moves is not None:
            price = Stakes(grid, self.costs, self.task.dt).price
            return MovingGaze(grid, np.array(look.moves), price, look.start)
        if self.attention is None:
            return OneLook(grid)
        return OneLook(
            grid, np.ascontiguousarray(self.attention.liking(self.states(grid.states())).T)
        )


def chosen_looks(task: Task, costs: Costs, attention: Any = None) -> ShareDiscretisation:
    """Return how a task whose look is chosen is put on grids."""
    gaze = isinstance(task.look, Gazes)
    return (GazeDiscretisation if gaze else ShareDiscretisation)(task, costs, attention)


def shares_information(task: object) -> bool:
    """Return whether an observer of the task chooses what each location gets of the information."""
    return isinstance(task, Task) and task.look.is_chosen


def default_rtol(task: object, rtol: float | None) -> float:
    """Return the tolerance that was given, or the usual one for the task's kind of look."""
    if rtol is not None:
        return rtol
    return SHARE_RTOL if shares_information(task) else RTOL


def problem_faults(
    solver: str,
    task: object,
    costs: object,
    rtol: object,
    *,
    sharing: bool = False,
    reshuffled: bool = False,
) -> Faults:
    """Collect what is wrong with the arguments that every solver takes.

    Parameters
    ----------
    solver : str
    task, costs, rtol : object
    sharing : bool
        Whether a task whose locations share information will do.
    reshuffled : bool
        Whether one whose items are reshuffled will do.
    """
    faults = Faults(solver)
    search = task.equivalent if isinstance(task, Task) else None
    if isinstance(task, Task) and task.steps_per_period and not reshuffled:
        check_static(faults, task)
    elif sharing and isinstance(task, Task) and shares_information(task):
        if sum(p > 0 for p in task.location_prior) > MOST_SHARING:
            expected = f"a task with at most {MOST_SHARING} locations"
            faults.add("task", expected, task.n_locations, "simulate larger ones")
    elif search is None:
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
            ends = f"between {SHORTEST_STEP:g} and {LONGEST_STEP:g}"
            expected = f"a step of Z with standard deviation 2 drift sqrt(dt) {ends}"
            change = "raise dt" if width < SHORTEST_STEP else "lower dt"
            remedy = f"that is {width:.3g} at dt = {task.dt:g}; {change}"
            faults.add(f"drift[{place}]", expected, task.drifts[place], remedy)
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
