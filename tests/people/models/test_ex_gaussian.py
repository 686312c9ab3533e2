"""The yardstick against SciPy's density, another optimiser, quadrature and known parameters."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import differential_evolution
from scipy.special import xlogy
from scipy.stats import binomtest, exponnorm

from popout.people.fitting.model_comparison import cross_validate
from popout.people.models.ex_gaussian import ExGaussianCells, wilson
from popout.people.models.ex_gaussian_times import LapsingTimes, log_ex_gaussian
from popout.people.models.model import Scale
from popout.people.reading.reader import read_trials
from popout.policies.stopping import Action
from popout.simulation.responses import Responses

from ..lookalikes import CONJUNCTION, needs_human_data


def draw(n, seed, lapse=0.01, sizes=(4, 8)):
    """Return trials of a known ex-Gaussian observer, and the parameters."""
    rng = np.random.default_rng(seed)
    truth, parts = {"lapse": lapse}, []
    for M in sizes:
        for present in (False, True):
            mu, sigma, tau = 0.35 + 0.02 * M, 0.04, 0.1 + 0.01 * M * (1 - 0.5 * present)
            error = 0.08 if present else 0.02
            ending = f"{M}_{'present' if present else 'absent'}"
            truth |= {f"mu_{ending}": mu, f"sigma_{ending}": sigma, f"tau_{ending}": tau}
            truth[f"error_rate_{ending}"] = error
            t = rng.normal(mu, sigma, n) + rng.exponential(tau, n)
            t = np.where(rng.random(n) < lapse, rng.uniform(0, 5.0, n), t)
            said = present ^ (rng.random(n) < error)
            parts.append((np.where(said, Action.PRESENT, Action.ABSENT), t, present, M))
    response, rt = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    target = np.repeat([int(part[2]) - 1 for part in parts], n)
    size = np.repeat([part[3] for part in parts], n)
    keep = (rt > 0) & (rt <= 5.0)
    trials = Responses(response, rt, target, columns={"set_size": size})
    return trials.where(keep), truth


@pytest.mark.parametrize(
    "shape", [(0.4, 0.05, 0.1), (0.5, 0.3, 0.01), (1.0, 0.005, 2.0), (0.5, 2.0, 0.001)]
)
def test_density_against_scipy(shape):
    t = np.linspace(0.01, 6.0, 200)
    mu, sigma, tau = shape
    expected = exponnorm.logpdf(t, tau / sigma, mu, sigma)
    seen = expected > -600  # SciPy loses the rest
    np.testing.assert_allclose(log_ex_gaussian(t, *shape)[seen], expected[seen], rtol=1e-6)


def hard_cells():
    """Return response times with several maxima, or with the maximum at an end."""
    rng = np.random.default_rng(8)
    normal, late = rng.normal(0.5, 0.04, 120), rng.uniform(0.2, 5.0, 15)
    return {
        "bimodal": np.concatenate([rng.normal(0.4, 0.03, 80), rng.normal(0.9, 0.05, 70)]),
        "normal": rng.normal(0.6, 0.05, 150),
        "skewed to the left": 0.9 - rng.gamma(2.0, 0.08, 150),
        "exponential": 0.3 + rng.exponential(0.4, 150),
        "few": np.array([0.41, 0.5, 0.52]),
        "outliers": np.concatenate([normal, late]),
        "rounded": np.round(0.3 + rng.exponential(0.2, 40), 2),
        "slow": np.concatenate([0.5 + rng.exponential(1.5, 100), rng.normal(0.8, 0.05, 30)]),
    }


def with_answers(t, wrong):
    """Return absent trials of four items, the first ones answered wrongly."""
    said = np.where(np.arange(len(t)) < wrong, Action.PRESENT, Action.ABSENT)
    return Responses(said, t, -np.ones(len(t)), columns={"set_size": np.full(len(t), 4)})


def by_evolution(t, longest=5.0):
    """Return the greatest log likelihood of times, by another optimiser and SciPy's density."""

    def cost(x):
        mu, sigma, tau, lapse = np.exp(np.atleast_2d(x.T).T)[:, None]
        density = np.exp(exponnorm.logpdf(t[:, None], tau / sigma, mu, sigma))
        return -np.log((1.0 - lapse) * density + lapse / longest).sum(axis=0)

    bounds = np.log([(0.05, 2.0), (0.001, 1.0), (0.001, 3.0), (1e-5, 0.5)])
    with np.errstate(all="ignore"):
        found = differential_evolution(
            cost, bounds, seed=1, tol=1e-8, popsize=20, maxiter=300, vectorized=True,
            updating="deferred",
        )  # fmt: skip
    return -float(np.min(found.fun))


@pytest.mark.parametrize("name", hard_cells())
def test_no_other_optimiser_finds_more_in_hard_cells(name):
    t = hard_cells()[name]
    fitted = ExGaussianCells((4,), (), 5.0).fit(with_answers(t, 0))
    answers = len(t) * np.log1p(-fitted.estimates["error_rate_4_absent"])
    assert fitted.log_likelihood - answers > by_evolution(t) - 0.01


@pytest.mark.parametrize("wrong", [0, 3, 40])
def test_error_rates_of_none_and_all_are_no_bounds(wrong):
    """The log likelihood of answers is the binomial one, but for one in ten thousand."""
    t = hard_cells()["rounded"]
    fitted = ExGaussianCells((4,), (), 5.0).fit(with_answers(t, wrong))
    times = ExGaussianCells((4,), (), 5.0).fit(with_answers(t, 0)).log_likelihood
    rate = wrong / 40
    answers = xlogy(wrong, rate) + xlogy(40 - wrong, 1 - rate)
    assert fitted.log_likelihood == pytest.approx(times + answers, abs=40 * 1.01e-4)
    expected = binomtest(wrong, 40).proportion_ci(0.95, method="wilson")
    interval = fitted.errors["error_rate_4_absent"]
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=1e-4)
    assert interval.determined
    assert not wilson(0, 0).determined


@pytest.mark.parametrize(("limit", "n_waits"), [(np.inf, 0), (4.0, 30)])
def test_slopes_are_those_of_differences(limit, n_waits):
    t = hard_cells()["outliers"]
    t = t[t < 3.5]
    limits = np.full(len(t) + n_waits, limit)
    times = LapsingTimes(t, np.minimum(limits, 3.5), limits, 0.1)
    for shape in ((0.5, 0.05, 0.1), (0.5, 0.2, 0.002), (0.4, 0.002, 0.3), (0.6, 0.3, 2.0)):
        x = np.append(np.log(shape), np.log(0.02))
        around = [
            [times.cost(y[:3], y[3])[0] for y in (x + step, x - step)] for step in 1e-6 * np.eye(4)
        ]
        expected = [(ahead - behind) / 2e-6 for ahead, behind in around]
        if n_waits and shape[2] < 0.3:  # silence is impossible there, and its slope unknown
            continue
        np.testing.assert_allclose(times.cost(x[:3], x[3])[1], expected, rtol=1e-4, atol=1e-3)


def test_densities_of_a_cell_sum_to_one_over_answers_and_times():
    model = ExGaussianCells((4,), ((4, True),), longest=8.0)
    shape = {"mu": 1.0, "sigma": 0.1, "tau": 0.2, "lapse": 0.1}
    kinds = {p.name: p.name.removeprefix("error_").split("_")[0] for p in model.parameters}
    values = {name: shape.get(kind, 0.5) for name, kind in kinds.items()}
    for target in (-1, 0):
        total = 0.0
        for answer in (Action.ABSENT, Action.PRESENT):

            def density(t, answer=answer, target=target):
                trial = [np.array([x]) for x in (answer, t, target)]
                own = Responses(*trial, columns={"set_size": np.array([4])})
                return float(np.exp(model.log_densities(values, own)[0]))

            total += quad(density, 0.0, 8.0, points=[0.8, 1.2], limit=200)[0]
        assert total == pytest.approx(1.0, abs=1e-6)


def test_known_parameters_are_recovered():
    """Within four of the errors that the intervals claim; a wrong truth is found out."""
    trials, truth = draw(2000, seed=3)
    model = ExGaussianCells.for_trials(trials, 5.0)
    fitted = model.fit(trials)
    z = {}
    for parameter in model.parameters:
        if parameter.name not in truth:
            continue
        interval, value = fitted.errors[parameter.name], fitted.estimates[parameter.name]
        true, (low, high) = truth[parameter.name], (interval.low, interval.high)
        if parameter.scale is Scale.LOG:
            true, value, low, high = np.log((true, value, low, high))
        z[parameter.name] = (value - true) / ((high - low) / 3.92)
    assert max(map(abs, z.values())) < 4.0
    assert np.mean(np.square([*z.values()])) < 2.0
    wrong = truth | {"tau_8_absent": 0.5 * truth["tau_8_absent"]}
    assert fitted.log_likelihood > model.log_densities(with_errors(model, truth), trials).sum()
    assert model.log_densities(with_errors(model, wrong), trials).sum() < fitted.log_likelihood - 50


def with_errors(model, truth):
    """Give errors the distribution of their cell."""
    found = dict(truth)
    for parameter in model.parameters:
        if parameter.name not in found:
            found[parameter.name] = truth[parameter.name.removeprefix("error_")]
    return found


def test_errors_have_a_distribution_of_their_own_where_that_lowers_the_aic():
    """Slow errors in one of four cells; a few of them are as good as many."""
    trials, _ = draw(300, seed=4)
    slow = trials.present & ~trials.correct & (trials.columns["set_size"] == 4)
    assert slow.sum() >= 10
    few = np.flatnonzero(slow)[6:]  # six are left
    keep = ~np.isin(np.arange(len(trials)), few)
    rt = np.where(slow, trials.rt + 0.6, trials.rt)
    model = ExGaussianCells.for_trials(replace(trials, rt=rt).where(keep), 5.0)
    assert model.own_errors == ((4, True),)
    assert len(model.parameters) == 4 * 4 + 1 + 3
    alike = (ExGaussianCells.for_trials(draw(150, seed)[0], 5.0) for seed in range(20, 24))
    assert sum(len(model.own_errors) for model in alike) <= 2  # of 16, where errors are as others
    wrong = with_answers(hard_cells()["normal"], 150)
    assert ExGaussianCells.for_trials(wrong, 5.0).own_errors == ()


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 10 observers; lapses and shapes, which are not known apart from each other."""
    held = {"lapse": 0, "tau_4_absent": 0, "mu_4_absent": 0}
    for seed in range(10):
        trials, truth = draw(250, 100 + seed, lapse=0.05, sizes=(4,))
        errors = ExGaussianCells((4,), (), 5.0).fit(trials).errors
        for name in held:
            held[name] += errors[name].low <= truth[name] <= errors[name].high
    # Of 30, 28.5 are expected; fewer than 25 come in 1 of 300 such tests.
    assert sum(held.values()) >= 25


def test_a_cell_without_errors_or_trials_does_not_stop_the_fit():
    trials, _ = draw(60, seed=5)
    some = trials.where(trials.correct & ~(trials.present & (trials.columns["set_size"] == 8)))
    fitted = ExGaussianCells.for_trials(some, 5.0).fit(some)
    assert np.isfinite(fitted.log_likelihood)
    assert fitted.n_trials == len(some)
    assert not fitted.errors["mu_8_present"].determined


def test_predictions_are_those_of_the_trials():
    trials, _ = draw(1500, seed=6)
    fitted = ExGaussianCells.for_trials(trials, 5.0).fit(trials)
    predicted = fitted.predict()
    for i, M in enumerate((4, 8)):
        for k in (0, 1):
            here = (trials.columns["set_size"] == M) & (trials.present == bool(k))
            rt = trials.rt[here & trials.correct]
            assert predicted.mean_rt()[i, k] == pytest.approx(
                rt.mean(), abs=4 * rt.std() / rt.size**0.5
            )
            wrong = np.mean(~trials.correct[here])
            assert predicted.error_rate[i, k] == pytest.approx(wrong, abs=1e-3)


def test_blocks_left_out_are_predicted_from_the_others():
    trials, _ = draw(150, seed=7, sizes=(4,))
    n = len(trials)
    columns = {**trials.columns, "block": np.random.default_rng(1).permutation(n) % 4}
    trials = Responses(trials.response, trials.rt, trials.target, columns=columns)
    fitted = ExGaussianCells.for_trials(trials, 5.0).fit(trials)
    crossed = cross_validate(fitted, trials, folds=4)
    parameters = fitted.n_parameters
    assert fitted.log_likelihood - 3 * parameters < crossed < fitted.log_likelihood


@needs_human_data
@pytest.mark.parametrize(("observer", "published"), [("6", 428), ("10", 1180)])
def test_log_likelihoods_of_real_observers(observer, published):
    """No worse than an earlier analysis of the same trials, with an ex-Gaussian per cell too."""
    read = read_trials(CONJUNCTION, observers=[observer])
    assert read.reading.slowest == 5.0
    fitted = ExGaussianCells.for_trials(read[observer], 5.0).fit(read[observer])
    assert published < fitted.log_likelihood < published + 60.0
