"""The descriptions: what they hold, what they refuse, and the paper's examples."""

import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

WALK = GaussianWalk([-1, 0, 1])


def every_task():
    return [
        SearchTask(2, 4.0),
        SearchTask(drift=(8, 3)),
        DiscriminationTask([0, 10, 20], WALK, [1, 0, 0], [0, 0.5, 0.5]),
        MixtureSearchTask(3, [0, 10, 20], WALK, [1, 0, 0], [[0, 1, 0], [0, 0, 1]]),
        SceneSearchTask(3, [0, "blank", 20], WALK, [1, 0, 0], [0, 0, 1], [1, 2]),
    ]


@pytest.mark.parametrize("task", every_task(), ids=lambda t: type(t).__name__)
def test_tasks_are_frozen_hashable_values(task):
    same = replace(task)
    assert same == task
    assert hash(same) == hash(task)
    assert replace(task, prior=0.25) != task
    assert replace(task, prior=0.25).log_prior_odds == pytest.approx(math.log(1 / 3))
    with pytest.raises(FrozenInstanceError):
        task.prior = 0.1
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    assert repr(copy) == repr(task)
    assert not any(isinstance(getattr(task, f.name), (list, np.ndarray)) for f in fields(task))


# -- homogeneous and unequal drifts -------------------------------------------------------------


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


# -- the paper's examples -------------------------------------------------------------------------


def test_discrimination_example():
    """Theta_1 = {30, 10}, Theta_0 = {20}."""
    task = DiscriminationTask.from_sets([30, 10], [20], {10: -1, 20: 0, 30: 1})
    assert task.orientations == (20.0, 30.0, 10.0)
    assert task.target_prior == (0.0, 0.5, 0.5)
    assert task.distractor_prior == (1.0, 0.0, 0.0)
    assert task.observation == GaussianWalk([0, 1, -1])
    assert task.n_locations == 1


def test_independent_distractors_are_one_mixture_of_equal_parts():
    task = MixtureSearchTask.independent(4, [9], [1, 2, 3], {1: 0, 2: 1, 3: 2, 9: 3})
    assert task.mixtures == ((1 / 3, 1 / 3, 1 / 3, 0.0),)


def test_tied_distractors_of_three_orientations():
    """Phi = {[1 0 0], [0 1 0], [0 0 1]}."""
    task = MixtureSearchTask.tied(4, [9], [1, 2, 3], {1: 0, 2: 1, 3: 2, 9: 3})
    assert [phi[:3] for phi in task.mixtures] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert all(phi[3] == 0 for phi in task.mixtures)
    assert task.mixture_prior == (1 / 3,) * 3


def test_scene_complexity_of_one_or_three_items_among_seven():
    """Phi = {[1/7, 6/7], [3/7, 4/7]}."""
    drift = {20: -1, "blank": -5, 0: 1}
    task = MixtureSearchTask.scene_complexity(7, [0], [20], [1, 3], drift)
    assert task.orientations == (20.0, "blank", 0.0)
    assert [phi[:2] for phi in task.mixtures] == [(1 / 7, 6 / 7), (3 / 7, 4 / 7)]
    exact = SceneSearchTask.from_sets(7, [0], [20], [1, 3], drift)
    assert exact.as_mixture() == task


def test_priors_over_sets_reach_the_right_orientation():
    task = MixtureSearchTask.tied(
        2, [5, 1], [1, 2], {1: 0, 2: 1, 5: 2}, target_prior=[0.9, 0.1], distractor_prior=[0.3, 0.7]
    )
    assert task.orientations == (1.0, 2.0, 5.0)
    assert task.target_prior == (0.1, 0.0, 0.9)
    assert task.mixture_prior == (0.3, 0.7)
    one = MixtureSearchTask.independent(2, [5], [1, 2], WALK, distractor_prior=[0.3, 0.7])
    assert one.mixtures == ((0.3, 0.7, 0.0),)
    assert one.observation is WALK


# -- observations -------------------------------------------------------------------------------


def test_observations_hold_rows():
    assert WALK.is_scalar
    assert WALK.rows == ((-1.0,), (0.0,), (1.0,))
    vector = GaussianWalk(np.eye(2))
    assert (vector.n_orientations, vector.n_channels, vector.is_scalar) == (2, 2, False)
    assert PoissonSpikes([[1], [2]]).n_channels == 1


def test_tuning_curves_have_period_180_and_peak_at_their_preference():
    spikes = PoissonSpikes.tuned(
        [0, 45, 90, 180, "blank"], preferred=[0, 45], baseline=3, gain=10, concentration=2
    )
    rate = np.array(spikes.rate)
    assert rate[0, 0] == rate[1, 1] == 13.0
    np.testing.assert_allclose(rate[3], rate[0])
    np.testing.assert_allclose(rate[2, 0], 3 + 10 * math.exp(-4))
    np.testing.assert_allclose(rate[1, 0], 3 + 10 * math.exp(-2))
    assert rate[4].tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: GaussianWalk([]),
        lambda: GaussianWalk(3.0),
        lambda: GaussianWalk([1, math.nan]),
        lambda: GaussianWalk([[1, 2], [3]]),
        lambda: GaussianWalk([[1, math.inf], [3, 4]]),
        lambda: PoissonSpikes([[1, 0], [1, 2]]),
        lambda: PoissonSpikes([1, 2]),
        lambda: PoissonSpikes.tuned([0], [0], baseline=0, gain=1, concentration=1),
    ],
)
def test_faulty_observations_are_refused(make):
    with pytest.raises(InputError):
        make()


# -- all faults at once ---------------------------------------------------------------------------


def faults_of(make):
    with pytest.raises(InputError) as caught:
        make()
    return {line.split(":")[0].split(".", 1)[1] for line in caught.value.lines}


def test_every_faulty_field_of_a_mixture_task_is_reported():
    found = faults_of(
        lambda: MixtureSearchTask(
            n_locations=2.5,
            orientations=[0, 0],
            observation="walk",
            target_prior=[0.5, 0.6],
            mixtures=[[1, 0], [0.5, 0.4]],
            mixture_prior=[1],
            location_prior=[1, 1],
            dt="fast",
            prior=0,
        )
    )
    assert found == {
        "n_locations", "orientations", "observation", "target_prior", "mixtures[1]",
        "mixture_prior", "location_prior", "dt", "prior",
    }  # fmt: skip


def test_every_faulty_field_of_a_scene_is_reported():
    found = faults_of(
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
    assert found == {
        "orientations", "observation", "target_prior", "item_prior", "counts[0]", "counts[1]",
        "count_prior", "dt", "prior",
    }  # fmt: skip


def test_every_faulty_field_of_a_discrimination_is_reported():
    found = faults_of(lambda: DiscriminationTask([], WALK, [0.5], [0.4], dt=math.inf, prior=None))
    assert found == {"orientations", "target_prior", "distractor_prior", "dt", "prior"}


def test_sets_and_fields_are_reported_together():
    found = faults_of(
        lambda: MixtureSearchTask.tied(
            0, [10, 10], [], {10: "steep"}, target_prior=[0.2], dt=0, location_prior=[0.1]
        )
    )
    assert {"targets", "distractors", "n_locations", "dt", "location_prior"} <= found
    found = faults_of(lambda: SceneSearchTask.from_sets(3, [0], [20], [9], {20: 1, 0: 2}, prior=2))
    assert found == {"observation", "counts[0]", "prior"}


def test_an_item_is_never_blank():
    with pytest.raises(InputError, match="target_prior: expected zero at the blank"):
        SceneSearchTask(3, [0, "blank", 20], WALK, [0.5, 0.5, 0], [0, 0, 1], [1, 2])
    with pytest.raises(InputError, match="distinct set sizes"):
        SceneSearchTask(3, [0, "blank", 20], WALK, [1, 0, 0], [0, 0, 1], [2, 2])


def test_mapping_must_name_every_orientation():
    with pytest.raises(InputError, match="a drift for each of"):
        MixtureSearchTask.tied(2, [0], [20], {0: 1, 20: 2, 30: 3})
    with pytest.raises(InputError, match=r"GaussianWalk\.drift"):
        MixtureSearchTask.tied(2, [0], [20], {0: 1, 20: "steep"})


def test_a_rate_beyond_meaning_is_told_the_bound():
    with pytest.raises(InputError, match=r"expected a positive number below 1e\+10, got 1000"):
        PoissonSpikes([[1e12], [2.0]])
