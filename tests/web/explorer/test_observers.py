"""Observers by name: the usual one, and the same one twice."""

import pytest

from popout.policies.stopping import SPRT
from popout.task import Costs, InputError, LimitedSearchTask, SearchTask
from popout.web.explorer.observers import make_observer

COSTS = Costs(time=0.5)
REST = (None, 1000, 1, 0.01)  # attention, tune_trials, seed, rtol


def test_an_observer_is_made_once():
    task = SearchTask(n_locations=4, drift=4.0)
    first = make_observer(task, COSTS, "sprt", *REST)
    assert make_observer(task, COSTS, "sprt", *REST) is first
    assert isinstance(first.strategy, type(SPRT.for_task(task, -2.0, 2.0)))
    assert len(first.trials(task, 100, 1)) == 100


def test_attention_is_refused_where_there_is_nothing_to_divide():
    with pytest.raises(InputError, match="limited-search"):
        make_observer(SearchTask(n_locations=2, drift=4.0), COSTS, "sprt", "serial", *REST[1:])


def test_where_information_is_limited_some_strategies_are_not_known():
    task = LimitedSearchTask(n_locations=2, information=32.0)
    with pytest.raises(InputError, match="where information is limited"):
        make_observer(task, COSTS, "hardmax", *REST)
