"""Log scores and the share of the ideal shift, of observers whose truth is known."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from stored_fits import known_fit

from popout.people.models.partly_ideal import PartlyIdeal
from popout.people.models.situation import USUAL, Situation
from popout.people.prediction import held_against
from popout.people.prediction.held_against import (
    log_scores,
    mean_share,
    realised_share,
    yardstick_score,
)
from popout.people.prediction.parameter_draws import draw_parameters

from ..conftest import shorten
from ..simple_models import LogNormalTimes

RARE = Situation(prior=0.1)
SIZES = (1, 4)


@pytest.fixture(scope="module")
def fitted(tables):
    return replace(known_fit(sd=0.004), tables=tables)


def moved(fitted, share, seed, n=400, situation=RARE):
    """Return the trials of an observer who moves by a share of the way."""
    model = PartlyIdeal.of(fitted.model, fitted.situations)
    values = {**fitted.estimates, "share": share}
    prediction = model.predict(values, SIZES, fitted.tables, situation)
    return prediction.draw([(M, kind, n) for M in SIZES for kind in (False, True)], seed)


def draws_of(fitted, n=8):
    return draw_parameters(fitted, n)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_share_comes_back(fitted, share):
    found = realised_share(fitted, fitted.model, moved(fitted, share, seed=2), draws_of(fitted))
    assert found.determined
    assert abs(found.value - share) < 3 * found.se
    assert found.low < share < found.high
    assert found.high - found.low < 0.8  # it tells kept from ideal


def test_draws_of_parameters_widen_the_interval(fitted, tables):
    trials = moved(fitted, 0.5, seed=3)
    vague = replace(known_fit(sd=0.03), tables=tables)
    sure = replace(known_fit(sd=0.0), tables=tables)
    errors = [realised_share(f, f.model, trials, draws_of(f)).se for f in (sure, fitted, vague)]
    assert errors == sorted(errors)
    assert errors[2] > 1.5 * errors[0]


def test_the_share_agrees_with_a_plain_search(fitted):
    trials, model = moved(fitted, 0.3, seed=4), PartlyIdeal.of(fitted.model, fitted.situations)
    grid = np.linspace(-0.5, 1.5, 201)
    totals = [
        model.log_densities({**fitted.estimates, "share": s}, trials, fitted.tables).sum()
        for s in grid
    ]
    found = realised_share(fitted, fitted.model, trials, [fitted.estimates] * 4)
    assert found.value == pytest.approx(grid[np.argmax(totals)], abs=0.011)
    inside = grid[np.array(totals) > max(totals) - 1.92]
    assert (found.low, found.high) == pytest.approx((inside[0], inside[-1]), abs=0.06)


def test_where_nothing_has_changed_there_is_no_shift(fitted):
    trials = moved(fitted, 1.0, seed=5, situation=USUAL)
    found = realised_share(fitted, fitted.model, trials, draws_of(fitted))
    assert not found.determined
    assert "equally well" in found.why


def test_scores_know_who_moved(fitted, monkeypatch):
    shorten(monkeypatch)
    both = [moved(fitted, share, seed=6, n=150) for share in (1.0, 0.0)]
    ideal = log_scores(fitted, fitted.model, both[0], folds=2)
    monkeypatch.setattr(held_against, "yardstick_score", lambda *_: 0.0)  # it costs seconds
    lazy = log_scores(fitted, fitted.model, both[1], folds=2)
    assert ideal["over_kept"] > 3 * ideal["over_kept_se"]
    assert lazy["over_kept"] < -3 * lazy["over_kept_se"]
    # The truth was known: what is fitted cannot know more, but for chance.
    assert ideal["refitted"] < ideal["predicted"] + 0.005
    assert ideal["yardstick"] < ideal["predicted"] + 0.005
    assert lazy["refitted"] > lazy["predicted"]
    model = PartlyIdeal.of(fitted.model, fitted.situations)
    trials = both[0]
    for name, share in (("predicted", 1.0), ("kept", 0.0)):
        densities = model.log_densities({**fitted.estimates, "share": share}, trials, fitted.tables)
        assert ideal[name] == pytest.approx(densities.mean())


def test_the_yardstick_has_cells_for_each_situation(fitted, monkeypatch):
    monkeypatch.setattr(held_against, "cross_validate", lambda fit, *_: fit.log_likelihood)
    cheap = SimpleNamespace(for_trials=lambda *_: LogNormalTimes())
    monkeypatch.setattr(held_against, "ExGaussianCells", cheap)
    window = (fitted.model.longest, fitted.model.fastest)
    both = [moved(fitted, 1.0, 7, n=60, situation=Situation(prior=p)) for p in (0.05, 0.95)]
    names = ("response", "rt", "target")
    plain = {k: np.concatenate([getattr(each, k) for each in both]) for k in names}
    columns = {k: np.concatenate([each.columns[k] for each in both]) for k in both[0].columns}
    whole = replace(both[0], columns=columns, **plain)
    apart = [yardstick_score(each, window, 2) for each in both]
    assert yardstick_score(whole, window, 2) == pytest.approx(sum(apart))
    pooled = replace(whole, columns={**columns, "prior": np.full(len(whole), 0.5)})
    assert yardstick_score(pooled, window, 2) < sum(apart) - 1.0


def test_the_mean_over_people_is_that_of_a_random_effect():
    random = np.random.default_rng(1)
    errors = random.uniform(0.05, 0.3, 40)
    values = 0.7 + 0.4 * random.standard_normal(40) + errors * random.standard_normal(40)
    found = mean_share(values, errors)

    def cost(x):  # the likelihood of the same model
        return -norm.logpdf(values, x[0], np.hypot(errors, np.exp(x[1]))).sum()

    best = minimize(cost, (0.5, -1.0)).x
    assert found["value"] == pytest.approx(best[0], abs=0.01)
    assert found["sd"] == pytest.approx(np.exp(best[1]), abs=0.06)
    assert found["se"] == pytest.approx(np.hypot(found["sd"], 0.17) / np.sqrt(40), rel=0.15)
    assert found["low"] < found["value"] < found["high"]


def test_intervals_of_the_mean_hold_the_truth_as_often_as_they_say():
    random, held, n = np.random.default_rng(2), {True: 0, False: 0}, 400
    for _ in range(n):
        errors = random.uniform(0.1, 0.5, 8)
        values = 1.0 + 0.3 * random.standard_normal(8) + errors * random.standard_normal(8)
        found = mean_share(values, errors)
        held[True] += found["low"] < 1.0 < found["high"]
        weights = 1.0 / errors**2  # as if people did not differ
        held[False] += abs(weights @ values / weights.sum() - 1.0) < 1.96 / np.sqrt(weights.sum())
    error = 3 * np.sqrt(0.95 * 0.05 / n)
    assert held[True] / n == pytest.approx(0.95, abs=error)
    assert held[False] / n < 0.95 - error  # the negative control
