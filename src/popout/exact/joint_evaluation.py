r"""What a pair of attention policy and stopping strategy achieves, without noise.

The equations are those of `evaluation`, one linear equation for each quantity,

.. math:: F = G \text{ outside } W, \qquad F = p + E_0^{\alpha(Z)}[F(Z')] \text{ on } W ,

with the step of `joint_looking`. The likelihood ratio :math:`e^{Z_l}` of "target at l" against
"absent" is a martingale whatever the shares, as long as they depend on the past alone, so the
table of prices p and rewards G is the same.
"""

from __future__ import annotations

import math
import time
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from popout.exact.anderson import fixed_point
from popout.exact.backend import get_backend
from popout.exact.evaluation import (
    RATIO,
    Evaluation,
    check_boundary_strategy,
    waits_along,
    with_errors,
)
from popout.exact.joint_grid import JointGrid
from popout.exact.joint_kinks import Cells, find_cells
from popout.exact.joint_looking import Looking
from popout.exact.joint_problem import JointProblem, check_joint
from popout.exact.joint_solver import check_attention
from popout.exact.refinement import RANGE_STEP, Level, NotConvergedError, Refinement
from popout.policies.looking import Attention
from popout.policies.stopping import Action, BoundaryStrategy
from popout.task import Costs, Faults, LimitedSearchTask

Array = NDArray[np.float64]
TOLERANCE = 1e-11  # a residual acts once a look; a trial has some thousand looks at the most
MARGIN = 7.0  # room below the lower threshold, in units of Z, unless more is needed
FIRST_FACTOR, MAX_LEVELS, MAX_NODES = 0.6, 9, 6_000_000


def evaluate_joint(
    task: LimitedSearchTask,
    attention: Attention | type[Attention],
    strategy: BoundaryStrategy,
    costs: Costs,
    rtol: float = 1e-3,
) -> Evaluation:
    """Compute the risk, the error rates and the mean response times of a policy and a strategy.

    Parameters
    ----------
    task : LimitedSearchTask
        With at most three locations in practice.
    attention : Attention or a class of it
        A policy that does not change with time.
    strategy : BoundaryStrategy
        It must stop: on every axis the region of waiting has to end.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risk.

    Examples
    --------
    >>> from popout.policies.looking import Serial
    >>> from popout.policies.stopping import SPRT
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> stop = SPRT.for_task(task.with_shares(), -3.5, 3.5)
    >>> found = evaluate_joint(task, Serial.for_task(task), stop, Costs(time=0.2))
    >>> print(f"{found.risk:.3f}")
    0.040
    """
    faults = Faults("evaluate_joint")
    check_joint(faults, task, costs, rtol)
    policy = check_attention(faults, task, attention)
    check_boundary_strategy(faults, strategy, task)
    faults.raise_if_any()
    problem = _Pair(task, costs, policy, strategy)

    parts = 4 if rtol > 3e-4 else 8

    def summary(factor: float, margin: float, q: int = parts) -> Evaluation:
        grid = problem.grid(min(factor, problem.smallest_factor(q)), margin, q)
        if math.prod(grid.shape) > MAX_NODES:
            raise NotConvergedError(
                f"the risk of the pair was not found to {rtol:g} within {MAX_NODES} nodes; allow a "
                "larger rtol, or simulate"
            )
        return _summary(problem, _Followed(problem, grid, strategy))

    evaluations: list[Evaluation] = []
    margin = MARGIN

    def level(factor: float, lower: float, name: str) -> Level:
        nonlocal margin
        began, margin = time.perf_counter(), lower
        evaluations.append(summary(factor, lower))
        shape = evaluations[-1].nodes_per_axis
        spent = time.perf_counter() - began
        return Level(factor, shape, math.prod(shape), evaluations[-1].risk, spent)

    factors = [FIRST_FACTOR / RATIO**k for k in range(MAX_LEVELS)]
    refined = Refinement(factors, RATIO, MARGIN - RANGE_STEP).run(level, rtol)
    # The first level is the last grid of the range; before it comes one with shorter axes.
    shorter, *levels = evaluations[-len(refined.levels) - 1 :]
    error = refined.risk_error
    if not problem.all_or_none:
        fewer = summary(refined.levels[-1].factor, margin, parts // 2)
        error += abs(fewer.risk - refined.risk)
    return with_errors(shorter, levels, error)


class _Pair(JointProblem):
    """A problem whose range is where a given strategy waits."""

    def __init__(
        self,
        task: LimitedSearchTask,
        costs: Costs,
        attention: Attention,
        strategy: BoundaryStrategy,
    ) -> None:
        def margins(Z: Array, t: float) -> Array:
            return np.stack(strategy.margins(Z, t))

        super().__init__(task, costs, attention, margins)
        self.strategy = strategy

    @cached_property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Where the strategy waits along each axis when all other locations are ruled out."""
        found = []
        for place in range(self.n_locations):
            z, waits = waits_along(
                "evaluate_joint", self.strategy, self.task, self.locations[place]
            )
            inside = z[waits] if waits.any() else np.zeros(1)
            found.append((min(float(inside[0]), 0.0), max(float(inside[-1]), 0.0)))
        return tuple(found)


class _Followed:
    """The linear equations of one pair on one grid."""

    def __init__(self, problem: _Pair, grid: JointGrid, strategy: BoundaryStrategy) -> None:
        self.grid = grid
        self.strategy = strategy
        self.dt = problem.task.dt
        self.looking: Looking = problem.looking(grid)
        self.Z = problem.states(grid.states)
        self.looks = math.ceil(strategy.settles / self.dt - 1e-9)

    def value(self, price: Array, absent: Array, present: Array) -> float:
        """Return F(0) for a price per look and the rewards of the two answers."""
        last = _Answers(self, self.looks, price, absent, present)
        start = self.looking.start(last.G)
        point = fixed_point(get_backend(), last, start, tolerance=TOLERANCE, patience=200)
        if not point.converged:
            raise NotConvergedError(
                f"following the strategy stalled at a residual of {point.residual:.2g}; "
                "does it wait forever somewhere?"
            )
        state = point.value
        for look in range(self.looks - 1, 0, -1):
            state = _Answers(self, look, price, absent, present)(state)
        here = self.grid.at_origin
        first = Action(int(self.strategy.decide(np.zeros(self.Z.shape[-1]), 0.0)))
        rewards = {Action.ABSENT: absent, Action.PRESENT: present}
        waiting = price + self.looking.value(state)
        return float(rewards.get(first, waiting)[here])


class _Answers:
    """What a strategy answers at one look, and what that is worth."""

    def __init__(
        self, pair: _Followed, look: int, price: Array, absent: Array, present: Array
    ) -> None:
        grid = self.grid = pair.grid
        self.looking = pair.looking
        margin_absent, margin_present = pair.strategy.margins(pair.Z, look * pair.dt)
        # Present wins where both tests hold; where neither does, the nearer one counts.
        prefers = margin_present - np.minimum(margin_absent, 0.0)
        self.level = grid.full(np.maximum(margin_absent, margin_present))
        self.waits = self.level < 0
        self.aligned = pair.strategy.is_axis_aligned
        self.price = price
        self.inside = np.maximum(margin_absent, margin_present) < 0
        self.G = np.where(prefers >= 0, present, absent)
        self.rest = grid.full(price - self.G)
        difference = grid.full(absent - present)
        self.between = find_cells(grid.full(prefers), difference, keep=~self.waits)

    def __call__(self, state: Array) -> Array:
        """Return the state one look earlier."""
        cells: list[Cells] = [self.between]
        for value, here in self.looking.pieces(state):
            D = self.rest + value
            within = self.waits if here is None else self.waits & here
            keep = within | ~self.waits
            cells.append(find_cells(self.level, D, inside=within, keep=keep, aligned=self.aligned))
        cells += self.looking.turns(state, self.waits)
        F = np.where(self.inside, self.price + self.looking.value(state), self.G)
        return self.looking.step(F, cells)


def _summary(problem: _Pair, pair: _Followed) -> Evaluation:
    grid = pair.grid
    one, none = np.ones(grid.size), np.zeros(grid.size)
    at: dict[int, tuple[float, float]] = {}
    for members in grid.classes:
        likelihood = np.exp(grid.states[:, list(members)]).mean(axis=1)
        found = (pair.value(none, likelihood, none), pair.value(pair.dt * likelihood, none, none))
        at |= dict.fromkeys((problem.locations[place] for place in members), found)
    return Evaluation.of(
        problem.task,
        problem.costs,
        pair.value(none, none, one),
        pair.value(pair.dt * one, none, none),
        {place: at[place] for place in problem.locations},
        grid.shape,
    )
