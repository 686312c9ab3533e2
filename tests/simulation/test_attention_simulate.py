"""Trials of a policy and a strategy."""

import numpy as np
import pytest
from honest import assert_honest
from lopsided import COSTS, LIMITED

import popout as po
from popout.policies.looking import Attention, Guided, Parallel, Serial
from popout.simulation.attention_simulate import simulate_joint
from popout.task import LimitedSearchTask

TASK = LimitedSearchTask(n_locations=5, information=80.0)
STOP = po.SPRT.for_task(TASK.with_shares(), -3.0, 3.0)


def test_fixed_shares_are_todays_simulation_to_the_bit():
    found = simulate_joint(TASK, Parallel.for_task(TASK), STOP, 3000, seed=2)
    known = po.simulate(TASK.with_shares(), STOP, 3000, seed=2)
    assert (found.response == known.response).all()
    assert (found.steps == known.steps).all()


def test_one_location_is_todays_simulation_to_the_bit():
    task = LimitedSearchTask(n_locations=1, information=16.0)
    stop = po.SPRT.for_task(task.with_shares(), -3.0, 3.0)
    found = simulate_joint(task, Serial.for_task(task), stop, 2000, seed=2)
    known = po.simulate(po.SearchTask(n_locations=1, drift=4.0), stop, 2000, seed=2)
    assert (found.steps == known.steps).all()


@pytest.mark.parametrize("policy", [Serial, Guided])
def test_threads_change_nothing(policy):
    runs = [
        simulate_joint(TASK, policy.for_task(TASK), STOP, 5000, seed=3, threads=n)
        for n in (1, 2, 5)
    ]
    for other in runs[1:]:
        assert (other.steps == runs[0].steps).all()
        assert (other.response == runs[0].response).all()


def test_fewer_trials_are_the_first_of_more():
    more, fewer = (simulate_joint(TASK, Serial.for_task(TASK), STOP, n, seed=3) for n in (700, 300))
    assert (more.steps[:300] == fewer.steps).all()


def test_policies_face_the_same_displays():
    targets = [
        simulate_joint(TASK, policy.for_task(TASK), STOP, 500, seed=1).target
        for policy in (Parallel, Serial, Guided)
    ]
    assert (targets[0] == targets[1]).all()
    assert (targets[0] == targets[2]).all()


def test_a_history_can_be_had_after_the_fact():
    trials = simulate_joint(TASK, Serial.for_task(TASK), STOP, 50, seed=3)
    for index in range(10):
        Z, shares = trials.history(index)
        assert len(Z) == trials.steps[index] + 1
        assert (shares.sum(axis=1) == 1.0).all()
        assert ((np.diff(Z, axis=0) != 0) == (shares > 0)).all()
        actions = STOP.decide(Z, 0.0)
        assert (actions[:-1] == 0).all()
        assert actions[-1] == trials.response[index]
    assert trials.states([3, 4]).shape == (2, 5)
    assert "serial attention" in repr(trials)


def test_a_strategy_may_answer_at_once():
    hasty = po.SPRT.for_task(TASK.with_shares(), 1.0, 2.0)
    trials = simulate_joint(TASK, Serial.for_task(TASK), hasty, 10)
    assert (trials.steps == 0).all()
    assert (trials.response == po.Action.ABSENT).all()


def test_the_time_limit_leaves_trials_undecided():
    stubborn = po.SPRT.for_task(TASK.with_shares(), -40.0, 40.0)
    trials = simulate_joint(TASK, Serial.for_task(TASK), stubborn, 20, time_limit=0.05)
    assert (trials.steps == 5).all()
    assert (trials.response == po.Action.WAIT).all()


def test_bad_shares_are_named():
    class Greedy(Attention):
        def shares(self, Z, t):
            return np.ones_like(Z)

    with pytest.raises(po.InputError, match=r"Greedy\.shares: expected shares"):
        simulate_joint(TASK, Greedy(), STOP, 10)


def test_all_faults_at_once():
    with pytest.raises(po.InputError) as caught:
        simulate_joint(TASK, Parallel((0.5, 0.5)), STOP, 0, condition="sometimes", time_limit=-1.0)
    for word in ("n_trials", "attention", "condition", "time_limit"):
        assert f"simulate_joint.{word}" in str(caught.value)


@pytest.mark.parametrize("policy", [Serial, Guided])
def test_standard_errors_are_the_spread_over_seeds(policy):
    stop = po.SPRT.for_task(LIMITED.with_shares(), -2.0, 2.0)
    runs = [
        simulate_joint(LIMITED, policy.for_task(LIMITED), stop, 400, seed=seed).summary(COSTS)
        for seed in range(200)
    ]
    assert_honest([run.risk for run in runs], [run.risk_se for run in runs])
    for side in ("absent", "present"):
        for what in ("error_rate", "mean_rt"):
            found = [getattr(run, side) for run in runs]
            assert_honest(
                [getattr(each, what) for each in found],
                [getattr(each, f"{what}_se") for each in found],
            )


@pytest.mark.parametrize("policy", [Parallel, Serial, Guided])
def test_displays_follow_the_priors(policy):
    stop = po.SPRT.for_task(LIMITED.with_shares(), -1.0, 1.0)
    trials = simulate_joint(LIMITED, policy.for_task(LIMITED), stop, 20_000, seed=5)
    assert abs(trials.present.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 20_000)
    first = (trials.target[trials.present] == 0).mean()
    assert abs(first - 0.6) < 4 * np.sqrt(0.6 * 0.4 / trials.present.sum())
    Z = trials.states()
    np.testing.assert_allclose(trials.presence(), np.log(np.exp(Z) @ [0.6, 0.4]), atol=1e-9)
