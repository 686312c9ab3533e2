import math

import numpy as np
import pytest

from popout.policies.stopping import SPRT, ScaledSPRT
from popout.task import SearchTask


def test_sprt_statistic_is_the_posterior_log_odds():
    prior, pi = 0.2, np.array([0.1, 0.2, 0.7])
    task = SearchTask(n_locations=3, drift=4.0, prior=prior, location_prior=tuple(pi))
    strategy = SPRT.for_task(task, -2.0, 2.0)
    assert isinstance(strategy, ScaledSPRT)
    Z = np.array([0.3, -1.0, 2.0])
    present = prior * np.sum(pi * np.exp(Z))
    assert strategy.statistics(Z)[1] == pytest.approx(math.log(present / (1 - prior)), abs=1e-13)
