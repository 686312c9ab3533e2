"""Where to look: shares, and risks in their order."""

import numpy as np


def test_risks_are_in_their_order(data):
    risk, error = data["risk"], data["risk_error"]
    best = risk.sel(attention="optimal")
    for name in ("parallel", "guided, g = 1", "serial"):
        assert (risk.sel(attention=name) > best - error.sum("attention")).all()
    assert (risk.sel(attention="parallel") > 1.2 * best).all()


def test_attention_is_all_or_none_away_from_ties(data):
    share = data["share"].isel(plane=0)
    waits = np.maximum(data["margin_absent"], data["margin_present"]).isel(plane=0) < 0
    far = abs(data["z1"] - data["z2"]) > 3.0
    chosen = share.where(waits & far).to_numpy()
    chosen = chosen[np.isfinite(chosen)]
    assert chosen.size > 20
    assert (np.minimum(chosen, 1 - chosen) < 0.05).mean() > 0.9
    first = share.where(waits & (data["z1"] - data["z2"] > 3.0)).mean()
    assert float(first) > 0.9
