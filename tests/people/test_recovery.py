import json

import numpy as np
import pytest

from popout.people.design import Design
from popout.people.model import Model
from popout.people.parameters import ModelParameter
from popout.people.recovered import RecoveredObserver
from popout.people.recovery import index_floor, recover, recover_observer
from popout.people.search_models import models

from .conftest import shorten


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
def short():
    """Short searches will do: the surfaces of these models have one basin."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch, 60)
        yield


@pytest.fixture(scope="module")
def recovery(short):
    observers = [(FLAT, VALUES), (STEEP, VALUES)]
    return recover(Design((2, 8), 100), observers, 10, [FLAT, STEEP], seed=2)


def test_parameters_and_models_come_back(recovery):
    summary = recovery.summary().set_index(["model", "parameter"])
    assert abs(summary.loc[("flat", "mean"), "median_error"]) < 0.03
    assert summary["coverage"].min() >= 0.7  # 10 observers: fewer than 7 in 1 of 10,000 such tests
    assert (summary["determined"] == 1.0).all()
    confusion = recovery.confusion()
    assert confusion.loc["flat", "flat"] == confusion.loc["steep", "steep"] == 10


def test_covered_means_that_the_truth_lies_in_the_interval(recovery):
    rows = recovery.parameters()
    inside = (rows["low"] <= rows["true"]) & (rows["true"] <= rows["high"])
    assert rows["covered"].tolist() == inside.tolist()
    assert not inside.all()  # of 40 intervals of 95 %


def test_an_observer_is_the_same_alone_and_among_others(recovery):
    alone = recover_observer(Design((2, 8), 100), STEEP, VALUES, [FLAT, STEEP], seed=2, number=3)
    assert alone == recovery.observers[3]
    assert alone != recovery.observers[1]
    assert RecoveredObserver.of(json.loads(json.dumps(alone.as_dict()))) == alone


def test_observers_have_noise_of_their_own(recovery):
    estimates = recovery.parameters().query("parameter == 'mean'")["estimate"]
    assert estimates.nunique() == 20


def test_the_floor_of_the_index_is_small_but_not_zero(tables, monkeypatch):
    """A short search: the floor is about noise of estimates, not about the optimiser."""
    shorten(monkeypatch, 100)
    (free,) = models(["free-parallel"])
    values = {**free.starts[0], "time_cost": 0.3, "information": 10.0}
    wasted, excess = index_floor(values, free, Design((1, 4), 60), tables, n=1)
    assert 0.0 < wasted < 300.0
    assert 0.0 < excess < 50.0


def test_only_free_models_have_an_index(recovery, tables, monkeypatch):
    assert len(recovery.indices()) == 0
    shorten(monkeypatch, 30)
    (free,) = models(["free-parallel"])
    found = recover(Design((1, 4), 20), [(free, free.starts[0])], 1, None, tables)
    (row,) = found.indices().to_dict("records")
    assert row["model"] == row["true"] == "free-parallel"
    assert row["wasted_ms"] >= 0.0
    assert row["true_wasted_ms"] > 1.0  # these thresholds are far from the best
