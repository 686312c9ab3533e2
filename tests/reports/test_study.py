"""What the solver can take, how long is long enough, and what is made once."""

import pytest

from popout.reports.study import EFFORTS, Study, effort_of
from popout.task import (
    Costs,
    DiscriminationTask,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)


def study(task, time=0.2, **costs):
    return Study(task, Costs(time=time, **costs), EFFORTS["quick"], 1)


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
    assert study(task).search is None
    assert words in study(task).unsolvable


def test_discrimination_between_two_is_search_at_one_location():
    task = DiscriminationTask.from_sets([0], [90], {0: 3, 90: -1}, prior=0.3)
    assert study(task).search == SearchTask(n_locations=1, drift=2.0, prior=0.3)
    assert study(task).unsolvable == ""


def test_locations_that_never_hold_the_target_are_left_out():
    own = study(SearchTask(drift=(8.0, 3.0, 2.0), location_prior=(0, 0.25, 0.75), prior=0.3))
    assert own.places == (2, 3)
    assert own.search == SearchTask(drift=(3.0, 2.0), location_prior=(0.25, 0.75), prior=0.3)
    single = study(SearchTask(n_locations=9, drift=4.0, location_prior=(0,) * 8 + (1,)))
    assert single.places == (9,)
    assert single.unsolvable == ""
    mixed = MixtureSearchTask.independent(
        2, [10], [0, 20], {0: -4, 10: 4, 20: 0}, location_prior=(1, 0)
    )
    assert study(mixed).places == (1, 2)  # the other one tells of the distractors


def test_set_size_decides_what_is_solved():
    assert study(SearchTask(n_locations=4, drift=4.0)).unsolvable == ""
    many = study(SearchTask(n_locations=8, drift=4.0)).unsolvable
    assert "up to 4 equal ones, and this task has 8" in many
    unequal = study(SearchTask(drift=(8.0, 3.0, 3.0, 3.0))).unsolvable
    assert "up to 3 unequal ones, and this task has 4" in unequal


def test_looking_to_the_horizon_costs_what_guessing_does():
    own = study(SearchTask(n_locations=1, drift=4.0, prior=0.2), time=0.1, miss=2.0)
    assert own.guess_risk == pytest.approx(0.4)
    assert own.looks * 0.01 * 0.1 == pytest.approx(0.4, rel=0.01)
    cheap = study(SearchTask(n_locations=64, drift=4.0), time=1e-9)
    expensive = study(SearchTask(n_locations=2, drift=4.0), time=1e6)
    assert 20 <= expensive.looks <= cheap.looks <= 4000
    assert cheap.looks * cheap.path_trials * 64 <= 1.01 * cheap.effort.numbers
    assert cheap.path_trials >= 400


def test_the_contest_is_held_once(tiny):
    own = Study(SearchTask(n_locations=1, drift=4.0), Costs(time=0.5), tiny, 1)
    reports = []
    first = own.contest(lambda share, words: reports.append(share))
    assert reports
    reports.clear()
    assert own.contest(lambda share, words: reports.append(share)) is first
    assert reports == []
    assert own.paths is own.paths


def test_scales_come_from_the_section_on_strategies(sections, tiny):
    own = Study(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), tiny, 1)
    own.data["strategies"] = sections("strategies")
    a_minus, a_plus = own.scales
    assert a_plus < 1 < a_minus
    own.data["strategies"] = sections("strategies").drop_sel(strategy="a-SPRT")
    assert own.scales == (1.0, 1.0)


def test_every_simulation_expects_both_classes_or_is_refused():
    few = effort_of("quick", 1000)
    assert few.enough_for(0.5) == few
    for prior in (0.001, 0.999):
        effort = few.enough_for(prior)
        assert min(effort.score_trials, effort.exact_trials, effort.tune_trials) == 50_000
    for prior in (1e-5, 1 - 1e-5):
        with pytest.raises(InputError, match=r"prior: expected from 0.0001 to 0.9999"):
            few.enough_for(prior)


@pytest.mark.parametrize(("preset", "trials"), [("slow", None), ("quick", 10), ("quick", 2.5)])
def test_bad_efforts_are_refused(preset, trials):
    with pytest.raises(InputError, match="expected"):
        effort_of(preset, trials)
