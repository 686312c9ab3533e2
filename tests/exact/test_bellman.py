"""The Bellman equation on a grid: its terms, its minimum and the interval of waiting."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import popout as po
from popout.exact.axis import Axis
from popout.exact.backend import get_backend
from popout.exact.bellman import Bellman
from popout.exact.discretisation import ShareDiscretisation
from popout.exact.fixed_point import stationary
from popout.exact.grid import Grid, Group
from popout.exact.looking import FixedRates

COSTS = po.Costs(time=(0.2, 0.4), miss=2.0, false_alarm=0.7)
WEIGHT = 0.5


@pytest.fixture
def bellman():
    axis = Axis.covering(-9.0, 8.0, spacing=0.1, sd=0.4)
    return Bellman(FixedRates(Grid([Group(axis, (0,), WEIGHT)], get_backend())), COSTS, 0.01)


def test_answers_and_price_in_terms_of_the_odds(bellman):
    odds = WEIGHT * np.exp(bellman.grid.groups[0].axis.nodes)
    np.testing.assert_allclose(bellman.stop, np.minimum(0.7, 2.0 * odds))
    np.testing.assert_allclose(bellman.price, 0.01 * (0.2 + 0.4 * odds))
    assert (np.sign(bellman.ridge) == np.sign(2.0 * odds - 0.7)).all()


def test_away_from_boundaries_the_best_is_the_plain_minimum(bellman):
    V = bellman.terminal()
    D = bellman.advantages(V)
    plain = np.minimum(bellman.stop, bellman.wait(V))
    changes = np.abs(np.diff(np.sign(D))) + np.abs(np.diff(np.sign(bellman.ridge)))
    near = np.convolve(np.append(changes, 0) > 0, np.ones(7), mode="same") > 0
    assert 0 < near.sum() < 40
    np.testing.assert_allclose(bellman.best(D)[~near], plain[~near], rtol=1e-13)
    assert np.abs(bellman.best(D) - plain)[near].max() > 0  # sub-grid corrections


def test_the_interval_of_waiting(bellman):
    z = bellman.grid.groups[0].axis.nodes
    assert bellman.waiting_interval((z + 1.234) * (z - 2.345)) == pytest.approx((-1.234, 2.345))
    ridge = math.log(0.7 / (2.0 * WEIGHT))  # waiting never pays: where both answers cost the same
    assert bellman.waiting_interval(np.ones_like(z)) == (ridge, ridge)


def test_before_any_evidence_the_cheapest_of_three_is_taken(bellman):
    V = bellman.terminal()
    assert bellman.origin(V) == pytest.approx(bellman.grid.at_origin(bellman.wait(V)))
    costly = Bellman(bellman.looking, po.Costs(time=500.0, miss=2.0, false_alarm=0.7), 0.01)
    assert costly.origin(V) == 0.7


def test_at_the_deadline_the_answers_meet_between_the_nodes():
    # One step of evidence before the best answer, against the closed form of a lognormal.
    axis = Axis.covering(-9.0, 9.0, spacing=0.3, sd=0.6)
    bellman = Bellman(FixedRates(Grid([Group(axis, (0,), WEIGHT)], get_backend())), COSTS, 0.01)
    here = np.abs(axis.nodes) < 3.0
    d = (math.log(0.7 / (2.0 * WEIGHT)) - axis.nodes) / 0.6
    truth = 0.7 * norm.cdf(-d - 0.3) + 2.0 * WEIGHT * np.exp(axis.nodes) * norm.cdf(d - 0.3)
    kinked, plain = (
        np.abs(bellman.grid.expect(V) - truth)[here].max()
        for V in (bellman.terminal(), bellman.stop)
    )
    assert kinked < 1e-4
    assert plain > 10 * kinked


@pytest.fixture(scope="module", params=[(2, 32.0, 0.2), (3, 12.0, 0.5)])
def solved(request):
    M, information, cost = request.param
    task, costs = po.LimitedSearchTask(M, information), po.Costs(time=cost)
    problem = ShareDiscretisation(task, costs)
    bellman = problem.bellman(problem.grid(0.6, 3.0, 2))
    return bellman, stationary(bellman, None, 1e-6, **bellman.looking.iteration)


def test_the_fixed_point_is_fixed(solved):
    bellman, point = solved
    again = bellman(point.V)
    assert np.abs(again - point.V).max() <= 1e-6 * bellman.costs.time_absent * bellman.dt
    assert point.uncertainty < 1e-5


def test_fixing_the_sides_changes_nothing_at_the_solution(solved):
    bellman, point = solved
    fixed = bellman.with_sides_of(point.V)
    np.testing.assert_array_equal(fixed(point.V), bellman(point.V))


def test_shares_leave_answers_and_price_as_they_are(solved):
    grid, dt = solved[0].grid, solved[0].dt
    costs = po.Costs(time=(0.3, 0.5), miss=2.0, false_alarm=0.7)
    bellman = Bellman(solved[0].looking, costs, dt)
    np.testing.assert_allclose(bellman.stop, np.minimum(2.0 * grid.odds, 0.7))
    np.testing.assert_allclose(bellman.price, dt * (0.3 + 0.5 * grid.odds))
