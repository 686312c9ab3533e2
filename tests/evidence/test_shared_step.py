"""The law of a step under shares."""

import numpy as np
import pytest

from popout.evidence import llr_step
from popout.evidence.shared_step import shared_step
from popout.task import LimitedSearchTask


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
