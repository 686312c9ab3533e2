import numpy as np
import pytest

from popout.people.fitting.fitted_model import FittedModel, Interval
from popout.people.models.search_models import models


def test_a_fit_shows_what_is_known_and_what_is_not(tables):
    (model,) = models(["ideal-parallel"])
    values = {parameter.name: model.starts[0][parameter.name] for parameter in model.parameters}
    errors = {name: Interval(0.5 * v, 2 * v, name != "capacity") for name, v in values.items()}
    fitted = FittedModel(model, values, errors, -10.0, 100, {1: 50, 4: 50}, tables=tables)
    assert (fitted.set_sizes, fitted.n_parameters) == ((1, 4), 9)
    assert fitted.aic == pytest.approx(2 * 9 + 2 * 10.0)
    assert fitted.bic == pytest.approx(9 * np.log(100) + 2 * 10.0)
    rows = fitted.as_dict()["parameters"]
    assert (rows["capacity"]["value"], rows["information"]["value"]) == (None, 40.0)
    assert "not determined by these data" in str(fitted)
    assert fitted.predict().set_sizes == (1, 4)
