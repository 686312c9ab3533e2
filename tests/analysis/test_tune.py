import json
import math
from dataclasses import replace

import numpy as np
import pytest

from popout.analysis.regret import regret
from popout.analysis.score import paired_difference
from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import Method, Tuned, tune
from popout.exact import solve
from popout.policies.stopping import ASPRT, SPRT, Hardmax, SPRTOpt, TimeVaryingSPRT
from popout.simulation import simulate
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

COSTS = Costs(time=0.5)
ONE = SearchTask(n_locations=1, drift=4.0)
FOUR = SearchTask(n_locations=4, drift=4.0)


@pytest.fixture(scope="module")
def one_location():
    start = {"thresholds": (-2.0, 5.0), "method": "monte carlo", "n_trials": 10_000}
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
    for tuned in one_location[:5]:
        again = simulate(ONE, tuned.strategy, 200_000, seed=12345, keep=False).summary(COSTS)
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
    a, b = (simulate(two, t.strategy, 40_000, seed=77) for t in (simulated, exact))
    worse = paired_difference(a, b, COSTS)
    assert worse.value > -3 * worse.se  # nothing beats the exact optimum
    assert worse.value < 1e-3
    error = math.hypot(exact.risk_se, simulated.risk_se)
    assert abs(exact.risk - simulated.risk) < 4 * error + worse.value


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
    sprt = simulate(task, SPRT.for_task(task, *tau), 30_000, seed=4)
    for seed in (0, 1):
        tuned = tune(ASPRT, task, COSTS, thresholds=tau, n_trials=5_000, seed=seed)
        own = simulate(task, tuned.strategy, 30_000, seed=4)
        difference = paired_difference(sprt, own, COSTS)
        assert difference.value > 3 * difference.se
        assert all(math.isfinite(se) for se in tuned.parameters_se.values())
        assert "a_plus" in str(tuned)


@pytest.mark.parametrize(
    ("locations", "drift", "cost", "below"),
    [(4, 2.0, 2.0, 0.475), (24, 4.0, 2.0, 0.41), (64, 4.0, 2.0, 0.465)],
)
def test_a_sprt_is_not_tuned_into_a_guess_where_looking_pays_a_little(
    locations, drift, cost, below
):
    """The optimum at four locations is .46830; with more, SPRT-opt risks .403 and .461."""
    task = SearchTask(n_locations=locations, drift=drift)
    tuned = tune(ASPRT, task, Costs(time=cost), n_trials=16_000)
    assert tuned.risk < below + 3 * tuned.risk_se
    assert tuned.risk < 0.5 - 3 * tuned.risk_se
    assert max(tuned.strategy.margins(np.zeros(locations), 0.0)) < 0


@pytest.mark.parametrize("law_lies", [True, False])
def test_a_wrong_expectation_is_given_up(monkeypatch, law_lies):
    """Negative control of the above: a law, or small problems, that lie about the scales."""
    liar = {"a_minus": 0.3, "a_plus": 6.0}
    told_by_law = liar if law_lies else None
    monkeypatch.setattr("popout.analysis.expected_optimum.scales_by_law", lambda *_: told_by_law)
    monkeypatch.setattr("popout.analysis.tune._small_optimum", lambda *_: liar)
    tuned = tune(ASPRT, FOUR, COSTS, n_trials=20_000)
    assert not tuned.expected
    assert tuned.parameters["a_minus"] > 0.6
    told = ASPRT.for_task(FOUR, *threshold_pair(FOUR, COSTS), **liar)
    a, b = (simulate(FOUR, strategy, 50_000, seed=4) for strategy in (told, tuned.strategy))
    gain = paired_difference(a, b, COSTS)
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

    def lost(strategy):
        return regret(solution, strategy, n_trials=1000, seed=2)

    own = lost(tuned.strategy)
    grid = [
        lost(SPRTOpt.for_task(task, 0, 0, lower=a, upper=b))
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


def test_progress_is_told_and_results_are_plain(tau):
    told = []
    tuned = tune(
        SPRTOpt,
        ONE,
        COSTS,
        thresholds=tau,
        n_trials=2000,
        progress=lambda share, words: told.append((share, words)),
    )
    assert len(told) == tuned.evaluations
    assert math.isnan(told[-1][0])
    assert told[-1][1] == f"{tuned.evaluations} evaluations"
    found = json.loads(json.dumps(tuned.as_dict(), allow_nan=False))
    assert found["strategy"] == "SPRT-opt"
    assert found["parameters"] == tuned.parameters
    assert tuned.numbers == {
        "tau_minus": tuned.strategy.tau_minus,
        "tau_plus": tuned.strategy.tau_plus,
    }
    assert list(tuned.errors.values()) == list(tuned.parameters_se.values())


def test_nothing_to_tune(tau):
    tuned = tune(Hardmax, FOUR, COSTS, thresholds=tau, n_trials=5000)
    assert tuned.parameters == {}
    assert tuned.converged
    assert tuned.evaluations == 1


def test_time_varying_thresholds_have_many_parameters(monkeypatch):
    monkeypatch.setattr("popout.analysis.surface.MAX_EVALUATIONS", 12)
    task, costs = SearchTask(n_locations=4, drift=4.0, dt=0.1), Costs(time=2.0)
    tuned = tune(TimeVaryingSPRT, task, costs, n_trials=1000)
    assert len(tuned.parameters) == 10
    pair = threshold_pair(task, costs)
    assert tuned.strategy == TimeVaryingSPRT.for_task(task, *pair, **tuned.parameters)


def test_unknown_distractors_can_be_tuned(monkeypatch):
    monkeypatch.setattr("popout.analysis.surface.MAX_EVALUATIONS", 12)
    task = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    tuned = tune(SPRTOpt, task, Costs(time=2.0), thresholds=(-1.0, 1.0), n_trials=1000)
    assert tuned.strategy.n_locations == 1
    assert 0 < tuned.risk < 0.5


def test_the_same_seed_gives_the_same_optimum():
    a, b = (
        tune(SPRTOpt, FOUR, COSTS, thresholds=(-3.0, 3.0), n_trials=4000, threads=t) for t in (1, 2)
    )
    assert a == b


BAD = [
    ("recipe", SPRT.for_task(ONE, -2.0, 2.0)),
    ("recipe", "spr"),
    ("task", "two"),
    ("costs", 0.2),
    ("n_trials", 1e12),
    ("n_trials", 10),
    ("method", "guess"),
]


@pytest.mark.parametrize(("field", "value"), BAD)
def test_every_bad_input_says_what_to_do(field, value):
    arguments = {"recipe": SPRTOpt, "task": ONE, "costs": COSTS, field: value}
    with pytest.raises(InputError, match=rf"^tune\.{field}: expected .+, got .+; .+$"):
        tune(**arguments)


def test_a_recipe_may_be_named_and_trials_written_with_an_exponent(tau):
    named, own = (
        tune(wanted, ONE, COSTS, thresholds=tau, n_trials=n)
        for wanted, n in (("sprt", 1e3), (SPRT, 1000))
    )
    assert named == own


@pytest.mark.parametrize("recipe", [ASPRT, SPRTOpt])
def test_where_the_evidence_is_far_too_slow_no_time_is_spent(recipe):
    """A look costs ten times what it can gain: nothing is solved or searched."""
    task, costs = SearchTask(n_locations=8, drift=0.2), Costs(time=5.0)
    tuned = tune(recipe, task, costs, n_trials=2000)
    assert tuned.risk == pytest.approx(0.5, abs=1e-9)
    assert tuned.evaluations <= 2


TWO = SearchTask(n_locations=2, drift=4.0)
TUNED = Tuned(
    recipe=SPRTOpt,
    strategy=SPRTOpt.for_task(TWO, -3.0, 3.0, lower=-2.5, upper=2.0),
    parameters={"lower": -2.5, "upper": 2.0},
    parameters_se={"lower": 0.02, "upper": math.inf},
    risk=0.05,
    risk_se=0.0001,
    risk_in_sample=0.0499,
    method=Method.MONTE_CARLO,
    evaluations=30,
    converged=True,
)


def test_the_card_says_what_is_known_and_what_is_not():
    text = str(TUNED)
    assert "risk 0.05000 +- 0.00010" in text
    assert "-2.500 +- 0.020" in text
    assert "2.0000 (not determined by these trials)" in text
    assert "30 evaluations, converged" in text
    assert "NOT converged" in str(replace(TUNED, converged=False))


def test_undecided_trials_are_told():
    assert "undecided" not in str(TUNED)
    late = replace(TUNED, undecided=7)
    assert "7 trials undecided; the risk is a lower bound" in str(late)
    assert late.as_dict()["undecided"] == 7
