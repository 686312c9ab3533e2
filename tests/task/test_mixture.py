"""Mixtures of distractors: the paper's designs, and every fault."""

from example_tasks import WALK, faults_of

from popout.task import MixtureSearchTask, SceneSearchTask


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
    task = SceneSearchTask.from_sets(7, [0], [20], [1, 3], drift).as_mixture()
    assert task.orientations == (20.0, "blank", 0.0)
    assert [phi[:2] for phi in task.mixtures] == [(1 / 7, 6 / 7), (3 / 7, 4 / 7)]


def test_priors_over_sets_reach_the_right_orientation():
    task = MixtureSearchTask.tied(
        2, [5, 1], [1, 2], {1: 0, 2: 1, 5: 2}, target_prior=[0.9, 0.1], distractor_prior=[0.3, 0.7]
    )
    assert task.orientations == (1.0, 2.0, 5.0)
    assert task.target_prior == (0.1, 0.0, 0.9)
    assert task.mixture_prior == (0.3, 0.7)
    single = MixtureSearchTask.independent(2, [5], [1, 2], WALK, distractor_prior=[0.3, 0.7])
    assert single.mixtures == ((0.3, 0.7, 0.0),)
    assert single.observation is WALK


def test_every_faulty_field_of_a_mixture_task_is_reported():
    wrong = faults_of(
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
    assert wrong == {
        "n_locations", "orientations", "observation", "target_prior", "mixtures[1]",
        "mixture_prior", "location_prior", "dt", "prior",
    }  # fmt: skip
