"""Discrimination: the paper's example, and every fault."""

import math

import pytest
from example_tasks import WALK, faults_of

from popout.task import DiscriminationTask, GaussianWalk, InputError


def test_discrimination_example():
    """Theta_1 = {30, 10}, Theta_0 = {20}."""
    task = DiscriminationTask.from_sets([30, 10], [20], {10: -1, 20: 0, 30: 1})
    assert task.orientations == (20.0, 30.0, 10.0)
    assert task.target_prior == (0.0, 0.5, 0.5)
    assert task.distractor_prior == (1.0, 0.0, 0.0)
    assert task.observation == GaussianWalk([0, 1, -1])
    assert task.n_locations == 1


def test_every_faulty_field_of_a_discrimination_is_reported():
    wrong = faults_of(lambda: DiscriminationTask([], WALK, [0.5], [0.4], dt=math.inf, prior=None))
    assert wrong == {"orientations", "target_prior", "distractor_prior", "dt", "prior"}


def test_between_two_orientations_it_is_search_at_one_location():
    task = DiscriminationTask.from_sets([0], [90], {0: 3, 90: -1}, prior=0.3)
    assert task.location_prior == (1.0,)
    assert task.search.drifts == (2.0,)
    assert task.search.prior == 0.3


def test_a_prior_over_a_set_has_a_probability_for_each_member():
    with pytest.raises(InputError, match="target_prior: expected 1 probabilities"):
        DiscriminationTask.from_sets([0], [20], {0: 1, 20: 2}, target_prior=[0.5, 0.5])
