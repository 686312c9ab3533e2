"""Sets of orientations become fields; faults of both come together."""

import pytest
from example_tasks import faults_of

from popout.task import InputError, MixtureSearchTask, SceneSearchTask


def test_sets_and_fields_are_reported_together():
    wrong = faults_of(
        lambda: MixtureSearchTask.tied(
            0, [10, 10], [], {10: "steep"}, target_prior=[0.2], dt=0, location_prior=[0.1]
        )
    )
    assert {"targets", "distractors", "n_locations", "dt", "location_prior"} <= wrong
    wrong = faults_of(lambda: SceneSearchTask.from_sets(3, [0], [20], [9], {20: 1, 0: 2}, prior=2))
    assert wrong == {"observation", "counts[0]", "prior"}


def test_mapping_must_name_every_orientation():
    with pytest.raises(InputError, match="a drift for each of"):
        MixtureSearchTask.tied(2, [0], [20], {0: 1, 20: 2, 30: 3})
    with pytest.raises(InputError, match=r"GaussianWalk\.drift") as caught:
        MixtureSearchTask.tied(2, [0], [20], {0: 1, 20: "steep"})
    (fault,) = caught.value.faults
    assert fault.as_dict()["path"] == ["observation", "drift", 0]


def test_an_unknown_field_is_refused_like_any_argument():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        MixtureSearchTask.independent(2, [0], [20], {0: 1, 20: 2}, colour="red")
