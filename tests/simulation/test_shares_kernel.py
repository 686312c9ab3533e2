"""The general compiled kernel against the plain way, trial by trial."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_cases import assert_compiled_is_plain

import popout as po
from popout.policies.looking import Guided, Serial

COSTS = po.Costs(time=0.5)
UNEQUAL = po.LimitedSearchTask(
    information=8.0, visibility=(1.0, 0.6, 0.8), location_prior=(0.5, 0.5, 0.0)
)
SOLVED = po.solve(UNEQUAL, COSTS, rtol=1e-2)


SCALED = replace(po.SPRT.for_task(UNEQUAL, -2.0, 2.5), a_minus=1.7, a_plus=0.7)
PAIRS = {
    "guided": (Guided.for_task(UNEQUAL, 0.5), SCALED),
    "serial, exact table": (Serial.for_task(UNEQUAL), SOLVED.strategy),
    "serial, other weights": (Serial((0.0, -1.0, -np.inf)), SCALED),
    "guided, exact table": (Guided.for_task(UNEQUAL), SOLVED.strategy),
    "table": (SOLVED.attention, SCALED),
    "table, exact table": (SOLVED.attention, SOLVED.strategy),
}


@pytest.mark.parametrize("name", PAIRS)
def test_compiled_and_plain_agree_on_every_trial(name):
    assert_compiled_is_plain(UNEQUAL, *PAIRS[name], 400, seed=1)


def test_many_locations_guided():
    task = po.LimitedSearchTask(n_locations=20, information=160.0)
    stop = po.SPRT.for_task(task, -3.0, 3.0)
    assert_compiled_is_plain(task, Guided.for_task(task, 2.0), stop, 200, seed=2)
