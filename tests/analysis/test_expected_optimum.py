"""Where an optimum is expected: the law of the scales, small problems, fits."""

import math

import numpy as np
import pytest

from popout import Costs, LimitedSearchTask, MixtureSearchTask, SearchTask, solve, tune
from popout.analysis.expected_optimum import (
    ERROR,
    expected_by_fit,
    expected_by_size,
    scales_by_law,
    small_tasks,
)
from popout.policies.stopping import ASPRT, Parameter

FRESH = [(2, 0.08, 0.1), (2, 0.003, 0.6), (3, 0.03, 0.4)]


def away(law, scales):
    return {name: abs(math.log(law[name] / getattr(scales, name))) for name in law}


@pytest.mark.parametrize(("M", "ratio", "step"), FRESH)
def test_the_law_meets_exact_boundaries_that_it_was_not_fitted_to(M, ratio, step):
    """Drift and prior are others than those of the fit as well: they play no part."""
    drift = 3.0
    task = SearchTask(n_locations=M, drift=drift, dt=step / drift**2, prior=0.35)
    costs = Costs(time=ratio * drift**2)
    scales = solve(task, costs, 1e-3).scales
    assert max(away(scales_by_law(task, costs), scales).values()) < ERROR
    # Negative control: without the step the law would be off.
    short = SearchTask(n_locations=M, drift=drift, dt=1e-6)
    assert max(away(scales_by_law(short, costs), scales).values()) > 2 * ERROR


@pytest.mark.parametrize(
    ("task", "costs"),
    [
        (SearchTask(drift=(8.0, 3.0)), Costs(time=0.2)),
        (SearchTask(n_locations=1, drift=4.0), Costs(time=0.2)),
        (SearchTask(n_locations=4, drift=1.0), Costs(time=0.5)),
        (SearchTask(n_locations=4, drift=12.0, dt=0.05), Costs(time=0.2)),
        (SearchTask(n_locations=4, drift=4.0), Costs(time=0.2, miss=2.0)),
        (SearchTask(n_locations=4, drift=4.0), Costs(time=(0.2, 0.3))),
        (LimitedSearchTask(n_locations=4, information=60.0), Costs(time=0.2)),
    ],
)
def test_the_law_is_silent_where_it_was_not_fitted(task, costs):
    assert scales_by_law(task, costs) is None


def test_errors_that_cost_twice_as_much_are_time_that_costs_half():
    task = SearchTask(n_locations=4, drift=4.0)
    twice = Costs(time=0.4, miss=2.0, false_alarm=2.0)
    assert scales_by_law(task, twice) == scales_by_law(task, Costs(time=0.2))


def test_tuning_starts_from_the_law_and_solves_nothing(monkeypatch):
    task, costs = SearchTask(n_locations=8, drift=12.0), Costs(time=1.0)

    def solved(*_):
        raise AssertionError("a small task was solved")

    monkeypatch.setattr("popout.analysis.tune._small_optimum", solved)
    assert tune(ASPRT, task, costs, n_trials=4000).expected == scales_by_law(task, costs)
    with pytest.raises(AssertionError, match="a small task"):
        tune("sprt-opt", task, costs, n_trials=4000)


SCALE = Parameter("a_minus", 1.7, lower=0.1, upper=50.0, scale=0.35, logarithmic=True)
OPTIMA = {2: {"a_minus": 1.64}, 3: {"a_minus": 1.60}}


def expected(task, optima=OPTIMA):
    return expected_by_size(task, [SCALE], lambda small: optima[small.n_locations])


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
    assert expected_by_size(task, [], lambda small: {}) is None
    assert small_tasks(MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})) == ()


def test_a_fit_to_the_boundary_is_loose_with_unequal_drifts():
    even, uneven = (
        expected_by_fit(task, [SCALE], {"a_minus": 1.6})
        for task in (SearchTask(n_locations=2, drift=4.0), SearchTask(drift=(8.0, 3.0)))
    )
    assert even.parameters[0].start == uneven.parameters[0].start == 1.6
    assert np.all(uneven.spread > 10 * even.spread)
    assert expected_by_fit(SearchTask(2, 4.0), [SCALE], {"a_minus": math.nan}) is None


def test_small_tasks_keep_prior_and_step():
    for drift in (4.0, (4.0, 3.0, 4.0)):
        for small in small_tasks(SearchTask(n_locations=3, drift=drift, prior=0.3, dt=0.002)):
            assert (small.prior, small.dt) == (0.3, 0.002)
