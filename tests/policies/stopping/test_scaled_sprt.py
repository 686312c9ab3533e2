import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_cases import plain_statistic

from popout.policies.stopping import Action, ScaledSPRT
from popout.policies.stopping.scaled_sprt import location_offsets
from popout.task import InputError, SearchTask

scales = st.one_of(st.floats(0.05, 50.0), st.just(math.inf))
ratios = st.lists(st.floats(-30.0, 30.0), min_size=1, max_size=6)


@st.composite
def cases(draw):
    Z = draw(ratios)
    factors = st.lists(st.floats(0.2, 5.0), min_size=len(Z), max_size=len(Z))
    offsets = st.lists(st.floats(-3.0, 6.0), min_size=len(Z), max_size=len(Z))
    lower = draw(st.floats(-8.0, 2.0))
    strategy = ScaledSPRT(
        lower,
        lower + draw(st.floats(0.1, 8.0)),
        draw(scales),
        draw(scales),
        draw(factors),
        draw(factors),
        draw(offsets),
    )
    return Z, strategy


@given(cases())
def test_margins_and_decision_are_those_of_the_plain_formula(case):
    Z, strategy = case
    absent, present = strategy.margins(Z, 0.3)
    y = np.asarray(Z) - strategy.offset
    lower = plain_statistic(strategy.c_minus * y, strategy.a_minus)
    upper = plain_statistic(strategy.c_plus * y, strategy.a_plus)
    np.testing.assert_allclose(absent, strategy.tau_minus - lower, atol=1e-11)
    np.testing.assert_allclose(present, upper - strategy.tau_plus, atol=1e-11)
    if min(abs(absent), abs(present)) > 1e-11:
        expected = Action.ABSENT if lower <= strategy.tau_minus else Action.WAIT
        expected = Action.PRESENT if upper >= strategy.tau_plus else expected
        assert strategy.decide(Z, 0.3) == expected


def test_present_wins_when_both_tests_are_satisfied():
    # a_minus >> 1 and a_plus << 1 pull the two statistics of a flat state far apart.
    s = ScaledSPRT(0.5, 1.0, math.inf, 0.1, (1.0, 1.0), (1.0, 1.0), (0.0, 0.0))
    absent, present = s.margins([0.0, 0.0], 0.0)
    assert absent > 0
    assert present > 0
    assert s.decide([0.0, 0.0], 0.0) == Action.PRESENT


def test_a_test_is_satisfied_on_its_boundary():
    s = ScaledSPRT(-1.0, 1.0, 1.0, 1.0, (1.0,), (1.0,), (0.0,))
    assert s.decide([[1.0], [-1.0], [0.0]], 0.0).tolist() == [2, 1, 0]
    s = ScaledSPRT(0.5, 0.5, 1.0, 1.0, (1.0,), (1.0,), (0.0,))  # equal ones answer at once
    assert s.decide([[0.4], [0.5], [0.6]], 0.0).tolist() == [1, 2, 2]


def test_a_location_of_prior_zero_is_ignored():
    both = ScaledSPRT(-2.0, 2.0, 1.5, 0.7, (1.0, 1.0), (1.0, 1.0), (0.0, math.inf))
    one = ScaledSPRT(-2.0, 2.0, 1.5, 0.7, (1.0,), (1.0,), (0.0,))
    np.testing.assert_array_equal(both.margins([0.4, 99.0], 0.0), one.margins([0.4], 0.0))


def test_leading_axes_broadcast():
    s = ScaledSPRT(-2.0, 2.0, 1.5, 0.7, (1.0, 1.0), (1.0, 1.0), (0.7, 0.7))
    Z = np.random.default_rng(0).normal(size=(3, 4, 2)) * 4
    decisions = s.decide(Z, np.zeros((3, 4)))
    assert decisions.shape == (3, 4)
    assert decisions.dtype == np.int8
    for index in np.ndindex(3, 4):
        assert decisions[index] == s.decide(Z[index], 0.0)


def test_it_is_hashable_and_compares_by_value_not_by_label():
    make = lambda label: ScaledSPRT(-1, 1, 1, 1, [1], [1], [0], label)  # noqa: E731
    assert make("a") == make("b")
    assert len({make("a"), make("b")}) == 1


def test_every_fault_is_reported_in_one_message():
    with pytest.raises(InputError) as caught:
        ScaledSPRT(2.0, -2.0, 0.0, -1.0, (1.0,), (1.0, -1.0), (0.0, 0.0))
    message = str(caught.value)
    for field in ("tau_minus", "a_minus", "a_plus", "c_minus", "c_plus"):
        assert f"ScaledSPRT.{field}: expected" in message
    assert len(message.splitlines()) == 5


@pytest.mark.parametrize("tau", [(math.nan, 1.0), (-1.0, math.inf)])
def test_thresholds_must_be_finite(tau):
    with pytest.raises(InputError, match="finite numbers"):
        ScaledSPRT(*tau, 1.0, 1.0, (1.0,), (1.0,), (0.0,))


@pytest.mark.parametrize("offset", [(), (math.inf,), (math.nan,), (-math.inf,)])
def test_offsets_must_leave_a_location(offset):
    ones = (1.0,) * len(offset)
    with pytest.raises(InputError, match="offset"):
        ScaledSPRT(-1.0, 1.0, 1.0, 1.0, ones, ones, offset)


def test_offsets_make_the_statistic_the_log_odds_of_presence():
    task = SearchTask(drift=(5.0, 3.0), prior=0.3, location_prior=(0.6, 0.4))
    expected = [-math.log(0.3 / 0.7 * p) for p in (0.6, 0.4)]
    np.testing.assert_allclose(location_offsets(task), expected)
