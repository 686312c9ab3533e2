"""Which problem belongs to which task."""

import pytest

from popout.certificate.mixture import MixtureProblem
from popout.certificate.problems import problem_for
from popout.certificate.search import SearchProblem
from popout.task import (
    Costs,
    DiscriminationTask,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

COSTS = Costs(time=0.5)
DRIFT = {0: -3.0, 20: -1.0, 40: 3.0}


def test_a_task_with_an_equivalent_search_is_that_search():
    task = DiscriminationTask.from_sets([40], [0], {0: -3.0, 40: 3.0})
    problem = problem_for(task, COSTS)
    assert isinstance(problem, SearchProblem)
    assert problem.task == task.search == SearchTask(n_locations=1, drift=3.0)


def test_unknown_distractors_have_a_problem_of_their_own():
    task = MixtureSearchTask.tied(3, [40], [0, 20], DRIFT)
    assert task.search is None
    assert isinstance(problem_for(task, COSTS), MixtureProblem)


def test_scenes_are_unknown_distractors_too():
    scene = SceneSearchTask.from_sets(3, [40], [0], [1, 2], {0: -3.0, 40: 3.0, "blank": 0.0})
    assert problem_for(scene, COSTS).kinds.counts.tolist() == [1, 2]


def test_what_cannot_be_certified_is_refused_with_a_way_out():
    spikes = PoissonSpikes(rate=[[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
    task = MixtureSearchTask.tied(3, [40], [0, 20], spikes)
    with pytest.raises(InputError, match=r"observation: expected a GaussianWalk"):
        problem_for(task, COSTS)
