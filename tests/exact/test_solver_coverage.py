"""`risk_error` covers the truth: every case is compared with a much finer solution.

Drifts from 1 to 20/s, costs of time from 0.05 to 2/s, steps from 1 to 20 ms; unequal drifts, priors
of presence and of location, costs of errors, a cost of time for each class. The finer solution has
its own error, which is added.
"""

import pytest

import popout as po


def case(drift, time, rtol, *, dt=0.01, prior=0.5, location_prior=None, miss=1.0, false_alarm=1.0):
    """A task, its costs, the tolerance under test and how much finer to look."""
    task = po.SearchTask(drift=drift, dt=dt, prior=prior, location_prior=location_prior)
    return task, po.Costs(time=time, miss=miss, false_alarm=false_alarm), rtol


ONE = [
    case((1.0,), 0.05, 1e-3),
    case((1.5,), 0.3, 1e-4, dt=0.001, prior=0.2),
    case((2.0,), 0.1, 1e-3, dt=0.005, miss=3.0),
    case((2.0,), (0.05, 0.5), 1e-4),
    case((3.0,), 0.7, 1e-3, prior=0.9, false_alarm=2.5),
    case((4.0,), 0.2, 1e-4),
    case((4.0,), 0.2, 1e-3, prior=0.0105),  # the start lies on the lower threshold
    case((5.0,), 1.3, 1e-4, dt=0.02),
    case((1.0,), 2.0, 1e-3, dt=0.02),
    case((6.0,), (1.0, 0.1), 1e-3, dt=0.002),
    case((8.0,), 0.05, 1e-4, dt=0.005),
    case((10.0,), 0.5, 1e-4, prior=0.7),
    case((12.0,), 2.0, 1e-3, dt=0.001),
    case((14.0,), 0.4, 1e-3, dt=0.005, miss=0.4),
    case((20.0,), 0.1, 1e-3, dt=0.001),
    case((20.0,), 2.0, 1e-3, dt=0.002),
]
TWO = [
    case((1.0, 1.0), 0.2, 1e-3),
    case((1.0, 1.0), 2.0, 1e-3, dt=0.02),
    case((2.0, 2.0), 0.05, 1e-3, dt=0.02),
    case((2.0, 2.0), 0.5, 1e-4),
    case((2.0, 1.2), 0.3, 1e-3),
    case((3.0, 3.0), 0.2, 1e-3, prior=0.2),
    case((3.0, 8.0), 0.2, 1e-3),
    case((3.0, 15.0), 0.5, 1e-3),
    case((3.0, 3.0), 1.0, 1e-3, dt=0.001),
    case((4.0, 4.0), 0.2, 1e-4),
    case((4.0, 4.0), 0.2, 1e-3, location_prior=(0.8, 0.2)),
    case((4.0, 4.0), (0.1, 0.6), 1e-3),
    case((4.0, 4.0), (0.6, 0.1), 1e-3),
    case((4.0, 6.0), 0.5, 1e-4, prior=0.8, location_prior=(0.35, 0.65)),
    case((5.0, 5.0), 1.0, 1e-4, miss=3.0),
    case((5.0, 5.0), 1.0, 1e-3, false_alarm=3.0),
    case((6.0, 2.0), 2.0, 1e-3, dt=0.005),
    case((7.0, 7.0), 0.05, 1e-3),
    case((8.0, 8.0), 0.3, 1e-3, dt=0.002),
    case((10.0, 10.0), 0.2, 1e-3),
    case((10.0, 20.0), 0.7, 1e-3, dt=0.002),
    case((12.0, 12.0), 1.5, 1e-3, dt=0.02),
    case((20.0, 20.0), 0.5, 1e-3, dt=0.005),
    case((20.0, 5.0), 2.0, 1e-4, dt=0.005, prior=0.3),
    case((20.0, 5.0), 2.0, 1e-3, dt=0.001, prior=0.3),
]
THREE = [
    case((4.0, 4.0, 4.0), 0.2, 1e-3),
    case((2.0, 2.0, 2.0), 1.0, 1e-3, dt=0.02),
    case((8.0, 8.0, 8.0), 0.5, 1e-3, prior=0.3),
    case((12.0, 12.0, 12.0), 0.2, 2e-3),
    case((5.0, 5.0, 3.0), 0.5, 2e-3, dt=0.02),
    case((4.0, 5.0, 6.0), 1.0, 5e-3, miss=2.0),
]
FOUR = [
    case((4.0, 4.0, 4.0, 4.0), 0.5, 1e-2, dt=0.02),
    case((10.0, 10.0, 10.0, 10.0), 0.5, 1e-2, prior=0.4),
]
FINER = {1: 100, 2: 50, 3: 20, 4: 20}


def test_the_matrix_is_as_wide_as_promised():
    cases = ONE + TWO + THREE + FOUR
    assert len(cases) >= 40
    assert {1.0, 20.0} <= {drift for task, _, _ in cases for drift in task.drifts}
    assert {0.05, 2.0} <= {costs.time_absent for _, costs, _ in cases}
    assert {0.001, 0.02} <= {task.dt for task, _, _ in cases}


@pytest.mark.parametrize(("task", "costs", "rtol"), ONE + TWO + THREE + FOUR)
def test_a_finer_solution_lies_within_the_error(task, costs, rtol):
    found = po.solve(task, costs, rtol=rtol)
    finer = po.solve(task, costs, rtol=rtol / FINER[task.n_locations])
    assert found.risk_error <= rtol * found.risk
    assert abs(found.risk - finer.risk) <= found.risk_error + finer.risk_error
