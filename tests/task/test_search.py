"""Search: one drift for all locations or one each, and the locations that count."""

import math
from dataclasses import replace

import numpy as np
import pytest

from popout.task import InputError, SearchTask


def test_equal_drifts_are_one_drift():
    assert SearchTask(drift=[4, 4]) == SearchTask(2, 4.0)
    assert SearchTask(drift=np.array([8.0, 3.0])).drifts == (8.0, 3.0)
    assert not SearchTask(drift=(8, 3)).is_homogeneous


def test_a_default_prior_stretches_and_a_chosen_one_does_not():
    assert replace(SearchTask(2, 4.0), n_locations=4).location_prior == (0.25,) * 4
    chosen = SearchTask(2, 4.0, location_prior=(0.5, 0.5))
    assert chosen == SearchTask(2, 4.0)
    with pytest.raises(InputError, match="location_prior: expected 4 probabilities"):
        replace(chosen, n_locations=4)


@pytest.mark.parametrize("drift", [None, 0, -1, math.nan, math.inf, "4", [], [1, 0]])
def test_drift_is_positive(drift):
    with pytest.raises(InputError, match="drift"):
        SearchTask(2, drift)


def test_search_reports_every_field_at_once():
    with pytest.raises(InputError) as caught:
        SearchTask(n_locations=3, drift=(1, -2), dt=0, prior=1, location_prior=(0.5, 0.5))
    message = str(caught.value)
    for field in ("drift:", "drift[1]:", "dt:", "prior:", "location_prior:"):
        assert f"SearchTask.{field} expected" in message
    assert len(caught.value.lines) == 5


def test_a_missing_drift_is_said_to_be_missing():
    with pytest.raises(InputError, match=r"SearchTask\.drift: expected .*, got nothing; "):
        SearchTask(2)
    with pytest.raises(InputError, match=r"SearchTask\.n_locations: expected .*, got nothing; "):
        SearchTask(drift=4.0)


def test_a_search_is_its_own_search_and_leaves_out_what_cannot_be():
    task = SearchTask(drift=(8.0, 3.0, 2.0), location_prior=(0, 0.25, 0.75), prior=0.3)
    assert task.search is task
    assert task.n_states == 3
    assert task.possible == SearchTask(drift=(3.0, 2.0), location_prior=(0.25, 0.75), prior=0.3)
    whole = SearchTask(2, 4.0)
    assert whole.possible is whole


def test_each_location_observes_a_walk_of_its_own_drift():
    near, far = SearchTask(drift=(8.0, 3.0)).observations
    assert near.drift == (-8.0, 8.0)
    assert far.drift == (-3.0, 3.0)
