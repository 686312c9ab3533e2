import numpy as np
import pytest
from scipy.stats import norm

from popout.people.fitting.maximum_likelihood import fit_model
from popout.people.fitting.model_posterior import ModelPosterior, sample_posterior
from popout.people.models.model import Model, ModelParameter
from popout.simulation.responses import Responses


class Normal(Model):
    """Normal times of known spread; the second parameter does nothing."""

    name, label = "normal", "normal times"
    parameters = (
        ModelParameter("mean", "mean", "s", 0.0, 2.0),
        ModelParameter("idle", "nothing", "", 0.0, 1.0),
    )

    def log_densities(self, values, responses, tables=None):
        return -0.5 * ((responses.rt - values["mean"]) / 0.1) ** 2


@pytest.fixture(scope="module")
def posterior():
    n, random = 100, np.random.default_rng(5)
    rt = 0.8 + 0.1 * random.standard_normal(n)
    trials = Responses(np.ones(n), rt, -np.ones(n), columns={"set_size": np.full(n, 3)})
    fitted = fit_model(Normal(), trials)
    return sample_posterior(fitted, trials, n_steps=1500, n_walkers=10, seed=1)


def test_mean_and_width_are_those_of_the_formula(posterior):
    draws = posterior.draws["mean"]
    assert posterior.n_independent > 100
    assert draws.mean() == pytest.approx(posterior.fitted.estimates["mean"], abs=0.003)
    assert draws.std() == pytest.approx(0.01, rel=0.2)
    shown = posterior.as_dict()["parameters"]["mean"]
    low, high = np.quantile(draws, (0.025, 0.975))
    assert (shown["low"], shown["high"]) == pytest.approx((low, high), abs=1e-4)


def test_what_the_data_leave_open_keeps_its_prior(posterior):
    assert posterior.determined("mean")
    assert not posterior.determined("idle")
    assert posterior.as_dict()["parameters"]["idle"]["determined"] is False
    assert "not determined" in str(posterior)


def test_arviz_reads_it(posterior):
    data = posterior.to_arviz()
    assert data["posterior"]["mean"].dims == ("chain", "draw")
    assert data["posterior"]["mean"].shape == (10, 94)  # every eighth of 750: 1,000 at most
    assert data.attrs["model"] == "normal"


def test_intervals_hold_95_of_100_draws(posterior):
    scores = norm.ppf((np.arange(4000) + 0.5) / 4000).reshape(4, 1000, 1)
    chains = 0.4 + 0.01 * scores * np.array([1.0, 2.0])  # the mean is over a range of 2 s
    some = ModelPosterior(posterior.fitted, chains, np.zeros((4, 1000)), 1.0, posterior.trials)
    row = some.as_dict()["parameters"]["mean"]
    expected = {"median": 0.8, "low": 0.8 - 1.96 * 0.02, "high": 0.8 + 1.96 * 0.02}
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=2e-4)
    assert some.determined("idle")
