import numpy as np
import pytest

from popout.people.model import set_sizes_of
from popout.people.search_models import models
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
