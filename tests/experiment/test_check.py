"""The whole check of a design."""

import json

from popout.drawing.plain import plain
from popout.experiment import Block
from popout.experiment.check import check_design

from .designs import make_design


def test_it_says_what_the_command_promises(tmp_path):
    found = check_design(make_design(distractors=[90]), tmp_path / "new", n_trials=4000)
    said = json.loads(json.dumps(plain(found.as_dict())))
    assert said["trials"] == 16
    assert said["practice"] == 4
    assert set(said["expected_se"]) == {"drift", "time_cost", "non_decision_time"}
    assert all(error > 0 for error in said["expected_se"].values())
    assert (tmp_path / "new" / "displays.png").read_bytes()[:4] == b"\x89PNG"
    assert "about" in str(found.card().text(80))


def test_uneven_conditions_are_counted():
    design = make_design(blocks=[Block("Main", 13)], set_sizes=[2, 4, 6])
    assert check_design(design, n_trials=4000).imbalance >= 1
