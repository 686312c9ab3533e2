"""The compiled kernels against the plain way, trial by trial."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_cases import assert_compiled_is_plain

from popout.policies.looking import Serial
from popout.policies.observer import Observer
from popout.policies.stopping import SPRT, Action
from popout.simulation import simulate
from popout.task import LimitedSearchTask


@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.7, 0.7), (np.inf, np.inf), (40.0, np.inf)])
@pytest.mark.parametrize("M", [1, 3, 20, 70])
def test_compiled_and_plain_agree_on_every_trial(M, scales):
    task = LimitedSearchTask(
        n_locations=M,
        information=8.0 * M,
        visibility=tuple(np.linspace(1.0, 0.5, M)),
        location_prior=np.arange(1, M + 1) / (M * (M + 1) / 2),
    )
    stop = SPRT.for_task(task.with_shares(), -2.5 - np.log(M), 3.0)
    stop = replace(stop, a_minus=scales[0], a_plus=scales[1])
    assert_compiled_is_plain(task, Serial.for_task(task), stop, 400, seed=M)


def test_a_sum_that_was_once_huge_still_ends_a_trial():
    # exp(40 Z) reaches 1e100 and more on the way; its rounding must not outweigh the test.
    task = LimitedSearchTask(n_locations=2, information=60.0)
    stop = replace(SPRT.for_task(task, -6.0, 6.0), a_minus=40.0)
    trials = simulate(task, Observer(Serial, stop), 20_000, seed=1)
    assert (trials.response != Action.WAIT).all()
    assert trials.steps.max() < 200
