import numpy as np
import pytest

import popout as po
from popout.policies.stopping import SPRT, Action, TimeVaryingSPRT
from popout.task import Costs, InputError, SearchTask

TWO = SearchTask(n_locations=2, drift=4.0)


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


def test_time_varying_reports_all_its_faults():
    with pytest.raises(InputError) as caught:
        TimeVaryingSPRT((0.0, 0.0), (1.0, 1.0), (0.5, 2.0), ())
    assert [line.split(":")[0].split(".")[1] for line in str(caught.value).splitlines()] == [
        "knots",
        "tau_minus",
        "offset",
    ]


def test_a_knot_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"TimeVaryingSPRT\.lower_9: expected one of lower_0"):
        TimeVaryingSPRT.for_task(TWO, -2.4, 2.4, lower_9=-3.0)


def test_its_parameters_are_lists():
    s = TimeVaryingSPRT.for_task(TWO, -2.4, 2.4, upper_1=3.0)
    assert s.parameters["tau_plus"] == [2.4, 3.0, 2.4, 2.4, 2.4]
    assert s.parameters["knots"] == list(s.knots)
    assert s.numbers == {}


def test_equal_thresholds_answer_at_once():
    """Where looking does not pay, those of discrimination are equal, and so tuning begins there."""
    task, costs = SearchTask(n_locations=1, drift=4.0, dt=0.1), Costs(time=4.0)
    strategy = TimeVaryingSPRT.for_task(task, 0.0, 0.0)
    assert (strategy.decide([[-0.1], [0.0], [0.1]], 0.3) != Action.WAIT).all()
    few = {"tune_trials": 1000, "seed": 0, "costs": costs}
    risk = po.simulate(task, "time-varying-sprt", 1000, **few).summary(costs).risk
    assert risk == pytest.approx(0.5, abs=0.02)
