import numpy as np
import pytest

from popout.people.fitted import FittedModel, Interval
from popout.people.frontier import Frontier, index_of
from popout.people.search_models import models
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
    errors = {name: Interval(0.0, 1.0) for name in values}
    n = len(values)
    fitted = FittedModel(
        free, values, errors, -1.0, 40, {1: 20, 4: 20}, covariance=1e-4 * np.eye(n), tables=tables
    )
    index = index_of(fitted, n_draws=40)
    assert index.wasted_interval[0] <= index.wasted_ms <= index.wasted_interval[1]
    assert index.as_dict()["model"] == "free-parallel"
    assert "free-parallel" in str(index)
    drawn = index_of(fitted, n_draws=5, positions=np.full((9, n), 0.5))
    assert drawn.excess_interval[0] == drawn.excess_interval[1]


def test_other_models_have_no_index(tables, observers):
    fitted = FittedModel(observers[1], {}, {}, -1.0, 40, {1: 20})
    with pytest.raises(InputError, match="SearchModel"):
        index_of(fitted)
