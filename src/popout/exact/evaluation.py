r"""Exact evaluation of a given strategy: risk, error rates and mean response times, without noise.

Under target-absent the locations are independent and one step of evidence is a matrix product per
location (`grid`). Let a strategy wait on a region W. For any price p per look and any reward G at
the end, :math:`F(Z) = E_0\bigl[\sum p + G\bigr]` solves the linear equation

.. math:: F = G \text{ outside } W, \qquad F = p + E_0[F(Z')] \text{ on } W .

With the likelihood ratio :math:`e^{Z_l}` of "target at l" against "absent" the other classes follow
from the same operator, :math:`E_l[\cdot] = E_0[e^{Z_l}\,\cdot\,]` for trials that start at Z = 0:

=====================  ============================  =======================
quantity               p                             G
=====================  ============================  =======================
false alarms           0                             1 at "present"
mean RT, absent        :math:`\delta t`              0
misses, target at l    0                             :math:`e^{Z_l}` at "absent"
mean RT, target at l   :math:`\delta t\, e^{Z_l}`    0
=====================  ============================  =======================

The boundary of W is where the strategy's margins vanish; F may jump there, which `kinks` handles to
fifth order. A strategy that changes with time until `settles` is followed backwards from there.
The errors are those of `refinement`: spacing, range and, where information is shared out, shares.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.axis import Axis
from popout.exact.backend import Backend, get_backend
from popout.exact.discretisation import (
    EDGE_NODES,
    RULED_OUT,
    WIDEST,
    Discretisation,
    Function,
    GazeDiscretisation,
    RateDiscretisation,
    ShareDiscretisation,
    default_rtol,
    problem_faults,
)
from popout.exact.grid import Grid
from popout.exact.refinement import RANGE_STEP, Level, NotConvergedError, Refinement, spacing_error
from popout.exact.share_grid import ShareGrid
from popout.exact.strategy_equation import ReshuffledEquation, StrategyEquation, Terms
from popout.policies.looking import Attention
from popout.policies.observer import Observer, check_size, checked_attention
from popout.policies.stopping import Action, BoundaryStrategy, Strategy
from popout.task import Costs, InputError, SearchTask, Task
from popout.task.look import Gazes

RATIO = 1.3
MARGIN = 8.0  # room below the lower threshold, in units of Z, unless more is needed


@dataclass(frozen=True)
class Evaluation(HasCard):
    """What a strategy achieves.

    Attributes
    ----------
    risk, risk_error : float
        Prior-averaged risk and the estimated bound on its error.
    false_alarm : float
        P(say present | absent).
    miss : float
        P(say absent | present), averaged over the location prior.
    rt_absent, rt_present : float
        Mean response time in seconds.
    miss_at, rt_at : tuple of float, length M
        The same for a target at each location; NaN for a location that never holds it.
    rate_error, rt_error : float
        Estimated bounds on the errors of all rates, and of all mean response times in seconds.
    nodes_per_axis : tuple of int
        Of the last grid.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> sprt = po.evaluate(task, po.SPRT.for_task(task, -4.546, 4.546), costs)
    >>> print(f"{sprt.risk:.4f} {sprt.miss:.3f} {sprt.false_alarm:.3f} {sprt.rt_present:.3f} s")
    0.0440 0.006 0.008 0.178 s
    """

    risk: float
    risk_error: float
    rate_error: float
    rt_error: float
    false_alarm: float
    miss: float
    rt_absent: float
    rt_present: float
    miss_at: tuple[float, ...]
    rt_at: tuple[float, ...]
    nodes_per_axis: tuple[int, ...]

    @classmethod
    def of(
        cls,
        task: Task,
        costs: Costs,
        false_alarm: float,
        rt_absent: float,
        at: Mapping[int, tuple[float, float]],
        nodes_per_axis: tuple[int, ...],
    ) -> Evaluation:
        """Put together what was found on one grid, whose errors are not known yet.

        `at` holds the rate of misses and the mean response time of each location that may hold the
        target.
        """
        prior, nothing = task.location_prior, (math.nan, math.nan)
        miss, rt_present = (sum(prior[place] * at[place][k] for place in at) for k in (0, 1))
        absent = costs.false_alarm * false_alarm + costs.time_absent * rt_absent
        risk = (1.0 - task.prior) * absent
        risk += task.prior * (costs.miss * miss + costs.time_present * rt_present)
        miss_at, rt_at = zip(
            *(at.get(place, nothing) for place in range(task.n_locations)), strict=True
        )
        errors, rates = (math.inf,) * 3, (false_alarm, miss, rt_absent, rt_present)
        return cls(risk, *errors, *rates, miss_at, rt_at, nodes_per_axis)

    def card(self) -> Card:
        """Return what is shown of it."""
        rows = [
            ("absent", self.false_alarm, self.rt_absent),
            ("present", self.miss, self.rt_present),
        ]
        by_place = list(zip(self.miss_at, self.rt_at, strict=True))
        if len(set(by_place)) > 1:
            rows += [(f"present at Z{k + 1}", *pair) for k, pair in enumerate(by_place)]
        return Card(
            f"risk {with_error(self.risk, self.risk_error)} (exact)",
            headings=["target", "errors", "mean RT (s)"],
            rows=[
                [name, with_error(rate, self.rate_error), with_error(rt, self.rt_error)]
                for name, rate, rt in rows
                if not math.isnan(rate)
            ],
        )

    def row(self) -> dict[str, float]:
        """Return its row of a table: risk, error rates and response times with their errors."""
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "error_rate_absent": self.false_alarm,
            "error_rate_present": self.miss,
            "error_rate_error": self.rate_error,
            "mean_rt_absent": self.rt_absent,
            "mean_rt_present": self.rt_present,
            "mean_rt_error": self.rt_error,
        }


def evaluate(
    task: Task,
    observer: Observer | Strategy,
    costs: Costs,
    rtol: float | None = None,
    *,
    backend: str = "numpy",
    device: object = None,
) -> Evaluation:
    """Compute the risk, the error rates and the mean response times of an observer.

    Parameters
    ----------
    task : Task
        With at most three locations in practice.
    observer : Observer or Strategy
        Its strategy has margins and must stop: on every axis the region of waiting has to end. Its
        attention, where information is shared out, does not change with time. A strategy alone is
        an observer of a task in which every location has a rate of its own.
    costs : Costs
    rtol : float, optional
        Wanted relative accuracy of the risk; 1e-4 when left out, 1e-3 where information is shared
        out.
    backend, device
        As in `popout.solve`.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> pair = po.thresholds(4.0, costs)
    >>> sprt = po.SPRT.for_task(task, pair.lower, pair.upper)
    >>> print(f"{po.evaluate(task, sprt, costs).risk:.4f}")
    0.0440
    >>> limited = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> stop = po.SPRT.for_task(limited.with_shares(), -3.5, 3.5)
    >>> serial = po.Observer(po.Serial.for_task(limited), stop)
    >>> print(f"{po.evaluate(limited, serial, costs).risk:.3f}")
    0.040
    """
    rtol = default_rtol(task, rtol)
    given = Observer.of(observer)
    strategy, attention = given.strategy, given.attention
    faults = problem_faults("evaluate", task, costs, rtol, sharing=True, reshuffled=True)
    attention = checked_attention(faults, task, attention, costs=costs, steady=True)
    if isinstance(task, Task) and task.look.names_place:
        expected = "one whose answer is presence"
        faults.add("task", expected, "one that names the place", "simulate it")
    if not isinstance(strategy, BoundaryStrategy):
        remedy = "give it margins, or simulate it"
        faults.add("strategy", "a BoundaryStrategy", type(strategy).__name__, remedy)
    elif isinstance(task, Task):
        check_size(faults, task, strategy)
        if strategy.period and round(strategy.period / task.dt) != task.steps_per_period:
            remedy = "solve this task, or simulate the strategy"
            faults.add("strategy", "one for the period of the task", strategy, remedy)
    faults.raise_if_any()
    assert isinstance(strategy, BoundaryStrategy)
    engine = get_backend(backend, device)
    problem: Any
    if attention is None:
        assert task.equivalent is not None
        problem = _FollowedRates(task.equivalent, costs, engine, strategy)
    else:
        followed = _FollowedGazes if isinstance(task.look, Gazes) else _FollowedShares
        problem = followed(task, costs, attention, strategy)
    evaluations: list[Evaluation] = []
    parts, lower = 4 if rtol > 3e-4 else 8, problem.room

    def on_grid(factor: float, margin: float, parts: int) -> tuple[Any, Evaluation]:
        grid = problem.grid(factor, margin, parts)
        if (grid.size if attention is None else grid.dense_size()) > problem.max_nodes:
            raise NotConvergedError(
                f"the risk of the strategy was not found to {rtol:g} within {problem.max_nodes} "
                "nodes; allow a larger rtol, or simulate"
            )
        kind = ReshuffledEquation if problem.steps_per_period else StrategyEquation
        equation = kind(problem.looking(grid), strategy, problem)
        return grid, _on_grid(problem, equation)

    def level(factor: float, margin: float, name: str) -> Level:
        nonlocal lower
        began, lower = time.perf_counter(), margin
        grid, evaluation = on_grid(factor, margin, parts)
        evaluations.append(evaluation)
        return Level.on(grid, factor, evaluation.risk, since=began)

    factors = [problem.first_factor / RATIO**k for k in range(problem.max_levels)]
    refined = Refinement(factors, RATIO, problem.room - RANGE_STEP).run(level, rtol)
    # The first level is the last grid of the range; before it comes one with shorter axes.
    shorter, *levels = evaluations[-len(refined.levels) - 1 :]
    error = refined.risk_error
    if attention is not None and not problem.all_or_none:
        _, fewer = on_grid(refined.levels[-1].factor, lower, parts // 2)
        error += abs(fewer.risk - refined.risk)
    return with_errors(shorter, levels, error)


class _FollowedRates(RateDiscretisation):
    """Grids on which a strategy is followed, where every location has a rate of its own."""

    room = MARGIN
    first_factor, max_levels, max_nodes = 0.8, 8, 3_000_000

    def __init__(
        self, task: SearchTask, costs: Costs, backend: Backend, strategy: BoundaryStrategy
    ) -> None:
        super().__init__(task, costs, backend)
        self.exchangeable = self.classes(_margins_of(strategy))
        first = [members[0] for members in self.exchangeable]
        self._ends = {place: _waiting_ends(task, strategy, place) for place in first}

    def grid(self, factor: float, margin: float, q: int = 1, coarsen: int = 1) -> Grid:
        """Make a grid whose cells have the ends of waiting in their middle."""

        def axis(place: int) -> Axis:
            return _axis(*self._ends[place], factor, margin, self.sd[place])

        return Grid(self.groups(axis), self.backend)


class _FollowedShares(ShareDiscretisation):
    """Grids on which a strategy is followed, where a policy shares out the information."""

    room = MARGIN - 1.0
    first_factor, max_levels, max_nodes = 0.6, 9, 6_000_000

    def __init__(
        self, task: Task, costs: Costs, attention: Attention, strategy: BoundaryStrategy
    ) -> None:
        super().__init__(task, costs, attention)
        self.exchangeable = self.classes(_margins_of(strategy))
        self.ranges = {}
        for place in self.locations:
            z, waits = _waits_along(strategy, task, place)
            inside = z[waits] if waits.any() else np.zeros(1)
            self.ranges[place] = min(float(inside[0]), 0.0), max(float(inside[-1]), 0.0)

    def grid(self, factor: float, margin: float, q: int, coarsen: int = 1) -> ShareGrid:
        """Make a grid on which the smallest share still spans a node."""
        return super().grid(min(factor, self.smallest_factor(q)), margin, q, coarsen)


class _FollowedGazes(_FollowedShares, GazeDiscretisation):
    """Grids on which a strategy is followed, where a policy chooses the gaze."""


def _margins_of(strategy: BoundaryStrategy) -> Function:
    return lambda Z, t: np.stack(strategy.margins(Z, t))


def with_errors(shorter: Evaluation, levels: list[Evaluation], risk_error: float) -> Evaluation:
    """Return the last of several levels with its errors.

    Parameters
    ----------
    shorter : Evaluation
        On a grid as coarse as the first level, with shorter axes.
    levels : list of Evaluation
        Coarse to fine, their spacings in the ratio `RATIO`.
    risk_error : float
    """
    return replace(
        levels[-1],
        risk_error=risk_error,
        rate_error=_largest_error(shorter, levels, lambda e: (e.false_alarm, *e.miss_at)),
        rt_error=_largest_error(shorter, levels, lambda e: (e.rt_absent, *e.rt_at)),
    )


def _largest_error(
    shorter: Evaluation,
    levels: list[Evaluation],
    quantities: Callable[[Evaluation], tuple[float, ...]],
) -> float:
    """Return the largest error of several quantities, from the spacings and the ranges tried."""
    by_level = zip(*(quantities(level) for level in levels), strict=True)
    errors = [
        spacing_error(list(values), RATIO) + abs(cut - values[0])
        for values, cut in zip(by_level, quantities(shorter), strict=True)
    ]
    # A location that never holds the target has no rates.
    return float(np.nanmax(errors))


def _on_grid(problem: Discretisation, equation: StrategyEquation) -> Evaluation:
    """Solve one equation for each line of the table above."""
    dt = problem.task.dt
    groups = equation.grid.groups
    terms = [Terms(0.0, 0.0, 1.0), Terms(dt, 0.0, 0.0)]
    for group in groups:
        likelihood = equation.likelihood(group.locations)
        terms += [Terms(0.0, 1.0, 0.0, likelihood), Terms(dt, 0.0, 0.0, likelihood)]
    false_alarm, rt_absent, *present = equation.values(terms)
    at: dict[int, tuple[float, float]] = {}
    for group, miss, rt in zip(groups, present[::2], present[1::2], strict=True):
        at |= dict.fromkeys(group.locations, (miss, rt))
    return Evaluation.of(
        problem.task,
        problem.costs,
        false_alarm,
        rt_absent,
        {place: at[place] for place in problem.locations},
        equation.grid.nodes_per_axis,
    )


def _waiting_ends(task: Task, strategy: BoundaryStrategy, place: int) -> tuple[float, float]:
    """Return where the strategy waits on one axis when all other locations are ruled out."""
    z, waits = _waits_along(strategy, task, place)
    if not waits.any():
        return 0.0, 0.0
    first, last = np.nonzero(waits)[0][[0, -1]]
    Z, times = _ruled_out(task, place, z[:1]), _times(strategy, task)

    def edge(inside: float, outside: float) -> float:
        """Halve the interval until the boundary is known to rounding."""
        for _ in range(60):
            middle = 0.5 * (inside + outside)
            Z[0, place] = middle
            stays = any(strategy.decide(Z, t)[0] == Action.WAIT for t in times)
            inside, outside = (middle, outside) if stays else (inside, middle)
        return 0.5 * (inside + outside)

    return edge(float(z[first]), float(z[first - 1])), edge(float(z[last]), float(z[last + 1]))


def _waits_along(
    strategy: BoundaryStrategy, task: Task, place: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return points on one axis, all other locations ruled out, and where the strategy waits."""
    z = np.linspace(-60.0, 60.0, 12_001)
    Z = _ruled_out(task, place, z)
    decisions = [strategy.decide(Z, t) for t in _times(strategy, task)]
    waits = np.any(np.asarray(decisions) == Action.WAIT, axis=0)
    if waits[0] or waits[-1]:
        raise InputError(
            "evaluate.strategy: expected a strategy that stops on every axis, got one that waits "
            f"at Z{place + 1} = {z[0] if waits[0] else z[-1]:g} with all others ruled out; "
            "simulate it with a time limit instead"
        )
    return z, waits


def _ruled_out(task: Task, place: int, z: NDArray[np.float64]) -> NDArray[np.float64]:
    Z = np.full((z.size, task.n_locations), -RULED_OUT)
    Z[:, place] = z
    return Z


def _times(strategy: BoundaryStrategy, task: Task) -> NDArray[np.float64]:
    """Return times until the strategy no longer changes, that one included."""
    times = np.arange(0.0, strategy.settles, 10 * task.dt)
    return np.unique([*times, strategy.settles, *np.arange(0.0, strategy.period, task.dt)])


def _axis(lower: float, upper: float, factor: float, margin: float, sd: float) -> Axis:
    """Return an axis whose cells have the two ends of waiting in their middle.

    There the first-order term of a jump vanishes, which matters where two flat boundaries meet in a
    corner (Hardmax): the corrections of two axes do not know of each other.
    """
    spacing = factor * min(sd, WIDEST)
    if upper <= lower:
        ends = min(lower, 0.0) - margin, max(upper, 0.0)
        return Axis.covering(*ends, spacing=spacing, sd=sd, room=EDGE_NODES + 1)
    spacing = (upper - lower) / math.ceil((upper - lower) / spacing)
    below = math.ceil((lower - min(lower, 0.0) + margin) / spacing)
    start = lower + (0.5 - below) * spacing
    n = math.ceil((max(upper, 0.0) - start) / spacing) + EDGE_NODES + 2
    return Axis(start, spacing, n, sd)
