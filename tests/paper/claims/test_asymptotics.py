"""As time gets cheap: the formulas of Methods against simulation and a root found by bisection."""

import math

import numpy as np
import pytest

from popout.paper.claims.asymptotics import mean_rt, threshold
from popout.policies.stopping import SPRT
from popout.simulation import simulate
from popout.task import SearchTask


def test_response_times_between_thresholds_are_those_of_trials():
    task = SearchTask(n_locations=1, drift=3.0, dt=0.0005)
    gamma, cut = 2.0, 0.5826 * 2 * 3.0 * math.sqrt(task.dt)  # steps overshoot by that
    trials = simulate(task, SPRT.for_task(task, cut - gamma, gamma - cut), 4000, seed=2)
    se = trials.rt.std() / math.sqrt(len(trials))
    assert abs(trials.rt.mean() - mean_rt(3.0, gamma)) < 4 * se
    assert abs(trials.rt.mean() - mean_rt(3.0, 1.1 * gamma)) > 4 * se


@pytest.mark.parametrize("rate", [1.0, 0.05])
def test_the_threshold_is_the_root_of_its_equation(rate):
    low, high = 0.0, 20.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rate * (math.sinh(middle) + middle) < 1 else (low, middle)
    assert threshold(1.0, rate) == pytest.approx(low, abs=1e-9)


def test_errors_of_the_approximations_vanish(data):
    for name in ("threshold_off", "rt_off"):
        assert abs(float(data[name][-1])) < 0.1 * abs(float(data[name][0]))
    assert float(data["power"]) == pytest.approx(2.0)
    assert (np.diff(data["excess"]) < 0).all()
