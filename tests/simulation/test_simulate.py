"""The simulator against closed forms and itself, and what it says of bad input."""

import math
import sys
from dataclasses import asdict

import numpy as np
import pytest

from popout.policies.stopping import ASPRT, SPRT, Action, Hardmax
from popout.simulation import simulate
from popout.task import InputError, SearchTask

from .cases import CASES, COSTS, made

MODULE = sys.modules[simulate.__module__]  # the package gives the name to the function


@pytest.mark.parametrize("case", CASES)
def test_threads_and_chunks_leave_no_trace(case, monkeypatch):
    task, strategy = made(case)
    one = simulate(task, strategy, n_trials=5001, seed=8, threads=1)
    two = simulate(task, strategy, n_trials=5001, seed=8, threads=2)
    few = simulate(task, strategy, n_trials=777, seed=8, threads=3)
    monkeypatch.setattr(MODULE, "CHUNK", 1000)
    monkeypatch.setattr(MODULE, "PIECE", 137)
    chunked = simulate(task, strategy, n_trials=5001, seed=8, threads=2)
    for field in ("response", "steps", "target"):
        whole = getattr(one, field)
        np.testing.assert_array_equal(whole, getattr(two, field))
        np.testing.assert_array_equal(whole, getattr(chunked, field))
        np.testing.assert_array_equal(whole[:777], getattr(few, field))
    tally = simulate(task, strategy, n_trials=5001, seed=8, keep=False)
    # A location that never holds the target has rates that are not a number.
    np.testing.assert_equal(asdict(tally.summary(COSTS)), asdict(one.summary(COSTS)))


def test_seeds_matter():
    task, strategy = made("SPRT")
    a, b = (simulate(task, strategy, n_trials=1000, seed=s) for s in (1, 2))
    assert (a.steps != b.steps).mean() > 0.5


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


@pytest.fixture(scope="module")
def fine():
    """One location, small dt, thresholds moved in by the mean overshoot (Siegmund 1985)."""
    mu, b, dt = 4.0, 3.0, 2e-5
    task = SearchTask(n_locations=1, drift=mu, dt=dt)
    reach = b - 0.5826 * 2 * mu * math.sqrt(dt)
    summary = simulate(task, SPRT.for_task(task, -reach, reach), 30_000, seed=1).summary(COSTS)
    # What is left after the correction is of order dt * drift^2 / b, far below the noise here.
    return mu, b, summary


def test_closed_forms_with_one_location(fine):
    mu, b, summary = fine
    error, rt = closed_form(mu, b)
    for side in (summary.absent, summary.present):
        assert abs(side.error_rate - error) < 4 * side.error_rate_se
        assert abs(side.mean_rt - rt) < 4 * side.mean_rt_se


def test_closed_forms_would_see_a_wrong_drift_or_threshold(fine):
    mu, b, summary = fine
    _, rt = closed_form(1.03 * mu, b)
    assert abs(summary.present.mean_rt - rt) > 4 * summary.present.mean_rt_se
    error, _ = closed_form(mu, 1.15 * b)
    assert abs(summary.absent.error_rate - error) > 4 * summary.absent.error_rate_se


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
        ({"strategy": SPRT.for_task(SearchTask(n_locations=3, drift=4.0), -2, 2)}, "strategy"),
        ({"n_trials": 0}, "n_trials"),
        ({"time_limit": 0.001}, "time_limit"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"condition": "maybe"}, "condition"),
        ({"condition": 2}, "condition"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"strategy": SPRT}, "strategy"),
        ({"strategy": "sprt"}, "strategy"),
        ({"n_trials": 10**12}, "n_trials"),
        ({"n_trials": 1e12, "keep": False}, "n_trials"),
        ({"n_trials": 10.5}, "n_trials"),
        ({"n_trials": 10**11}, "n_trials"),
    ],
)
def test_bad_input_gives_one_clear_message(change, message):
    arguments = {"strategy": SPRT.for_task(TWO, -2, 2), "n_trials": 10} | change
    with pytest.raises(InputError) as caught:
        simulate(TWO, **arguments)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"simulate.{message}: expected")


def test_more_trials_than_memory_are_refused_before_they_run():
    with pytest.raises(InputError, match=r"as many as fit into memory, got 1.*; ask for f"):
        simulate(TWO, SPRT.for_task(TWO, -2, 2), 10**11)


def test_trials_may_be_written_with_an_exponent():
    assert len(simulate(TWO, SPRT.for_task(TWO, -2, 2), 1e2).rt) == 100


def test_no_task_is_named():
    with pytest.raises(InputError, match=r"simulate.task: expected a task such as SearchTask"):
        simulate("two", SPRT.for_task(TWO, -2, 2), 100)


def test_all_faults_come_together():
    with pytest.raises(InputError) as caught:
        simulate(TWO, SPRT.for_task(TWO, -2, 2), n_trials=0, seed=-1, condition=9)
    assert len(str(caught.value).splitlines()) == 3


def test_progress_is_told_in_shares_and_words(monkeypatch):
    monkeypatch.setattr(MODULE, "CHUNK", 4)
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
