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
