import math
from fractions import Fraction

import numpy as np
import pytest

from popout.noise.elementary import (
    as_bits,
    bounded_exp,
    compiled,
    copy_to,
    minus_log,
    quarter_sincos,
)


def ulps(value, reference):
    return abs(value - reference) / math.ulp(reference)


@pytest.mark.parametrize("low", [2.0**-52, 1e-8, 0.3, 0.7, 1 - 1e-9])
def test_minus_log_is_within_two_ulps_of_libm(low):
    rng = np.random.default_rng(0)
    for u in low + (1 - low) * rng.random(2000):
        # Near 1 the reference of -log(u) must not lose digits: log1p of an exact difference.
        reference = -math.log1p(float(Fraction(u) - 1)) if u > 0.5 else -math.log(u)
        assert ulps(minus_log(u), reference) <= 2.0


def test_minus_log_of_one_is_zero_and_never_negative():
    assert minus_log(1.0) == 0.0
    assert minus_log(1 - 2.0**-53) == pytest.approx(2.0**-53, rel=1e-15)
    assert all(minus_log(1 - k * 2.0**-52) >= 0 for k in range(100))


def test_exp_is_within_two_ulps_of_libm_and_bounded():
    rng = np.random.default_rng(1)
    for x in np.concatenate([rng.uniform(-700, 700, 5000), rng.uniform(-1, 1, 5000)]):
        assert ulps(bounded_exp(x), math.exp(x)) <= 2.0
    assert bounded_exp(0.0) == 1.0
    assert bounded_exp(-math.inf) == bounded_exp(-700.0) > 0.0
    assert bounded_exp(math.inf) == bounded_exp(700.0) < math.inf


def test_exp_does_not_contradict_the_sign_of_its_argument():
    # The kernel relies on it: exp(x) >= 1 for x >= 0 and <= 1 for x <= 0, down to the last bit.
    tiny = np.concatenate([[5e-324, 2.0**-60, 2.0**-53], np.geomspace(1e-18, 1e-3, 1000)])
    assert all(bounded_exp(x) >= 1.0 for x in tiny)
    assert all(bounded_exp(-x) <= 1.0 for x in tiny)


def test_sincos_is_within_two_ulps_of_libm():
    for phi in np.linspace(-math.pi / 4, math.pi / 4, 5001):
        sine, cosine = quarter_sincos(phi)
        assert abs(sine - math.sin(phi)) <= 2 * math.ulp(math.sin(phi))
        assert abs(cosine - math.cos(phi)) <= 2 * math.ulp(math.cos(phi))


@compiled
def _all_three(x, out):
    for i in range(len(x)):
        sine, cosine = quarter_sincos(0.7 * x[i])
        out[i] = minus_log(x[i]) + bounded_exp(-x[i]) + sine * cosine


@compiled
def _one(x):
    sine, cosine = quarter_sincos(0.7 * x)
    return minus_log(x) + bounded_exp(-x) + sine * cosine


def test_vector_code_has_the_bits_of_scalar_code():
    x = np.random.default_rng(2).random(1003) + 1e-9
    out = np.empty_like(x)
    _all_three(x, out)
    assert [as_float_bits(v) for v in out] == [as_float_bits(_one(v)) for v in x]


@compiled
def as_float_bits(x):
    return as_bits(x)


def test_entries_are_copied():
    target, source = np.zeros(5), np.arange(3.0)
    copy_to(target, source)
    assert target.tolist() == [0.0, 1.0, 2.0, 0.0, 0.0]
