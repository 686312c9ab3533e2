"""The law of one step of the local log likelihood ratio."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from popout.evidence import Evidence, llr_step
from popout.task import SearchTask


def test_step_law_is_the_law_of_the_local_ratio():
    task = SearchTask(drift=(8.0, 3.0), dt=0.02)
    step = llr_step(task)
    evidence = Evidence(task)
    unit = evidence.local_llr(evidence.log_likelihood([1.0, 1.0], 0.0))  # dZ/dx
    mu = np.array(task.drifts)
    assert_allclose(step.mean_target, unit * mu * task.dt, rtol=1e-14)
    assert_allclose(step.mean_distractor, -unit * mu * task.dt, rtol=1e-14)
    assert_allclose(step.sd, unit * np.sqrt(task.dt), rtol=1e-14)
    assert_allclose(step.mean_target, step.sd**2 / 2, rtol=1e-14)
    with pytest.raises(ValueError, match="read-only"):
        step.sd[0] = 1.0
