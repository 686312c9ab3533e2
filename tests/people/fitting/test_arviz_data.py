"""What ArviZ is given, and that its functions take it."""

import warnings

import numpy as np
import pytest

from popout.people.fitting.arviz_data import replicated
from popout.people.fitting.fitted_population import fit_population
from popout.people.fitting.model_posterior import sample_posterior
from popout.people.models.conditioned import Conditioned
from popout.people.models.model import ModelParameter

from ..simple_models import LogNormalTimes, together

MODEL, VALUES = LogNormalTimes(), {"median": 0.6, "sd": 0.3}


class Fixed(LogNormalTimes):
    """The same with a spread that is much too wide."""

    name = "wide"
    parameters = LogNormalTimes.parameters[:1]

    def log_densities(self, values, responses, tables=None):
        return super().log_densities({**values, "sd": 1.0}, responses)


@pytest.fixture(scope="module")
def trials():
    return MODEL.simulate(VALUES, 60, np.random.default_rng(2))


@pytest.fixture(scope="module")
def data(trials):
    models = {"right": MODEL, "wide": Fixed()}
    return {
        name: sample_posterior(model.fit(trials), trials, n_steps=1000, seed=1).to_arviz()
        for name, model in models.items()
    }


def test_log_likelihoods_of_trials_add_up(data, trials):
    tree = data["right"]
    pointwise = tree["log_likelihood"]["rt"]
    assert pointwise.dims == ("chain", "draw", "trial")
    np.testing.assert_allclose(pointwise.sum("trial"), tree["sample_stats"]["lp"])
    np.testing.assert_array_equal(tree["observed_data"]["rt"], trials.rt)


def test_loo_is_that_of_exact_refits(data, trials):
    """For the wide model: leave each trial out and integrate over a grid."""
    import arviz_stats

    loo = arviz_stats.loo(data["wide"])
    x = np.linspace(0.001, 0.999, 2001)
    medians = [Fixed.parameters[0].from_unit(each) for each in x]
    dens = np.array([Fixed().log_densities({"median": m}, trials) for m in medians])
    total = 0.0
    for n in range(len(trials)):
        weight = np.exp(dens.sum(axis=1) - dens[:, n] - (dens.sum(axis=1) - dens[:, n]).max())
        total += np.log((weight * np.exp(dens[:, n])).sum() / weight.sum())
    assert loo.elpd == pytest.approx(total, abs=0.1)


def test_arviz_compares_models_and_draws_a_predictive_check(data):
    with warnings.catch_warnings():
        # The last ArviZ for Python 3.11 uses what pandas and matplotlib deprecate since.
        warnings.simplefilter("ignore")
        import arviz_stats
        import matplotlib.style.core  # noqa: F401

        import arviz_plots  # isort: skip

        table = arviz_stats.compare(data)
        made = arviz_plots.plot_ppc_dist(data["right"], var_names="rt", backend="none")
    assert table.index[0] == "right"
    assert made is not None


def test_replicated_trials_look_like_those_of_the_model():
    """Each at its own level; the mean of logarithms with its standard error."""
    random = np.random.default_rng(1)
    levels = {"pay": ("high", "low")}
    model = Conditioned(MODEL, {"median": ("pay",)}, levels)
    values = {"median[high]": 0.5, "median[low]": 1.0, "sd": 0.3}
    own = together([MODEL.simulate(VALUES, 2000, random, pay=p) for p in levels["pay"]])
    _, rt = replicated(model, values, own, None, random)
    for pay, median in (("high", 0.5), ("low", 1.0)):
        logs = np.log(rt[own.columns["pay"] == pay])
        assert logs.mean() == pytest.approx(np.log(median), abs=4 * 0.3 / np.sqrt(2000))
    assert isinstance(model.parameters[0], ModelParameter)


def test_a_population_has_a_row_for_each_trial_of_everybody(trials):
    people = {"ag": trials, "km": trials.where(np.arange(20))}
    tree = fit_population(MODEL, people, n_chains=2, n_sweeps=40).to_arviz()
    assert tree["log_likelihood"]["rt"].shape == (2, 20, 80)
    assert tree["posterior"]["observers"].sel(observer="km", parameter="sd").shape == (2, 20)
    np.testing.assert_allclose(
        tree["log_likelihood"]["rt"].sum("trial"), tree["sample_stats"]["lp"], rtol=1e-9
    )
