"""Where an optimum is expected from small problems."""

import math

import numpy as np
import pytest

from popout.analysis.expected import expected_optimum, fitted_optimum, small_tasks
from popout.policies.stopping import Parameter
from popout.task import MixtureSearchTask, SearchTask

SCALE = Parameter("a_minus", 1.7, lower=0.1, upper=50.0, scale=0.35, logarithmic=True)
OPTIMA = {2: {"a_minus": 1.64}, 3: {"a_minus": 1.60}}


def expected(task, optima=OPTIMA):
    return expected_optimum(task, [SCALE], lambda small: optima[small.n_locations])


def test_the_series_goes_on_in_the_logarithm_of_the_number():
    step = math.log(1.60 / 1.64) / math.log(3 / 2)
    for M in (4, 9):
        found = expected(SearchTask(n_locations=M, drift=4.0))
        start = math.log(found.parameters[0].start)
        assert start == pytest.approx(math.log(1.60) + step * math.log(M / 3))
    wide, narrow = (expected(SearchTask(n_locations=M, drift=4.0)).spread[0] for M in (9, 4))
    assert wide > narrow


def test_an_uneven_prior_counts_as_fewer_locations():
    prior = (0.4, 0.4, 0.1, 0.1)
    size = math.exp(-sum(p * math.log(p) for p in prior))
    found = expected(SearchTask(n_locations=4, drift=4.0, location_prior=prior))
    step = math.log(1.60 / 1.64) / math.log(3 / 2)
    start = math.log(found.parameters[0].start)
    assert start == pytest.approx(math.log(1.60) + step * math.log(size / 3))


def test_nothing_is_expected_where_small_problems_cannot_tell():
    task = SearchTask(n_locations=4, drift=4.0)
    assert expected(task, {2: {"a_minus": math.nan}, 3: {"a_minus": 1.6}}) is None
    assert expected_optimum(task, [], lambda small: {}) is None
    assert small_tasks(MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})) == ()


def test_a_fit_to_the_boundary_is_loose_with_unequal_drifts():
    even, uneven = (
        fitted_optimum(task, [SCALE], {"a_minus": 1.6})
        for task in (SearchTask(n_locations=2, drift=4.0), SearchTask(drift=(8.0, 3.0)))
    )
    assert even.parameters[0].start == uneven.parameters[0].start == 1.6
    assert np.all(uneven.spread > 10 * even.spread)
    assert fitted_optimum(SearchTask(2, 4.0), [SCALE], {"a_minus": math.nan}) is None


def test_small_tasks_keep_prior_and_step():
    for drift in (4.0, (4.0, 3.0, 4.0)):
        for small in small_tasks(SearchTask(n_locations=3, drift=drift, prior=0.3, dt=0.002)):
            assert (small.prior, small.dt) == (0.3, 0.002)
