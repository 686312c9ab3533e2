"""What sections share is made once."""

from popout.study.assignment import Assignment
from popout.study.study import Study
from popout.task import Costs, SearchTask


def test_the_contest_is_held_once(tiny, monkeypatch):
    study = Study(Assignment(SearchTask(n_locations=1, drift=4.0), Costs(time=0.5), tiny, 1))
    told = []
    first = study.contest(lambda share, words: told.append(share))
    assert told
    told.clear()
    assert study.contest(lambda share, words: told.append(share)) is first
    assert told == []
    assert study.paths is study.paths


def test_scales_come_from_the_section_on_strategies(sections, tiny):
    study = Study(Assignment(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), tiny, 1))
    study.data["strategies"] = sections("strategies")
    a_minus, a_plus = study.scales
    assert a_plus < 1 < a_minus
    study.data["strategies"] = sections("strategies").drop_sel(strategy="a-SPRT")
    assert study.scales == (1.0, 1.0)
