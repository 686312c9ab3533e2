"""Numbers in words keep their digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.reports.words import MINUS, fixed, with_error


@given(st.floats(-1e6, 1e6, allow_nan=False), st.floats(1e-6, 1e4))
def test_value_and_error_read_back(value, error):
    shown = with_error(value, error).replace(MINUS, "-")
    if "±" not in shown:  # the error does not show beside the value
        assert error <= 1e-9 * abs(value)
        return
    left, right = (float(part) for part in shown.split(" ± "))
    assert abs(right - error) <= 0.051 * error
    assert abs(left - value) <= 0.051 * error + 1e-8


@given(st.floats(-1e5, 1e5, allow_nan=False).filter(lambda v: abs(v) >= 1e-5 or v == 0))
def test_numbers_keep_their_digits(value):
    assert float(fixed(value, 4).replace(MINUS, "-")) == pytest.approx(value, rel=6e-4)
