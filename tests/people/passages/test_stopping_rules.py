"""Thresholds, scales and factors of stopping rules where places differ in visibility."""

import math

import numpy as np
import pytest

import popout as po
from popout.people.passages.first_passages import LEVELS
from popout.people.passages.stopping_rules import RULES, local_threshold
from popout.policies.stopping import ScaledSPRT

from .. import plain_rules

UNEQUAL = (1.0, 1.0, 0.3)


@pytest.mark.parametrize(("tau", "v"), [(3.0, 0.3), (1.2, 0.65), (6.0, 0.9)])
def test_local_thresholds_are_those_of_least_risk(tau, v):
    expected = plain_rules.local_threshold(tau, v)
    assert local_threshold(tau, v) == pytest.approx(expected, abs=1e-4)
    assert local_threshold(tau, v + 0.02) != pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("name", RULES)
def test_levels_are_nested_and_nobody_answers_before_looking(name):
    y = np.random.default_rng(1).normal(-2.0, 4.0, (2000, 3)) - math.log(3)
    for side, (taus, scales, factors) in enumerate(RULES[name].sides(UNEQUAL, LEVELS[::5])):
        sign = 1.0 if side else -1.0
        at_start = [
            sign * plain_rules.statistic(np.full((1, 3), -math.log(3)), a, c)[0]
            for a, c in zip(scales, factors, strict=True)
        ]
        assert (taus >= at_start + 0.99 * LEVELS[::5]).all()
        passed = np.array([
            sign * plain_rules.statistic(y, a, c) >= tau
            for tau, a, c in zip(taus, scales, factors, strict=True)
        ])  # fmt: skip
        assert (passed[1:] <= passed[:-1]).mean() > 0.9999
        assert 0 < passed[2].mean() < 1


def strategy(rule, lower, upper):
    """The strategy at levels of evidence for "absent" and for "present"."""
    tests = rule.sides(UNEQUAL, [lower])[0], rule.sides(UNEQUAL, [upper])[1]
    below, above = ([each[0] for each in test] for test in tests)
    pairs = zip((-below[0], *below[1:]), above, strict=True)
    return ScaledSPRT(*(value for pair in pairs for value in pair), (math.log(3),) * 3)


def test_strategies_are_those_of_the_paper():
    task, tau = po.SearchTask(drift=(4.0, 4.0, 1.2)), 5.0
    local = [float(local_threshold(tau, v)) for v in UNEQUAL]
    Z = np.random.default_rng(2).normal(0.0, 4.0, (4000, 3))
    level = tau - math.log(3)  # from even odds, or from where the largest term begins
    ours = strategy(RULES["hardmax-per-location"], level, tau)
    lower = [-each for each in local]
    papers = po.HardmaxPerLocation.for_task(task, lower, local)
    assert (ours.decide(Z, 0.1) == papers.decide(Z, 0.1)).all()
    pair = strategy(RULES["hardmax"], level, tau)
    assert (pair.decide(Z, 0.1) == po.Hardmax.for_task(task, lower, local).decide(Z, 0.1)).all()
    assert (pair.decide(Z, 0.1) != papers.decide(Z, 0.1)).any()
