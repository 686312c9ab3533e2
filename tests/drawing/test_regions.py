"""Regions of a plane: shaded where a margin is positive, present on top."""

import numpy as np
from matplotlib.figure import Figure

from popout.drawing.regions import draw_regions

X = np.linspace(-1.0, 1.0, 41)


def drawn(absent, present):
    ax = Figure().subplots()
    draw_regions(ax, X, X, absent, present)
    return ax.collections


def test_each_region_has_a_shade_and_a_line_where_it_ends():
    first = np.broadcast_to(X[:, None], (41, 41))
    shades = drawn(-0.5 - first, first - 0.25)
    assert [c.get_fill() for c in shades] == [True, False, True, False]
    ends = [np.concatenate([p.vertices for p in c.get_paths()])[:, 0] for c in shades[1::2]]
    assert np.allclose(ends[0], -0.5)
    assert np.allclose(ends[1], 0.25)


def test_an_answer_that_is_never_given_is_not_drawn_and_present_wins():
    everywhere = np.ones((41, 41))
    assert len(drawn(-everywhere, -everywhere)) == 0
    shades = drawn(everywhere, everywhere)
    assert len(shades) == 1  # one shade, no line: it has no end here
