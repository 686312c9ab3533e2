"""Tables filled cell by cell: every point in its place, and nothing where a point says nothing."""

import numpy as np

from popout.reports.cells import labelled, over


def test_every_point_is_asked_once_and_stands_in_its_place():
    asked, shares = [], []

    def cell(drift, cost, size):
        asked.append((drift, cost, size))
        known = {"sum": drift + cost + size, "pair": (("side",), [-drift, size], {"units": "nats"})}
        return known if size > 2 else {"sum": 0.0}

    axes = {"case": [(4.0, 0.2), (2.0, 0.5)], "set_size": [2, 3, 8]}
    table = over(axes, cell, lambda share, words: shares.append((share, words)))
    assert asked == [(d, c, M) for d, c in axes["case"] for M in axes["set_size"]]
    assert shares[1] == (1 / 6, "case (4.0, 0.2), 3 locations")
    np.testing.assert_allclose(table["sum"].values, [[0, 7.2, 12.2], [0, 5.5, 10.5]])
    assert table["pair"].dims == ("case", "set_size", "side")
    np.testing.assert_array_equal(table["pair"].values[:, 0], np.nan)
    np.testing.assert_array_equal(table["pair"].values[:, 2], [[-4, 8], [-2, 8]])
    data = labelled(table, {"set_size": (2, 3, 8), "side": ("absent", "present")}, {"seed": 1})
    assert data["pair"].attrs == {"units": "nats"}
    assert data["sum"].sel(set_size=8).values.tolist() == [12.2, 10.5]
