"""The simulator against a plain reference on the same noise, closed forms, and itself."""

import math

import numpy as np
import pytest

from popout.simulation import simulate, standard_normals
from popout.simulation import simulate as simulate_function
from popout.strategies import (
    ASPRT,
    SPRT,
    Action,
    Hardmax,
    ScaledSPRT,
    SPRTOpt,
    Strategy,
    TimeVaryingSPRT,
)
from popout.task import Costs, InputError, SearchTask

COSTS = Costs(time=0.2)


def plain_statistic(y, a):
    top = max(y)
    if math.isinf(a):
        return top
    return top + math.log(math.fsum(math.exp(a * (v - top)) for v in y)) / a


def plain_trial(task, strategy, noise, target, n_steps):
    """One trial by the simulation standard, in plain Python; the law written out again."""
    M = task.n_locations
    Z = [0.0] * M
    k = 0
    while True:
        t = k * task.dt
        if isinstance(strategy, TimeVaryingSPRT):
            lower = np.interp(t, strategy.knots, strategy.tau_minus)
            upper = np.interp(t, strategy.knots, strategy.tau_plus)
            a_minus = a_plus = 1.0
            c_minus = c_plus = (1.0,) * M
        else:
            lower, upper = strategy.tau_minus, strategy.tau_plus
            a_minus, a_plus = strategy.a_minus, strategy.a_plus
            c_minus, c_plus = strategy.c_minus, strategy.c_plus
        y = [z - o for z, o in zip(Z, strategy.offset, strict=True)]
        if plain_statistic([c * v for c, v in zip(c_plus, y, strict=True)], a_plus) >= upper:
            return Action.PRESENT, k
        if plain_statistic([c * v for c, v in zip(c_minus, y, strict=True)], a_minus) <= lower:
            return Action.ABSENT, k
        if k == n_steps:
            return Action.WAIT, k
        for location, mu in enumerate(task.drifts):
            sign = 1.0 if location == target else -1.0
            step = noise[k * M + location]
            Z[location] += sign * 2 * mu**2 * task.dt + 2 * mu * math.sqrt(task.dt) * step
        k += 1


CASES = {
    "one location": (SearchTask(n_locations=1, drift=3.0), ASPRT, -2.5, 2.0, {}),
    "a-SPRT, two": (SearchTask(n_locations=2, drift=4.0), ASPRT, -2.5, 2.5, {}),
    "a-SPRT, odd": (SearchTask(n_locations=3, drift=4.0), ASPRT, -2.5, 2.5, {}),
    "a-SPRT, many": (SearchTask(n_locations=17, drift=6.0), ASPRT, -3.0, 2.5, {"a_plus": 0.4}),
    "unequal drifts": (SearchTask(drift=(8.0, 3.0, 5.0)), ASPRT, (-4, -2, -3), (4, 2, 3), {}),
    "priors": (
        SearchTask(n_locations=3, drift=4.0, prior=0.2, location_prior=(0.7, 0.3, 0.0)),
        SPRT,
        -2.5,
        2.5,
        {},
    ),
    "SPRT": (SearchTask(n_locations=8, drift=4.0, dt=0.005), SPRT, -3.0, 3.0, {}),
    "SPRT-opt": (SearchTask(n_locations=4, drift=4.0), SPRTOpt, -3.0, 3.0, {"upper": 1.5}),
    "Hardmax": (SearchTask(n_locations=5, drift=5.0), Hardmax, -4.0, 2.0, {}),
    "Hardmax, unequal": (SearchTask(drift=(8.0, 3.0)), Hardmax, (-5, -3), (4, 2), {}),
    "time-varying": (
        SearchTask(n_locations=4, drift=4.0),
        TimeVaryingSPRT,
        -3.0,
        3.0,
        {"upper_1": 2.0, "upper_2": 1.0, "lower_3": -1.0},
    ),
}


def made(case):
    task, recipe, tau_minus, tau_plus, parameters = CASES[case]
    return task, recipe.for_task(task, tau_minus, tau_plus, **parameters)


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_equals_the_plain_reference_trial_by_trial(case):
    task, strategy = made(case)
    n_steps = 60
    trials = simulate(task, strategy, n_trials=300, seed=5, time_limit=n_steps * task.dt)
    noise = standard_normals(5, np.arange(300), n_steps * task.n_locations)
    for i in range(300):
        expected = plain_trial(task, strategy, noise[i], trials.target[i], n_steps)
        assert (trials.response[i], trials.steps[i]) == expected


class Unchanged(Strategy):
    """Hides the compiled form of a strategy, as a user's own has none."""

    def __init__(self, inner):
        self.inner = inner

    def decide(self, Z, t):
        return self.inner.decide(Z, t)


@pytest.mark.parametrize("case", CASES)
def test_plain_numpy_strategies_see_the_same_trials(case):
    task, strategy = made(case)
    compiled = simulate(task, strategy, n_trials=5000, seed=3)
    plain = simulate(task, Unchanged(strategy), n_trials=5000, seed=3)
    for field in ("response", "steps", "target"):
        np.testing.assert_array_equal(getattr(plain, field), getattr(compiled, field))
    np.testing.assert_array_equal(plain.states(), compiled.states())


@pytest.mark.parametrize("case", CASES)
def test_threads_and_chunks_leave_no_trace(case, monkeypatch):
    task, strategy = made(case)
    one = simulate(task, strategy, n_trials=20_001, seed=8, threads=1)
    two = simulate(task, strategy, n_trials=20_001, seed=8, threads=2)
    few = simulate(task, strategy, n_trials=777, seed=8, threads=3)
    module = __import__("sys").modules[simulate_function.__module__]
    monkeypatch.setattr(module, "CHUNK", 1000)
    monkeypatch.setattr(module, "PIECE", 137)
    chunked = simulate(task, strategy, n_trials=20_001, seed=8, threads=2)
    for field in ("response", "steps", "target"):
        whole = getattr(one, field)
        np.testing.assert_array_equal(whole, getattr(two, field))
        np.testing.assert_array_equal(whole, getattr(chunked, field))
        np.testing.assert_array_equal(whole[:777], getattr(few, field))
    tally = simulate(task, strategy, n_trials=20_001, seed=8, keep=False)
    assert tally.summary(COSTS) == one.summary(COSTS)


def test_seeds_matter():
    task, strategy = made("SPRT")
    a, b = (simulate(task, strategy, n_trials=1000, seed=s) for s in (1, 2))
    assert (a.steps != b.steps).mean() > 0.5


def test_strategies_under_one_seed_share_displays_and_noise():
    task = SearchTask(n_locations=3, drift=4.0)
    strict = SPRT.for_task(task, -3.0, 3.0)
    lax = SPRT.for_task(task, -2.0, 2.0)
    a, b = (simulate(task, s, n_trials=2000, seed=4) for s in (strict, lax))
    np.testing.assert_array_equal(a.target, b.target)
    assert (b.steps <= a.steps).all()  # a nested test can only stop earlier on the same path
    i = int(np.argmax(a.steps - b.steps))
    np.testing.assert_array_equal(a.path(i)[: b.steps[i] + 1], b.path(i))


@pytest.mark.parametrize("condition", ["present", "absent", 0, 2])
def test_a_fixed_condition_keeps_the_noise(condition):
    task = SearchTask(n_locations=3, drift=4.0)
    strategy = SPRT.for_task(task, -2.5, 2.5)
    drawn = simulate(task, strategy, n_trials=3000, seed=6)
    fixed = simulate(task, strategy, n_trials=3000, seed=6, condition=condition)
    if condition == "present":
        assert (fixed.target >= 0).all()
        same = drawn.target >= 0
    else:
        assert (fixed.target == (-1 if condition == "absent" else condition)).all()
        same = drawn.target == fixed.target
    assert same.any()
    np.testing.assert_array_equal(drawn.steps[same], fixed.steps[same])


def test_displays_follow_their_priors():
    prior, pi = 0.3, np.array([0.5, 0.0, 0.2, 0.3])
    task = SearchTask(n_locations=4, drift=4.0, prior=prior, location_prior=tuple(pi))
    target = simulate(task, SPRT.for_task(task, -1.0, 1.0), n_trials=100_000, seed=1).target
    n = len(target)
    assert abs((target >= 0).mean() - prior) < 4 * math.sqrt(prior * (1 - prior) / n)
    counts = np.bincount(target[target >= 0], minlength=4)
    expected = counts.sum() * pi
    assert (np.abs(counts - expected) <= 4 * np.sqrt(expected * (1 - pi))).all()


@pytest.mark.parametrize("case", ["one location", "a-SPRT, odd", "unequal drifts", "time-varying"])
def test_paths_and_states_are_those_of_the_trial(case):
    task, strategy = made(case)
    trials = simulate(task, strategy, n_trials=200, seed=2)
    Z = trials.states()
    for i in range(200):
        path = trials.path(i)
        assert (path[0] == 0).all()
        np.testing.assert_array_equal(path[-1], Z[i])
        looks = np.arange(len(path)) * task.dt
        actions = strategy.decide(path, looks)
        assert (actions[:-1] == Action.WAIT).all()
        assert actions[-1] == trials.response[i]


def test_statistics_at_the_decision_are_beyond_the_thresholds():
    task, strategy = made("a-SPRT, two")
    trials = simulate(task, strategy, n_trials=2000, seed=2)
    frame = trials.state_statistics()
    assert (frame.S_plus[trials.response == Action.PRESENT] >= strategy.tau_plus).all()
    assert (frame.S_minus[trials.response == Action.ABSENT] <= strategy.tau_minus).all()
    Z = trials.states([7])[0]
    assert frame.S[7] == pytest.approx(math.log((math.exp(Z[0]) + math.exp(Z[1])) / 2), abs=1e-12)


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
    ],
)
def test_bad_input_gives_one_clear_message(change, message):
    arguments = {"strategy": SPRT.for_task(TWO, -2, 2), "n_trials": 10} | change
    with pytest.raises(InputError) as caught:
        simulate(TWO, **arguments)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"simulate.{message}: expected")


def test_all_faults_come_together():
    with pytest.raises(InputError) as caught:
        simulate(TWO, SPRT.for_task(TWO, -2, 2), n_trials=0, seed=-1, condition=9)
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize("answer", [np.array(3), np.zeros((5, 7), np.int8), None])
def test_a_strategy_that_returns_nonsense_is_named(answer):
    class Broken(Strategy):
        def decide(self, Z, t):
            return answer if answer is not None else np.full(np.shape(Z)[:-1], 5)

    with pytest.raises(InputError, match=r"Broken\.decide: expected"):
        simulate(TWO, Broken(), n_trials=5)


def test_thresholds_in_the_wrong_order():
    with pytest.raises(InputError, match="not above tau_plus"):
        ScaledSPRT(1.0, -1.0, 1.0, 1.0, (1.0,), (1.0,), (0.0,))
