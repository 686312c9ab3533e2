import numpy as np
import pytest
from scipy.optimize import differential_evolution
from scipy.stats import gamma

from popout.people.fitting.maximum_likelihood import fit_model, intervals, maximise
from popout.people.models.model import Model, ModelParameter, Scale, values_at
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


def spread_out(surface, n=400):
    """Return log densities of trials whose sum is a surface, and whose scores do not vanish."""

    def densities(x):
        signs = np.where(np.arange(n) % 2, 1.0, -1.0) * np.sqrt(n)
        return surface(x) / n + signs * np.sum(x) / n

    return densities


def test_the_better_of_two_basins_is_found():
    def surface(x):
        near, far = np.sum((x - 0.2) ** 2), np.sum((x - 0.8) ** 2)
        return max(-1000 * near, 5 - 1000 * far)

    places = [np.full(3, 0.25), np.full(3, 0.75)]
    x, values = maximise(spread_out(surface), places, seed=1)
    assert x == pytest.approx(np.full(3, 0.8), abs=0.01)
    assert max(values) == pytest.approx(5.0, abs=0.05)


class Gamma(Model):
    """Gamma times, with a shift: ridges, bounds and a curvature that scores miss."""

    name, label = "gamma", "shifted gamma"
    parameters = (
        ModelParameter("shape", "shape", "", 0.2, 50.0, Scale.LOG),
        ModelParameter("scale", "scale", "s", 0.001, 2.0, Scale.LOG),
        ModelParameter("shift", "shift", "s", 0.0, 0.3),
    )

    def log_densities(self, values, responses, tables=None):
        beyond = np.maximum(responses.rt - values["shift"], 1e-9)
        return gamma.logpdf(beyond, values["shape"], scale=values["scale"]) - np.log(2.0)


@pytest.fixture(scope="module")
def ridge():
    random = np.random.default_rng(7)
    rt = 0.3 + random.weibull(1.6, 300) * 0.25
    return Responses(np.ones(300), rt, -np.ones(300), columns={"set_size": np.full(300, 3)})


def test_on_a_ridge_no_other_search_finds_more(ridge):
    """The model is wrong: scores are not the curvature."""
    fitted = fit_model(Gamma(), ridge)
    likelihood = Gamma().likelihood(ridge)

    def cost(x):
        return -likelihood.total(values_at(Gamma.parameters, x))

    other = differential_evolution(cost, [(0.0, 1.0)] * 3, seed=1, tol=1e-10, maxiter=400)
    assert fitted.log_likelihood > -other.fun - 1e-3
    assert fitted.n_evaluations < other.nfev


def test_skewed_intervals_are_those_of_the_profile(ridge):
    """By another optimiser: at the ends the best of the other parameters are 1.92 below."""
    fitted = fit_model(Gamma(), ridge)
    likelihood, name = Gamma().likelihood(ridge), "shape"
    others = [p for p in Gamma.parameters if p.name != name]
    interval = fitted.errors[name]
    for end in (interval.low, interval.high):

        def cost(x, end=end):
            return -likelihood.total({name: end, **values_at(others, x)})

        best = differential_evolution(cost, [(0.0, 1.0)] * 2, seed=1, tol=1e-10).fun
        assert fitted.log_likelihood + best == pytest.approx(1.92, abs=0.9)


def test_a_maximum_at_a_bound_is_no_estimate():
    parameters = Normal.parameters[:2]
    densities = spread_out(lambda x: -100 * x[0] - 500 * (x[1] - 0.5) ** 2)
    _, _, errors = intervals(densities, np.array([0, 0.5]), parameters)
    assert not errors["mean"].determined
    assert "edge of its range" in errors["mean"].why
    assert errors["mean"].high == pytest.approx(2.0 * 0.0192, rel=0.1)
    assert errors["sd"].determined


def test_a_better_point_on_the_way_is_taken():
    densities = spread_out(lambda x: -1000 * float(((x - 0.4) ** 2).sum()))
    x, _, errors = intervals(densities, np.array([0.44, 0.4]), Normal.parameters[:2])
    np.testing.assert_allclose(x, 0.4, atol=1e-3)
    assert errors["mean"].low < 0.8 < errors["mean"].high


def test_correlated_parameters_have_the_covariance_of_the_formula():
    parameters = Normal.parameters
    true = 0.002 * np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.3], [0.0, 0.3, 1.0]])
    inverse, centre = np.linalg.inv(true), np.array([0.4, 0.5, 0.6])
    densities = spread_out(lambda x: -0.5 * (x - centre) @ inverse @ (x - centre))
    _, covariance, errors = intervals(densities, centre, parameters)
    np.testing.assert_allclose(covariance, true, rtol=1e-6, atol=1e-9)
    assert all(errors[parameter.name].determined for parameter in parameters)


def test_the_search_is_no_worse_than_its_starts():
    spike = np.array([0.3, 0.7])

    def surface(x):
        return 5.0 if np.array_equal(x, spike) else -float(((x - 0.5) ** 2).sum())

    x, _ = maximise(spread_out(surface), [np.array([0.5, 0.5]), spike], seed=1)
    np.testing.assert_array_equal(x, spike)
