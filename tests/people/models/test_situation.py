import numpy as np
import pytest

from popout.people.models.situation import FIELDS, USUAL, Situation, situations_of
from popout.simulation.responses import Responses
from popout.task import InputError


def test_trials_carry_every_field():
    some = (USUAL, Situation(0.2, 3.0, 2.0, 1.5, 0.11), Situation(period=0.5))
    columns = {name: np.array([getattr(each, name) for each in some]) for name in FIELDS}
    trials = Responses(np.ones(3, int), np.ones(3), np.full(3, -1), columns=columns)
    several, number = situations_of(trials)
    assert [several[k] for k in number] == [*some]
    assert {*FIELDS} == {*vars(USUAL)}


@pytest.mark.parametrize("period", [0.0, -0.11, float("nan"), "quick", None])
def test_periods_and_limits_are_seconds(period):
    with pytest.raises(InputError, match=r"period: expected seconds above 0.*") as caught:
        Situation(period=period, deadline=period)
    assert len(caught.value.faults) == 2
