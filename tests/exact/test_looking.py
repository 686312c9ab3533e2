"""The ways to choose a look, which agree where they must."""

import numpy as np
import pytest

from popout.exact.bellman import Stakes
from popout.exact.discretisation import ShareDiscretisation
from popout.exact.looking import FreeShares, GivenShares, OneLook
from popout.policies.looking import Parallel, Serial
from popout.task import Costs, LimitedSearchTask

COSTS = Costs(time=0.2)
TASK = LimitedSearchTask(n_locations=2, information=32.0)


def test_each_policy_is_treated_as_what_it_is():
    for attention, kind in (
        (None, FreeShares),
        (Parallel((0.5, 0.5)), GivenShares),
        (Serial.for_task(TASK), OneLook),
    ):
        problem = ShareDiscretisation(TASK, COSTS, attention)
        assert type(problem.looking(problem.grid(0.5, 4.0, 4))) is kind


def test_free_shares_are_below_any_given_ones():
    problem = ShareDiscretisation(TASK, COSTS)
    grid = problem.grid(0.5, 4.0, 4)
    V = Stakes(grid, COSTS, TASK.dt).stop
    free = FreeShares(grid)
    best = free.step(V, [])
    for share in (0.0, 0.3, 0.5, 1.0):
        shares = np.repeat([[share, 1.0 - share]], grid.size, axis=0)
        assert (best <= GivenShares(grid, shares).step(V, []) + 1e-4).all()
    assert free.shares().sum(axis=1) == pytest.approx(1.0)


def test_one_location_keeps_the_value_of_every_look():
    problem = ShareDiscretisation(TASK, COSTS, Serial.for_task(TASK))
    grid = problem.grid(0.5, 4.0, 1)
    looking = problem.looking(grid)
    V = Stakes(grid, COSTS, TASK.dt).stop
    state = looking.step(V, [])
    assert state.shape == (2, grid.size)
    # The domain is sorted: location 0 is never less likely, and looked at.
    assert (looking.chosen(state) == state[0]).all()
    assert (looking.shares() == [1.0, 0.0]).all()
    waits = np.ones(grid.nodes_per_axis, dtype=bool)
    (turn,) = looking.turns(looking.pieces(state), waits)
    assert len(turn.flat) > grid.nodes_per_axis[0]  # all along the diagonal
