"""What a state has to hold, and what knowledge is worth."""

import math

import numpy as np
import pytest

from popout.paper.claims import uncertainty


def test_ratios_are_those_of_the_likelihoods():
    """Tied distractors at two places, written out."""
    x, t = (0.3, -0.2), 0.15

    def likelihood(value, drift):
        return math.exp(drift * value - drift**2 * t / 2)

    absent = sum(0.5 * likelihood(x[0], mu) * likelihood(x[1], mu) for mu in (0.0, -5.0))
    for place in (0, 1):
        others = sum(0.5 * likelihood(x[1 - place], mu) for mu in (0.0, -5.0))
        expected = math.log(0.5 * likelihood(x[place], 3.0) * others / absent)
        ratio = uncertainty.ratios(uncertainty.TIED, np.array(x), t)[place]
        assert ratio == pytest.approx(expected, abs=1e-9)


def test_steps_differ_where_the_ratio_is_no_state(data):
    simple, composite, early, late = data["step_difference"].to_numpy()
    assert max(simple, late) < 1e-2
    assert min(composite, early) > 2.0


def test_one_who_is_told_risks_less(data):
    price = data["risk_unknown"] - data["risk_known"]
    se = np.hypot(data["risk_unknown_se"], data["risk_known_se"])
    assert (price > -3 * se).all()
    knowing = uncertainty.known(uncertainty.TIED)
    assert [len(task.mixtures) for task in knowing] == [1, 1]
