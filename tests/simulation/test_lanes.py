"""The compiled kernel against one trial at a time in plain Python, on the same noise."""

import numpy as np
import pytest
from simulated_cases import CASES, made, plain_trial

from popout.noise.streams import NormalStreams
from popout.simulation import simulate


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_equals_the_plain_reference_trial_by_trial(case):
    task, strategy = made(case)
    n_steps = 60
    trials = simulate(task, strategy, n_trials=300, seed=5, time_limit=n_steps * task.dt)
    noise = NormalStreams(5, np.arange(300)).next(n_steps * task.n_locations)
    for i in range(300):
        expected = plain_trial(task, strategy, noise[i], trials.target[i], n_steps)
        assert (trials.response[i], trials.steps[i]) == expected
