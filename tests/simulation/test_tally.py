"""Counts: exact sums of parts, for whole steps and for times of any kind."""

import numpy as np
import pytest

from popout.policies.stopping import SPRT
from popout.simulation import Tally, simulate
from popout.simulation.tally import Columns
from popout.task import Costs, InputError, SearchTask

TASK = SearchTask(drift=(5.0, 3.0), prior=0.3)
COSTS = Costs(time=(0.3, 0.7), miss=2.0, false_alarm=0.5)


def responses(n=2000):
    rng = np.random.default_rng(3)
    response, target = rng.integers(0, 3, n), rng.integers(-1, 2, n)
    return Columns(response.astype(np.int8), rng.gamma(4.0, 0.15, n), target.astype(np.int32))


def test_tallies_add_up_and_do_not_grow():
    trials = simulate(TASK, SPRT.for_task(TASK, -2.5, 2.5), 4000, seed=11, time_limit=0.6)
    columns = Columns(trials.response, trials.steps, trials.target)
    parts = [
        Tally.of(columns.part(*ends), TASK.prior, 2, TASK.dt) for ends in ((0, 1500), (1500, 4000))
    ]
    assert (parts[0] + parts[1]).summary(COSTS) == trials.summary(COSTS)
    assert parts[0].by_class.size <= 2 * 3 * 61
    assert parts[0].by_location.dtype == np.int64


@pytest.mark.parametrize("change", [{"prior": 0.5}, {"n_locations": 3}, {"unit": 0.02}])
def test_tallies_that_do_not_belong_together_are_not_added(change):
    usual = {"prior": 0.3, "n_locations": 2, "unit": 0.01}
    one, other = (Tally.of(Columns.empty(5), **how) for how in (usual, usual | change))
    with pytest.raises(ValueError, match="cannot be added"):
        one + other


def test_times_of_any_kind_are_counted_one_by_one_and_add_up():
    columns = responses()
    whole = Tally.of(columns, 0.3, 2, 1.0)
    parts = [Tally.of(columns.part(*ends), 0.3, 2, 1.0) for ends in ((0, 600), (600, 2000))]
    added = parts[0] + parts[1]
    np.testing.assert_array_equal(added.times, whole.times)
    np.testing.assert_array_equal(added.by_class, whole.by_class)
    assert added.summary(COSTS).absent == whole.summary(COSTS).absent


def test_a_number_is_no_costs():
    task = SearchTask(n_locations=2, drift=4.0)
    trials = simulate(task, SPRT.for_task(task, -2.0, 2.0), 10)
    with pytest.raises(InputError, match=r"summary.costs: expected Costs, got 0.2; write Costs"):
        trials.summary(0.2)
