import sys

import numpy as np
import pytest

from popout.people.fitting.maximum_likelihood import fit_model, intervals, maximise, needs
from popout.people.models.model import Model, ModelParameter
from popout.simulation.responses import Responses


class Normal(Model):
    """Normal response times; the third parameter does nothing."""

    name, label = "normal", "normal times"
    parameters = (
        ModelParameter("mean", "mean", "s", 0.0, 2.0),
        ModelParameter("sd", "spread", "s", 0.01, 1.0),
        ModelParameter("idle", "nothing", "", 0.0, 1.0),
    )

    def log_densities(self, values, responses, tables=None):
        z = (responses.rt - values["mean"]) / values["sd"]
        return -0.5 * z**2 - np.log(values["sd"] * 2.0 * np.sqrt(2.0 * np.pi))


@pytest.fixture(scope="module")
def trials():
    n, random = 400, np.random.default_rng(5)
    rt = 0.8 + 0.1 * random.standard_normal(n)
    return Responses(np.ones(n), rt, -np.ones(n), columns={"set_size": np.full(n, 3)})


@pytest.fixture(scope="module")
def fitted(trials):
    return fit_model(Normal(), trials)


def test_the_maximum_is_that_of_the_formula(fitted, trials):
    assert fitted.estimates["mean"] == pytest.approx(trials.rt.mean(), abs=2e-4)
    assert fitted.estimates["sd"] == pytest.approx(trials.rt.std(), rel=0.01)
    assert fitted.n_evaluations > 100
    assert fitted.log_likelihood_error == 0.0


def test_intervals_have_the_width_of_the_formula(fitted, trials):
    interval = fitted.errors["mean"]
    se = trials.rt.std() / np.sqrt(len(trials))
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * se, rel=0.1)
    assert interval.determined


def test_what_the_data_do_not_determine_is_not_reported(fitted):
    assert not fitted.errors["idle"].determined
    assert "any value fits" in str(fitted.errors["idle"])


def test_the_better_of_two_basins_is_found():
    def surface(x):
        near, far = np.sum((x - 0.2) ** 2), np.sum((x - 0.8) ** 2)
        return max(-1000 * near, 5 - 1000 * far)

    x, values = maximise(surface, [np.full(3, 0.25), np.full(3, 0.75)], seed=1)
    assert x == pytest.approx(np.full(3, 0.8), abs=0.01)
    assert max(values) == pytest.approx(5.0, abs=0.05)


def test_a_maximum_at_a_bound_is_no_estimate():
    parameters = Normal.parameters[:2]
    _, errors = intervals(
        lambda x: -100 * x[0] - 500 * (x[1] - 0.5) ** 2, np.array([0, 0.5]), parameters
    )
    assert not errors["mean"].determined
    assert "edge of its range" in errors["mean"].why
    assert errors["sd"].determined


def test_without_the_extra_there_is_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(ImportError, match=r"pip install popout\[fit\]"):
        needs("cma")


def test_correlated_parameters_have_the_covariance_of_the_formula():
    parameters = Normal.parameters
    true = 0.002 * np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.3], [0.0, 0.3, 1.0]])
    inverse, centre = np.linalg.inv(true), np.array([0.4, 0.5, 0.6])
    covariance, errors = intervals(
        lambda x: -0.5 * (x - centre) @ inverse @ (x - centre), centre, parameters
    )
    np.testing.assert_allclose(covariance, true, rtol=1e-6, atol=1e-9)
    assert all(errors[parameter.name].determined for parameter in parameters)


def test_the_search_is_no_worse_than_its_starts():
    spike = np.array([0.3, 0.7])

    def surface(x):
        return 5.0 if np.array_equal(x, spike) else -float(((x - 0.5) ** 2).sum())

    x, _ = maximise(surface, [np.array([0.5, 0.5]), spike], seed=1)
    np.testing.assert_array_equal(x, spike)
