import pytest

from popout.people.fitting.synthetic import Design, check_names, synthetic_observer, typical_values
from popout.people.models.search_models import models
from popout.task import InputError


def test_a_design_counts_its_trials():
    design = Design((3, 6), 50)
    assert design.n_trials == 200
    assert sum(n for *_, n in design.cells) == 200
    assert Design.of({3: 101, 6: 99}) == design
    with pytest.raises(InputError):
        Design((), 0)


def test_synthetic_observers_have_the_cells_of_the_design(tables):
    (model,) = models(["free-parallel"])
    trials = synthetic_observer(model, model.starts[0], Design((1, 4), 30), tables, seed=1)
    assert len(trials) == 120
    assert trials.present.sum() == 60
    other = synthetic_observer(model, model.starts[0], Design((1, 4), 30), tables, seed=2)
    assert (trials.rt != other.rt).any()


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
