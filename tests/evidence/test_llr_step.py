"""The law of one step of the local log likelihood ratio."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from popout.evidence import Evidence, llr_step
from popout.evidence.llr_step import shared_step
from popout.task import LimitedSearchTask, SearchTask


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


def test_fixed_shares_have_the_law_of_their_search():
    task = LimitedSearchTask(information=20.0, visibility=(1.0, 0.3, 2.0))
    shares = (0.2, 0.5, 0.3)
    law, known = shared_step(task, shares), llr_step(task.with_shares(shares))
    np.testing.assert_allclose(law.mean_target, known.mean_target)
    np.testing.assert_allclose(law.sd, known.sd)


def test_likelihood_ratios_stay_martingales_for_any_shares():
    task = LimitedSearchTask(n_locations=3, information=20.0)
    shares = np.random.default_rng(0).dirichlet((1.0, 1.0, 1.0), 50)
    law = shared_step(task, shares)
    # E exp(N(m, s^2)) = exp(m + s^2 / 2)
    assert np.exp(law.mean_distractor + law.sd**2 / 2) == pytest.approx(1.0)
