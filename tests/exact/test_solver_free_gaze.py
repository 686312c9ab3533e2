"""Fixations that last as long as the observer likes: against value iteration, and its limits."""

from itertools import pairwise

import numpy as np
import pytest
from slow_gaze import slow_risk

import popout as po
from popout.task import InputError

LINE = [(0, 0), (1, 0), (2, 0)]
COSTS = po.Costs(time=0.2)
BLIND = [(0, 1), (0.5, 0)]


def free(items=LINE, gazes=None, information=20.0, falloff=0.8, step=0.05, saccade=0.05, **more):
    return po.GazeTask(
        items, gazes, information=information, falloff=falloff, fixation="free", step=step,
        saccade=saccade, **more,
    )  # fmt: skip


def reference(task, costs, **more):
    """Return the risk of value iteration: a step is a fixation without a saccade."""
    saccade = task.saccade
    if not isinstance(saccade, tuple):
        saccade = saccade * (1 - np.eye(task.n_gazes))
    return slow_risk(
        task.look.visibility, task.information, task.dt, 0.0,
        (costs.time_absent, costs.time_present), prior=task.prior, where=task.location_prior,
        miss=costs.miss, false_alarm=costs.false_alarm, free=(saccade, task.look.start), **more,
    )  # fmt: skip


HARD = {
    "three in a row": (free(LINE, saccade=0.05), COSTS),
    "likely, unequal, from the end": (
        free(LINE, saccade=0.1, prior=0.9, location_prior=(0.6, 0.3, 0.1), start=2),
        po.Costs(time=(0.2, 0.1), miss=1.0, false_alarm=4.0),
    ),
    "ways of their own": (
        free(
            LINE[:2], [(0, 0), (1, 0), (0.5, 0.4)], falloff=0.4, start=2,
            saccade=[[0, 0.1, 0.05], [0.2, 0, 0.05], [0.1, 0.05, 0]],
        ),
        COSTS,
    ),
    "blind periphery": (free(LINE[:2], falloff=BLIND, saccade=0.05), COSTS),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_the_optimum_is_that_of_value_iteration(name):
    task, costs = HARD[name]
    solution = po.solve(task, costs, rtol=5e-3)
    spacings = (0.5, 0.35) if task.n_locations == 3 else (0.4, 0.3)
    risk, error = reference(task, costs, low=-12.0, high=7.0, spacings=spacings)
    assert abs(solution.risk - risk) < solution.risk_error + error
    assert error < 6e-3 * risk


def test_the_optimal_table_runs_and_has_its_risk():
    task, costs = HARD["likely, unequal, from the end"]
    solution = po.solve(task, costs, rtol=3e-3)
    trials = po.simulate(task, solution.observer, 20_000, seed=2)
    summary = trials.summary(costs)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error
    assert abs(summary.risk - 1.1 * solution.risk) > 4 * summary.risk_se
    moved = trials.fixations.number > 1
    assert 0.1 < moved.mean() < 0.95


def test_what_a_trial_takes_is_its_fixations_and_its_saccades():
    task, costs = HARD["ways of their own"]
    trials = po.simulate(task, po.solve(task, costs, rtol=0.02).observer, 300, seed=3)
    eyes, ways = trials.fixations, np.array(task.saccade)
    for index in range(12):
        path = trials.scanpath(index)
        gazes = [task.look.start, *path.gaze]
        moving = sum(ways[a, b] for a, b in pairwise(gazes))
        assert path.duration.sum() + moving == pytest.approx(trials.rt[index])
        assert eyes.number[index] == len(path)
        assert eyes.resting[index] == pytest.approx(path.duration.sum())
        ends = path.onset + path.duration
        assert path.onset.iloc[1:].to_numpy() == pytest.approx(
            ends.iloc[:-1] + [ways[a, b] for a, b in pairwise(path.gaze)]
        )
        assert path[["Z1", "Z2"]].iloc[-1].to_numpy() == pytest.approx(trials.path(index)[-1])
    assert "they last" in str(eyes)


def test_saccades_that_cost_nothing_are_steps_of_fixed_fixations():
    at_will = po.solve(free(LINE[:2], saccade=0.0), COSTS)
    fixed = po.GazeTask(LINE[:2], information=20.0, falloff=0.8, fixation=0.05, saccade=0.0)
    same = po.solve(fixed, COSTS)
    assert abs(at_will.risk - same.risk) < at_will.risk_error + same.risk_error


def test_saccades_that_cost_more_than_they_bring_are_not_made():
    task = free(LINE[:2], step=0.1, saccade=4.0, start=1)
    solution = po.solve(task, COSTS)
    stays = po.solve(task.staying_at(1), COSTS)
    assert abs(solution.risk - stays.risk) < solution.risk_error + stays.risk_error
    assert po.simulate(task, solution.observer, 500).fixations.number.max() == 1


def test_a_periphery_that_sees_everything_is_the_papers_search():
    task = free(LINE[:2], falloff=lambda e: 1.0, prior=0.3, saccade=0.05)
    search = po.SearchTask(n_locations=2, drift=20.0**0.5, dt=0.05, prior=0.3)
    gaze, same = po.solve(task, COSTS), po.solve(search, COSTS)
    assert abs(gaze.risk - same.risk) < gaze.risk_error + same.risk_error


def test_fixed_fixations_are_a_choice_that_the_free_observer_has_too():
    """The same, but for a saccade that fixed fixations pay where gaze stays."""
    risk = po.solve(free(LINE[:2], saccade=0.05), COSTS, rtol=0.01).risk
    for length in (0.1, 0.2):
        fixed = po.GazeTask(LINE[:2], information=20.0, falloff=0.8, fixation=length, saccade=0.05)
        assert po.solve(fixed, COSTS, rtol=0.01).risk > 1.05 * risk


def test_a_rule_with_a_length_is_the_rule_with_fixed_fixations():
    """Without the time of saccades both see the same observations only in law: risks agree."""
    task = free(saccade=0.0)
    fixed = po.GazeTask(LINE, information=20.0, falloff=0.8, fixation=0.1, saccade=0.0)
    sprt = po.SPRT.for_task(fixed, COSTS)

    class EveryOther(po.Strategy):
        """Answers between fixations alone."""

        def decide(self, Z, t):
            between = np.rint(np.asarray(t) / 0.05) % 2 == 1
            return np.where(between, np.int8(0), sprt.decide(Z, t))

    dwell = po.simulate(task, po.Observer(po.Dwell(po.ELM, 0.1), EveryOther()), 6000, seed=4)
    rule = po.simulate(fixed, po.Observer(po.ELM, sprt), 6000, seed=5)
    for side in ("absent", "present"):
        first, second = (getattr(each.summary(COSTS), side) for each in (dwell, rule))
        error = np.hypot(first.mean_rt_se, second.mean_rt_se)
        assert abs(first.mean_rt - second.mean_rt) < 4 * error
        assert abs(first.mean_rt - 1.1 * second.mean_rt) > 4 * error


def test_durations_belong_to_free_tasks_alone():
    fixed = po.GazeTask(LINE, information=20.0, falloff=0.8)
    sprt = po.SPRT.for_task(fixed, -3.0, 3.0)
    with pytest.raises(InputError, match=r"of free durations, got 'ELM'.*Dwell\(ELM, 0.2\)"):
        po.simulate(free(), po.Observer(po.ELM, sprt), 10)
    with pytest.raises(InputError, match=r"of a fixed length, got 'ELM for 0.1 s'"):
        po.simulate(fixed, po.Observer(po.Dwell(po.ELM, 0.1).made_for(free()), sprt), 10)
    with pytest.raises(InputError, match=r"Dwell.seconds: expected whole steps of 0.05 s"):
        po.Dwell(po.MAP, 0.12).made_for(free())
    for wrong in (3, po.Guided):
        with pytest.raises(InputError, match=r"Dwell.rule: expected a policy of gaze"):
            po.Dwell(wrong, 0.1).made_for(free())
    with pytest.raises(InputError, match=r"does not change with time"):
        po.solve(free(), COSTS, attention=po.Dwell(po.MAP, 0.1))


def test_compared_by_name():
    table = po.compare(
        free(LINE[:2], saccade=0.05), COSTS, "sprt-opt", attention=["elm:0.1", "stay:1"],
        n_trials=1000, tune_trials=1000,
    )  # fmt: skip
    assert table.attention.tolist() == ["ELM for 0.1 s", "stay at 1 for 0.05 s"]
    assert table.reference.tolist() == ["optimal", "optimal"]
    assert table.fixations_absent.iloc[1] == 1.0
    assert "duration (s)" in str(table.cards()[2])
