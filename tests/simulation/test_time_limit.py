"""Limits of time: what is refused, and what a limit is in steps."""

import pytest

from popout.simulation.time_limit import default_time_limit, limit_fault, steps_within
from popout.task import Faults, GazeTask, LimitedSearchTask, MixtureSearchTask, SearchTask

TASK = SearchTask(n_locations=2, drift=4.0, dt=0.1)


@pytest.mark.parametrize(("limit", "steps"), [(0.1, 1), (0.3, 3), (0.35, 3), (0.7, 7), (None, 600)])
def test_a_limit_holds_so_many_whole_steps(limit, steps):
    faults = Faults("simulate")
    assert steps_within(TASK, limit, faults) == steps
    assert not faults


@pytest.mark.parametrize(
    ("limit", "words"),
    [(0.05, "at least dt = 0.1 s"), (1e7, "at most 10000000 steps"), (-1.0, "a positive number")],
)
def test_a_bad_limit_is_one_fault(limit, words):
    faults = Faults("simulate")
    steps_within(TASK, limit, faults)
    (line,) = faults.lines
    assert words in line
    assert (limit < 0) or limit_fault(limit, TASK.dt)[0] in line


def test_slow_evidence_has_a_late_limit():
    slow = SearchTask(drift=(4.0, 0.1))
    # 2 mu^2 is the rate at which the log likelihood ratio grows at the target.
    assert default_time_limit(slow) == pytest.approx(100 / (2 * 0.1**2))
    same = MixtureSearchTask.independent(2, [10], [0], {0: -0.1, 10: 0.1})
    assert default_time_limit(same) == default_time_limit(slow)  # it has an equivalent search
    unknown = MixtureSearchTask.tied(2, [10], [0, 20], {0: -0.1, 10: 0.1, 20: 0.0})
    assert default_time_limit(unknown) == 60.0


def test_shared_information_is_slow_evidence_and_slower_where_items_are_reshuffled():
    shared = LimitedSearchTask(n_locations=8, information=1.0, dt=0.1)
    equal = shared.with_shares()
    assert default_time_limit(shared) == pytest.approx(default_time_limit(equal))
    assert default_time_limit(shared) == pytest.approx(100 * 8 / 2)
    often = LimitedSearchTask(n_locations=8, information=1.0, dt=0.1, period=0.1)
    assert default_time_limit(often) == pytest.approx(100 * 8**2 / 2)


def test_gaze_that_goes_round_slow_items_has_a_late_limit():
    items = [(0, 0), (9, 0), (18, 0)]
    gaze = GazeTask(items=items, information=1.0, falloff=0.1, fixation=0.3, saccade=0.1)
    # A fixation brings .3 s of information and takes .4 s.
    assert default_time_limit(gaze) == pytest.approx(100 * 3 / (2 * 0.3 / 0.4))
