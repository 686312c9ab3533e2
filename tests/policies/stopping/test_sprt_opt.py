import math

import pytest

from popout.policies.stopping import SPRTOpt
from popout.task import SearchTask

TWO = SearchTask(n_locations=2, drift=4.0, prior=0.2)
ODDS = math.log(0.2 / 0.8)


def test_the_search_keeps_the_prior_odds_between_the_thresholds():
    free = SPRTOpt.tunable(TWO, 0.5, 3.0)  # SPRT's own lower threshold would answer at once
    lower, upper = free.parameters
    assert lower.upper == upper.lower == pytest.approx(ODDS)
    assert free.starts[0]["lower"] < ODDS < free.starts[0]["upper"]
    assert lower.start == free.starts[0]["lower"]


def test_what_answers_at_once_does_so():
    free = SPRTOpt.tunable(TWO, -2.0, 3.0)
    said = [
        int(SPRTOpt.for_task(TWO, -2.0, 3.0, **at).decide([0.0, 0.0], 0.0)) for at in free.at_once
    ]
    assert said == [1, 2]
