"""What errors and time cost, against enumeration of the two states of the world."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.certificate.problem import Prices
from popout.task import Costs

COSTS = Costs(time=(0.3, 0.7), miss=2.0, false_alarm=0.5)
PRICES = Prices.of(COSTS, dt=0.02)
odds = st.floats(-40, 40)


@given(odds)
def test_answers_and_waiting_cost_what_they_cost_on_average(log_odds):
    p = 1 / (1 + np.exp(-log_odds))
    absent, present = PRICES.answers(np.array([log_odds]))
    assert absent[0] == pytest.approx(p * COSTS.miss)
    assert present[0] == pytest.approx((1 - p) * COSTS.false_alarm, abs=1e-15)
    waiting = 0.02 * ((1 - p) * 0.3 + p * 0.7)
    assert PRICES.wait(np.array([log_odds]))[0] == pytest.approx(waiting)


@given(odds)
def test_the_better_answer_changes_where_both_cost_the_same(log_odds):
    S = np.array([log_odds])
    absent, present = PRICES.answers(S)
    assert PRICES.stop(S) == min(absent, present)
    even = np.log(COSTS.false_alarm / COSTS.miss)
    if abs(log_odds - even) > 1e-9:
        assert (absent < present) == (log_odds < even)
