"""Tasks that were once solved with too small an error estimate, or not at all."""

import numpy as np
import pytest

import popout as po
from popout.exact.axis import step_weights


def assert_covered(task, costs, rtol, finer):
    coarse, fine = po.solve(task, costs, rtol), po.solve(task, costs, rtol / finer)
    assert abs(coarse.risk - fine.risk) <= coarse.risk_error + fine.risk_error


@pytest.mark.parametrize(("sd", "spacing"), [(4.0, 0.1), (4.8, 0.1), (5.65, 0.3)])
def test_long_steps_keep_their_variance(sd, spacing):
    weights = step_weights(sd, spacing)
    z = spacing * (np.arange(weights.size) - weights.size // 2)
    variance = (weights * (z + sd**2 / 2) ** 2).sum()
    assert variance == pytest.approx(sd**2, rel=1e-6)


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


ONE_LOCATION = [
    # boundary within a long step of the lower end
    (17.386, 0.01, 0.5, po.Costs(time=0.3916, false_alarm=1.81), 1e-4),
    (19.153, 0.01, 0.5, po.Costs(time=0.1967), 1e-3),
    (12.134, 0.02, 0.5, po.Costs(time=(0.3863, 0.5951), miss=1.107, false_alarm=2.766), 1e-3),
    (19.292, 0.002, 0.4148, po.Costs(time=(0.6278, 0.1153), miss=2.856, false_alarm=2.712), 1e-3),
    (17.670, 0.01743, 0.6373, po.Costs(time=0.9442, miss=1.848, false_alarm=0.5126), 1e-4),
    # waiting on less than two cells
    (1.0, 0.02, 0.5, po.Costs(time=2.0), 1e-3),
]


@pytest.mark.parametrize(("drift", "dt", "prior", "costs", "rtol"), ONE_LOCATION)
def test_one_location_is_covered(drift, dt, prior, costs, rtol):
    task = po.SearchTask(n_locations=1, drift=drift, dt=dt, prior=prior)
    assert_covered(task, costs, rtol, 100)


TWO_LOCATIONS = [
    # an axis whose spacing is longer than the unit by which its end is moved
    ((20.0, 5.0), 0.001, 0.3, po.Costs(time=2.0), 1e-3),
    ((8.895, 18.410), 0.001, 0.3982, po.Costs(time=0.9263, miss=1.130, false_alarm=1.238), 1e-2),
]


@pytest.mark.parametrize(("drift", "dt", "prior", "costs", "rtol"), TWO_LOCATIONS)
def test_two_locations_are_covered(drift, dt, prior, costs, rtol):
    assert_covered(po.SearchTask(drift=drift, dt=dt, prior=prior), costs, rtol, 50)


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
