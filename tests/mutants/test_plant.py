"""The list of mistakes fits the code as it is."""

import pytest
from plant import ROOT, dependents, read_mistakes

MISTAKES = read_mistakes()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.id)
def test_a_mistake_has_its_place_and_its_tests(mistake):
    assert mistake.fault() == ""
    assert mistake.old != mistake.new


def test_every_mistake_has_a_name_of_its_own():
    assert len({mistake.id for mistake in MISTAKES}) == len(MISTAKES)


def test_kernels_that_call_a_module_are_found():
    source = ROOT / "src" / "popout"
    names = {path.name for path in dependents(source, source / "noise" / "streams.py")}
    assert {"streams.py", "look_noise.py", "serial_kernel.py", "simulator.py"} <= names
    assert "llr_step.py" not in names
