"""Three equations as printed: each misses what it should give by a known amount."""

import numpy as np
import pytest


def test_the_slips_are_as_large_as_they_must_be(computed):
    data, _ = computed("printed-equations")
    # The printed sign of mu^2 t / 2 is wrong: two orientations differ by mu1^2 - mu2^2 too much.
    assert float(data["log_likelihood_difference"]) == pytest.approx(2.0**2 - 1.0**2)
    assert float(data["variance"]) == pytest.approx(0.01**2)
    # The lower test as printed is met before any evidence: every target is missed.
    assert float(data["statistic_at_start"]) > float(data["tau_minus"])
    assert np.isclose(float(data["risk_as_printed"]), 0.5)
