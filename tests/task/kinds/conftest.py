"""A value, checked."""

import pytest

from popout.task import Faults
from popout.task.kinds import Spot


@pytest.fixture(scope="session")
def check():
    """Return a function that returns what is stored of a value, and the faults."""

    def checked(kind, value, **known):
        faults = Faults("")
        return kind.check(value, Spot(faults, ("x",), "mend it", known)), faults.faults

    return checked
