import pytest

from popout.people.search_models import models
from popout.people.typical import check_names, typical_values
from popout.task import InputError


@pytest.mark.parametrize("name", ["ideal-parallel", "free-guided+slips", "ideal-guided:0.5"])
def test_every_parameter_has_a_value_within_its_range(name):
    (model,) = models([name])
    values = typical_values(model)
    assert set(values) == {parameter.name for parameter in model.parameters}
    assert all(p.low <= values[p.name] <= p.high for p in model.parameters)


def test_given_values_are_taken_and_checked():
    pair = models(["ideal-serial", "free-serial"])
    given = {"time_cost": 0.02, "upper": 4.0}
    check_names(pair, given)
    ideal, free = (typical_values(model, given) for model in pair)
    assert ideal["time_cost"] == 0.02
    assert "upper" not in ideal
    assert free["upper"] == 4.0
    with pytest.raises(InputError, match="did you mean time_cost"):
        check_names(pair, {"time-cost": 1.0})
    for wrong in (-1.0, float("nan"), 1e9):
        with pytest.raises(InputError, match=r"values\.time_cost"):
            typical_values(pair[0], {"time_cost": wrong})
