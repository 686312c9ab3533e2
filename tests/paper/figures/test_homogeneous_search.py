"""Sample paths begin at zero and end where a strategy stops."""

import numpy as np


def test_sample_paths_start_at_zero_and_stop_at_the_boundary(computed):
    data, _ = computed("homogeneous-search")
    assert (data["Z_optimal"].isel(time_optimal=0) == 0).all()
    assert (data["Z_target"].isel(time=0) == 0).all()
    S = data["S_sprt"].to_numpy()
    low, high = data["tau"].to_numpy()
    for path in S.reshape(-1, S.shape[-1]):
        path = path[~np.isnan(path)]
        assert ((path[:-1] > low) & (path[:-1] < high)).all()
        assert path[-1] <= low or path[-1] >= high
