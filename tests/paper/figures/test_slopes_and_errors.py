"""Slopes and errors: what is stored is what `compare` finds."""

import pytest


def test_slopes_are_those_of_the_times(data):
    size = data["set_size"]
    for side in ("absent", "present"):
        rise = data[f"mean_rt_{side}"].diff("set_size") / size.diff("set_size")
        slope = data[f"rt_slope_{side}"]
        assert slope.to_numpy() == pytest.approx(1e3 * rise.isel(set_size=0).to_numpy())


def test_serial_risks_less_than_parallel(data):
    risk, se = data["risk"], data["risk_se"]
    gap = risk.sel(attention="parallel") - risk.sel(attention="serial")
    assert (gap > 4 * se.sum("attention")).all()
    assert data["attention"].to_numpy().tolist() == ["parallel", "guided, g = 1", "serial"]
