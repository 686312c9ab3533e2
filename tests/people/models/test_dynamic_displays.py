"""Displays whose items change places: predictions and fits."""

import math
from dataclasses import replace

import numpy as np
import pytest

from popout.people.fitting.maximum_likelihood import maximum_near
from popout.people.models.prediction import Prediction
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.models.situation import Situation

MOVING = Situation(period=0.2)
MODEL = SearchModel(Stopping.IDEAL, math.inf)
VALUES = {"information": 12.0, "capacity": 0.0, "variability": 0.3, "time_cost": 0.1}
VALUES |= {"residual_mean": 0.35, "residual_sd": 0.06, "residual_constant": 0.6}
VALUES |= {"absent_extra": 0.03, "lapse": 0.005}


def predicted(tables, sizes, situation):
    return Prediction.of(MODEL, VALUES, sizes, tables, situation)


def test_periods_without_end_and_single_items_are_static_to_the_last_digit(tables):
    static = predicted(tables, (1, 4), Situation())
    long = predicted(tables, (1, 4), Situation(period=1e6))
    np.testing.assert_array_equal(long.density, static.density)
    moving = predicted(tables, (1, 4), MOVING)
    assert np.abs(moving.density[1] - static.density[1]).max() > 0.1
    # Many rates added up are not quite a Gaussian blur.
    np.testing.assert_allclose(moving.mean_rt()[0], static.mean_rt()[0], rtol=2e-3)
    np.testing.assert_allclose(moving.error_rate[0], static.error_rate[0], rtol=1e-6)


def test_moving_items_take_longer_and_lower_thresholds(tables):
    static, moving = (predicted(tables, (4,), each) for each in (Situation(), MOVING))
    assert (moving.mean_rt() > 1.03 * static.mean_rt()).all()
    assert (moving.error_rate > 1.2 * static.error_rate).all()
    np.testing.assert_allclose(moving.masses.sum(axis=-1), 1.0, atol=2e-3)


@pytest.fixture(scope="module")
def both(tables):
    """Return static and dynamic trials of one observer, together."""
    cells = [(4, present, 300) for present in (False, True)]
    parts = [predicted(tables, (4,), each).draw(cells, 3) for each in (Situation(), MOVING)]
    columns = {k: np.concatenate([part.columns[k] for part in parts]) for k in parts[0].columns}
    rows = {k: np.concatenate([getattr(p, k) for p in parts]) for k in ("response", "rt", "target")}
    return replace(parts[0], **rows, columns=columns)


def test_an_observer_is_recovered_from_static_and_dynamic_trials(both, tables):
    likelihood = MODEL.likelihood(both, tables)
    start = {**VALUES, "information": 20.0, "time_cost": 0.05}
    best = maximum_near(likelihood, start)
    gain = likelihood.total(best) - likelihood.total(VALUES)
    assert -0.1 < gain < 15.0, "half of chi-square with nine degrees of freedom"
    rate = best["information"] * 0.5 ** best["capacity"]  # at the only set size there is
    assert rate == pytest.approx(12.0, rel=0.2)
    as_static = replace(both, columns={k: v for k, v in both.columns.items() if k != "period"})
    other = MODEL.likelihood(as_static, tables)
    worse = other.total(maximum_near(other, start))
    assert worse < likelihood.total(best) - 10.0
    assert likelihood.errors_of_total(best)[0] > 0.0
