"""Observers by name: the usual one, and the same one twice."""

import pytest

from popout.policies.stopping import SPRT
from popout.task import Costs, InputError, LimitedSearchTask, SearchTask
from popout.web.explorer.making import observer_for
from popout.web.explorer.questions import SimulateQuestion

COSTS = Costs(time=0.5)
LIMITED = LimitedSearchTask(n_locations=2, information=32.0)


def made(task, **settings):
    question = SimulateQuestion(task=task, costs=COSTS, tune_trials=1000, **settings)
    return observer_for(question, task, COSTS)[0]


def test_an_observer_is_made_once():
    task = SearchTask(n_locations=4, drift=4.0)
    first = made(task, strategy="sprt")
    assert made(task, strategy="sprt", trials=100) is first
    assert isinstance(first.strategy, type(SPRT.for_task(task, -2.0, 2.0)))


@pytest.mark.parametrize(
    ("task", "settings", "words"),
    [
        (SearchTask(n_locations=2, drift=4.0), {"attention": "serial"}, "attention"),
        (LIMITED, {"attention": "luck"}, "serial"),
    ],
)
def test_what_does_not_go_together_is_refused(task, settings, words):
    with pytest.raises(InputError, match=words):
        made(task, **{"strategy": "sprt", **settings})
