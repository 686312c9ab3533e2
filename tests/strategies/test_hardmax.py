import math

import numpy as np

from popout.strategies import Action, Hardmax
from popout.task import SearchTask


def test_hardmax_uses_each_locations_own_thresholds():
    task = SearchTask(drift=(8.0, 3.0), location_prior=(0.25, 0.75))
    strategy = Hardmax.for_task(task, (-4.0, -2.0), (5.0, 1.5))
    rng = np.random.default_rng(1)
    Z = rng.uniform(-8, 8, size=(2000, 2))
    local = Z + np.log([0.25, 0.75])
    present = (local >= [5.0, 1.5]).any(axis=1)
    absent = (local <= [-4.0, -2.0]).all(axis=1)
    np.testing.assert_array_equal(
        strategy.decide(Z, 0.0), np.select([present, absent], [Action.PRESENT, Action.ABSENT], 0)
    )


def test_before_looking_hardmax_says_absent_when_the_threshold_is_high():
    task = SearchTask(n_locations=32, drift=12.0)
    inside, outside = -math.log(32) + 0.01, -math.log(32) - 0.01
    zero = np.zeros(32)
    assert Hardmax.for_task(task, inside, 2.0).decide(zero, 0.0) == Action.ABSENT
    assert Hardmax.for_task(task, outside, 2.0).decide(zero, 0.0) == Action.WAIT
