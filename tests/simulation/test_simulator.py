"""The simulator against closed forms and itself, and what it says of bad input."""

import math
from dataclasses import asdict

import lopsided
import numpy as np
import pytest
from honest import assert_honest
from simulated_cases import CASES, COSTS, made

import popout as po
from popout.policies.looking import Attention, Guided, Parallel, Serial
from popout.policies.observer import Observer
from popout.policies.stopping import ASPRT, SPRT, Action, Hardmax
from popout.simulation import simulate, simulator
from popout.task import InputError, LimitedSearchTask, SearchTask

SHARED = LimitedSearchTask(n_locations=5, information=80.0)
STOP = SPRT.for_task(SHARED, -3.0, 3.0)
POLICIES = {"serial": Serial, "guided": Guided}


@pytest.mark.parametrize("case", [*CASES, *POLICIES])
def test_threads_and_chunks_leave_no_trace(case, monkeypatch):
    task, strategy = made(case) if case in CASES else (SHARED, Observer(POLICIES[case], STOP))
    one = simulate(task, strategy, n_trials=5001, seed=8, threads=1)
    two = simulate(task, strategy, n_trials=5001, seed=8, threads=2)
    few = simulate(task, strategy, n_trials=777, seed=8, threads=3)
    monkeypatch.setattr(simulator, "CHUNK", 1000)
    monkeypatch.setattr(simulator, "PIECE", 137)
    chunked = simulate(task, strategy, n_trials=5001, seed=8, threads=2)
    for field in ("response", "steps", "target"):
        whole = getattr(one, field)
        np.testing.assert_array_equal(whole, getattr(two, field))
        np.testing.assert_array_equal(whole, getattr(chunked, field))
        np.testing.assert_array_equal(whole[:777], getattr(few, field))
    tally = simulate(task, strategy, n_trials=5001, seed=8, keep=False)
    # A location that never holds the target has rates that are not a number.
    np.testing.assert_equal(asdict(tally.summary(COSTS)), asdict(one.summary(COSTS)))


@pytest.mark.parametrize("recipe", [ASPRT, Hardmax])
def test_a_decision_before_looking_takes_no_time(recipe):
    task = SearchTask(n_locations=16, drift=4.0)
    strategy = recipe.for_task(task, -0.5, 2.0)
    if recipe is ASPRT:
        assert (1 - 1 / strategy.a_minus) * math.log(16) >= 0.5
    trials = simulate(task, strategy, n_trials=100, seed=0)
    assert (trials.response == Action.ABSENT).all()
    assert (trials.rt == 0).all()


def test_a_trial_at_its_limit_is_undecided():
    task = SearchTask(n_locations=2, drift=1.0)
    trials = simulate(task, SPRT.for_task(task, -6.0, 6.0), 4000, seed=1, time_limit=0.3)
    undecided = trials.response == Action.WAIT
    assert undecided.sum() > 1000
    assert (trials.steps[undecided] == 30).all()
    summary = trials.summary(COSTS)
    assert summary.undecided == undecided.sum()
    assert "a lower bound" in str(summary)


def closed_form(mu, b):
    """Error rate and mean RT of a symmetric SPRT on a Brownian motion with drift (dt -> 0)."""
    return 1 / (1 + math.exp(b)), b / (2 * mu**2) * math.tanh(b / 2)


def test_closed_forms_with_one_location():
    """Small dt, thresholds moved in by the mean overshoot (Siegmund 1985)."""
    mu, b, dt = 4.0, 3.0, 2e-5
    task = SearchTask(n_locations=1, drift=mu, dt=dt)
    reach = b - 0.5826 * 2 * mu * math.sqrt(dt)
    summary = simulate(task, SPRT.for_task(task, -reach, reach), 30_000, seed=1).summary(COSTS)
    # What is left after the correction is of order dt * drift^2 / b, far below the noise here.
    error, rt = closed_form(mu, b)
    for side in (summary.absent, summary.present):
        assert abs(side.error_rate - error) < 4 * side.error_rate_se
        assert abs(side.mean_rt - rt) < 4 * side.mean_rt_se
    # A wrong drift or threshold would be seen.
    assert abs(summary.present.mean_rt - closed_form(1.03 * mu, b)[1]) > 4 * side.mean_rt_se
    wrong = closed_form(mu, 1.15 * b)[0]
    assert abs(summary.absent.error_rate - wrong) > 4 * summary.absent.error_rate_se


def test_likelihood_identity_at_the_decision():
    """E[exp(S(T)); present said | absent] = P(present said | present), whatever the test."""
    task = SearchTask(drift=(5.0, 3.0))
    strategy = Hardmax.for_task(task, (-3.0, -2.0), (3.0, 2.0))
    absent = simulate(task, strategy, 100_000, seed=3, condition="absent")
    present = simulate(task, strategy, 100_000, seed=4, condition="present")
    ratio = np.exp(absent.state_statistics().S) * (absent.response == Action.PRESENT)
    hit = present.response == Action.PRESENT
    se = math.hypot(ratio.std(), hit.std()) / math.sqrt(100_000)
    assert abs(ratio.mean() - hit.mean()) < 4 * se
    wrong = np.exp(0.9 * absent.state_statistics().S) * (absent.response == Action.PRESENT)
    assert abs(wrong.mean() - hit.mean()) > 4 * se


TWO = SearchTask(n_locations=2, drift=4.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observer": SPRT.for_task(SearchTask(n_locations=3, drift=4.0), -2, 2)}, "strategy"),
        ({"n_trials": 0}, "n_trials"),
        ({"time_limit": 0.001}, "time_limit"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"condition": "maybe"}, "condition"),
        ({"condition": 2}, "condition"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"observer": SPRT}, "strategy"),
        ({"observer": "sprt"}, "strategy"),
        ({"observer": Observer(Serial, SPRT.for_task(TWO, -2, 2))}, "attention"),
        ({"n_trials": 10**12}, "n_trials"),
        ({"n_trials": 1e12, "keep": False}, "n_trials"),
        ({"n_trials": 10.5}, "n_trials"),
    ],
)
def test_bad_input_gives_one_clear_message(change, message):
    arguments = {"observer": SPRT.for_task(TWO, -2, 2), "n_trials": 10} | change
    with pytest.raises(InputError) as caught:
        simulate(TWO, **arguments)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"simulate.{message}: expected")


def test_more_trials_than_memory_are_refused_before_they_run():
    with pytest.raises(InputError, match=r"as many as fit into memory, got 1.*; ask for f"):
        simulate(TWO, SPRT.for_task(TWO, -2, 2), 10**11)


def test_all_faults_come_together():
    with pytest.raises(InputError) as caught:
        simulate(TWO, SPRT.for_task(TWO, -2, 2), n_trials=0, seed=-1, condition=9)
    assert len(str(caught.value).splitlines()) == 3


def test_progress_is_told_in_shares_and_words(monkeypatch):
    monkeypatch.setattr(simulator, "CHUNK", 4)
    for keep in (True, False):
        told = []
        simulate(
            TWO,
            SPRT.for_task(TWO, -1, 1),
            10,
            keep=keep,
            progress=lambda share, words, told=told: told.append((share, words)),
        )
        assert told == [(0.4, "4 trials"), (0.8, "8 trials"), (1.0, "10 trials")]


# -- shared information ---------------------------------------------------------------------------


def test_fixed_shares_are_the_search_at_their_drifts_to_the_bit():
    shared = simulate(SHARED, Observer(Parallel, STOP), 3000, seed=2)
    known = simulate(SHARED.with_shares(), STOP, 3000, seed=2)
    assert (shared.response == known.response).all()
    assert (shared.steps == known.steps).all()


def test_one_location_needs_no_attention_and_is_the_same_with_it_to_the_bit():
    task = LimitedSearchTask(n_locations=1, information=16.0)
    stop = SPRT.for_task(task, -3.0, 3.0)
    known = simulate(SearchTask(n_locations=1, drift=4.0), stop, 2000, seed=2)
    for observer in (stop, Observer(Serial, stop)):
        assert (simulate(task, observer, 2000, seed=2).steps == known.steps).all()


def test_policies_face_the_same_displays():
    first, *others = (
        simulate(SHARED, Observer(policy, STOP), 500, seed=1).target
        for policy in (Parallel, Serial, Guided)
    )
    assert all((first == other).all() for other in others)


def test_serial_observers_answer_at_once_or_not_at_all():
    hasty, stubborn = SPRT.for_task(SHARED, 1.0, 2.0), SPRT.for_task(SHARED, -40.0, 40.0)
    trials = simulate(SHARED, Observer(Serial, hasty), 10)
    assert (trials.steps == 0).all()
    assert (trials.response == Action.ABSENT).all()
    trials = simulate(SHARED, Observer(Serial, stubborn), 20, time_limit=0.05)
    assert (trials.steps == 5).all()
    assert (trials.response == Action.WAIT).all()


class Greedy(Attention):
    """Looks everywhere in full."""

    def shares(self, Z, t):
        return np.ones_like(Z)


@pytest.mark.parametrize(
    ("observer", "message"),
    [
        (STOP, r"simulate\.observer: expected an Observer with attention, got 'a str.*; say where"),
        (Observer(Greedy(), STOP), r"Greedy\.shares: expected shares"),
        (Observer(Parallel((0.5, 0.5)), STOP), r"simulate\.attention: expected one for 5 loc"),
        (Observer("serial", STOP), r"simulate\.attention: expected an attention policy"),
    ],
)
def test_bad_attention_is_named(observer, message):
    with pytest.raises(InputError, match=message):
        simulate(SHARED, observer, 10)


@pytest.mark.parametrize("policy", [Serial, Guided])
def test_standard_errors_are_the_spread_over_seeds(policy):
    task, costs = lopsided.LIMITED, lopsided.COSTS
    observer = Observer(policy, SPRT.for_task(task, -2.0, 2.0))
    runs = [simulate(task, observer, 400, seed=seed).summary(costs) for seed in range(200)]
    assert_honest([run.risk for run in runs], [run.risk_se for run in runs])
    for side in ("absent", "present"):
        for what in ("error_rate", "mean_rt"):
            sides = [getattr(run, side) for run in runs]
            assert_honest(
                [getattr(each, what) for each in sides],
                [getattr(each, f"{what}_se") for each in sides],
            )


@pytest.mark.parametrize("policy", [Parallel, Serial, Guided])
def test_displays_follow_the_priors(policy):
    task = lopsided.LIMITED
    trials = simulate(task, Observer(policy, SPRT.for_task(task, -1.0, 1.0)), 20_000, seed=5)
    assert abs(trials.present.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 20_000)
    first = (trials.target[trials.present] == 0).mean()
    assert abs(first - 0.6) < 4 * np.sqrt(0.6 * 0.4 / trials.present.sum())
    Z = trials.states()
    np.testing.assert_allclose(trials.presence(), np.log(np.exp(Z) @ [0.6, 0.4]), atol=1e-9)


def test_a_name_is_tuned_for_the_attention():
    task, costs = LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    trials = po.simulate(task, Observer(Serial, "sprt-opt"), 100, costs=costs, tune_trials=1000)
    assert trials.as_dict()["attention"] == "serial"
    assert trials.strategy.label == "SPRT-opt"
