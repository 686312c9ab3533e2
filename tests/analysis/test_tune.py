import math

import numpy as np
import pytest

from popout.analysis.score import Estimate, batch_risks, fresh_seed, paired_difference
from popout.analysis.surface import design, jackknife_minimum, minimum_of
from popout.analysis.tune import Method, tune
from popout.simulation import simulate
from popout.strategies import ASPRT, SPRT, Hardmax, SPRTOpt, TimeVaryingSPRT
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

COSTS = Costs(time=0.5)
ONE = SearchTask(n_locations=1, drift=4.0)
FOUR = SearchTask(n_locations=4, drift=4.0)


def test_a_quadratic_is_found_exactly():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3, 5):
        A = rng.normal(size=(d, d))
        H, u = A @ A.T + np.eye(d), rng.normal(size=d) * 0.3
        points = design(d, 1.0)
        values = 0.5 * np.einsum("ni,ij,nj->n", points - u, H, points - u)
        found, flat = minimum_of(points, values, limit=10.0)
        np.testing.assert_allclose(found, u, atol=1e-9)
        np.testing.assert_allclose(flat, 0.0)


def test_a_flat_direction_is_left_alone_and_reported():
    points = design(2, 1.0)
    values = (points[:, 0] - 0.4) ** 2 - 0.1 * points[:, 1] ** 2
    u, flat = minimum_of(points, values, limit=10.0)
    np.testing.assert_allclose(u, [0.4, 0.0], atol=1e-9)
    np.testing.assert_allclose(flat, [0.0, 1.0], atol=1e-9)
    _, se = jackknife_minimum(points, np.repeat(values[:, None], 5, axis=1), limit=10.0)
    assert math.isinf(se[1])


def test_the_jackknife_error_is_the_spread():
    """200 noisy parabolas: the spread of the minima against the error each one reports."""
    rng = np.random.default_rng(1)
    points = design(2, 1.0)
    truth = ((points - [0.2, -0.1]) ** 2 @ [1.0, 3.0])[:, None]
    found = [
        jackknife_minimum(points, truth + 0.3 * rng.normal(size=(len(points), 40)), limit=5.0)
        for _ in range(200)
    ]
    minima, errors = (np.array(part) for part in zip(*found, strict=True))
    np.testing.assert_allclose(minima.std(axis=0), errors.mean(axis=0), rtol=0.15)
    assert (np.abs(minima.mean(axis=0) - [0.2, -0.1]) < 4 * errors.mean(axis=0) / 14).all()


@pytest.fixture(scope="module")
def one_location():
    start = {"thresholds": (-2.0, 5.0), "method": "monte carlo", "n_trials": 40_000}
    return [tune(SPRTOpt, ONE, COSTS, seed=s, **start) for s in range(6)]


def test_with_one_location_the_optimum_is_the_solution_of_discrimination(one_location, tau):
    for name, expected in zip(("lower", "upper"), tau, strict=True):
        values = np.array([t.parameters[name] for t in one_location])
        errors = np.array([t.parameters_se[name] for t in one_location])
        mean_error = np.sqrt((errors**2).sum()) / len(errors)
        assert abs(values.mean() - expected) < 4 * mean_error
        assert np.median(errors) < 0.2
    assert all(t.converged for t in one_location)


def test_the_risk_is_scored_on_fresh_trials(one_location):
    for tuned in one_location:
        again = simulate(ONE, tuned.strategy, 400_000, seed=12345, keep=False).summary(COSTS)
        assert abs(tuned.risk - again.risk) < 4 * math.hypot(tuned.risk_se, again.risk_se)
        assert tuned.risk != tuned.risk_in_sample


def test_the_exact_method_finds_the_solution_of_discrimination(tau):
    tuned = tune(SPRTOpt, ONE, COSTS, thresholds=(-2.0, 5.0), n_trials=40_000)
    assert tuned.method is Method.EXACT
    assert tuned.converged
    for name, expected in zip(("lower", "upper"), tau, strict=True):
        # The oracle's thresholds are good to 5e-4.
        assert abs(tuned.parameters[name] - expected) < 4 * tuned.parameters_se[name] + 1e-3
        assert tuned.parameters_se[name] < 0.02
    assert tuned.risk_se < 1e-4 * tuned.risk


def test_both_methods_agree():
    two = SearchTask(n_locations=2, drift=4.0)
    exact = tune(ASPRT, two, COSTS, n_trials=20_000)
    simulated = tune(ASPRT, two, COSTS, method="monte carlo", n_trials=100_000)
    a, b = (simulate(two, t.strategy, 400_000, seed=77) for t in (simulated, exact))
    worse = paired_difference(a, b, COSTS)
    assert worse.value > -3 * worse.se  # nothing beats the exact optimum
    assert worse.value < 1e-3
    error = math.hypot(exact.risk_se, simulated.risk_se)
    assert abs(exact.risk - simulated.risk) < 4 * error + worse.value


def test_tuning_helps_and_cannot_hurt():
    start = SPRTOpt.for_task(FOUR, -1.5, 5.0)
    tuned = tune(SPRTOpt, FOUR, COSTS, thresholds=(-1.5, 5.0), n_trials=40_000)
    before = simulate(FOUR, start, 200_000, seed=9)
    after = simulate(FOUR, tuned.strategy, 200_000, seed=9)
    gain = paired_difference(before, after, COSTS)
    assert gain.value > 10 * gain.se


def test_a_sprt_is_no_worse_than_its_special_case(tau):
    tuned = tune(ASPRT, FOUR, COSTS, thresholds=tau, n_trials=40_000)
    sprt = simulate(FOUR, SPRT.for_task(FOUR, *tau), 200_000, seed=4)
    own = simulate(FOUR, tuned.strategy, 200_000, seed=4)
    difference = paired_difference(sprt, own, COSTS)
    assert difference.value > 2 * difference.se
    assert set(tuned.parameters) == {"a_minus", "a_plus"}
    assert "a_plus = " in str(tuned)


def test_nothing_to_tune(tau):
    tuned = tune(Hardmax, FOUR, COSTS, thresholds=tau, n_trials=5000)
    assert tuned.parameters == {}
    assert tuned.converged
    assert tuned.evaluations == 1


def test_time_varying_thresholds_have_many_parameters(tau):
    tuned = tune(TimeVaryingSPRT, FOUR, COSTS, thresholds=tau, n_trials=2000, max_evaluations=40)
    assert len(tuned.parameters) == 10
    assert tuned.strategy == TimeVaryingSPRT.for_task(FOUR, *tau, **tuned.parameters)


def test_unknown_distractors_can_be_tuned():
    task = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    tuned = tune(SPRTOpt, task, COSTS, thresholds=(-2.0, 2.0), n_trials=1000, max_evaluations=12)
    assert tuned.strategy.n_locations == 1
    assert 0 < tuned.risk < 0.5


def test_the_same_seed_gives_the_same_optimum():
    a, b = (
        tune(SPRTOpt, FOUR, COSTS, thresholds=(-3.0, 3.0), n_trials=4000, threads=t) for t in (1, 2)
    )
    assert a == b


def test_bad_input():
    with pytest.raises(InputError, match=r"tune\.n_trials"):
        tune(SPRTOpt, FOUR, COSTS, thresholds=(-3.0, 3.0), n_trials=10)
    with pytest.raises(InputError, match=r"tune\.method"):
        tune(SPRTOpt, FOUR, COSTS, method="guess")


def test_batches_average_to_the_risk():
    trials = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 4000, seed=1)
    batches = batch_risks(trials, COSTS, 40)
    summary = trials.summary(COSTS)
    assert batches.mean() == pytest.approx(summary.risk, rel=1e-12)
    assert batches.std(ddof=1) / math.sqrt(40) == pytest.approx(summary.risk_se, rel=0.35)


def test_paired_differences_need_the_same_trials():
    a = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 1000, seed=1)
    b = simulate(FOUR, SPRT.for_task(FOUR, -3.0, 3.0), 1000, seed=2)
    with pytest.raises(ValueError, match="one seed"):
        paired_difference(a, b, COSTS)
    assert paired_difference(a, a, COSTS) == Estimate(0.0, 0.0)
    assert fresh_seed(1) != fresh_seed(1, 2)
