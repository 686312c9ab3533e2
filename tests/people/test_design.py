import pytest

from popout.people.design import Design, synthetic_observer
from popout.people.search_models import models
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
