"""Certified sets: the bound lies below the risk, and the gap is what separates them."""

import numpy as np


def test_risk_bound_and_gap_agree(computed):
    data, _ = computed("certified-sets")
    assert (data["lower"] <= data["risk"]).all()
    np.testing.assert_allclose(data["gap"], 1 - data["lower"] / data["risk"], atol=1e-12)
