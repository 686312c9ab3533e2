import json
import math

import numpy as np
import pytest

from popout.people.comparison import Criterion, ModelComparison
from popout.people.fitted import FittedModel, Interval
from popout.people.model import Model
from popout.people.parameters import ModelParameter
from popout.people.recovered import RecoveredObserver, Recovery, recovered


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
def recovery():
    return Recovery(
        (
            observer("small", 1.0, (0.0, 1.0), (0.0, 5.0)),
            observer("small", -0.5, (2.0, 1.0), (0.0, 5.0)),
            observer("large", 3.0, (2.0, 1.0), (0.0, 5.0)),
            observer("large", 9.0, (9.0, 1.0), (9.0, 1.0), determined=False),
        )
    )


def test_errors_and_coverage_are_those_of_what_is_determined(recovery):
    (row,) = recovery.summary(pooled=True).to_dict("records")
    assert row["observers"] == 4
    assert row["bias"] == pytest.approx((1.0 - 0.5 + 3.0) / 3.0)
    assert row["spread"] == pytest.approx(math.sqrt(37 / 12))
    assert row["median_error"] == pytest.approx(0.1)
    assert row["coverage"] == pytest.approx(2 / 3)  # an error of three is outside
    assert row["determined"] == 0.75
    by_model = recovery.summary().set_index("model")
    assert by_model.loc["small", "coverage"] == 1.0
    assert by_model.loc["large", "coverage"] == 0.0


def test_models_are_confused_by_either_criterion(recovery):
    by_aic, by_bic = (recovery.confusion(criterion) for criterion in Criterion)
    assert by_aic.loc["small"].to_dict() == {"small": 1, "large": 1}
    assert by_aic.loc["large"].to_dict() == {"small": 0, "large": 2}
    assert by_bic.loc["small"].to_dict() == {"small": 2, "large": 0}
    assert by_bic.loc["large"].to_dict() == {"small": 1, "large": 1}


def test_a_model_that_is_never_best_has_a_column(recovery):
    few = Recovery(recovery.observers[:1])
    assert few.confusion().columns.tolist() == ["small", "large"]


def test_observers_can_be_stored(recovery):
    (first, *_) = recovery.observers
    serial = RecoveredObserver("m", {"guidance": math.inf}, (), first.criteria, ({"a": 1.0},))
    for one in (first, serial):
        assert RecoveredObserver.of(json.loads(json.dumps(one.as_dict()))) == one


def test_it_shows_itself(recovery):
    found = recovery.as_dict()
    assert found["observers"] == 4
    assert found["confusion"]["large"] == {"small": 0, "large": 2}
    assert found["confusion_by_bic"]["large"] == {"small": 1, "large": 1}
    assert "3 of 4 observers" in str(recovery)
    assert "by BIC" in str(recovery.confusion_card(Criterion.BIC))


def test_errors_are_counted_in_standard_errors_of_their_own_parameter(trials_of_two):
    """Two parameters whose standard errors differ; one is off by two of them, one by three."""
    model, covariance = trials_of_two
    values = {"rate": 1.0, "share": 0.4}
    estimates = {"rate": 1.0 + 2 * 0.02 * 2.0, "share": 0.4 - 3 * 0.01}
    errors = {"rate": Interval(0.9, 1.2), "share": Interval(0.35, 0.39)}
    fitted = FittedModel(model, estimates, errors, 0.0, 10, {3: 10}, covariance=covariance)
    rate, share = recovered(model, values, ModelComparison((fitted,))).parameters
    assert (rate["error"], share["error"]) == pytest.approx((2.0, -3.0))
    assert (rate["covered"], share["covered"]) == (True, False)


@pytest.fixture
def trials_of_two():
    """Return a model of two parameters, and a covariance in the unit cube."""

    class Two(Model):
        name, label = "two", "two parameters"
        parameters = (
            ModelParameter("rate", "rate", "1/s", 0.0, 2.0),
            ModelParameter("share", "share", "", 0.0, 1.0),
        )

        def log_densities(self, values, responses, tables=None):
            raise NotImplementedError

    return Two(), np.array([[0.02**2, 5e-5], [5e-5, 0.01**2]])
