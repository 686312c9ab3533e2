"""The yardstick against SciPy's density, against quadrature, and against known parameters."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import exponnorm

from popout.people.comparison import cross_validate
from popout.people.ex_gaussian import FEWEST_ERRORS, ExGaussianCells, log_ex_gaussian
from popout.people.reading import read_trials
from popout.simulation.responses import Responses
from popout.strategies import Action

from .lookalikes import CONJUNCTION, needs_human_data


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


@pytest.mark.parametrize("shape", [(0.4, 0.05, 0.1), (0.5, 0.3, 0.01), (1.0, 0.005, 2.0)])
def test_density_against_scipy(shape):
    t = np.linspace(0.01, 6.0, 200)
    mu, sigma, tau = shape
    expected = exponnorm.logpdf(t, tau / sigma, mu, sigma)
    seen = expected > -600  # SciPy loses the rest
    np.testing.assert_allclose(log_ex_gaussian(t, *shape)[seen], expected[seen], rtol=1e-6)


def test_densities_of_a_cell_sum_to_one_over_answers_and_times():
    model = ExGaussianCells((4,), ((4, True),), longest=8.0)
    values = {p.name: p.from_unit(0.5) for p in model.parameters} | {"lapse": 0.1}
    for ending in ("4_absent", "4_present"):
        for prefix in ("", "error_") if "present" in ending else ("",):
            values |= {
                f"{prefix}{n}_{ending}": v
                for n, v in zip(("mu", "sigma", "tau"), (1.0, 0.1, 0.2), strict=True)
            }
    for target in (-1, 0):
        total = 0.0
        for answer in (Action.ABSENT, Action.PRESENT):

            def density(t, answer=answer, target=target):
                one = Responses(
                    np.array([answer]), np.array([t]), np.array([target]),
                    columns={"set_size": np.array([4])},
                )  # fmt: skip
                return float(np.exp(model.log_densities(values, one)[0]))

            total += quad(density, 0.0, 8.0, points=[0.8, 1.2], limit=200)[0]
        assert total == pytest.approx(1.0, abs=1e-6)


def test_known_parameters_are_recovered():
    """Within four of the errors that the intervals claim; a wrong truth is found out."""
    trials, truth = draw(2000, seed=3)
    model = ExGaussianCells.for_trials(trials, 5.0)
    fitted = model.fit(trials)
    z = {}
    for parameter in model.parameters:
        if parameter.name.startswith("error_") and "rate" not in parameter.name:
            continue
        interval, value = fitted.errors[parameter.name], fitted.estimates[parameter.name]
        error = np.log(interval.high / interval.low) / 3.92
        z[parameter.name] = np.log(value / truth[parameter.name]) / error
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


def test_errors_have_a_distribution_of_their_own_where_there_are_enough():
    trials, _ = draw(300, seed=4)
    model = ExGaussianCells.for_trials(trials, 5.0)
    wrong = trials.present & ~trials.correct & (trials.columns["set_size"] == 4)
    assert wrong.sum() >= FEWEST_ERRORS
    assert (4, True) in model.own_errors
    assert (8, False) not in model.own_errors
    assert len(model.parameters) == 4 * 4 + 1 + 3 * len(model.own_errors)


def test_a_cell_without_errors_or_trials_does_not_stop_the_fit():
    trials, _ = draw(60, seed=5)
    some = trials.where(trials.correct & ~(trials.present & (trials.columns["set_size"] == 8)))
    fitted = ExGaussianCells.for_trials(some, 5.0).fit(some)
    assert np.isfinite(fitted.log_likelihood)
    assert fitted.n_trials == len(some)
    assert not fitted.errors["mu_8_present"].determined


def test_predictions_are_those_of_the_trials():
    trials, _ = draw(4000, seed=6)
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
    trials, _ = draw(150, seed=7)
    n = len(trials)
    columns = {**trials.columns, "block": np.random.default_rng(1).permutation(n) % 4}
    trials = Responses(trials.response, trials.rt, trials.target, columns=columns)
    fitted = ExGaussianCells.for_trials(trials, 5.0).fit(trials)
    crossed = cross_validate(fitted, trials, folds=4)
    parameters = fitted.n_parameters
    assert fitted.log_likelihood - 3 * parameters < crossed < fitted.log_likelihood


@needs_human_data
@pytest.mark.parametrize(("observer", "published"), [("2", 3324), ("6", 428), ("10", 1180)])
def test_log_likelihoods_of_real_observers(observer, published):
    """An earlier analysis of the same trials, whose treatment of slow outliers is not on record."""
    read = read_trials(CONJUNCTION, observers=[observer])
    assert read.reading.slowest == 5.0
    fitted = ExGaussianCells.for_trials(read[observer], 5.0).fit(read[observer])
    assert abs(fitted.log_likelihood - published) < 20.0
