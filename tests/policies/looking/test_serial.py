"""All to the most likely location."""

import numpy as np

from popout.policies.looking import Serial
from popout.task import LimitedSearchTask


def test_prior_and_evidence_count_alike():
    task = LimitedSearchTask(n_locations=2, information=8.0, location_prior=(0.8, 0.2))
    serial = Serial.for_task(task)
    assert serial.shares([0.0, np.log(4.0) - 1e-9], 0.0).tolist() == [1.0, 0.0]
    assert serial.shares([0.0, np.log(4.0) + 1e-9], 0.0).tolist() == [0.0, 1.0]


def test_ties_go_to_the_lowest_index():
    serial = Serial.for_task(LimitedSearchTask(n_locations=4, information=8.0))
    assert serial.shares(np.array([-1.0, 0.0, 0.0, 0.0]), 0.0).tolist() == [0.0, 1.0, 0.0, 0.0]
