import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.people.models.model import ModelParameter, Scale, position_of, set_sizes_of, values_at
from popout.people.models.search_models import models
from popout.simulation.responses import Responses
from popout.task import InputError


@pytest.mark.parametrize("sizes", [[0, 3], [2.5, 3.0], [np.nan, 3.0]])
def test_set_sizes_are_positive_integers(sizes):
    trials = Responses(np.ones(2), np.ones(2), -np.ones(2), columns={"set_size": np.array(sizes)})
    with pytest.raises(InputError, match="set_size"):
        set_sizes_of(trials)


def test_a_model_says_what_it_is():
    (model,) = models(["free-guided+slips"])
    assert "slip" in str(model)
    names = [row["name"] for row in model.as_dict()["parameters"]]
    assert names == [parameter.name for parameter in model.parameters]
    assert len(names) == 14


def test_what_is_known_is_not_fitted_again(monkeypatch):
    asked = []
    ideal, free = models(["ideal-serial", "free-serial"])
    monkeypatch.setattr(
        type(ideal), "fit", lambda self, *args: asked.append(self.name) or f"fit of {self.name}"
    )
    known = {}
    fits = [model.fit_once(known, None) for model in (ideal, free, ideal)]
    assert fits == ["fit of ideal-serial", "fit of free-serial", "fit of ideal-serial"]
    assert asked == ["ideal-serial", "free-serial"]


PARAMETERS = (
    ModelParameter("a", "linear", "s", -1.0, 3.0),
    ModelParameter("b", "log", "1/s", 0.01, 100.0, Scale.LOG),
    ModelParameter("c", "share", "", 0.0, math.inf, Scale.SHARE),
)


@given(st.lists(st.floats(0.0, 0.999), min_size=3, max_size=3))
def test_places_and_values_are_inverse(x):
    assert position_of(PARAMETERS, values_at(PARAMETERS, x)) == pytest.approx(x, abs=1e-9)


def test_ends_are_the_bounds_and_beyond_is_clipped():
    for parameter in PARAMETERS:
        assert parameter.from_unit(0.0) == parameter.low
        assert parameter.from_unit(1.0) == pytest.approx(parameter.high)
        assert parameter.to_unit(parameter.high) == 1.0
    assert PARAMETERS[0].to_unit(99.0) == 1.0
    assert PARAMETERS[1].to_unit(0.0) == 0.0


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [
        (1.0, 1.0, Scale.LINEAR),
        (0.0, 1.0, Scale.LOG),
        (0.0, 5.0, Scale.SHARE),
        (0.0, math.inf, Scale.LINEAR),
    ],
)
def test_bounds_that_cannot_be(low, high, scale):
    with pytest.raises(InputError, match="mend the bounds"):
        ModelParameter("x", "", "", low, high, scale)


def test_missing_values_are_named_together():
    with pytest.raises(InputError) as caught:
        position_of(PARAMETERS, {"a": 1.0})
    assert [fault.path for fault in caught.value.faults] == [("b",), ("c",)]
