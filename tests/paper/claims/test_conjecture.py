"""Thresholds under a biased prior; bound, risk and gap of certified sets."""

import numpy as np


def test_thresholds_move_by_log_m(computed):
    data, _ = computed("biased-prior")
    case = data.isel(case=0)
    np.testing.assert_allclose(case["shift_less_log_m"].sel(set_size=1), 0.0, atol=1e-12)
    # Negative control: without log M two locations would move the thresholds by 0.69.
    left = np.abs(case["shift_less_log_m"].sel(set_size=2))
    assert (left < 0.1).all()
    assert (left + np.log(2) > 0.5).all()


def test_risk_bound_and_gap_agree(computed):
    data, _ = computed("certified-sets")
    assert (data["lower"] <= data["risk"]).all()
    np.testing.assert_allclose(data["gap"], 1 - data["lower"] / data["risk"], atol=1e-12)
