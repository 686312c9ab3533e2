import math

import numpy as np
import pytest
from scipy.optimize import minimize

from popout.people.passages.first_passages import make_passages
from popout.people.passages.ideal_thresholds import AT_ONCE, EVEN, IdealThresholds


@pytest.fixture(scope="module")
def one_item():
    """Return the best thresholds of one item, from a table without noise."""
    return IdealThresholds([[make_passages(1, math.inf)]])


def wald(tau, cost, stakes):
    """Return the risk of SPRT in continuous time; evidence drifts by 2 in a unit of time."""
    (lower, upper), (prior, miss, alarm) = tau, stakes
    false = (1.0 - np.exp(-lower)) / (np.exp(upper) - np.exp(-lower))
    hit = np.exp(upper) * false
    absent = ((1.0 - false) * lower - false * upper) / 2.0
    present = (hit * upper - (1.0 - hit) * lower) / 2.0
    errors = prior * miss * (1.0 - hit) + (1.0 - prior) * alarm * false
    return errors + cost * (prior * present + (1.0 - prior) * absent)


def by_wald(cost, stakes):
    """Return the thresholds with the least risk by the formula, and that risk."""
    how = {"method": "L-BFGS-B", "bounds": [np.log([AT_ONCE, 14.0])] * 2}
    how["options"] = {"ftol": 1e-15, "gtol": 1e-10}
    starts = ([0.0, 0.0], [1.5, -3.0], [-3.0, 1.5])
    ends = [minimize(lambda x: wald(np.exp(x), cost, stakes), x, **how) for x in starts]
    best = min(ends, key=lambda end: end.fun)
    return np.exp(best.x), best.fun


STAKES = [EVEN, (0.2, 1.0, 1.0), (0.2, 3.0, 1.0), (0.9, 5.0, 1.0), (0.1, 1.0, 4.0)]


@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("cost", [0.005, 0.02, 0.05])
def test_one_item_has_the_thresholds_of_the_closed_form(one_item, cost, stakes):
    best, _ = by_wald(cost, stakes)
    assert np.ravel(one_item(np.log([cost]), np.ones(1), stakes)) == pytest.approx(best, rel=1e-3)
    if stakes != EVEN:
        even = np.ravel(one_item(np.log([cost]), np.ones(1)))
        assert np.abs(even / best - 1.0).max() > 0.1


@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("cost", [0.1, 0.5, 2.0, 9.0])
def test_where_time_costs_much_the_risk_is_that_of_the_closed_form(one_item, cost, stakes):
    """The threshold that is not reached may be anything there."""
    tau = np.ravel(one_item(np.log([cost]), np.ones(1), stakes))
    best, risk = by_wald(cost, stakes)
    assert wald(tau, cost, stakes) == pytest.approx(risk, rel=1e-4)
    assert tau.min() == pytest.approx(best.min(), rel=0.03)


def test_an_observer_who_need_not_look_answers_at_once(one_item):
    lower, upper = one_item(np.log([1.0]), np.ones(1), (0.9, 5.0, 1.0))
    assert upper[0] == pytest.approx(AT_ONCE)
    assert lower[0] > 1.0


def test_costly_time_means_less_evidence(tables):
    ideal = tables.ideal_thresholds((0.0,))
    low, high = ideal(np.log([0.01, 0.01]), np.ones(1)), ideal(np.log([0.2, 0.2]), np.ones(1))
    assert (np.array(low) > np.array(high)).all()
