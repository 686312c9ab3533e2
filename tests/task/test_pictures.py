"""A display as a picture, with its words."""

from matplotlib.figure import Figure

from popout.task.pictures import draw_example


def test_title_above_and_words_below():
    ax = draw_example([0.0, 25.0, float("nan")], 0, "A display", "words", Figure().subplots())
    assert (ax.get_title(), ax.get_xlabel()) == ("A display", "words")
    assert len([line for line in ax.lines if len(line.get_xdata()) == 2]) == 2
