"""Scales: fitted ones lose least, and the reference location does not matter."""

import numpy as np

from popout.paper.conjecture import PRINTED


def test_fitted_scales_lose_less_than_printed_ones(data):
    lost = data["excess"]
    assert (lost.sel(pair="fitted") < lost.sel(pair="printed")).all()
    np.testing.assert_allclose(data["scale"].sel(pair="printed").isel(case=0), PRINTED[2.0])


def test_locations_may_change_places(data):
    first, second = data["scale_times_tau"].to_numpy()
    np.testing.assert_allclose(first, second, rtol=1e-2)
