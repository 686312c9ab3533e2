"""Designs of experiments: points are risks, and what does not fit together is named."""

import pytest

from popout.experiment import Block
from popout.task import Costs, InputError

from .designs import make_design


def test_points_lost_are_risk():
    block = Block("Main", 12, costs=Costs(time=(0.2, 0.4), miss=4.0, false_alarm=2.0))
    design = make_design(blocks=[block], points=100)
    assert design.block_points(block) == pytest.approx(
        {"correct": 100, "miss": -300, "false_alarm": -100, "second": -30}
    )


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"set_sizes": [13]}, ("set_sizes",)),
        ({"distractors": [180]}, ("distractors",)),
        ({"contrast": [1.0, 0.5]}, ("contrast",)),
        ({"absent_key": "j"}, ("absent_key",)),
        ({"redirect": "javascript:alert(1)"}, ("redirect",)),
        ({"participant_parameter": "a b"}, ("participant_parameter",)),
        ({"blocks": [Block("Practice", 4, practice=True)]}, ("blocks",)),
        ({"blocks": [Block("Main", 4, set_sizes=[20])]}, ("blocks", 0, "set_sizes")),
        ({"blocks": [Block("Main", 4000), Block("More", 4000)]}, ("blocks",)),
    ],
)
def test_what_does_not_fit_together_is_named(fields, path):
    with pytest.raises(InputError) as caught:
        make_design(**fields)
    assert [fault.path for fault in caught.value.faults] == [path]
