"""Displays and graphs as pictures."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from popout.drawing.display_picture import draw_display, draw_example


@pytest.mark.parametrize("M", [1, 8, 12, 13, 40, 100])
def test_items_lie_apart_and_on_the_screen(M):
    ax = Figure().subplots()
    draw_display(ax, [25.0] * M, target=0)
    bars = np.array([line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2])
    assert bars.shape == (M, 2, 2)
    assert np.abs(bars).max() < 1.1
    # Parallel bars of one length overlap only if their centres are closer than a bar is long.
    centres = bars.mean(axis=1)
    apart = np.linalg.norm(centres[:, None] - centres, axis=-1) + 9 * np.eye(M)
    assert apart.min() > np.linalg.norm(bars[0, 1] - bars[0, 0])


def test_title_above_and_words_below():
    ax = draw_example([0.0, 25.0, float("nan")], 0, "A display", "words", Figure().subplots())
    assert (ax.get_title(), ax.get_xlabel()) == ("A display", "words")
    assert len([line for line in ax.lines if len(line.get_xdata()) == 2]) == 2
