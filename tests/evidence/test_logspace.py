"""Sums of probabilities given by their logarithms."""

import numpy as np
import pytest

from popout.evidence import log_likelihood_ratio_search
from popout.evidence.logspace import gain_control, log_or_minus_inf, logsumexp
from popout.task import InputError


def test_sums_are_those_of_plain_arithmetic():
    p = np.array([[0.2, 0.3, 0.0], [0.0, 0.0, 0.0]])
    with np.errstate(divide="ignore"):
        expected = np.log(p.sum(axis=1))
    np.testing.assert_allclose(logsumexp(log_or_minus_inf(p), axis=1), expected)


@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_gain_control_sums_to_one_at_any_size(shift):
    a = gain_control(np.array([1.0, 2.0, -np.inf]) + shift, axis=0)
    assert np.exp(a).sum() == pytest.approx(1.0, abs=1e-11)  # of 1e4, 1e-12 is the last digit
    assert a[1] - a[0] == pytest.approx(1.0, rel=1e-11)


def test_search_ratio_is_finite_and_says_what_it_wants():
    S = log_likelihood_ratio_search([[1e4, -1e4], [-1e4, -1e4]], [1.0, 0.0])
    assert S.tolist() == [1e4, -1e4]
    with pytest.raises(InputError, match="location_prior: expected 2 probabilities"):
        log_likelihood_ratio_search([0.0, 0.0], [0.5, 0.3, 0.2])
    with pytest.raises(InputError, match="Z: expected an array"):
        log_likelihood_ratio_search(3.0)
