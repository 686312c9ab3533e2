"""One task of every design, small enough for 1e5 trials."""

import pytest

from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

STEP = {"dt": 0.05}
WALK = {0: -3, 10: 3, 20: 0}
TUNED = PoissonSpikes.tuned(
    [0, 20, 10], preferred=[0, 45, 90, 135], baseline=4, gain=80, concentration=3
)

DESIGNS = {
    "homogeneous": SearchTask(4, 3.0, dt=0.05, prior=0.4),
    "unequal drifts": SearchTask(
        drift=(6.0, 3.0, 1.5), location_prior=(0.2, 0.5, 0.3), prior=0.6, dt=0.05
    ),
    "discrimination": DiscriminationTask.from_sets(
        [30, 10], [20], {10: -3, 20: 0, 30: 3}, target_prior=[0.3, 0.7], prior=0.35, **STEP
    ),
    "independent": MixtureSearchTask.independent(
        4, [10, 0], [0, 20], WALK, target_prior=[0.8, 0.2], distractor_prior=[0.7, 0.3], **STEP
    ),
    "tied": MixtureSearchTask.tied(4, [0, 10, 20], [0, 10, 20], WALK, prior=0.3, **STEP),
    "scene as mixture": SceneSearchTask.from_sets(
        5, [10], [0], [1, 3], {0: -3, 10: 3, "blank": 0}, count_prior=[0.7, 0.3], **STEP
    ).as_mixture(),
    "general": MixtureSearchTask(
        n_locations=3,
        orientations=[0, 20, 40],
        observation=GaussianWalk([-3, 0, 3]),
        target_prior=[0.25, 0, 0.75],
        mixtures=[[0.5, 0.5, 0], [0, 0.9, 0.1], [1, 0, 0]],
        mixture_prior=[0.5, 0.3, 0.2],
        location_prior=[0.6, 0.3, 0.1],
        **STEP,
    ),
    "exact scene": SceneSearchTask.from_sets(
        5,
        [10],
        [0, 20],
        [1, 2, 4],
        {0: -3, 10: 3, 20: 1, "blank": 0},
        count_prior=[0.5, 0.3, 0.2],
        location_prior=[0.4, 0.3, 0.1, 0.1, 0.1],
        **STEP,
    ),
    "spikes": MixtureSearchTask.tied(3, [10], [0, 20], TUNED, **STEP),
    "vector walk": MixtureSearchTask.independent(
        3, [10], [0, 20], {0: [3, 0, 0], 20: [0, 3, 0], 10: [0, 0, 3]}, **STEP
    ),
    "spiking scene": SceneSearchTask.from_sets(
        4,
        [90],
        [0],
        [1, 3],
        PoissonSpikes.tuned(
            [0, "blank", 90], preferred=[0, 90], baseline=5, gain=20, concentration=2
        ),
        **STEP,
    ),
}


@pytest.fixture(scope="session")
def designs():
    return DESIGNS


@pytest.fixture(params=DESIGNS.values(), ids=DESIGNS.keys())
def task(request):
    return request.param
