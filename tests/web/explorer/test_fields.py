"""The form: every declared field, as its declaration says."""

import json

from popout.task import Costs, Task
from popout.web.explorer.fields import form
from popout.web.explorer.question import QUESTIONS


def test_the_form_holds_every_field():
    found = json.loads(json.dumps(form()))
    assert set(found["tasks"]) >= {"search", "limited-search", "mixture-search"}
    for kind, cls in Task.kinds.items():
        assert [field["name"] for field in found["tasks"][kind]["fields"]] == list(cls.declared)
    assert set(found["questions"]) == set(QUESTIONS)
    (time, *_) = found["costs"]
    assert time["required"]
    assert time["words"] == Costs.declared["time"].words
