import math

import numpy as np
import pytest

from popout.analysis.regret import regret
from popout.analysis.score import (
    Estimate,
    batch_risks,
    expected_difference,
    paired_difference,
)
from popout.analysis.search import fine
from popout.analysis.surface import Prior, Surface, design
from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import Method, tune
from popout.exact import solve
from popout.simulation import simulate
from popout.strategies import ASPRT, SPRT, Hardmax, Parameter, SPRTOpt, TimeVaryingSPRT
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

COSTS = Costs(time=0.5)
ONE = SearchTask(n_locations=1, drift=4.0)
FOUR = SearchTask(n_locations=4, drift=4.0)


def noiseless(values):
    return np.repeat(values[:, None], 5, axis=1)


def test_a_quadratic_is_found_exactly():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3, 5):
        A = rng.normal(size=(d, d))
        H, u = A @ A.T + np.eye(d), rng.normal(size=d) * 0.3
        points = design(d, 1.0)
        values = 0.5 * np.einsum("ni,ij,nj->n", points - u, H, points - u)
        surface = Surface(points, noiseless(values))
        found = surface.minimum(limit=10.0)
        np.testing.assert_allclose(found.u, u, atol=1e-6)
        np.testing.assert_allclose(found.se, 0.0, atol=1e-6)
        assert surface.fits


def test_a_lopsided_valley_is_found_where_a_parabola_would_miss_it():
    """exp(-u) + u, as the risk of a threshold: the parabola is off by h**2 / 6."""
    points = design(2, 1.0)
    values = (np.exp(-points) + points).sum(axis=1)
    found = Surface(points, noiseless(values)).minimum(limit=2.0)
    assert np.abs(found.u).max() < 0.01
    parabola = np.polyfit(points[1:5, 0], np.exp(-points[1:5, 0]) + points[1:5, 0], 2)
    assert abs(parabola[1] / (2 * parabola[0])) > 0.1


def test_a_flat_direction_is_left_alone_and_reported():
    points = design(2, 1.0)
    values = (points[:, 0] - 0.4) ** 2 - 0.1 * points[:, 1] ** 2
    found = Surface(points, noiseless(values)).minimum(limit=10.0)
    np.testing.assert_allclose(found.u, [0.4, 0.0], atol=1e-6)
    assert math.isinf(found.se[1])
    assert found.se[0] < 1e-6


def noisy(rng, points, centre, noise=0.3):
    truth = ((points - centre) ** 2 @ [1.0, 3.0])[:, None]
    return Surface(points, truth + noise * rng.normal(size=(len(points), 40)))


def test_the_error_of_a_minimum_is_its_spread():
    """200 noisy parabolas: the spread of the minima against the error each one reports."""
    rng = np.random.default_rng(1)
    points = design(2, 1.0)
    found = [noisy(rng, points, [0.2, -0.1]).minimum(limit=5.0) for _ in range(200)]
    minima = np.array([one.u for one in found])
    errors = np.array([one.se for one in found])
    np.testing.assert_allclose(minima.std(axis=0), errors.mean(axis=0), rtol=0.15)
    assert (np.abs(minima.mean(axis=0) - [0.2, -0.1]) < 4 * errors.mean(axis=0) / 14).all()


@pytest.mark.parametrize("sd", [0.02, 0.2])
def test_a_prior_is_weighed_by_its_precision(sd):
    """Minima drawn from the prior: the combination errs by as much as it says, and by less."""
    rng = np.random.default_rng(2)
    points = design(2, 1.0)
    prior = Prior(np.zeros(2), np.full(2, sd))
    wrong, alone, stated = [], [], []
    for _ in range(300):
        truth = rng.normal(scale=sd, size=2)
        surface = noisy(rng, points, truth)
        together = surface.minimum(limit=5.0, prior=prior)
        wrong.append(together.u - truth)
        stated.append(together.se)
        alone.append(surface.minimum(limit=5.0).u - truth)
    wrong, alone = (np.sqrt(np.mean(np.square(part), axis=0)) for part in (wrong, alone))
    np.testing.assert_allclose(wrong, np.mean(stated, axis=0), rtol=0.15)
    assert (wrong < 1.02 * np.minimum(alone, sd)).all()


def test_where_a_surface_says_nothing_the_prior_stays():
    points = design(2, 1.0)
    flat = Surface(points, np.random.default_rng(3).normal(size=(len(points), 40)))
    prior = Prior(np.array([0.3, -0.2]), np.array([0.1, 0.2]))
    found = flat.minimum(limit=5.0, prior=prior)
    np.testing.assert_allclose(found.u, prior.mean, atol=0.02)
    np.testing.assert_allclose(found.se, prior.sd, rtol=0.05)


def test_a_kink_does_not_pass_for_a_valley():
    points = design(2, 1.0)
    noise = 1e-3 * np.random.default_rng(4).normal(size=(len(points), 40))
    smooth, kinked = (values[:, None] for values in ((points**2).sum(1), np.abs(points).sum(1)))
    assert Surface(points, smooth + noise).fits
    assert not Surface(points, kinked + noise).fits


def test_a_search_does_not_settle_beside_lower_points():
    """A valley beside a plateau: from the plateau a poor fit may show a minimum of its own."""
    rng = np.random.default_rng(5)
    noise = 1e-4 * rng.normal(size=40)
    parameter = Parameter("x", start=0.0, lower=-50.0, upper=50.0, scale=1.0)

    def batches(u):
        x = float(u[0])
        return (x + 3.0) ** 2 / (1.0 + (x + 3.0) ** 2) + noise + 1e-4 * rng.normal(size=40)

    for start in (0.0, 2.0, -6.0):
        found = fine(batches, [parameter], np.array([start]))
        assert found.converged
        assert abs(found.u[0] + 3.0) < 0.1


@pytest.fixture(scope="module")
def one_location():
    start = {"thresholds": (-2.0, 5.0), "method": "monte carlo", "n_trials": 40_000}
    return [tune(SPRTOpt, ONE, COSTS, seed=s, **start) for s in range(20)]


def test_with_one_location_the_optimum_is_the_solution_of_discrimination(one_location, tau):
    """Twenty seeds, two thresholds: the errors cover the truth as often as they should."""
    scores = []
    for name, expected in zip(("lower", "upper"), tau, strict=True):
        values = np.array([t.parameters[name] for t in one_location])
        errors = np.array([t.parameters_se[name] for t in one_location])
        assert abs(values.mean() - expected) < 4 * np.sqrt((errors**2).sum()) / len(errors)
        assert np.median(errors) < 0.1
        scores += list((values - expected) / errors)
    inside = np.mean(np.abs(scores) < 2)
    # 40 scores, 95 % expected: 5 or more outside happen once in 70 runs of an honest error.
    assert inside >= 0.87
    # Negative control: errors half as large would be seen.
    assert np.mean(np.abs(scores) < 1) < 0.87
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


@pytest.fixture(scope="module")
def four():
    """Four locations at the drift of the paper's risk figure, solved exactly."""
    task, costs = SearchTask(n_locations=4, drift=12.0), Costs(time=1.0)
    return solve(task, costs, rtol=1e-3)


def test_tuned_scales_lose_next_to_nothing_at_four_locations(four):
    """True regrets of a-SPRT tuned by simulation, over seeds and numbers of trials.

    The bound: each scale off by twice the spread with which it is expected, in the worse direction.
    """
    task, costs = four.task, four.costs
    pair = threshold_pair(task, costs)

    def lost(strategy):
        return regret(four, strategy, n_trials=10_000, seed=9).value

    def off(minus, plus):
        a_minus, a_plus = four.scales.a_minus, four.scales.a_plus
        scales = {"a_minus": a_minus * math.exp(minus), "a_plus": a_plus * math.exp(plus)}
        return lost(ASPRT.for_task(task, *pair, **scales))

    bound = max(off(i, j) for i in (-0.08, 0.08) for j in (-0.08, 0.08))
    sprt = lost(SPRT.for_task(task, *pair))
    assert bound < 0.7 * sprt  # the bound means something
    for seed, n_trials in ((0, 5_000), (1, 20_000), (2, 20_000), (3, 80_000)):
        tuned = tune(ASPRT, task, costs, n_trials=n_trials, seed=seed)
        assert tuned.method is Method.MONTE_CARLO
        assert lost(tuned.strategy) < bound
        for name in ("a_minus", "a_plus"):
            away = math.log(tuned.parameters[name] / getattr(four.scales, name))
            assert abs(away) < 3 * tuned.parameters_se[name] / tuned.parameters[name]
            assert tuned.expected[name] > 0


@pytest.mark.parametrize("locations", [8, 16])
def test_a_sprt_is_never_worse_than_its_special_case(locations, tau):
    """SPRT is a member of the family; paired on trials that the tuning has not seen."""
    task = SearchTask(n_locations=locations, drift=4.0)
    sprt = simulate(task, SPRT.for_task(task, *tau), 300_000, seed=4)
    for seed in (0, 1):
        tuned = tune(ASPRT, task, COSTS, thresholds=tau, n_trials=5_000, seed=seed)
        own = simulate(task, tuned.strategy, 300_000, seed=4)
        difference = paired_difference(sprt, own, COSTS)
        assert difference.value > 3 * difference.se
        assert all(math.isfinite(se) for se in tuned.parameters_se.values())
        assert "a_plus = " in str(tuned)


def test_a_wrong_expectation_is_given_up(monkeypatch):
    """Negative control of the above: exact small problems that lie about the scales."""
    liar = {"a_minus": 0.3, "a_plus": 6.0}
    monkeypatch.setattr("popout.analysis.tune._small_optimum", lambda *_: liar)
    tuned = tune(ASPRT, FOUR, COSTS, n_trials=20_000)
    assert not tuned.expected
    assert tuned.parameters["a_minus"] > 0.6
    told = ASPRT.for_task(FOUR, *threshold_pair(FOUR, COSTS), **liar)
    a, b = (simulate(FOUR, strategy, 50_000, seed=4) for strategy in (told, tuned.strategy))
    gain = expected_difference(a, b, COSTS)
    assert gain.value > 10 * gain.se


def test_thresholds_of_sprt_opt_follow_their_series():
    """From two and three locations, exact, to five, simulated: no jump between the methods."""
    found = [
        tune(SPRTOpt, SearchTask(n_locations=m, drift=12.0), Costs(time=1.0), n_trials=40_000)
        for m in (2, 3, 4, 5)
    ]
    for name in ("lower", "upper"):
        values = [t.parameters[name] for t in found]
        errors = [t.parameters_se[name] for t in found]
        for here in range(3):
            both = math.hypot(errors[here], errors[here + 1])
            assert abs(values[here + 1] - values[here]) < 4 * both


def test_thresholds_at_very_unequal_drifts():
    """Two valleys, one of them against the bound: the better one is found, against a grid."""
    task, costs = SearchTask(drift=(20.0, 1.0)), Costs(time=1.0)
    solution = solve(task, costs, 1e-4)
    tuned = tune(SPRTOpt, task, costs, solution=solution, n_trials=20_000)
    assert tuned.converged
    own = regret(solution, tuned.strategy, n_trials=1000, seed=2)
    grid = [
        regret(solution, SPRTOpt.for_task(task, 0, 0, lower=a, upper=b), n_trials=1000, seed=2)
        for a in (-1.75, -0.4, -0.2, -0.01)
        for b in (0.8, 1.8, 3.0)
    ]
    best = min(grid, key=lambda one: one.value)
    difference = own.per_trial - best.per_trial
    assert difference.mean() < 3 * difference.std() / math.sqrt(1000)


def test_unequal_drifts_and_uneven_priors_have_an_expectation():
    unequal = SearchTask(drift=(8.0, 3.0, 3.0, 5.0))
    tuned = tune(ASPRT, unequal, COSTS, n_trials=5_000)
    assert all(math.isfinite(se) for se in tuned.parameters_se.values())
    uneven = SearchTask(drift=4.0, n_locations=4, location_prior=(0.7, 0.1, 0.1, 0.1))
    loose = tune(ASPRT, uneven, COSTS, n_trials=5_000)
    even = tune(ASPRT, FOUR, COSTS, n_trials=5_000)
    for name in ("a_minus", "a_plus"):
        assert even.parameters_se[name] < loose.parameters_se[name] < tuned.parameters_se[name]


def test_a_solution_must_be_that_of_the_task(four):
    with pytest.raises(InputError, match=r"tune\.solution"):
        tune(SPRTOpt, FOUR, COSTS, solution=four)


@pytest.mark.parametrize("prior", [0.001, 0.999])
@pytest.mark.parametrize("locations", [2, 4])
def test_where_looking_does_not_pay_the_answer_comes_at_once(locations, prior):
    """Looking costs more than the rarer class can: the least risk is 0.001, without any trial."""
    task = SearchTask(n_locations=locations, drift=4.0, prior=prior)
    tuned = tune(SPRTOpt, task, COSTS, n_trials=8_000, seed=1)
    assert tuned.risk == pytest.approx(0.001, abs=1e-9)
    assert simulate(task, tuned.strategy, 50, seed=1).rt.max() == 0.0


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


def test_probabilities_of_errors_tell_the_same_with_less_noise():
    """Against the errors themselves on ten times the trials; one class alone is refused."""
    strategies = (SPRT.for_task(FOUR, -3.5, 3.5), Hardmax.for_task(FOUR, -3.5, 3.5))
    costs = Costs(time=(0.3, 0.6), miss=2.0)
    few = expected_difference(*(simulate(FOUR, s, 20_000, seed=5) for s in strategies), costs)
    many = paired_difference(*(simulate(FOUR, s, 200_000, seed=6) for s in strategies), costs)
    assert abs(few.value - many.value) < 4 * math.hypot(few.se, many.se)
    assert few.se < many.se
    wrong = expected_difference(
        *(simulate(FOUR, s, 20_000, seed=5) for s in strategies), Costs(time=(0.3, 0.6), miss=1.0)
    )
    assert abs(wrong.value - many.value) > 4 * math.hypot(wrong.se, many.se)
    absent = simulate(FOUR, strategies[0], 100, seed=5, condition="absent")
    with pytest.raises(ValueError, match="priors"):
        expected_difference(absent, absent, costs)
