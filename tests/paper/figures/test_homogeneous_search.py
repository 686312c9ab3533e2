"""Sample paths begin at zero and end where a strategy stops."""

import numpy as np

from popout.paper.figures import homogeneous_search


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


def test_panels_have_letters_of_their_own_and_few_paths(computed):
    data, _ = computed("homogeneous-search")
    figure = homogeneous_search.draw(data)
    titles = [ax.get_title(loc="left") for ax in figure.get_axes()]
    letters = [title.split("{")[1][0] for title in titles if title]
    assert letters == list("abcdef")
    sprt, plane = (ax for ax in figure.get_axes() if ax.get_title(loc="left")[5] in "ef")
    assert len(sprt.collections) == 2 * len(homogeneous_search.SHOWN_SPRT)
    assert len(plane.collections) == 2 * len(homogeneous_search.SHOWN_OPTIMUM)
    assert all(ax.get_legend() is None for ax in figure.get_axes())  # none lies over traces


def test_labels_of_answers_lie_beyond_the_thresholds(computed):
    data, _ = computed("homogeneous-search")
    low, high = data["tau"].to_numpy()
    figure = homogeneous_search.draw(data)
    (sprt,) = (ax for ax in figure.get_axes() if ax.get_title(loc="left")[5:6] == "e")
    places = {text.get_text(): text.get_position()[1] for text in sprt.texts}
    assert places['say "absent"'] < low - 0.1 * (high - low)
    assert places['say "present"'] > high + 0.1 * (high - low)
