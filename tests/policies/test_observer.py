"""Observers: their names, of policies, of classes of them, and of names."""

import pytest

import popout as po

TASK = po.LimitedSearchTask(n_locations=2, information=32.0)
SPRT = po.SPRT.for_task(TASK, -2.0, 2.0)


@pytest.mark.parametrize("attention", [po.Serial.for_task(TASK), po.Serial, "serial"])
def test_whatever_names_a_policy_has_a_label(attention):
    observer = po.Observer(attention, SPRT)
    assert observer.label == "serial, SPRT"
    words = observer.as_dict()
    assert (words["attention"], words["strategy"]) == ("serial", "SPRT")
    assert isinstance(words["attention_parameters"], dict)
    assert "serial" in str(observer)


def test_a_strategy_alone_is_an_observer_without_a_choice():
    assert po.Observer.of(SPRT) == po.Observer(None, SPRT)
    assert po.Observer.of(SPRT).as_dict() == {"strategy": "SPRT"}
