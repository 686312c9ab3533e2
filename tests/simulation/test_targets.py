"""Displays follow the priors, and a fixed condition changes nothing else."""

import math

import numpy as np
import pytest

from popout.evidence import Condition
from popout.policies.stopping import SPRT
from popout.simulation import simulate
from popout.simulation.targets import draw_targets
from popout.task import SearchTask


@pytest.mark.parametrize("condition", ["present", "absent", 0, 2])
def test_a_fixed_condition_keeps_the_noise(condition):
    task = SearchTask(n_locations=3, drift=4.0)
    strategy = SPRT.for_task(task, -2.5, 2.5)
    drawn = simulate(task, strategy, n_trials=3000, seed=6)
    fixed = simulate(task, strategy, n_trials=3000, seed=6, condition=condition)
    if condition == "present":
        assert (fixed.target >= 0).all()
        same = drawn.target >= 0
    else:
        assert (fixed.target == (-1 if condition == "absent" else condition)).all()
        same = drawn.target == fixed.target
    assert same.any()
    np.testing.assert_array_equal(drawn.steps[same], fixed.steps[same])


def test_displays_follow_their_priors():
    prior, pi = 0.3, np.array([0.5, 0.0, 0.2, 0.3])
    task = SearchTask(n_locations=4, drift=4.0, prior=prior, location_prior=tuple(pi))
    n = 100_000
    target = np.empty(n, np.int32)
    draw_targets(task, 1, Condition.PRIOR, 0, target)
    assert abs((target >= 0).mean() - prior) < 4 * math.sqrt(prior * (1 - prior) / n)
    counts = np.bincount(target[target >= 0], minlength=4)
    expected = counts.sum() * pi
    assert (np.abs(counts - expected) <= 4 * np.sqrt(expected * (1 - pi))).all()


def test_displays_are_those_of_the_simulation_from_any_trial_on():
    task = SearchTask(n_locations=3, drift=4.0, prior=0.6)
    trials = simulate(task, SPRT.for_task(task, -1.0, 1.0), n_trials=50, seed=9)
    late = np.empty(20, np.int32)
    draw_targets(task, 9, Condition.PRIOR, 30, late)
    np.testing.assert_array_equal(late, trials.target[30:])
