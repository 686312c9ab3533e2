"""Tasks with unknown distractors: SPRT on the exact log likelihood ratio."""

import math

import numpy as np
import pytest

from popout.evidence import Evidence
from popout.policies.stopping import SPRT, Action
from popout.simulation import heterogeneous, simulate
from popout.task import (
    Costs,
    DiscriminationTask,
    InputError,
    MixtureSearchTask,
    SceneSearchTask,
    SearchTask,
)

DRIFTS = {0: -4.0, 10: 4.0, 20: 0.0}
COSTS = Costs(time=0.2)


def designs():
    scene = {10: 4.0, 20: -4.0, "blank": -12.0}
    return {
        "independent": MixtureSearchTask.independent(4, [10], [0, 20], DRIFTS),
        "tied": MixtureSearchTask.tied(4, [10], [0, 20], DRIFTS, prior=0.3),
        "scene, mixture": SceneSearchTask.from_sets(5, [10], [20], [1, 3], scene).as_mixture(),
        "scene, exact": SceneSearchTask.from_sets(5, [10], [20], [1, 3], scene),
        "discrimination": DiscriminationTask.from_sets([10], [0, 20], DRIFTS),
    }


@pytest.mark.parametrize("name", designs())
def test_trials_are_first_passages_of_the_exact_ratio(name):
    task = designs()[name]
    strategy = SPRT.for_task(task, -2.0, 2.5)
    n, n_steps = 40, 300
    trials = simulate(task, strategy, n, seed=3, time_limit=n_steps * task.dt)
    evidence = Evidence(task)
    sample = evidence.sample(n, n_steps, seed=3)
    np.testing.assert_array_equal(trials.target, sample.location)
    for i in range(n):
        x, answer = np.zeros(evidence.observation_shape), (Action.WAIT, n_steps)
        for k in range(n_steps):  # one step at a time: no trajectory kernel
            x = x + sample.increments[i, k]
            L = evidence.log_likelihood(x, (k + 1) * task.dt)
            odds = float(evidence.log_likelihood_ratio(L)) + task.log_prior_odds
            if odds >= 2.5 or odds <= -2.0:
                answer = (Action.PRESENT if odds >= 2.5 else Action.ABSENT, k + 1)
                break
        assert (trials.response[i], trials.steps[i]) == answer


@pytest.mark.parametrize("name", designs())
def test_windows_and_chunks_leave_no_trace(name, monkeypatch):
    task = designs()[name]
    strategy = SPRT.for_task(task, -3.0, 3.0)
    whole = simulate(task, strategy, 60, seed=2, time_limit=2.0)
    monkeypatch.setattr(heterogeneous, "WINDOW", 5)
    monkeypatch.setattr(heterogeneous, "NUMBERS", 2000)
    pieces = simulate(task, strategy, 60, seed=2, time_limit=2.0)
    for field in ("response", "steps", "target"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(pieces, field))
    tally = simulate(task, strategy, 60, seed=2, time_limit=2.0, keep=False)
    assert tally.summary(COSTS) == whole.summary(COSTS)


def test_states_and_paths():
    task = designs()["tied"]
    strategy = SPRT.for_task(task, -2.0, 2.0)
    trials = simulate(task, strategy, 50, seed=1, condition="present")
    odds = trials.state_statistics().S + task.log_prior_odds
    assert (odds[trials.response == Action.PRESENT] >= 2.0).all()
    assert (odds[trials.response == Action.ABSENT] <= -2.0).all()
    path = trials.path(3)
    assert path.shape == (trials.steps[3] + 1, 1)
    assert (strategy.decide(path[:-1], 0.0) == Action.WAIT).all()


def test_errors_respect_the_thresholds():
    """An exact log likelihood ratio bounds the odds of an error by the threshold (Wald)."""
    task = designs()["independent"]
    b = 2.5
    summary = simulate(task, SPRT.for_task(task, -b, b), 4000, seed=5).summary(COSTS)
    for side, other in ((summary.absent, summary.present), (summary.present, summary.absent)):
        bound = math.exp(-b) * (1 - other.error_rate)
        assert side.error_rate < bound + 4 * side.error_rate_se
        assert side.error_rate > 0.5 * bound  # and not by much less: the overshoot is moderate


def test_a_decision_before_looking():
    task = MixtureSearchTask.tied(4, [10], [0, 20], DRIFTS, prior=0.01)
    trials = simulate(task, SPRT.for_task(task, -3.0, 3.0), 100)
    assert (trials.response == Action.ABSENT).all()
    assert (trials.steps == 0).all()
    np.testing.assert_array_equal(trials.target, Evidence(task).sample(100, 1, seed=1).location)
    np.testing.assert_array_equal(trials.states([0, 7]), [[0.0], [0.0]])  # nothing was seen
    assert trials.path(3).shape == (1, 1)


def test_a_strategy_on_local_evidence_is_refused():
    local = SPRT.for_task(SearchTask(n_locations=4, drift=4.0), -2.0, 2.0)
    with pytest.raises(InputError, match="a strategy on S"):
        simulate(designs()["tied"], local, 10)
