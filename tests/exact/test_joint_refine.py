"""Refinement of a joint problem."""

import pytest

from popout.exact.joint_problem import JointProblem
from popout.exact.joint_refine import JointLevels
from popout.exact.refinement import NotConvergedError
from popout.task import Costs, LimitedSearchTask


def test_small_steps_are_reached_through_longer_ones():
    told = []
    task = LimitedSearchTask(1, 4.0, dt=0.001)
    run = JointLevels(JointProblem(task, Costs(time=0.5)), 1e-3, lambda share, w: told.append(w))
    found, errors = run.run()
    assert told[0].startswith("longer steps")
    assert any(words.startswith("level 2") for words in told)
    assert sum(errors.values()) <= 1e-3 * found.risk
    assert [level.nodes for level in run.levels] == sorted(level.nodes for level in run.levels)


def test_a_tolerance_out_of_reach_is_refused(monkeypatch):
    monkeypatch.setattr("popout.exact.joint_refine.MAX_NODES", 2000)
    run = JointLevels(JointProblem(LimitedSearchTask(2, 32.0), Costs(time=0.2)), 1e-5)
    with pytest.raises(NotConvergedError, match="within 2000 nodes"):
        run.run()
