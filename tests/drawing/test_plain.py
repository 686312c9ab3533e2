"""JSON without NaN."""

import json
import math

import pytest
import xarray as xr

from popout.drawing.plain import json_bytes, plain


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
