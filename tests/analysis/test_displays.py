"""Example displays: of different kinds where there are any, and of the class asked for."""

import numpy as np

from popout.analysis.displays import example_displays
from popout.task import MixtureSearchTask, SceneSearchTask, SearchTask


def test_the_first_displays_differ_in_what_varies():
    task = SceneSearchTask.from_sets(8, [0], [30], [3, 6], {0: 4.0, 30: 2.0, "blank": -8.0})
    tilt, target = example_displays(task, 2, 1, "present", drawn=100)
    assert sorted(np.isfinite(tilt).sum(axis=1)) == [3, 6]
    assert (tilt[[0, 1], target] == 0).all()


def test_where_nothing_varies_the_first_are_taken():
    task = MixtureSearchTask.independent(4, [0], [90], {0: 3.0, 90: -1.0})
    tilt, target = example_displays(task, 3, 1, "absent", drawn=10)
    assert tilt.shape == (3, 4)
    assert (tilt == 90).all()
    assert (target == -1).all()


def test_a_task_without_orientations_shows_upright_among_tilted():
    tilt, target = example_displays(SearchTask(n_locations=3, drift=4.0), 2, 1, "present", drawn=10)
    assert (tilt[[0, 1], target] == 0.0).all()
    assert (np.sort(tilt, axis=1)[:, 1:] == 25.0).all()
