"""The fixture that shows everything, and one that shows nothing."""

from lopsided import COSTS, DEADLINE, LIMITED, TASK, symmetries

from popout.task import Costs, SearchTask


def test_nothing_is_equal_in_the_usual_fixture():
    assert symmetries(TASK, COSTS, DEADLINE) == []
    assert symmetries(LIMITED, COSTS, DEADLINE) == []


def test_a_fixture_that_shows_nothing_is_told_so():
    everything = symmetries(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2), 0.29)
    assert len(everything) == 6
