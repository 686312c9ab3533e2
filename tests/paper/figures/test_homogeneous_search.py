"""Sample paths begin at zero and end where a strategy stops."""

import numpy as np
from matplotlib.collections import LineCollection

from popout.drawing.style import ABSENT, PRESENT
from popout.paper.figures import homogeneous_search


def test_sample_paths_start_at_zero_and_stop_at_the_boundary(data):
    assert (data["Z_optimal"].isel(time_optimal=0) == 0).all()
    assert (data["Z_target"].isel(time=0) == 0).all()
    S = data["S_sprt"].to_numpy()
    low, high = data["tau"].to_numpy()
    for path in S.reshape(-1, S.shape[-1]):
        path = path[~np.isnan(path)]
        assert ((path[:-1] > low) & (path[:-1] < high)).all()
        assert path[-1] <= low or path[-1] >= high


def by_letter(figure):
    """Return the panels by their letters, in the order that they are drawn in."""
    panels = [(ax.get_title(loc="left"), ax) for ax in figure.get_axes()]
    return [(title.split("{")[1][0], ax) for title, ax in panels if title]


def test_panels_have_letters_of_their_own_and_few_paths(data):
    panels = by_letter(homogeneous_search.draw(data))
    assert [letter for letter, _ in panels] == list("abcdef")
    for letter, shown in (
        ("e", homogeneous_search.SHOWN_SPRT),
        ("f", homogeneous_search.SHOWN_OPTIMUM),
    ):
        ax = dict(panels)[letter]
        paths = [c for c in ax.collections if isinstance(c, LineCollection)]  # colour is time
        if letter == "e":  # colour is the class
            paths = [line for line in ax.get_lines() if line.get_color() in (ABSENT, PRESENT)]
        assert len(paths) == 2 * len(shown)
    assert all(ax.get_legend() is None for _, ax in panels)  # none lies over traces
    # Labels of answers lie beyond the thresholds.
    low, high = data["tau"].to_numpy()
    places = {text.get_text(): text.get_position()[1] for text in dict(panels)["e"].texts}
    assert places['say "absent"'] < low - 0.1 * (high - low)
    assert places['say "present"'] > high + 0.1 * (high - low)
