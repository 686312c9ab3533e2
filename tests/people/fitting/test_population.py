"""Populations, against a grid of all means and spreads, and by simulation-based calibration."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, norm

from popout.people.fitting.fitted_population import FittedPopulation, fit_population
from popout.people.fitting.population import Hierarchy, Prior, find_modes, sample_chain
from popout.people.models.conditioned import Conditioned
from popout.people.models.model import Model, ModelParameter, values_at
from popout.simulation.responses import Responses

from ..simple_models import LogNormalTimes, together

TIMES = LogNormalTimes()


class Logits(Model):
    """Normal times about ten plus the logit of a share, so that all is known in closed form."""

    name, label = "logits", "normal times"
    parameters = (ModelParameter("share", "share", "", 0.0, 1.0),)

    def log_densities(self, values, responses, tables=None):
        return -0.5 * (responses.rt - 10.0 - logit(values["share"])) ** 2


def shown(rt):
    """Return trials with some response times."""
    n = len(rt)
    return Responses(np.ones(n), rt, -np.ones(n), columns={"set_size": np.full(n, 4)})


def by_grid(means, n, prior):
    """Return mean and sd of population mean, of its spread, and of the first observer."""
    mu, sigma = np.linspace(-5, 5, 401)[:, None], np.linspace(0.01, 4, 400)[None]
    log = norm.logpdf(mu, prior.centre[0], prior.width[0]) - 0.5 * (sigma / prior.spread[0]) ** 2
    for each in means:
        log = log + norm.logpdf(each, mu, np.sqrt(sigma**2 + 1.0 / n))
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    share = sigma**2 / (sigma**2 + 1.0 / n)
    first, left = share * means[0] + (1 - share) * mu, share / n
    moments = []
    for value, more in ((mu, 0.0), (sigma, 0.0), (first, left)):
        middle = (weight * value).sum()
        moments.append((middle, np.sqrt((weight * ((value - middle) ** 2 + more)).sum())))
    return moments


@pytest.fixture(scope="module")
def normal():
    random = np.random.default_rng(4)
    n = 3
    truth = 0.7 + 0.6 * random.standard_normal(6)
    people = {str(k): shown(10.0 + y + random.standard_normal(n)) for k, y in enumerate(truth)}
    found = fit_population(Logits(), people, n_chains=4, n_sweeps=1000)
    return found, np.array([own.rt.mean() - 10.0 for own in people.values()]), n


def test_means_spreads_and_observers_are_those_of_the_grid(normal):
    found, means, n = normal
    expected = by_grid(means, n, found.hierarchy.prior)
    chains = found.chains
    sampled = (
        np.array([c.mean[:, 0, 0] for c in chains]),
        np.array([c.spread[:, 0] for c in chains]),
        np.array([c.u[:, 0, 0] for c in chains]),
    )
    assert found.r_hat < 1.05
    assert found.n_independent > 200
    for draws, (mean, sd) in zip(sampled, expected, strict=True):
        error = sd / np.sqrt(found.n_independent)
        assert draws.mean() == pytest.approx(mean, abs=4 * error)
        assert draws.std() == pytest.approx(sd, abs=4 * error)
    narrow = Prior(np.zeros(1), np.full(1, 0.2), np.full(1, 0.2))
    other = by_grid(means, n, narrow)  # the control: another prior is another posterior
    assert sampled[0].mean() != pytest.approx(other[0][0], abs=0.2)


def test_what_is_said_of_it(normal):
    found, _, _ = normal
    row = found.to_pandas().iloc[0]
    draws = expit(np.array([c.mean[:, 0, 0] for c in found.chains]))
    assert row[["low", "mean", "high"]].tolist() == pytest.approx(
        np.quantile(draws, (0.025, 0.5, 0.975)).tolist()
    )
    said = json.loads(json.dumps(found.as_dict()))
    (parameter,) = said["parameters"]
    assert {"name", "mean", "mean_interval", "sd", "sd_interval"} <= set(parameter)
    assert parameter["sd_interval"][0] < parameter["sd"] < parameter["sd_interval"][1]
    assert len(said["observers"]) == 6
    assert found.n_independent > 400
    assert found.warning == ""
    assert "Population of 6 observers" in str(found)
    first = found.chains[0]
    short = FittedPopulation(found.hierarchy, (first, first), {})
    assert short.n_independent < 400
    assert "too narrow" in short.warning


def test_a_chain_is_the_same_again_and_no_other(normal):
    hierarchy = normal[0].hierarchy
    modes = find_modes(hierarchy, {})
    a, b, c = (sample_chain(hierarchy, modes, 30, seed=1, chain=k).spread for k in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


def drawn(prior, n_observers, n_trials, random, level):
    """Return the means, spreads and observers of a population, and trials."""
    means, spread = prior.draw(level.max() + 1, random)
    u = means[level] + spread * random.standard_normal((n_observers, 2))
    people = {
        str(k): TIMES.simulate(values_at(TIMES.parameters, expit(own)), n_trials, random)
        for k, own in enumerate(u)
    }
    return means, spread, u, people


@pytest.fixture(scope="module")
def ranks():
    """Return the share of draws below the truth, of 30 populations with two groups."""
    prior = Prior(np.zeros(2), np.full(2, 1.0), np.full(2, 0.7))
    level, rows = np.array([0, 0, 0, 1, 1]), []
    for k in range(30):
        random = np.random.default_rng(100 + k)
        means, spread, u, people = drawn(prior, 5, 8, random, level)
        groups = dict(zip(people, level.astype(str), strict=True))
        hierarchy = Hierarchy(TIMES, people, levels=groups, prior=prior)
        chain = sample_chain(hierarchy, find_modes(hierarchy, {}), 200, seed=k)
        pairs = ((chain.mean, means), (chain.spread, spread), (chain.u, u))
        rows.append([(draws < true).mean(axis=0).ravel() for draws, true in pairs])
    return [np.array(each) for each in zip(*rows, strict=True)]


def test_populations_drawn_from_the_prior_are_covered(ranks):
    """Simulation-based calibration: 80 % intervals hold four truths of five, mean ranks are 1/2."""
    for share in ranks:
        n = len(share)
        inside = ((share > 0.1) & (share < 0.9)).sum(axis=0)
        low, high = binom.ppf((0.0005, 0.9995), n, 0.8)
        assert (low <= inside).all()
        assert (inside <= high).all()
        assert (abs(share.mean(axis=0) - 0.5) < 4 * np.sqrt(1 / 12 / n)).all()
        halved = ((share > 0.3) & (share < 0.7)).sum()  # the control: half the draws of a wide one
        assert halved < binom.ppf(0.0005, share.size, 0.8)


def test_shrunken_observers_predict_better_than_separate_fits():
    """Trials that nobody was fitted to; with many trials each there is nothing to gain."""
    gains = []
    for n_trials in (6, 300):
        random = np.random.default_rng(8)
        prior = Prior(np.zeros(2), np.full(2, 0.5), np.full(2, 0.3))
        _, _, u, people = drawn(prior, 8, n_trials, random, np.zeros(8, int))
        separate = {name: TIMES.fit(own) for name, own in people.items()}
        found = fit_population(TIMES, people, separate=separate, n_chains=1, n_sweeps=300)
        gain = 0.0
        for (name, fit), own in zip(separate.items(), u, strict=True):
            new = TIMES.simulate(values_at(TIMES.parameters, expit(own)), 500, random)
            values = found.shrunken(name)
            gain += float(
                (TIMES.log_densities(values, new) - TIMES.log_densities(fit.estimates, new)).mean()
            )
        gains.append(gain)
    assert gains[0] > 0.2
    assert abs(gains[1]) < 0.1 * gains[0]


def test_what_a_condition_and_a_group_change():
    """Paired within observers: how different observers are does not blur a condition."""
    random = np.random.default_rng(5)
    levels = {"pay": ("high", "low")}
    model = Conditioned(TIMES, {"median": ("pay",)}, levels)
    people, groups = {}, {}
    for k in range(8):
        base = (0.5 if k < 4 else 1.0) * np.exp(0.5 * random.standard_normal())
        parts = [
            TIMES.simulate({"median": base * f, "sd": 0.2}, 40, random, pay=p)
            for p, f in (("high", 1.0), ("low", 1.3))
        ]
        people[str(k)], groups[str(k)] = together(parts), "young" if k < 4 else "old"
    found = fit_population(model, people, levels=groups, n_chains=2, n_sweeps=400)
    table = found.contrasts()
    (pay,) = table.query("condition == 'high'").to_dict("records")
    assert (pay["parameter"], pay["scale"]) == ("median", "ratio")
    assert pay["low"] < 1 / 1.3 < pay["high"]
    assert pay["high"] - pay["low"] < 0.15
    age = table.query("condition == 'old' and parameter == 'median[high]'").to_dict("records")[0]
    assert age["high"] - age["low"] > 5 * (pay["high"] - pay["low"])
    assert found.to_pandas()["group"].unique().tolist() == ["old", "young"]
    figure = found.plot()
    assert len([ax for ax in figure.axes if ax.get_lines()]) == 3
