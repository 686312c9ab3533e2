"""Wrong shapes are refused with the one that was expected."""

import numpy as np
import pytest

from popout.evidence import Evidence
from popout.task import GaussianWalk, InputError, MixtureSearchTask, SearchTask


def test_wrong_shapes_are_named():
    with pytest.raises(InputError, match=r"Evidence\.task: expected a task, got 3"):
        Evidence(3)
    evidence = Evidence(SearchTask(3, 2.0))
    with pytest.raises(InputError, match=r"increments: expected shape \(\.\.\., T, 3\)"):
        evidence.trajectory(np.zeros((4, 2)))
    with pytest.raises(InputError, match=r"trajectory\.increments"):
        evidence.trajectory(np.zeros(3))
    with pytest.raises(InputError, match=r"final\.increments: expected .*at least one step"):
        evidence.final(np.zeros((4, 0, 3)))
    with pytest.raises(InputError, match=r"posterior\.L: expected shape \(\.\.\., 3, 2\)"):
        evidence.posterior(np.zeros((3, 3)))
    with pytest.raises(InputError, match=r"update\.increment"):
        evidence.start(4).update(np.zeros((5, 3)))
    vector = MixtureSearchTask(2, [0, 1], GaussianWalk([[1, 0], [0, 1]]), [0, 1], [[1, 0]])
    with pytest.raises(InputError, match=r"log_likelihood\.x: expected shape \(\.\.\., 2, 2\)"):
        Evidence(vector).log_likelihood(np.zeros(2), 0.1)
