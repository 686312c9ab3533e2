"""Regret by advantages against the paired difference to an independently solved optimum."""

import json
import math

import numpy as np
import pytest
from lopsided import COSTS as UNEQUAL
from lopsided import TASK as LOPSIDED
from paper_recursion import Oracle
from scipy.special import expit
from slow_regret import slow_regret

import popout as po
from popout.analysis.regret import regret, risk_above
from popout.analysis.score import Estimate, paired_difference
from popout.analysis.tune import tune
from popout.exact import evaluate, solve
from popout.policies.stopping import ASPRT, SPRT, Action, Hardmax, SPRTOpt, Strategy
from popout.simulation import simulate
from popout.task import Costs, InputError, SearchTask

COSTS = Costs(time=0.2)
TASK = SearchTask(n_locations=2, drift=4.0)
TAU = 4.546  # thresholds of one location at this cost; a test below checks it


class Best(Strategy):
    """The oracle's own policy."""

    def __init__(self, solved):
        self.solved = solved

    def decide(self, Z, t):
        return self.solved.decide(Z, t)


@pytest.fixture(scope="module")
def solved():
    return Oracle((4.0, 4.0), 0.2, spacing=0.1, low=-12.0, high=10.0)


@pytest.fixture(scope="module")
def solution():
    return solve(TASK, COSTS, rtol=1e-5)


@pytest.fixture(scope="module")
def best_trials(solved):
    return simulate(TASK, Best(solved), 100_000, seed=3)


STRATEGIES = {
    "SPRT": SPRT.for_task(TASK, -TAU, TAU),
    "SPRT-opt, far off": SPRTOpt.for_task(TASK, -TAU, TAU, lower=-3.0, upper=3.0),
    "Hardmax": Hardmax.for_task(TASK, -TAU, TAU),
    "SPRT-opt, waits too long": SPRTOpt.for_task(TASK, -TAU, TAU, lower=-6.0, upper=7.0),
    "a-SPRT, bad scales": ASPRT.for_task(TASK, -TAU, TAU, a_minus=0.4, a_plus=3.0),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_regret_is_the_paired_difference_to_the_optimum(name, solution, best_trials):
    strategy = STRATEGIES[name]
    found = regret(solution, strategy, n_trials=10_000, seed=1)
    trials = simulate(TASK, strategy, 100_000, seed=3)
    paired = paired_difference(trials, best_trials, COSTS, by_probability=False)
    # The oracle's nearest-node policy is itself off by about 1e-5.
    assert abs(found.value - paired.value) < 4 * math.hypot(found.se, paired.se) + 2e-5
    # The point of the method: far less noise from a tenth of the trials.
    assert found.se < 0.3 * paired.se


def test_the_optimum_has_no_regret(solved, solution):
    found = regret(solution, Best(solved), n_trials=5000, seed=2)
    assert 0 <= found.value < 1e-5  # what the nearest-node policy loses


def test_a_wrong_optimum_is_seen(solution):
    """Negative control: the optimum of another cost does not give this cost's regret."""
    other = solve(TASK, Costs(time=0.6), rtol=1e-3)
    right, wrong = (
        regret(optimum, STRATEGIES["SPRT"], n_trials=5000, seed=1) for optimum in (solution, other)
    )
    assert abs(wrong.value - right.value) > 10 * math.hypot(right.se, wrong.se)


def test_one_location():
    one = Oracle((4.0,), 0.2, spacing=0.05)
    task = SearchTask(n_locations=1, drift=4.0)
    lower, upper = one.thresholds()
    exact = solve(task, COSTS, rtol=1e-5)
    optimal = regret(exact, SPRT.for_task(task, lower, upper), n_trials=5000)
    hasty = regret(exact, SPRT.for_task(task, -3.0, 3.0), n_trials=5000)
    assert upper == pytest.approx(TAU, abs=1e-3)
    assert lower == pytest.approx(-TAU, abs=1e-3)
    assert optimal.value < 1e-5
    assert hasty.value > 100 * optimal.value
    assert hasty.by_action[Action.WAIT] < 0.01 * hasty.value


def test_it_is_an_estimate_and_shows_where_it_was_lost(solution):
    found = regret(solution, STRATEGIES["Hardmax"], n_trials=2000, seed=1)
    assert isinstance(found, Estimate)
    # Means over trials, without the weights of post-stratification.
    assert sum(found.by_action.values()) == pytest.approx(found.value, rel=0.05)
    assert len(repr(found)) < 80
    assert str(found).splitlines()[0].startswith("Excess risk over the optimum")
    numbers = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert numbers["value"] == found.value
    assert numbers["trials"] == 2000
    assert set(numbers["by_action"]) == {"wait", "absent", "present"}


BAD = [("n_trials", 1), ("time_limit", 0.001)]


@pytest.mark.parametrize(("field", "value"), BAD)
def test_bad_input(field, value, solution):
    with pytest.raises(InputError, match=rf"^regret\.{field}: expected .+, got .+; .+$"):
        regret(solution, STRATEGIES["SPRT"], **{"n_trials": 10, field: value})


def test_a_strategy_for_another_task_and_a_seed_in_words(solution):
    other = SPRT.for_task(SearchTask(n_locations=3, drift=4.0), -TAU, TAU)
    with pytest.raises(
        InputError, match=r"regret\.strategy: .* for the task's 2 locations"
    ) as caught:
        regret(solution, other, seed="x")
    assert "regret.seed" in str(caught.value)  # all faults at once


def test_the_exact_solution_agrees_with_the_oracle(solved, solution):
    assert solution.risk == pytest.approx(solved.risk, rel=2e-4)
    for name, strategy in STRATEGIES.items():
        a = regret(solution, strategy, n_trials=2000, seed=1)
        b = slow_regret(TASK, solved.advantage, strategy, 2000)
        assert a.value == pytest.approx(b.value, rel=0.02), name


def test_regret_of_a_sprt_with_its_own_scales(solution):
    """Known to 5 % of itself, and less than a millionth of the risk."""
    tuned = tune(ASPRT, TASK, COSTS, n_trials=30_000)
    found = regret(solution, tuned.strategy, n_trials=260_000, seed=1)
    assert 0 < found.se < 0.05 * found.value
    assert found.value < 2e-6 * solution.risk


def test_waiting_far_beyond_the_boundary_is_paid_for():
    """Unequal drifts: at the hard location SPRT waits where the optimum has long answered."""
    task, costs = SearchTask(drift=(8.0, 3.0)), Costs(time=0.5)
    solution = solve(task, costs, rtol=1e-5)
    lower, upper = solution.thresholds[1]
    late = SPRTOpt.for_task(task, lower, upper, lower=lower - 1.0, upper=upper + 2.0)
    found = regret(solution, late, n_trials=15_000, seed=1)
    exact = evaluate(task, late, costs, 1e-4)
    assert abs(solution.risk + found.value - exact.risk) < 4 * found.se + exact.risk_error

    def narrow(Z):
        """Negative control: the ratio of waiting to answering stays as it is past the grid."""
        table = solution.strategy
        present = expit(table.log_odds(Z))
        wait = np.minimum(present, 1 - present) * np.exp(table.log_ratio(Z))
        Q = np.stack([wait, present, 1 - present], axis=-1)
        return Q - Q.min(axis=-1, keepdims=True)

    wrong = slow_regret(task, narrow, late, 15_000)
    assert solution.risk + wrong.value < exact.risk - 10 * wrong.se


def test_a_name_is_no_strategy():
    with pytest.raises(InputError) as caught:
        regret("optimal", "sprt")
    assert str(caught.value) == (
        "regret.optimum: expected a Solution, got 'optimal'; solve the task\n"
        "regret.observer: expected an observer or a strategy, got 'sprt'; make one, e.g. "
        "SPRT.for_task(task, costs)"
    )


def test_classes_weigh_what_the_prior_says():
    """What a class loses may differ much: here an observer says "present" far too soon."""
    solution = solve(LOPSIDED, UNEQUAL, rtol=1e-3)
    strategy = SPRT.for_task(LOPSIDED, -2.4, 0.5)
    found = regret(solution, strategy, n_trials=20_000, seed=4)
    exact = evaluate(LOPSIDED, strategy, UNEQUAL, rtol=1e-3)
    off = exact.risk_error + solution.risk_error
    assert abs(found.value - (exact.risk - solution.risk)) < 4 * found.se + off
    absent, present = (found.per_trial[found.present == side].mean() for side in (False, True))
    assert found.value == pytest.approx(0.7 * absent + 0.3 * present)
    assert abs(found.value - (0.3 * absent + 0.7 * present)) > 4 * found.se


def test_a_risk_above_the_optimum_has_the_errors_of_both():
    solved = solve(SearchTask(drift=(5.0, 3.0), prior=0.3), Costs(time=0.3, miss=1.5), rtol=1e-2)
    found = risk_above(solved, Estimate(0.01, 0.5 * solved.risk_error))
    assert found.value == solved.risk + 0.01
    assert found.se == pytest.approx(math.sqrt(1.25) * solved.risk_error, rel=1e-12)


LIMITED, COSTLY = po.LimitedSearchTask(n_locations=2, information=8.0), Costs(time=0.5)


@pytest.fixture(scope="module")
def best():
    return po.solve(LIMITED, COSTLY, 1e-3)


def test_the_optimum_of_limited_information_has_no_regret(best):
    lost = regret(best, po.Observer(best.attention, best.strategy))
    assert abs(lost.value) <= lost.se + 1e-4 * best.risk
    assert lost.se < 0.01 * best.risk


def test_its_error_is_that_of_the_optimum_and_of_the_observer(best):
    lost = regret(best, po.Observer(po.Serial.for_task(LIMITED), SPRT.for_task(LIMITED, -1.5, 1.2)))
    assert min(best.risk_error, lost.evaluation.risk_error) > 0
    assert lost.se == pytest.approx(best.risk_error + lost.evaluation.risk_error, rel=1e-12)
    assert lost.value == lost.evaluation.risk - best.risk


def test_an_exact_regret_is_what_simulation_loses(best):
    serial = po.Observer(po.Serial.for_task(LIMITED), SPRT.for_task(LIMITED, -1.5, 1.5))
    lost = regret(best, serial)
    summary = simulate(LIMITED, serial, 100_000, seed=1).summary(COSTLY)
    assert abs(summary.risk - best.risk - lost.value) < 4 * summary.risk_se + lost.se
    assert lost.value > 10 * lost.se
    assert lost.relative == lost.value / lost.as_dict()["optimal_risk"]
    assert "of the optimal risk" in str(lost)
    assert repr(lost).endswith("exact)")


def test_attention_where_every_location_observes_by_itself_is_refused():
    task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.5)
    stop = po.SPRT.for_task(task, -2.0, 2.0)
    with pytest.raises(po.InputError, match=r"regret\.attention: expected no attention"):
        po.regret(po.solve(task, costs, 1e-2), po.Observer(po.Parallel, stop))
