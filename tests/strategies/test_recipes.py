import math

import numpy as np
import pytest

from popout.strategies import (
    ASPRT,
    SPRT,
    Action,
    Hardmax,
    ScaledSPRT,
    SPRTOpt,
    Strategy,
    TimeVaryingSPRT,
)
from popout.task import InputError, MixtureSearchTask, SearchTask

RECIPES = (ASPRT, SPRT, SPRTOpt, Hardmax, TimeVaryingSPRT)
TWO = SearchTask(n_locations=2, drift=4.0)


@pytest.mark.parametrize("recipe", RECIPES)
def test_with_one_location_every_recipe_is_the_same_test(recipe):
    task = SearchTask(n_locations=1, drift=3.0)
    strategy = recipe.for_task(task, -2.0, 1.5)
    Z = np.linspace(-4, 4, 41)[:, None]
    expected = np.select([Z[:, 0] >= 1.5, Z[:, 0] <= -2.0], [2, 1], 0)
    np.testing.assert_array_equal(strategy.decide(Z, 0.2), expected)


@pytest.mark.parametrize("recipe", RECIPES)
def test_parameters_are_keywords_of_for_task_and_start_inside_their_range(recipe):
    parameters = recipe.parameters(TWO, -2.4, 2.4)
    assert all(p.lower < p.start < p.upper and p.scale > 0 for p in parameters)
    made = recipe.for_task(TWO, -2.4, 2.4, **{p.name: p.start for p in parameters})
    assert made == recipe.for_task(TWO, -2.4, 2.4)
    for p in parameters:
        moved = recipe.for_task(TWO, -2.4, 2.4, **{p.name: p.start + 0.1 * p.scale})
        assert moved != made


@pytest.mark.parametrize("recipe", RECIPES)
def test_names_are_unique_and_strategies_print_their_numbers(recipe):
    assert [r.name for r in RECIPES].count(recipe.name) == 1
    assert "tau_plus=" in repr(recipe.for_task(TWO, -2.4, 2.4))


def test_hardmax_uses_each_locations_own_thresholds():
    task = SearchTask(drift=(8.0, 3.0), location_prior=(0.25, 0.75))
    strategy = Hardmax.for_task(task, (-4.0, -2.0), (5.0, 1.5))
    rng = np.random.default_rng(1)
    Z = rng.uniform(-8, 8, size=(2000, 2))
    local = Z + np.log([0.25, 0.75])
    present = (local >= [5.0, 1.5]).any(axis=1)
    absent = (local <= [-4.0, -2.0]).all(axis=1)
    np.testing.assert_array_equal(
        strategy.decide(Z, 0.0), np.select([present, absent], [Action.PRESENT, Action.ABSENT], 0)
    )


def test_extension_reduces_to_a_single_location_asymptotically():
    # All other locations ruled out: the tests are those of discrimination at that location.
    lower, upper = (-4.0, -2.0, -3.0), (5.0, 1.5, 2.5)
    strategy = ASPRT.for_task(SearchTask(drift=(8.0, 3.0, 5.0)), lower, upper)
    for location in range(3):
        Z = np.full(3, -1e4)
        for tau, which in ((lower, 0), (upper, 1)):
            Z[location] = tau[location] + math.log(3)
            assert strategy.margins(Z, 0.0)[which] == pytest.approx(0.0, abs=1e-12)


def test_sprt_statistic_is_the_posterior_log_odds():
    prior, pi = 0.2, np.array([0.1, 0.2, 0.7])
    task = SearchTask(n_locations=3, drift=4.0, prior=prior, location_prior=tuple(pi))
    strategy = SPRT.for_task(task, -2.0, 2.0)
    assert isinstance(strategy, ScaledSPRT)
    Z = np.array([0.3, -1.0, 2.0])
    present = prior * np.sum(pi * np.exp(Z))
    assert strategy.statistics(Z)[1] == pytest.approx(math.log(present / (1 - prior)), abs=1e-13)


def test_before_looking_hardmax_says_absent_when_the_threshold_is_high():
    task = SearchTask(n_locations=32, drift=12.0)
    inside, outside = -math.log(32) + 0.01, -math.log(32) - 0.01
    zero = np.zeros(32)
    assert Hardmax.for_task(task, inside, 2.0).decide(zero, 0.0) == Action.ABSENT
    assert Hardmax.for_task(task, outside, 2.0).decide(zero, 0.0) == Action.WAIT


def test_time_varying_thresholds_are_linear_and_then_constant():
    s = TimeVaryingSPRT((0.0, 1.0, 3.0), (-2.0, -1.0, -0.5), (2.0, 1.0, 0.5), (0.0,))
    for t, tau in ((0.0, 2.0), (0.5, 1.5), (1.0, 1.0), (2.0, 0.75), (3.0, 0.5), (9.0, 0.5)):
        absent, present = s.margins([0.2], t)
        assert present == pytest.approx(0.2 - tau)
        assert absent == pytest.approx(-tau - 0.2)
    assert s.settles == 3.0
    assert SPRT.for_task(TWO, -2.0, 2.0).settles == 0.0
    t = np.array([0.5, 2.0])
    np.testing.assert_array_equal(s.decide([[1.0], [1.0]], t), [0, 2])


def test_time_varying_compiled_form_holds_the_thresholds_of_each_look():
    s = TimeVaryingSPRT((0.0, 0.05), (-2.0, -1.0), (2.0, 1.0), (0.0,))
    times = np.arange(100) * 0.01
    test = s.scaled_test(times)
    assert len(test.tau_plus) == 6
    np.testing.assert_allclose(test.tau_plus, 2.0 - 20 * times[:6], atol=1e-12)
    np.testing.assert_allclose(test.tau_minus, -2.0 + 20 * times[:6], atol=1e-12)


def test_constant_knots_make_plain_sprt():
    varying = TimeVaryingSPRT.for_task(TWO, -2.4, 2.4)
    plain = SPRT.for_task(TWO, -2.4, 2.4)
    Z = np.random.default_rng(2).normal(size=(500, 2)) * 3
    np.testing.assert_allclose(varying.margins(Z, 0.2), plain.margins(Z, 0.2), atol=1e-14)


@pytest.mark.parametrize("recipe", RECIPES)
def test_thresholds_in_the_wrong_order(recipe):
    with pytest.raises(InputError, match="not above tau_plus"):
        recipe.for_task(TWO, 2.0, -2.0)


@pytest.mark.parametrize("recipe", RECIPES)
def test_thresholds_of_the_wrong_length(recipe):
    with pytest.raises(InputError, match=r"one per location \(2\)"):
        recipe.for_task(TWO, (-2.0, -2.0, -2.0), 2.0)


def test_factors_need_thresholds_of_one_sign():
    with pytest.raises(InputError, match="the same sign"):
        ASPRT.for_task(SearchTask(drift=(8.0, 3.0)), (-2.0, 0.1), (2.0, 2.0))


def test_time_varying_reports_all_its_faults():
    with pytest.raises(InputError) as caught:
        TimeVaryingSPRT((0.0, 0.0), (1.0, 1.0), (0.5, 2.0), ())
    assert [line.split(":")[0].split(".")[1] for line in str(caught.value).splitlines()] == [
        "knots",
        "tau_minus",
        "offset",
    ]


def test_a_users_strategy_is_one_method():
    class Coin(Strategy):
        def decide(self, Z, t):
            return np.where(np.asarray(Z)[..., 0] > 0, 2, 0).astype(np.int8)

    assert Coin().n_locations is None
    assert Coin().decide(np.ones((4, 2)), 0.0).tolist() == [2, 2, 2, 2]


TIED = MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0}, prior=0.2)


@pytest.mark.parametrize("recipe", [SPRT, SPRTOpt, TimeVaryingSPRT])
def test_with_unknown_distractors_the_state_is_the_log_likelihood_ratio(recipe):
    strategy = recipe.for_task(TIED, -2.0, 1.5)
    assert strategy.n_locations == 1
    S = np.linspace(-6, 6, 49)[:, None]
    odds = S[:, 0] + math.log(0.2 / 0.8)
    expected = np.select([odds >= 1.5, odds <= -2.0], [2, 1], 0)
    np.testing.assert_array_equal(strategy.decide(S, 0.2), expected)


@pytest.mark.parametrize("recipe", [ASPRT, Hardmax])
def test_local_tests_need_local_evidence(recipe):
    with pytest.raises(InputError, match="a SearchTask"):
        recipe.for_task(TIED, -2.0, 1.5)
