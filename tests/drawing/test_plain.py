"""Results as JSON: what has no place in it becomes null, and nothing else is guessed."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr

from popout.drawing.plain import json_bytes, plain
from popout.drawing.representation import HasCard


@dataclass(frozen=True)
class Pair(HasCard):
    lower: float
    _secret: int = 3


def test_nested_results_arrays_and_numbers_without_a_value():
    value = {"pair": Pair(np.float64(-1.5)), 2: (np.arange(2), np.nan), "none": None, "yes": True}
    expected = {"pair": {"lower": -1.5}, "2": [[0, 1], None], "none": None, "yes": True}
    assert plain(value) == expected


def test_a_dataset_keeps_dimensions_and_units():
    data = xr.Dataset({"rt": ("look", [0.5, np.inf], {"units": "s"})}, coords={"look": [1, 2]})
    assert plain(data) == {
        "rt": {"dims": ["look"], "units": "s", "values": [0.5, None]},
        "look": {"dims": ["look"], "values": [1, 2]},
    }


def test_what_json_does_not_know_is_refused():
    with pytest.raises(TypeError, match="cannot write object as JSON"):
        plain([object()])
    written = json_bytes({"name": "é", "risk": float("nan")})
    assert "é".encode() in written
    assert json.loads(written) == {"name": "é", "risk": None}
