import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from popout.people.passages.first_passages import make_passages
from popout.people.passages.ideal_thresholds import IdealThresholds


@pytest.mark.parametrize("cost", [0.02, 0.1, 0.5])
def test_one_item_has_the_bound_of_the_closed_form(cost):
    """In continuous time the bound b minimises 1 / (1 + e^b) + cost b tanh(b / 2) / 2."""
    best = minimize_scalar(
        lambda b: 1.0 / (1.0 + np.exp(b)) + cost * b * np.tanh(b / 2.0) / 2.0,
        bounds=(0.05, 9.0),
        method="bounded",
    )
    ideal = IdealThresholds([[make_passages(1, 0.0, n_paths=30_000, seed=1)]])
    lower, upper = ideal(np.log([cost]), np.ones(1))
    errors, time = ideal.times[0][0](lower, upper)
    assert errors + cost * time == pytest.approx(best.fun, rel=0.02)
    assert (lower[0], upper[0]) == pytest.approx((best.x, best.x), rel=0.2)


def test_dearer_time_means_less_evidence(tables):
    ideal = tables.ideal_thresholds((0.0,))
    low, high = ideal(np.log([0.01, 0.01]), np.ones(1)), ideal(np.log([0.2, 0.2]), np.ones(1))
    assert (np.array(low) > np.array(high)).all()
