"""The law of the scales: against exact boundaries that were no part of its fit."""

import math

import pytest

from popout import Costs, LimitedSearchTask, SearchTask, solve, tune
from popout.analysis.scale_law import ERROR, scales_by_law
from popout.policies.stopping import ASPRT

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
