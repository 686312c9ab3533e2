"""Greedy on a learned value: waits where that says that waiting pays, else the better answer."""

import numpy as np

from popout.certificate.problem import Prices
from popout.certificate.statistics import statistics_for
from popout.certificate.strategy import LearnedStrategy
from popout.policies.stopping import Action

PRICES = Prices(miss=1.0, false_alarm=1.0, step_absent=0.01, step_present=0.01)
LOG_WEIGHT = np.log([0.5, 0.5])


class Band:
    """Waiting pays while the log odds lie within one nat of even."""

    statistics = statistics_for(LOG_WEIGHT, np.array([0.8, 0.8]), None, False)

    def advantage(self, S):
        return 1.0 - np.abs(S[0])


def learned(places=(0, 1), n=2):
    return LearnedStrategy(Band(), PRICES, np.array(places), n)


def test_it_waits_in_the_band_and_answers_outside():
    Z = np.random.default_rng(2).normal(0.0, 3.0, (500, 2))
    S = np.logaddexp.reduce(Z + LOG_WEIGHT, axis=1)
    expected = np.select([np.abs(S) < 1, S >= 1], [Action.WAIT, Action.PRESENT], Action.ABSENT)
    found = learned().decide(Z, 0.3)
    assert (found == expected).all()
    assert len(set(found.tolist())) == 3


def test_shapes_are_kept_and_other_locations_ignored():
    Z = np.random.default_rng(3).normal(0.0, 3.0, (4, 5, 2))
    three = np.full((4, 5, 3), 50.0)
    three[..., [2, 0]] = Z
    found = learned((2, 0), 3).decide(three, 0.0)
    assert found.shape == (4, 5)
    assert (found == learned().decide(Z, 0.0)).all()


def test_it_says_what_it_is():
    strategy = learned()
    assert strategy.n_locations == 2
    assert repr(strategy) == "LearnedStrategy(learned, 2 locations)"
    assert "pays" in str(strategy)
