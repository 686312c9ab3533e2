"""Presets by name."""

import pytest

from popout.report.preset import preset_of
from popout.task import Faults, InputError


def test_an_unknown_preset_is_named_together_with_other_faults():
    faults = Faults("")
    faults.integer("trials", 2.5, "ask for whole trials")
    with pytest.raises(InputError) as caught:
        preset_of("slow", {"quick": 1, "paper": 2}, faults)
    text = "\n".join(caught.value.lines)
    assert "preset: expected one of quick, paper, got 'slow'" in text
    assert "trials" in text
