"""What the solver can take, and how long is long enough."""

import pytest

from popout.study.assignment import Assignment
from popout.study.effort import EFFORTS
from popout.task import (
    Costs,
    DiscriminationTask,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)


def assignment(task, time=0.2, **costs):
    return Assignment(task, Costs(time=time, **costs), EFFORTS["quick"], 1)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (MixtureSearchTask.independent(4, [10], [0, 20], {0: -4, 10: 4, 20: 0}), "is unknown"),
        (DiscriminationTask.from_sets([30, 10], [20], {10: -2, 20: 0, 30: 2}), "more than one"),
        (
            SceneSearchTask.from_sets(3, [0], [20], [1, 2], {0: 4, 20: -4, "blank": -8}),
            "number of items is unknown",
        ),
        (
            MixtureSearchTask(2, [0, 90], PoissonSpikes([[9, 2], [2, 9]]), [1, 0], [[0, 1]]),
            "spike counts",
        ),
    ],
)
def test_other_tasks_are_not_solvable_and_say_why(task, words):
    assert assignment(task).search is None
    assert words in assignment(task).unsolvable


def test_discrimination_between_two_is_search_at_one_location():
    task = DiscriminationTask.from_sets([0], [90], {0: 3, 90: -1}, prior=0.3)
    assert assignment(task).search == SearchTask(n_locations=1, drift=2.0, prior=0.3)
    assert assignment(task).unsolvable == ""


def test_locations_that_never_hold_the_target_are_left_out():
    one = assignment(SearchTask(drift=(8.0, 3.0, 2.0), location_prior=(0, 0.25, 0.75), prior=0.3))
    assert one.places == (2, 3)
    assert one.search == SearchTask(drift=(3.0, 2.0), location_prior=(0.25, 0.75), prior=0.3)
    single = assignment(SearchTask(n_locations=9, drift=4.0, location_prior=(0,) * 8 + (1,)))
    assert single.places == (9,)
    assert single.unsolvable == ""
    mixed = MixtureSearchTask.independent(
        2, [10], [0, 20], {0: -4, 10: 4, 20: 0}, location_prior=(1, 0)
    )
    assert assignment(mixed).places == (1, 2)  # the other one tells of the distractors


def test_set_size_decides_what_is_solved():
    assert assignment(SearchTask(n_locations=4, drift=4.0)).unsolvable == ""
    many = assignment(SearchTask(n_locations=8, drift=4.0)).unsolvable
    assert "up to 4 equal ones, and this task has 8" in many
    unequal = assignment(SearchTask(drift=(8.0, 3.0, 3.0, 3.0))).unsolvable
    assert "up to 3 unequal ones, and this task has 4" in unequal


def test_looking_to_the_horizon_costs_what_guessing_does():
    one = assignment(SearchTask(n_locations=1, drift=4.0, prior=0.2), time=0.1, miss=2.0)
    assert one.guess_risk == pytest.approx(0.4)
    assert one.looks * 0.01 * 0.1 == pytest.approx(0.4, rel=0.01)


def test_absurd_costs_leave_a_bounded_horizon():
    cheap = assignment(SearchTask(n_locations=64, drift=4.0), time=1e-9)
    dear = assignment(SearchTask(n_locations=2, drift=4.0), time=1e6)
    assert 20 <= dear.looks <= cheap.looks <= 4000
    assert cheap.looks * cheap.path_trials * 64 <= 1.01 * cheap.effort.numbers
    assert cheap.path_trials >= 400
