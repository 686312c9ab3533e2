"""Strategies of a problem, tuned and scored: against the optimum, a-SPRT, or on stored paths."""

import pytest

from popout.study.assignment import Assignment
from popout.study.contest import run_contest
from popout.study.paths import draw_paths
from popout.task import Costs, MixtureSearchTask, SearchTask

COSTS = Costs(time=1.0)
TIED = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})


def contest(task, effort, costs=COSTS, **options):
    told = []
    problem = Assignment(task, costs, effort, 5)
    found = run_contest(
        problem, costs, draw_paths(problem, 7), lambda *done: told.append(done), **options
    )
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    return found


def test_what_looks_wrong_is_said_with_and_without_a_solution(tiny):
    cases = {
        2: "The step of 10 ms is 39 % of the mean response time",
        4: "The step of 10 ms is 35 % of the mean response time",
    }
    for n_locations, words in cases.items():
        task = SearchTask(n_locations=n_locations, drift=12.0)
        found = contest(task, tiny, scales=(1.7, 0.7))
        assert (found.solution is None) == (n_locations == 4)
        (note,) = found.notes(Assignment(task, COSTS, tiny, 5))
        assert note.startswith(words)
    slow = SearchTask(n_locations=2, drift=4.0)
    assert contest(slow, tiny).notes(Assignment(slow, Costs(time=0.2), tiny, 5)) == ()


def test_with_a_solution_the_optimum_leads_and_scales_are_fitted(tiny):
    found = contest(SearchTask(n_locations=2, drift=4.0), tiny)
    names = ["optimal", "a-SPRT", "SPRT-opt", "SPRT", "Hardmax", "fixed time"]
    assert [entry.name for entry in found.entries] == names
    assert found.reference == "the exact optimum"
    assert found.best.risk.value == found.solution.risk
    a_sprt, fixed = found.entries[1], found.entries[-1]
    assert a_sprt.parameters["a_minus"] == found.solution.scales.a_minus
    assert set(fixed.parameters) == {"seconds"}
    assert fixed.excess.value > 3 * fixed.excess.se


def test_where_a_location_deserves_no_look_strategies_without_factors_are_left_out(tiny):
    """The thresholds of the two locations differ in sign, and their ratios mean nothing."""
    task, costs = SearchTask(drift=(8.0, 3.0)), Costs(time=10.0, miss=2.0)
    found = contest(task, tiny, costs)
    names = [entry.name for entry in found.entries]
    assert names == ["optimal", "SPRT-opt", "SPRT", "Hardmax", "fixed time"]
    assert "are left out" in found.notes(Assignment(task, costs, tiny, 5))[-1]


def test_without_one_the_excess_is_over_a_sprt_with_the_scales_given(tiny):
    found = contest(SearchTask(n_locations=4, drift=12.0), tiny, scales=(1.7, 0.7))
    assert found.solution is None
    assert found.reference == found.best.name == "a-SPRT"
    assert found.best.excess.value == found.best.excess.se == 0.0
    assert (found.best.parameters["a_minus"], found.best.parameters["a_plus"]) == (1.7, 0.7)


def test_unknown_distractors_are_scored_on_stored_paths(tiny):
    found = contest(TIED, tiny)
    names = ["time-varying SPRT", "SPRT with deadline", "SPRT-opt", "fixed time"]
    assert [entry.name for entry in found.entries] == names
    assert found.reference == names[0]
    assert set(found.best.parameters) == {"tau_minus", "tau_plus", "seconds"}
    for entry in found.entries[1:]:
        away = entry.risk.value - found.best.risk.value
        assert entry.excess.value == pytest.approx(away, abs=1e-12)
