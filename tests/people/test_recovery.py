import numpy as np
import pytest

from popout.people.model import Model
from popout.people.parameters import ModelParameter
from popout.people.recovery import Design, index_floor, recover, synthetic_observer
from popout.people.search_models import models
from popout.task import InputError


class Exponential(Model):
    """Exponential times, the same for all displays, or growing with set size; a fifth is wrong."""

    longest = 10.0

    def __init__(self, name, grows):
        self.name = self.label = name
        self.grows = grows
        self.parameters = (
            ModelParameter("mean", "mean time", "s", 0.1, 2.0),
            ModelParameter("wrong", "share of errors", "", 0.01, 0.5),
        )

    def log_densities(self, values, responses, tables=None):
        size = responses.columns["set_size"] if self.grows else np.full(len(responses), 4)
        mean = values["mean"] * size / 4
        share = np.where(responses.correct, 1.0 - values["wrong"], values["wrong"])
        return np.log(share / mean) - responses.rt / mean


FLAT, STEEP = Exponential("flat", False), Exponential("steep", True)
VALUES = {"mean": 0.5, "wrong": 0.2}


@pytest.fixture(scope="module")
def recovery():
    observers = [(FLAT, VALUES), (STEEP, VALUES)]
    return recover(Design((2, 8), 100), observers, 10, [FLAT, STEEP], seed=2)


def test_parameters_and_models_come_back(recovery):
    summary = recovery.summary().set_index(["model", "parameter"])
    assert abs(summary.loc[("flat", "mean"), "median_error"]) < 0.03
    assert summary["coverage"].min() >= 0.7  # 10 observers: fewer than 7 in 1 of 10,000 such tests
    assert (summary["determined"] == 1.0).all()
    confusion = recovery.confusion()
    assert confusion.loc["flat", "flat"] == confusion.loc["steep", "steep"] == 10


def test_observers_have_noise_of_their_own(recovery):
    estimates = recovery.parameters().query("parameter == 'mean'")["estimate"]
    assert estimates.nunique() == 20


def test_it_shows_itself(recovery):
    assert recovery.as_dict()["observers"] == 20
    assert "20 of 20 observers" in str(recovery)


def test_a_design_counts_its_trials():
    design = Design((3, 6), 50)
    assert design.n_trials == 200
    assert sum(n for *_, n in design.cells) == 200
    assert Design.of({3: 101, 6: 99}) == design
    with pytest.raises(InputError):
        Design((), 0)


def test_the_floor_of_the_index_is_small_but_not_zero(tables, monkeypatch):
    """A short search: the floor is about noise of estimates, not about the optimiser."""
    monkeypatch.setattr("popout.people.fit._SHORT", 60)
    monkeypatch.setattr("popout.people.fit._LONG", 250)
    (free,) = models(["free-parallel"])
    values = {**free.starts[0], "time_cost": 0.3, "information": 10.0}
    wasted, excess = index_floor(values, free, Design((1, 4), 60), tables, n=1)
    assert 0.0 < wasted < 300.0
    assert 0.0 < excess < 50.0


def test_only_free_models_have_an_index(recovery, tables, monkeypatch):
    assert len(recovery.indices()) == 0
    monkeypatch.setattr("popout.people.fit._SHORT", 30)
    monkeypatch.setattr("popout.people.fit._LONG", 60)
    (free,) = models(["free-parallel"])
    found = recover(Design((1, 4), 20), [(free, free.starts[0])], 1, None, tables)
    (row,) = found.indices().to_dict("records")
    assert row["model"] == row["true"] == "free-parallel"
    assert row["wasted_ms"] >= 0.0


def test_synthetic_observers_have_the_cells_of_the_design(tables):
    (model,) = models(["free-parallel"])
    trials = synthetic_observer(model, model.starts[0], Design((1, 4), 30), tables, seed=1)
    assert len(trials) == 120
    assert trials.present.sum() == 60
    other = synthetic_observer(model, model.starts[0], Design((1, 4), 30), tables, seed=2)
    assert (trials.rt != other.rt).any()
