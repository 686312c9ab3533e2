"""The paper's recursion comes nearer to the exact optimum as the bins become smaller."""

import numpy as np


def test_smaller_bins_come_nearer(computed):
    data, _ = computed("paper-grid")
    one = data.isel(case=0)
    away = np.abs(one["risk"] / one["risk_exact"] - 1).to_numpy()
    assert away[-1] < away[0]
    assert away[-1] < 0.1
