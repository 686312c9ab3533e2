"""Log-sum-exps against plain NumPy."""

import numpy as np
from scipy.special import logsumexp

from popout.certificate.statistics import statistics_for
from popout.policies.stopping import ASPRT
from popout.task import SearchTask


def test_rows_are_those_of_the_strategy():
    task = SearchTask(drift=(4.0, 2.0, 3.0))
    strategy = ASPRT.for_task(task, (-4.0, -2.0, -3.0), (4.0, 2.0, 3.0))
    log_weight = np.log(np.full(3, 1 / 3))
    rows = statistics_for(log_weight, np.array([0.8, 0.4, 0.6]), strategy)
    Z = np.random.default_rng(1).normal(size=(3, 50)) * 3
    S = rows.of(rows.exponentials(Z), Z)
    minus, plus = strategy.statistics(Z.T)
    assert np.allclose(S[0], logsumexp(Z + log_weight[:, None], axis=0))
    assert np.allclose(S[1], minus)
    assert np.allclose(S[2], plus)


def test_after_a_step_the_rows_are_those_of_the_new_state():
    rows = statistics_for(np.zeros(3), np.full(3, 0.4), None)
    chance = np.random.default_rng(1)
    Z, steps = chance.normal(size=(3, 5)), chance.normal(size=(3, 16))
    sums, S = rows.after(rows.exponentials(Z), Z, steps)
    new = (Z[:, :, None] + steps[:, None, :]).reshape(3, -1)
    assert np.allclose(S, rows.of(rows.exponentials(new), new))
    assert np.allclose(np.log(sums[0]).ravel(), S[0])
