from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import norm

from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.frontier import Frontier, has_index, index_of
from popout.people.models.model import position_of, values_at
from popout.people.models.search_density import STEP, Residual, search_density
from popout.people.models.search_models import models
from popout.people.models.situation import USUAL, Situation
from popout.task import InputError


@pytest.fixture(scope="module")
def observers():
    ideal, free = models(["ideal-parallel", "free-parallel"])
    return ideal, free, {**ideal.starts[0], "time_cost": 0.3, "information": 10.0}


def test_an_ideal_observer_is_on_its_frontier(tables, observers):
    ideal, _, values = observers
    frontier = Frontier.of(ideal, values, tables)
    assert frontier.wasted_ms < 2.0
    assert frontier.excess_percent < 0.1
    assert frontier.implied_time_cost == pytest.approx(0.3, rel=0.3)


def test_what_is_at_stake_moves_the_frontier(tables, observers):
    """An observer who decides for rare, costly targets is ideal for them, and not otherwise."""
    ideal, free, values = observers
    rare = Situation(prior=0.2, miss=3.0)
    own = {**values, **free.like_ideal(values, tables, rare.stakes)}
    assert Frontier.of(free, own, tables, None, {rare: 5}).excess_percent < 0.1
    assert Frontier.of(ideal, values, tables, None, {rare: 5}).excess_percent < 0.1
    assert Frontier.of(free, own, tables).excess_percent > 1.0


def test_lopsided_thresholds_waste_time_and_risk(tables, observers):
    ideal, free, values = observers
    best = ideal.decision(values, tables)
    middle = {"lower": best.tau_minus.mean(), "upper": best.tau_plus.mean()}
    lopsided = {**values, "lower": 0.4 * middle["lower"], "upper": 2.0 * middle["upper"]}
    near = Frontier.of(free, {**values, **middle}, tables)
    far = Frontier.of(free, lopsided, tables)
    assert far.wasted_ms > near.wasted_ms + 10.0
    assert far.excess_percent > near.excess_percent + 2.0


def test_along_the_frontier_time_buys_accuracy(tables, observers):
    ideal, _, values = observers
    frontier = Frontier.of(ideal, values, tables, {1: 10, 4: 30})
    assert (np.diff(frontier.errors) >= -1e-12).all()
    assert (np.diff(frontier.times) <= 1e-12).all()


def test_an_index_has_an_interval_and_names_its_model(tables, observers):
    _, free, values = observers
    values = {parameter.name: values[parameter.name] for parameter in free.parameters}
    n = len(values)
    known = {"covariance": 1e-4 * np.eye(n), "tables": tables}
    fitted = FittedModel(free, values, {}, -1.0, 40, {1: 20, 4: 20}, **known)
    index = index_of(fitted, n_draws=40)
    assert index.wasted_interval[0] <= index.wasted_ms <= index.wasted_interval[1]
    assert index.as_dict()["model"] == "free-parallel"
    assert "free-parallel" in str(index)


def test_an_interval_holds_its_estimate_where_all_draws_lie_farther(tables, observers):
    _, free, values = observers
    on = {**values, **free.like_ideal(values, tables, USUAL.stakes)}
    fitted = FittedModel(free, on, {}, -1.0, 40, {1: 20, 4: 20}, tables=tables)
    far = position_of(free.parameters, {**on, "lower": 0.4 * on["lower"]})
    index = index_of(fitted, n_draws=5, positions=np.array([far] * 9))
    away = Frontier.of(free, values_at(free.parameters, far), tables, {1: 20, 4: 20})
    assert index.wasted_ms < 1.0 < away.wasted_ms
    assert index.wasted_interval == pytest.approx((index.wasted_ms, away.wasted_ms))
    assert index.excess_interval == pytest.approx((index.excess_percent, away.excess_percent))


def test_other_models_have_no_index(tables, observers):
    fitted = FittedModel(observers[1], {}, {}, -1.0, 40, {1: 20})
    with pytest.raises(InputError, match="SearchModel"):
        index_of(fitted)
    where = {"situations": {Situation(period=0.1): 20}, "tables": tables}
    moving = FittedModel(observers[1], {}, {}, -1.0, 40, {1: 20}, **where)
    assert not has_index(moving.model, moving.situations)
    with pytest.raises(InputError, match="expected static displays"):
        index_of(moving)


def test_the_time_of_an_observer_is_the_mean_of_the_density(tables, observers):
    """With a rate that varies much between trials, and set sizes that are not equally frequent."""
    _, free, values = observers
    values = {**values, "variability": 1.0, "lower": 1.5, "upper": 2.5, "information": 40.0}
    residual = Residual(mean=0.3, sd=0.02, constant=0.5, absent_extra=0.0, lapse=0.0)
    decision = free.decision(values, tables)
    density = search_density(tables.decision_times(free.guidances), decision, residual, 60.0)
    mass = density.sum(axis=2)  # over answers; shape (n_sizes, 2, T + 1)
    assert (mass.sum(axis=-1) * STEP > 0.9999).all()
    times = STEP * np.arange(mass.shape[-1])
    means = (mass @ times / mass.sum(axis=-1)).mean(axis=1) - 0.3
    right = [density[:, 0, 1].sum(axis=-1), density[:, 1, 0].sum(axis=-1)]
    errors = np.mean(right, axis=0) * STEP
    frontier = Frontier.of(free, values, tables, {1: 10, 4: 30})
    assert frontier.observer_time == pytest.approx(means @ (0.25, 0.75), rel=0.02)
    assert frontier.observer_errors == pytest.approx(errors @ (0.25, 0.75), rel=0.01)


def test_the_cost_of_time_of_an_ideal_observer_whose_rate_varies(tables, observers):
    ideal, _, values = observers
    frontier = Frontier.of(ideal, {**values, "variability": 1.0}, tables, {1: 10, 4: 30})
    assert frontier.implied_time_cost == pytest.approx(0.3, rel=0.25)  # a step of the grid and half
    assert frontier.excess_percent < 0.1


def test_intervals_of_indices_hold_95_of_100_draws(tables, observers, monkeypatch):
    """Normal draws, in order: the interval is 1.96 standard deviations to either side."""
    _, free, values = observers
    fitted = FittedModel(free, values, {}, -1.0, 40, {1: 20, 4: 20}, tables=tables)
    n = 400
    drawn = zip(100 + 7 * normal_scores(n), 50 + 3 * normal_scores(n), strict=True)
    draws = iter([(100.0, 50.0), *drawn])

    def trace(*args):
        wasted, excess = next(draws)
        return Mock(wasted_ms=wasted, excess_percent=excess, implied_time_cost=0.3)

    monkeypatch.setattr("popout.people.fitting.frontier._trace", trace)
    index = index_of(fitted, n_draws=n, positions=np.full((n, len(free.parameters)), 0.5))
    for interval, middle, sd in ((index.wasted_interval, 100, 7), (index.excess_interval, 50, 3)):
        assert interval == pytest.approx((middle - 1.96 * sd, middle + 1.96 * sd), abs=0.05 * sd)


def normal_scores(n):
    """Return quantiles of a standard normal, as evenly spread as n draws can be."""
    return norm.ppf((np.arange(n) + 0.5) / n)
