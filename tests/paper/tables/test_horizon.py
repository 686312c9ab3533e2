"""Risk and boundary against the time that is left."""

import numpy as np


def test_more_time_never_costs(computed):
    data, _ = computed("horizon")
    risk = data["risk"].isel(case=0).to_numpy()
    assert (np.diff(risk) <= 1e-12).all()
    assert risk[0] > 1.5 * risk[-1]
    # A coarse grid: the limit is that of the stationary problem within a percent.
    np.testing.assert_allclose(risk[-1], data["stationary_risk"].isel(case=0), rtol=1e-2)
