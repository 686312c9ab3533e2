import math
from itertools import product

import numpy as np
import pytest

from popout.policies.stopping import ASPRT, Action
from popout.policies.stopping.a_sprt import scale_at_onset
from popout.task import InputError, SearchTask


def test_extension_reduces_to_a_single_location_asymptotically():
    # All other locations ruled out: the tests are those of discrimination at that location.
    lower, upper = (-4.0, -2.0, -3.0), (5.0, 1.5, 2.5)
    strategy = ASPRT.for_task(SearchTask(drift=(8.0, 3.0, 5.0)), lower, upper)
    for location in range(3):
        Z = np.full(3, -1e4)
        for tau, which in ((lower, 0), (upper, 1)):
            Z[location] = tau[location] + math.log(3)
            assert strategy.margins(Z, 0.0)[which] == pytest.approx(0.0, abs=1e-12)


def test_factors_need_thresholds_of_one_sign():
    with pytest.raises(InputError, match="the same sign"):
        ASPRT.for_task(SearchTask(drift=(8.0, 3.0)), (-2.0, 0.1), (2.0, 2.0))


@pytest.mark.parametrize(("M", "tau"), [(4, -0.7), (32, -2.2), (8, 1.5)])
def test_the_scale_at_onset_has_a_closed_form(M, tau):
    y = np.full(M, -np.log(M))
    expected = np.log(M) / (np.log(M) + tau)
    assert scale_at_onset(y, tau) == pytest.approx(expected, rel=1e-9)


def test_within_the_bounds_nothing_is_decided_before_looking():
    task = SearchTask(drift=(4.0, 3.0, 2.0, 2.0), location_prior=(0.4, 0.3, 0.2, 0.1), prior=0.45)
    pair = (-0.9, -0.8, -0.7, -0.7), (0.9, 0.8, 0.7, 0.7)
    free = ASPRT.tunable(task, *pair)
    zero = np.zeros(4)
    for a_minus, a_plus in product(*([p.lower, p.upper] for p in free.parameters)):
        inside = {"a_minus": a_minus * 0.999, "a_plus": a_plus * 1.001}
        assert ASPRT.for_task(task, *pair, **inside).decide(zero, 0.0) == Action.WAIT
    answers = {int(ASPRT.for_task(task, *pair, **at).decide(zero, 0.0)) for at in free.at_once}
    assert answers == {Action.ABSENT, Action.PRESENT}
