"""The exact table as a value function."""

import numpy as np

from popout.certificate.problem import Prices
from popout.certificate.table import table_value
from popout.exact import solve
from popout.task import Costs, SearchTask


def test_it_gives_the_exact_value_at_the_start_and_the_boundary_of_the_table():
    task, costs = SearchTask(drift=(4.0, 3.0)), Costs(time=0.5)
    solution = solve(task, costs, 1e-4)
    prices = Prices.of(costs, task.dt)
    value = table_value(solution.strategy, prices, np.array([0.8, 0.6]))
    chance = np.random.default_rng(1)
    Z = np.concatenate([np.zeros((2, 1)), chance.normal(size=(2, 2000)) * 3], axis=1)
    S = value.statistics.of(value.statistics.exponentials(Z), Z)
    A = value.advantage(S)
    assert abs(prices.stop(S[0, :1])[0] - A[0] - solution.risk) < 2e-4 * solution.risk
    waits = solution.strategy.decide(Z.T, 0.0) == 0
    assert np.mean(waits != (A > 0)) < 0.002
