"""Thresholds on stored paths: against a loop over looks, and against the exact optimum."""

import math
from dataclasses import replace

import numpy as np
import pytest

from popout.analysis.score import paired_difference
from popout.exact import thresholds
from popout.reports.odds_paths import (
    OddsPaths,
    best_duration,
    draw_paths,
    fixed_duration,
    tune_constant,
    tune_deadline,
    tune_varying,
)
from popout.reports.study import EFFORTS, Study
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, SearchTask

COSTS = Costs(time=(0.3, 0.5), miss=2.0, false_alarm=1.0)
TASK = SearchTask(n_locations=1, drift=4.0)


def fake(odds, target):
    return OddsPaths(TASK, np.asarray(odds, np.float32), np.asarray(target, np.int32))


def loop(paths, lower, upper, criterion):
    """Return look and answer of each trial, one look at a time."""
    ends = []
    for path in paths.odds:
        for k, value in enumerate(path):
            last = k == len(path) - 1
            if value >= (criterion if last else upper[k]):
                ends.append((k, True))
                break
            if last or value <= lower[k]:
                ends.append((k, False))
                break
    return ends


def test_risk_is_that_of_a_loop():
    rng = np.random.default_rng(1)
    odds = np.cumsum(rng.normal(size=(200, 12)), axis=1)
    paths = fake(odds, rng.integers(-1, 1, 200))
    lower, upper = np.linspace(-2.0, -0.5, 12), np.linspace(2.5, 0.2, 12)
    criterion = math.log(COSTS.false_alarm / COSTS.miss)
    losses = {True: [], False: []}
    for (k, said), present in zip(loop(paths, lower, upper, criterion), paths.present, strict=True):
        time = k * TASK.dt * (COSTS.time_present if present else COSTS.time_absent)
        wrong = (COSTS.miss if present else COSTS.false_alarm) if said != present else 0.0
        losses[bool(present)].append(time + wrong)
    expected = 0.5 * np.mean(losses[True]) + 0.5 * np.mean(losses[False])
    assert paths.risk(lower, upper, COSTS) == pytest.approx(expected, abs=1e-12)
    assert paths.risk(lower + 0.5, upper, COSTS) != pytest.approx(expected, abs=1e-6)


@pytest.fixture(scope="module")
def problem():
    effort = replace(EFFORTS["quick"], path_trials=4000)
    return Study(TASK, Costs(time=0.5), effort, 1)


@pytest.fixture(scope="module")
def paths(problem):
    return draw_paths(problem, seed=5)


def test_chunks_do_not_change_the_paths(problem, paths, monkeypatch):
    monkeypatch.setattr("popout.reports.odds_paths.CHUNK", 1000)
    again = draw_paths(problem, 5, 50)
    assert np.array_equal(again.odds, paths.odds[:50])
    assert np.array_equal(again.target, paths.target[:50])


def test_tuned_thresholds_come_within_noise_of_the_exact_optimum(problem, paths):
    exact = thresholds(4.0, problem.costs)
    tuned = tune_constant(paths, problem.costs)
    fresh = draw_paths(problem, seed=6)
    scored = fresh.responses(tuned).summary(problem.costs)
    assert abs(scored.risk - exact.risk) < 4 * scored.risk_se
    guess = fresh.responses(replace(tuned, tau_minus=(-0.3,) * 3, tau_plus=(0.3,) * 3))
    assert guess.summary(problem.costs).risk > exact.risk + 4 * scored.risk_se


def test_richer_families_do_no_worse_on_the_trials_they_are_tuned_on(paths, problem):
    costs = problem.costs
    constant = tune_constant(paths, costs)
    deadline = tune_deadline(paths, costs, constant)
    varying = tune_varying(paths, costs, deadline)
    strategies = (constant, deadline, varying)
    risks = [paths.responses(strategy).summary(costs).risk for strategy in strategies]
    assert risks == sorted(risks, reverse=True)


def test_fixed_time_is_the_best_of_all_times(paths, problem):
    seconds, risk = best_duration(paths, problem.costs)
    strategy = fixed_duration(paths, problem.costs, seconds)
    trials = paths.responses(strategy)
    assert np.allclose(trials.rt, seconds)
    assert trials.summary(problem.costs).risk == pytest.approx(risk.min(), abs=1e-9)
    assert risk.min() < min(risk[0], risk[-1])


def test_paths_and_the_simulator_agree_on_one_strategy(problem):
    task = MixtureSearchTask.independent(2, [10], [0, 20], {0: -4, 10: 0, 20: 4})
    problem = replace(problem, task=task)
    paths = draw_paths(problem, 5, 200)
    strategy = tune_constant(paths, problem.costs)
    mine, theirs = paths.responses(strategy), simulate(task, strategy, 200, 5)
    assert not hasattr(mine, "states")  # the displays of paths cannot be drawn again from a seed
    same = (mine.response == theirs.response) & (mine.steps == theirs.steps)
    assert np.array_equal(mine.target, theirs.target)
    assert same.mean() > 0.99  # the paths are kept in single precision


@pytest.mark.parametrize("prior", [0.002, 0.998])
def test_a_rare_class_is_in_the_paths_and_leaves_their_risk_unbiased(problem, prior):
    task = replace(TASK, prior=prior)
    paths = draw_paths(replace(problem, task=task), 5, 4000)
    assert min(paths.present.sum(), (~paths.present).sum()) == 100
    # To answer "present" at once costs every false alarm, whatever the share among the paths.
    risk = paths.risk(np.full(len(paths.times), -9.0), np.full(len(paths.times), -9.0), COSTS)
    assert risk == pytest.approx((1 - prior) * COSTS.false_alarm, rel=1e-9)
    responses = paths.responses(fixed_duration(paths, COSTS, 0.1))
    losses = responses.losses(COSTS)
    expected = (1 - prior) * losses[~paths.present].mean() + prior * losses[paths.present].mean()
    assert responses.summary(COSTS).risk == pytest.approx(expected, rel=1e-12)


def test_constant_thresholds_may_answer_before_looking():
    # Nothing to see: every look costs and none tells.
    paths = fake(np.zeros((400, 60)), [0, -1] * 200)
    costs = Costs(time=0.3)
    assert paths.responses(tune_constant(paths, costs)).rt.max() == 0.0


def test_a_deadline_is_found_where_displays_stay_ambiguous():
    # All paths dip at first; then half of either class diverge and half stay at -0.4 for good.
    looks = np.arange(201)
    dip = np.where(looks == 0, 0.0, -0.5)
    rise, fall = (dip + sign * np.clip(0.5 * (looks - 2), 0, 8) for sign in (1, -1))
    stay = np.where(looks == 0, 0.0, -0.4)
    paths = fake([rise, stay, fall, stay] * 50, [0, 0, -1, -1] * 50)
    costs = Costs(time=0.3)
    constant = tune_constant(paths, costs)
    ended = tune_deadline(paths, costs, constant)
    late, early = (paths.responses(strategy).summary(costs).risk for strategy in (constant, ended))
    assert late >= 0.49  # to cut off those that stay is to cut off those that dip
    # By hand: wait until the rising ones are at 0 (look 3), miss the half that stays.
    best = 0.25 + 0.3 * 0.03
    assert best - 1e-9 <= early <= best + 0.3 * 0.1


def test_responses_to_the_same_paths_can_be_paired(paths, problem):
    strategies = [fixed_duration(paths, problem.costs, seconds) for seconds in (0.05, 0.2)]
    early, late = (paths.responses(strategy) for strategy in strategies)
    excess = paired_difference(early, late, problem.costs, by_probability=False)
    risks = [responses.summary(problem.costs).risk for responses in (early, late)]
    assert excess.value == pytest.approx(risks[0] - risks[1], abs=1e-12)
    # The same targets and seed, but other looks, other trials, or a fresh draw: not the same.
    again = draw_paths(problem, seed=5)
    for other in (paths.part(looks=30), paths.part(len(paths.target)), again):
        with pytest.raises(ValueError, match="need the same trials"):
            paired_difference(early, other.responses(strategies[1]), problem.costs)
