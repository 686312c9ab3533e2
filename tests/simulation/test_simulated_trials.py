"""What a simulation knows of its trials: states, paths, and which trials are the same."""

import math

import numpy as np
import pytest
from simulated_cases import made

import popout as po
from popout.policies.looking import Guided, Parallel, Serial
from popout.policies.observer import Observer
from popout.policies.stopping import SPRT, Action
from popout.simulation import Responses, simulate
from popout.task import LimitedSearchTask, SearchTask


def test_strategies_under_one_seed_share_displays_and_noise():
    task = SearchTask(n_locations=3, drift=4.0)
    strict = SPRT.for_task(task, -3.0, 3.0)
    lax = SPRT.for_task(task, -2.0, 2.0)
    a, b = (simulate(task, s, n_trials=2000, seed=4) for s in (strict, lax))
    np.testing.assert_array_equal(a.target, b.target)
    assert (b.steps <= a.steps).all()  # a nested test can only stop earlier on the same path
    i = int(np.argmax(a.steps - b.steps))
    np.testing.assert_array_equal(a.path(i)[: b.steps[i] + 1], b.path(i))


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


@pytest.mark.parametrize("policy", [Serial, Guided, Parallel])
def test_histories_of_shared_information_are_those_of_the_trial(policy):
    task = LimitedSearchTask(n_locations=5, information=80.0)
    stop = SPRT.for_task(task, -3.0, 3.0)
    trials = simulate(task, Observer(policy, stop), 50, seed=3)
    for index in range(10):
        Z, shares = trials.history(index)
        assert len(Z) == trials.steps[index] + 1
        assert shares.sum(axis=1) == pytest.approx(1.0)
        assert ((np.diff(Z, axis=0) != 0) == (shares > 0)).all()
        actions = stop.decide(Z, 0.0)
        assert (actions[:-1] == Action.WAIT).all()
        assert actions[-1] == trials.response[index]
    assert trials.states([3, 4]).shape == (2, 5)
    assert f"{policy.for_task(task).label} attention" in repr(trials)
    assert simulate(SearchTask(n_locations=5, drift=4.0), stop, 5).history(0)[1] is None


def test_statistics_at_the_decision_are_beyond_the_thresholds():
    task, strategy = made("a-SPRT, two")
    trials = simulate(task, strategy, n_trials=2000, seed=2)
    frame = trials.state_statistics()
    assert (frame.S_plus[trials.response == Action.PRESENT] >= strategy.tau_plus).all()
    assert (frame.S_minus[trials.response == Action.ABSENT] <= strategy.tau_minus).all()
    Z = trials.states([7])[0]
    assert frame.S[7] == pytest.approx(math.log((math.exp(Z[0]) + math.exp(Z[1])) / 2), abs=1e-12)


def test_indices_are_checked():
    task, strategy = made("SPRT")
    trials = simulate(task, strategy, 100)
    with pytest.raises(ValueError, match="from 0 to 99"):
        trials.path(100)
    assert len(trials.states([1, 5])) == 2


def test_the_same_trials_are_those_of_one_task_seed_condition_and_number():
    task = SearchTask(n_locations=2, drift=4.0)
    strict, lax = (SPRT.for_task(task, -b, b) for b in (2.0, 1.0))
    trials = simulate(task, strict, 20, seed=1)
    assert trials.same_trials(simulate(task, lax, 20, seed=1, condition="prior"))
    assert not trials.same_trials(simulate(task, lax, 20, seed=2))
    assert not trials.same_trials(simulate(task, lax, 21, seed=1))
    assert not trials.same_trials(simulate(task, lax, 20, seed=1, condition="present"))
    other = SearchTask(n_locations=2, drift=4.5)  # the same targets, other evidence
    faster = simulate(other, lax, 20, seed=1)
    np.testing.assert_array_equal(faster.target, trials.target)
    assert not trials.same_trials(faster)
    same = Responses(trials.response, trials.rt, trials.target, n_locations=2, dt=task.dt)
    assert not trials.same_trials(same)


@pytest.mark.parametrize("index", ["x", 1.5, None, True, [1, 2], 99, -1])
def test_a_trial_is_a_whole_number(index):
    task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    trials = po.simulate(task, po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0)), 9)
    for use in (trials.scanpath, trials.path, trials.plot_scanpath):
        with pytest.raises(po.InputError, match=r"Trials\.index: expected whole numbers from 0 to"):
            use(index)
