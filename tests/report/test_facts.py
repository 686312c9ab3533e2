"""Provenance without names of people or machines; JSON without NaN; numbers in words."""

import getpass
import json
import math
import platform
import re

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.drawing.plain import json_bytes, plain
from popout.report import provenance
from popout.report.words import MINUS, fixed, with_error


def test_provenance_names_no_person_and_no_computer():
    text = json.dumps([provenance.machine(), provenance.versions(), provenance.now()])
    host, user = platform.node(), getpass.getuser()
    assert not host or host not in text
    assert not re.search(rf"\b{re.escape(user)}\b", text)


def test_versions_are_those_installed():
    found = provenance.versions()
    assert found["numpy"] == np.__version__
    assert found["python"] == platform.python_version()
    assert "unknown" not in found.values()


def test_json_holds_no_nan():
    data = xr.Dataset({"risk": ("cost", [0.25, math.nan], {"units": "1/s"})}, {"cost": [1, 2]})
    content = json.loads(json_bytes({"data": data, "bound": math.inf}))
    risk = {"dims": ["cost"], "units": "1/s", "values": [0.25, None]}
    assert content == {
        "data": {"risk": risk, "cost": {"dims": ["cost"], "values": [1, 2]}},
        "bound": None,
    }


def test_json_refuses_what_it_does_not_know():
    with pytest.raises(TypeError, match="cannot write object"):
        plain(object())


@given(
    st.floats(-1e6, 1e6, allow_nan=False),
    st.floats(1e-6, 1e4),
)
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
