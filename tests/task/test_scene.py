"""Scenes with an exact number of items: every fault."""

import math

import pytest
from example_tasks import WALK, faults_of

from popout.task import GaussianWalk, InputError, SceneSearchTask


def test_every_faulty_field_of_a_scene_is_reported():
    wrong = faults_of(
        lambda: SceneSearchTask(
            n_locations=2,
            orientations=[0, 20, 40],
            observation=GaussianWalk([1, 2]),
            target_prior=[1, 1, 1],
            item_prior=None,
            counts=[0, 3],
            count_prior=[0.5, 0.4],
            dt=-1,
            prior=math.nan,
        )
    )
    assert wrong == {
        "orientations", "observation", "target_prior", "item_prior", "counts[0]", "counts[1]",
        "count_prior", "dt", "prior",
    }  # fmt: skip


def test_an_item_is_never_blank():
    with pytest.raises(InputError, match="target_prior: expected zero at the blank"):
        SceneSearchTask(3, [0, "blank", 20], WALK, [0.5, 0.5, 0], [0, 0, 1], [1, 2])
    with pytest.raises(InputError, match="distinct set sizes"):
        SceneSearchTask(3, [0, "blank", 20], WALK, [1, 0, 0], [0, 0, 1], [2, 2])
