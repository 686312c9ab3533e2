"""Attention policies by name."""

import pytest

from popout.policies.looking import Guided, Parallel, Serial
from popout.policies.looking.names import named_attention
from popout.task import InputError, LimitedSearchTask

TASK = LimitedSearchTask(n_locations=3, information=48.0)


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("parallel", Parallel.for_task(TASK)),
        ("guided", Guided.for_task(TASK, 1.0)),
        ("guided:0.5", Guided.for_task(TASK, 0.5)),
        ("serial", Serial.for_task(TASK)),
        ("optimal", None),
    ],
)
def test_names(name, policy):
    assert named_attention(name, TASK) == policy


@pytest.mark.parametrize("name", ["", "guidde", "guided:", "guided:much", "serial:2", "guided:-1"])
def test_other_names_are_refused(name):
    with pytest.raises(InputError, match="expected"):
        named_attention(name, TASK)
