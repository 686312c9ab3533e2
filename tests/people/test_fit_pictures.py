"""What is drawn is what was found; how it looks was judged by eye."""

import numpy as np
import pytest

from popout.people.fit_pictures import ENLARGED, draw_distributions, draw_fit, draw_observers


@pytest.fixture(scope="module")
def one(fits):
    return fits["ag"]


def test_means_and_errors_over_the_model(one, fits):
    figure = draw_fit(one, fits.data.describe().of("ag"))
    means = figure.axes[0]
    drawn = [line.get_ydata() for line in means.lines if line.get_linestyle() == "-"]
    np.testing.assert_allclose(drawn[0], one.best.prediction.mean_rt()[:, 0])
    assert [text.get_text() for text in figure.axes[5].get_yticklabels()].count("ex-gaussian") == 1


def test_densities_are_drawn_for_every_cell(one):
    figure = draw_distributions(one)
    assert len(figure.axes) == 4
    predicted = one.best.prediction
    upper, lower = figure.axes[0].lines[-3:-1]
    np.testing.assert_allclose(upper.get_ydata(), predicted.density[0, 0, 0])
    np.testing.assert_allclose(lower.get_ydata(), -ENLARGED * predicted.density[0, 0, 1])


def test_observers_side_by_side(fits):
    figure = draw_observers(fits.observers)
    compared, guidance, wasted = figure.axes
    assert "0" in [text.get_text() for text in compared.texts]
    assert "no model with fitted g" in [text.get_text() for text in guidance.texts]
    index = fits["ag"].judged.index
    assert wasted.lines[1].get_xdata()[0] == pytest.approx(index["wasted_ms"])
