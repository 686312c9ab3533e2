import json
import math
from unittest.mock import Mock

import numpy as np
import pytest

from popout.people.fitting.fitted_model import FittedModel, Interval
from popout.people.fitting.model_comparison import Criterion, ModelComparison
from popout.people.fitting.recovery import (
    RecoveredObserver,
    Recovery,
    index_floor,
    recover,
    recover_observer,
    recovered,
)
from popout.people.fitting.synthetic import Design
from popout.people.models.model import Model, ModelParameter
from popout.people.models.search_models import models

from ..conftest import shorten


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
        shorten(patch)
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
    estimates = recovery.parameters().query("parameter == 'mean'")["estimate"]
    assert estimates.nunique() == 20  # noise of their own


def test_the_floor_of_the_index_is_small_but_not_zero(tables, monkeypatch):
    """A short search: the floor is about noise of estimates, not about the optimiser."""
    shorten(monkeypatch)
    (free,) = models(["free-parallel"])
    values = {**free.starts[0], "time_cost": 0.3, "information": 10.0}
    wasted, excess = index_floor(values, free, Design((1, 4), 60), tables, n=1)
    assert 0.0 < wasted < 300.0
    assert 0.0 < excess < 50.0


def test_only_free_models_have_an_index(recovery, tables, monkeypatch):
    assert len(recovery.indices()) == 0
    shorten(monkeypatch)
    (free,) = models(["free-parallel"])
    found = recover(Design((1, 4), 20), [(free, free.starts[0])], 1, None, tables)
    (row,) = found.indices().to_dict("records")
    assert row["model"] == row["true"] == "free-parallel"
    assert row["wasted_ms"] >= 0.0
    assert row["true_wasted_ms"] > 1.0  # these thresholds are far from the best


def observer(model, error, aic, bic, determined=True):
    """Return an observer with one parameter, whose truth is 1 and whose standard error is 0.1."""
    row = {"parameter": "rate", "true": 1.0, "estimate": 1.0 + 0.1 * error, "error": error}
    row |= {"low": 0.8 + 0.1 * error, "high": 1.2 + 0.1 * error, "determined": determined}
    row["covered"] = row["low"] <= 1.0 <= row["high"]
    criteria = {
        name: {"log_likelihood": 0.0, "aic": a, "bic": b}
        for name, a, b in zip(("small", "large"), aic, bic, strict=True)
    }
    return RecoveredObserver(model, {"rate": 1.0}, (row,), criteria)


@pytest.fixture
def made_up():
    return Recovery(
        (
            observer("small", 1.0, (0.0, 1.0), (0.0, 5.0)),
            observer("small", -0.5, (2.0, 1.0), (0.0, 5.0)),
            observer("large", 3.0, (2.0, 1.0), (0.0, 5.0)),
            observer("large", 9.0, (9.0, 1.0), (9.0, 1.0), determined=False),
        )
    )


def test_errors_and_coverage_are_those_of_what_is_determined(made_up):
    (row,) = made_up.summary(pooled=True).to_dict("records")
    assert row["observers"] == 4
    assert row["bias"] == pytest.approx((1.0 - 0.5 + 3.0) / 3.0)
    assert row["spread"] == pytest.approx(math.sqrt(37 / 12))
    assert row["median_error"] == pytest.approx(0.1)
    assert row["coverage"] == pytest.approx(2 / 3)  # an error of three is outside
    assert row["determined"] == 0.75
    by_model = made_up.summary().set_index("model")
    assert by_model.loc["small", "coverage"] == 1.0
    assert by_model.loc["large", "coverage"] == 0.0


def test_models_are_confused_by_either_criterion(made_up):
    by_aic, by_bic = (made_up.confusion(each).to_dict("index") for each in Criterion)
    assert by_aic == {"small": {"small": 1, "large": 1}, "large": {"small": 0, "large": 2}}
    assert by_bic == {"small": {"small": 2, "large": 0}, "large": {"small": 1, "large": 1}}
    few = Recovery(made_up.observers[:1])  # a model that is never best has a column
    assert few.confusion().columns.tolist() == ["small", "large"]


def test_observers_can_be_stored(made_up):
    (first, *_) = made_up.observers
    serial = RecoveredObserver("m", {"guidance": math.inf}, (), first.criteria, ({"a": 1.0},))
    for own in (first, serial):
        assert RecoveredObserver.of(json.loads(json.dumps(own.as_dict()))) == own


def test_it_shows_itself(made_up):
    said = made_up.as_dict()
    assert said["observers"] == 4
    assert said["confusion_by_bic"]["large"] == {"small": 1, "large": 1}
    assert "3 of 4 observers" in str(made_up)
    assert "by BIC" in str(made_up.confusion_card(Criterion.BIC))


def test_errors_are_counted_in_standard_errors_of_their_own_parameter():
    """Two parameters whose standard errors differ; one is off by two of them, one by three."""
    model = Mock(name="two")
    model.parameters = (
        ModelParameter("rate", "rate", "1/s", 0.0, 2.0),
        ModelParameter("share", "share", "", 0.0, 1.0),
    )
    covariance = np.array([[0.02**2, 5e-5], [5e-5, 0.01**2]])
    values = {"rate": 1.0, "share": 0.4}
    estimates = {"rate": 1.0 + 2 * 0.02 * 2.0, "share": 0.4 - 3 * 0.01}
    errors = {"rate": Interval(0.9, 1.2), "share": Interval(0.35, 0.39)}
    fitted = FittedModel(model, estimates, errors, 0.0, 10, {3: 10}, covariance=covariance)
    rate, share = recovered(model, values, ModelComparison((fitted,))).parameters
    assert (rate["error"], share["error"]) == pytest.approx((2.0, -3.0))
    assert (rate["covered"], share["covered"]) == (True, False)
