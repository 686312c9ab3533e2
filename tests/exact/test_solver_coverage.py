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
HARD = [  # once solved with too small an error
    # the boundary within a long step of the lower end
    case((17.386,), 0.3916, 1e-4, false_alarm=1.81),
    case((19.153,), 0.1967, 1e-3),
    case((12.134,), (0.3863, 0.5951), 1e-3, dt=0.02, miss=1.107, false_alarm=2.766),
    case((19.292,), (0.6278, 0.1153), 1e-3, dt=0.002, prior=0.4148, miss=2.856, false_alarm=2.712),
    case((17.670,), 0.9442, 1e-4, dt=0.01743, prior=0.6373, miss=1.848, false_alarm=0.5126),
    # an axis whose spacing is longer than the unit by which its end is moved
    case((8.895, 18.410), 0.9263, 1e-2, dt=0.001, prior=0.3982, miss=1.130, false_alarm=1.238),
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
    cases = ONE + TWO + THREE + FOUR + HARD
    assert len(cases) >= 40
    assert {1.0, 20.0} <= {drift for task, _, _ in cases for drift in task.drifts}
    assert {0.05, 2.0} <= {costs.time_absent for _, costs, _ in cases}
    assert {0.001, 0.02} <= {task.dt for task, _, _ in cases}


@pytest.mark.parametrize(("task", "costs", "rtol"), ONE + TWO + THREE + FOUR + HARD)
def test_a_finer_solution_lies_within_the_error(task, costs, rtol):
    found = po.solve(task, costs, rtol=rtol)
    finer = po.solve(task, costs, rtol=rtol / FINER[task.n_locations])
    assert found.risk_error <= rtol * found.risk
    assert abs(found.risk - finer.risk) <= found.risk_error + finer.risk_error


@pytest.mark.parametrize(("drift", "rtol"), [(17.0, 1e-5), (20.0, 1e-4)])
def test_long_steps_converge(drift, rtol):
    solution = po.solve(po.SearchTask(n_locations=1, drift=drift, dt=0.02), po.Costs(0.27), rtol)
    assert solution.risk_error <= rtol * solution.risk


def test_a_step_that_tells_everything_costs_one_look():
    task, costs = po.SearchTask(n_locations=2, drift=1000.0), po.Costs(time=0.2)
    assert po.solve(task, costs).risk == pytest.approx(0.2 * 0.01, rel=1e-9)


@pytest.mark.parametrize("drift", [0.01, 1e4])
def test_steps_no_grid_can_hold_are_refused(drift):
    with pytest.raises(po.InputError, match="standard deviation"):
        po.solve(po.SearchTask(n_locations=1, drift=drift), po.Costs(time=0.2))


@pytest.mark.parametrize(
    ("task", "costs"),
    [
        (po.SearchTask(drift=(8.07, 10.77), dt=0.005, prior=0.3), po.Costs(time=0.328)),
        (
            po.SearchTask(n_locations=2, drift=19.24, dt=0.002, prior=0.7),
            po.Costs(time=0.176, miss=2.0),
        ),
        (
            po.SearchTask(drift=(10.2585, 6.8477), dt=0.005, prior=0.5737),
            po.Costs(time=(0.3711, 0.5429), miss=0.4935, false_alarm=2.331),
        ),
    ],
)
def test_the_default_tolerance_is_met(task, costs):
    solution = po.solve(task, costs)
    assert solution.risk_error <= 1e-4 * solution.risk
