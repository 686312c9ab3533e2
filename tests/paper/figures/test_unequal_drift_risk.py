"""Risks at unequal drifts: accounts that must balance, whatever the numbers are."""

import numpy as np
import xarray as xr

from popout.paper.figures import unequal_drift_risk


def test_unequal_drifts_obey_the_same_accounts(data):
    weight = xr.DataArray([0.5, 0.25, 0.25], dims="condition")
    parts = ((data["error_rate"] + data["time_cost"] * data["mean_rt"]) * weight).sum("condition")
    np.testing.assert_allclose(parts.transpose(*data["risk"].dims), data["risk"], rtol=1e-3)
    optimal = data["risk"].sel(strategy="optimal")
    assert (data["risk"] >= optimal - data["risk_error"]).all()


def test_tuned_scales_are_no_worse_than_fitted_ones(data):
    risk, error = (data[key].sel(strategy="a-SPRT") for key in ("risk", "risk_error"))
    assert (risk < data["risk_fitted"] * (1 + 1e-3) + error).all()


def test_conditions_keep_apart_in_the_lower_row(data):
    """On a linear axis the misses at the easy location all lay at zero."""
    ax = unequal_drift_risk.draw(data).get_axes()[-1]
    rates = data["error_rate"].isel(drifts=0, time_cost=0).sel(strategy="optimal").to_numpy()
    heights = ax.transData.transform(np.c_[np.full(3, 0.1), rates])[:, 1]
    assert np.diff(np.sort(heights)).min() > 0.1 * ax.bbox.height
