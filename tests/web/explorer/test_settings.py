"""Settings: the names of the command line, within bounds."""

import pytest

from popout.cli.names import STRATEGIES as TYPED
from popout.task import InputError
from popout.web.explorer import settings


def test_strategies_are_those_of_the_command_line():
    assert settings.STRATEGIES == TYPED


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (settings.Simulate, {"trials": 10**7}),
        (settings.Simulate, {"strategy": "luck"}),
        (settings.Slopes, {"locations": [4]}),
        (settings.Slopes, {"locations": [4, 4]}),
        (settings.Boundary, {"plane": [0]}),
        (settings.Boundary, {"plane": [0, 1, 2]}),
        (settings.Frontier, {"span": 1.0}),
        (settings.Compare, {"time_costs": [-1.0]}),
    ],
)
def test_what_a_server_does_not_do_is_refused(make, fields):
    with pytest.raises(InputError):
        make(**fields)
