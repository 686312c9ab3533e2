"""A task as arrays: weights and biases of its observations, logarithms of its priors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from popout.evidence import Evidence
from popout.evidence.law import model_of
from popout.task import (
    GaussianWalk,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)


def test_drifts_by_location():
    model = model_of(SearchTask(drift=(8.0, 3.0), location_prior=(1.0, 0.0)))
    assert model.weight[..., 0].tolist() == [[-8.0, 8.0], [-3.0, 3.0]]
    assert model.bias.tolist() == [[32.0, 32.0], [4.5, 4.5]]
    assert model.log_location.tolist() == [0.0, -np.inf]
    assert model.blank == -1
    with pytest.raises(ValueError, match="read-only"):
        model.weight[0, 0, 0] = 1.0


def test_rates_are_the_same_at_all_locations():
    spikes = PoissonSpikes([[2.0, 3.0], [5.0, 7.0]])
    model = model_of(MixtureSearchTask(2, [0, 90], spikes, [1, 0], [[0, 1]]))
    assert_allclose(model.weight, np.log([[[2, 3], [5, 7]]] * 2))
    assert_allclose(model.bias, [[5, 12]] * 2)


def test_scenes_count_the_subsets_of_their_items():
    """C(4, 3) = 4 displays without a target; C(3, 2) = 3 with it at a given location."""
    task = SceneSearchTask.from_sets(4, [0], [20], [3], {20: -1, "blank": 0, 0: 1})
    model = model_of(task)
    assert_allclose(np.exp(-model.log_count_absent), [4.0])
    assert_allclose(np.exp(-model.log_count_present), [3.0])
    assert model.blank == 1


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
