"""Errors between blocks, and effort that follows the wanted precision."""

import numpy as np
import pytest

from popout.certificate.bound import policy_of
from popout.certificate.control import controlled_risk
from popout.certificate.estimate import Estimates, estimate
from popout.certificate.search import SearchProblem
from popout.certificate.table import table_value
from popout.exact import solve
from popout.policies.stopping import SPRT
from popout.simulation import simulate
from popout.task import Costs, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)


def setting():
    solution = solve(TASK, COSTS, 1e-3)
    problem = SearchProblem(TASK, COSTS)
    return solution, problem, table_value(solution.strategy, problem.prices, problem.sd)


def test_more_precision_takes_more_trials():
    solution, problem, value = setting()

    def found(precision):
        return estimate(
            lambda n: problem.block(1, n, value.statistics, 5),
            value,
            [policy_of(solution.strategy)],
            precision=precision,
            most_blocks=32,
        )

    coarse, fine = found(0.1), found(5e-3)
    assert coarse.n_trials < fine.n_trials
    assert fine.errors() <= 5e-3 or fine.n_trials == 32 * problem.block_size


def test_the_controlled_risk_is_the_simulated_one_with_less_noise():
    _, _, value = setting()
    strategy = SPRT.for_task(TASK, -2.5, 2.5)
    [found] = controlled_risk(TASK, COSTS, [strategy], value=value, most_trials=1024)
    summary = simulate(TASK, strategy, 200_000, seed=3, keep=False).summary(COSTS)
    assert abs(found.risk - summary.risk) < 4 * np.hypot(found.risk_se, summary.risk_se)
    assert found.variance_ratio > 3
    assert "trials saved" in str(found)


def test_gap_excess_and_gain_are_those_of_the_blocks():
    lower, controlled = np.array([0.1, 0.12, 0.11]), np.array([[0.13, 0.14, 0.16], [0.2, 0.1, 0.3]])
    plain = np.array([[0.1, 0.2, 0.3], [0.0, 0.3, 0.6]])
    found = Estimates(lower, controlled, plain, block_size=64, undecided=np.zeros(2, int))
    for n in (0, 1):
        gap = controlled[n] - lower
        assert found.gap(n) == pytest.approx((gap.mean(), gap.std(ddof=1) / np.sqrt(3)))
        risk, excess = found.risk(n), controlled[n] - controlled[0]
        assert (risk.excess, risk.excess_se) == pytest.approx(
            (excess.mean(), excess.std(ddof=1) / np.sqrt(3))
        )
        assert risk.variance_ratio == pytest.approx(plain[n].var() / controlled[n].var())
