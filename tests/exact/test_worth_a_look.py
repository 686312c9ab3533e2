"""Which locations are worth a look: the rule against what is known without it."""

import math

import numpy as np
import pytest

import popout as po
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.worth_a_look import leftover_costs, lower_odds

COSTS = po.Costs(time=0.1)


def test_alone_the_odds_decide():
    # One location: the lower threshold of discrimination; the closed form gives the rate.
    for M in (2, 3, 5):
        target = math.sinh(math.log(M)) + math.log(M)
        rate = target * 0.1
        assert lower_odds(rate, COSTS, 0.0) == pytest.approx(1 / M, rel=1e-6)
        assert lower_odds(0.9 * rate, COSTS, 0.0) > 1 / M


def test_odds_elsewhere_change_the_costs():
    left = leftover_costs(po.Costs(time=(0.2, 0.1), miss=2.0, false_alarm=1.0), 0.25)
    assert (left.time_absent, left.time_present) == (0.225, 0.1)
    assert (left.miss, left.false_alarm) == (2.0, 0.5)
    assert leftover_costs(COSTS, 1.0) is None


def test_the_odds_left_are_a_fixed_point():
    task = po.LimitedSearchTask(information=1.0, visibility=(1.0, 0.5, 0.01))
    left = po.leftover_odds(task, po.Costs(time=0.02))
    prior = np.full(3, 1 / 3)
    for place, seen in enumerate(task.visibilities):
        elsewhere = sum(left) - left[place]
        stop = lower_odds(seen, po.Costs(time=0.02), elsewhere)
        assert left[place] == pytest.approx(min(prior[place], stop), abs=1e-8)
    assert po.worth_a_look(task, po.Costs(time=0.02)) == (True, True, False)
    # Of two that differ in visibility alone, the worse one is left at higher odds.
    assert left[0] < left[1] < left[2]


def test_least_visibility_is_where_the_answer_changes():
    task = po.LimitedSearchTask(n_locations=2, information=1.0)
    least = po.least_visibility(task, COSTS)
    for factor, expected in ((0.99, False), (1.01, True)):
        seen = po.LimitedSearchTask(information=1.0, visibility=(1.0, factor * least))
        assert po.worth_a_look(seen, COSTS) == (True, expected)
    # Only the ratio of cost and information matters.
    other = po.LimitedSearchTask(n_locations=2, information=32.0)
    assert po.least_visibility(other, po.Costs(time=3.2)) == pytest.approx(least, rel=1e-4)


def test_a_pair_of_thresholds_with_odds_left_is_that_of_costs_in_proportion():
    # Dividing everything by 1 + rho gives discrimination with a cheaper false alarm.
    rho = 0.3
    scaled = po.Costs(time=0.1, miss=1.0, false_alarm=(1 - rho) / (1 + rho))
    x = ContinuousDiscrimination.of(1.0, scaled).lower
    assert lower_odds(1.0, COSTS, rho) == pytest.approx((1 + rho) * math.exp(x), rel=1e-9)


def test_faults():
    with pytest.raises(po.InputError, match="LimitedSearchTask"):
        po.least_visibility(po.SearchTask(n_locations=2, drift=1.0), COSTS)
