"""Costs: one for both classes or one each, of sizes that can be weighed."""

import math

import numpy as np
import pytest

import popout as po
from popout.task import Costs, InputError


def test_costs():
    costs = Costs(time=(0.1, 0.3), miss=2)
    assert (costs.time_absent, costs.time_present, costs.miss) == (0.1, 0.3, 2.0)
    assert Costs((0.2, 0.2)) == Costs(0.2)
    assert hash(Costs((0.2, 0.2))) == hash(Costs(np.float64(0.2)))
    with pytest.raises(InputError) as caught:
        Costs(time=(0.1, -1), miss=0, false_alarm=math.nan)
    assert len(caught.value.lines) == 3
    with pytest.raises(InputError, match="a pair of them"):
        Costs(time=(1, 2, 3))


def test_costs_say_the_unit_of_time():
    assert "0.2 /s" in str(po.Costs(time=0.2))
    assert "0.1 /s while absent, 0.3 /s while present" in str(po.Costs(time=(0.1, 0.3)))


@pytest.mark.parametrize("costs", [(1e-300,), (1e12, 1e12, 1e12), (1e-4, 1e9)])
def test_costs_that_nothing_can_weigh_are_refused_as_a_whole(costs):
    with pytest.raises(InputError) as caught:
        Costs(*costs)
    (fault,) = caught.value.faults
    assert (fault.subject, fault.path) == ("Costs", ())


def test_costs_at_the_bounds_are_taken():
    assert Costs(1e-10, 1.0, 1.0).time == 1e-10
